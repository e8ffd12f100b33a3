package sim

import (
	"encoding/json"
	"slices"

	"sendonce/server/rule"
)

// spoken holds what a server has just said to a browser against the database as it is at that moment: what it hands out, and what it
// lets begin or be looked at.
func (w *World) spoken(b *browser, raw []byte) {
	var said struct {
		Type, Send, Attempt string
		Code                rule.Refusal
	}
	w.must(json.Unmarshal(raw, &said))
	w.must(w.clock.show(w.ctx))
	switch said.Type {
	case "lease":
		w.checkSaid(b, "lease", mayBegin+" WHERE s.id::text = $1 AND s.leased_at = c.at", said.Send)
		w.checkSaid(b, "lease", mayBeLeased, said.Send)
	case "started":
		w.checkAck(b, said.Attempt)
		if w.acked[said.Attempt]++; w.acked[said.Attempt] == 1 { // said again, the world may have moved on within the moment
			w.checkSaid(b, "start", mayBegin+" WHERE s.attempt = $1 AND s.started_at = c.at", said.Attempt)
		}
	case "halt":
		if slices.Contains(heldByPeople, said.Code) {
			w.breach("%s was halted by %s, though it had begun", b.name, said.Code)
		}
	case "check":
		w.checkSaid(b, "look", mayBeLookedAt+" WHERE s.id::text = $1", said.Send)
	}
}

// heldByPeople is what holds a send back only before it has begun.
var heldByPeople = append([]rule.Refusal{rule.AccountPaused, rule.InstallPaused, rule.WorkspacePaused}, paceRefusals...)

// checkSaid asks what stands against what was said.
func (w *World) checkSaid(b *browser, what, ask, of string) {
	rows, err := w.owner.Query(w.ctx, ask, of, b.install())
	w.must(err)
	defer rows.Close()
	for rows.Next() {
		var against string
		if w.must(rows.Scan(&against)); against != "" {
			w.breach("%s was given a %s although %s", b.name, what, against)
		}
	}
	w.must(rows.Err())
}

// checkAck: what is acknowledged is on record, and is this browser's.
func (w *World) checkAck(b *browser, attempt string) {
	var recorded int
	w.must(w.owner.QueryRow(w.ctx, "SELECT count(*) FROM sends WHERE attempt = $1 AND lease_holder::text = $2", attempt, b.install()).Scan(&recorded))
	if recorded != 1 {
		w.breach("%s heard that attempt %s has started, and it is on record %d times as its own", b.name, attempt, recorded)
	}
}

// heldBack is what holds back whatever concerns the account ac of a workspace ws, in the hands of an install i.
const heldBack = `
	CASE WHEN ac.stopped_at IS NOT NULL THEN 'its account is stopped' END,
	CASE WHEN ac.paused_at IS NOT NULL THEN 'its account is paused' END,
	CASE WHEN ac.cool_until > c.at THEN 'its account cools down' END,
	CASE WHEN ws.paused_at IS NOT NULL THEN 'the workspace is paused' END,
	CASE WHEN i.paused_at IS NOT NULL THEN 'the browser is paused' END,
	CASE WHEN i.revoked_at IS NOT NULL THEN 'the browser is revoked' END,`

// mayBegin is what stands against a send that has just been leased, or has just begun. It is asked at the very moment: later the world
// may have moved on.
const mayBegin = `SELECT concat_ws(', ',` + heldBack + `
	CASE WHEN s.lease_holder <> i.id THEN 'another browser holds it' END,
	CASE WHEN ap.voided_at IS NOT NULL THEN 'its approval is void' END,
	CASE WHEN ap.expires_at <= c.at THEN 'its approval has ended' END,
	CASE WHEN m.authority <> 'approved' THEN 'its message is ' || m.authority END,
	CASE WHEN m.closed_at IS NOT NULL THEN 'its message is closed' END,
	CASE WHEN v.send_before <= c.at THEN 'its window is closed' END,
	CASE WHEN one.replied_at > ap.approved_at THEN 'the person has replied' END,
	CASE WHEN EXISTS (SELECT FROM people x WHERE x.id = ANY (same.ids) AND x.suppressed_at IS NOT NULL) THEN 'the person must not be contacted' END,
	CASE WHEN EXISTS (SELECT FROM sends o WHERE o.message_id = s.message_id AND o.id <> s.id AND o.status IN ('sent', 'started', 'unconfirmed'))
		OR EXISTS (SELECT FROM deliveries d WHERE d.message_id = s.message_id) THEN 'the message was sent, or may have been' END,
	CASE WHEN EXISTS (SELECT FROM sends o WHERE o.account_id = s.account_id AND o.id <> s.id AND o.status IN ('leased', 'started'))
		THEN 'its account is at another send' END,
	CASE WHEN EXISTS (SELECT FROM sends o WHERE o.person_id = ANY (same.ids) AND o.text_hash = s.text_hash AND o.message_id <> s.message_id
		AND (o.status = 'sent' AND o.confirmed_at >= ap.approved_at
			OR o.status IN ('started', 'unconfirmed') AND (NOT ap.repeat_approved OR o.started_at >= ap.approved_at)))
		THEN 'the same text has reached the person since the approval, or may have' END,
	CASE WHEN EXISTS (SELECT FROM sends o WHERE o.id = m.follows_send AND o.status = 'sent' AND o.confirmed_at >= ap.approved_at)
		THEN 'what it follows proved delivered since' END)
	FROM sends s JOIN messages m ON m.id = s.message_id JOIN approvals ap ON ap.id = s.approval_id
	JOIN message_versions v ON v.message_id = s.message_id AND v.version = s.version
	JOIN same_people same ON same.person_id = s.person_id JOIN people one ON one.id = same.one_id
	JOIN accounts ac ON ac.id = s.account_id JOIN workspaces ws ON ws.id = s.workspace_id
	JOIN installs i ON i.id::text = $2 CROSS JOIN sim_clock c`

// mayBeLeased is what stands against a lease, and not against a start.
const mayBeLeased = `SELECT 'nobody has looked for its account''s unconfirmed send' FROM sends s JOIN checks k ON k.account_id = s.account_id CROSS JOIN sim_clock c
	WHERE s.id::text = $1 AND $2 <> '' AND s.leased_at = c.at AND k.answered_at IS NULL AND k.first_until > c.at`

// mayBeLookedAt is what stands against a look at a send that is unconfirmed.
const mayBeLookedAt = `SELECT concat_ws(', ',` + heldBack + `
	CASE WHEN s.status <> 'unconfirmed' THEN 'it is ' || s.status END,
	CASE WHEN EXISTS (SELECT FROM sends o WHERE o.account_id = s.account_id AND o.status IN ('leased', 'started'))
		THEN 'its account is at another send' END)
	FROM sends s JOIN accounts ac ON ac.id = s.account_id JOIN workspaces ws ON ws.id = s.workspace_id
	JOIN installs i ON i.id::text = $2 CROSS JOIN sim_clock c`
