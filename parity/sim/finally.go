package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sendonce/server/incident"
	"sendonce/server/rule"
)

// finally is what must be so once faults have ended and time has passed.
func (w *World) finally() {
	w.finallySends()
	w.finallyHistory()
	w.finallyDeliveries()
	w.finallyRules()
	w.finallyTold()
	w.finallyFollowed()
	w.finallyObserved()
	w.finallyIntents()
	w.finallySteps()
	w.finallyPeople()
	w.finallyPace()
	w.finallyIncidents()
	w.finallyRests()
	for _, b := range w.browsers {
		w.finallyBrowser(b)
	}
}

func (w *World) finallySends() {
	for _, m := range w.people.messages {
		shown, ok := w.people.read(m)
		if !ok && len(m.approved) > 0 && m.id != "" {
			w.note("ended without a send")
		}
		for _, send := range shown.Sends {
			w.finallySend(m, send)
		}
		if ok && shown.Sends[len(shown.Sends)-1].Status == rule.Failed && !m.erred && w.reached(m) {
			w.breach("message %s is failed, and a copy of what we typed stands there", m.id)
		}
	}
}

// reached says whether what we typed became a copy that is this message's and no other's.
func (w *World) reached(m *message) bool {
	t := w.site.find(m.member, m.person)
	if t == nil || slices.ContainsFunc(w.people.messages, func(other *message) bool { return other != m && other.approved[m.body] }) {
		return false
	}
	return slices.ContainsFunc(t.copies, func(c *copied) bool { return (c.press != 0 || c.typed) && c.text == m.body })
}

func (w *World) finallySend(m *message, send shownSend) {
	w.note(fmt.Sprintf("ended %s %s %s", send.Status, send.Code, send.Reason))
	switch status := send.Status; {
	case status == rule.Leased || status == rule.Started:
		w.breach("send %s is still %s at the end", send.ID, status)
	case status == rule.Queued && send.WaitingFor == "" && w.hasFreeBrowser(m.member) && w.wasOpen(m.member):
		w.breach("send %s is queued, waits for nothing but a browser, and one is free", send.ID)
	case status == rule.Unconfirmed && send.Instruction == "":
		w.breach("send %s is unconfirmed without an instruction", send.ID)
	case status != rule.Queued && send.Code == "":
		w.breach("send %s is %s and does not say why", send.ID, status)
	}
}

// hasFreeBrowser: by docs/api.md a queued send that names nothing waits for the next free browser of its account.
func (w *World) hasFreeBrowser(m *member) bool {
	return slices.ContainsFunc(w.browsers, func(b *browser) bool {
		return b.member == m && len(b.links) > 0 && b.storage["paused"] != "true"
	})
}

// wasOpen says whether the member's account might have begun something a while ago already: nobody hears of its hours but by a poll.
func (w *World) wasOpen(m *member) (open bool) {
	w.must(w.clock.show(w.ctx))
	w.must(w.owner.QueryRow(w.ctx, "SELECT because = '' FROM account_pace($1::text::uuid, sendonce_now() - $2::interval)",
		w.people.accounts[m], restWithin).Scan(&open))
	return open
}

// finallyHistory holds every send's events against the moves that there are.
func (w *World) finallyHistory() {
	rows, err := w.owner.Query(w.ctx, `SELECT e.send_id::text, coalesce(e.from_status, ''), e.to_status, coalesce(e.code, ''),
		lag(e.to_status, 1, '') OVER (PARTITION BY e.send_id ORDER BY e.id), s.status, e.actor,
		lead(e.id) OVER (PARTITION BY e.send_id ORDER BY e.id) IS NULL
		FROM send_events e JOIN sends s ON s.id = e.send_id ORDER BY e.send_id, e.id`)
	w.must(err)
	defer rows.Close()
	started := map[string]bool{}
	for rows.Next() {
		var id, code, actor string
		var from, to, before, now rule.Status
		var last bool
		w.must(rows.Scan(&id, &from, &to, &code, &before, &now, &actor, &last))
		if to == rule.Started {
			started[id] = true
		}
		moved := from != "" && from != to
		switch {
		case moved && !rule.Allowed(from, to, rule.Actor(actor), started[id] && from != rule.Leased):
			w.breach("send %s went from %q to %q by %s", id, from, to, actor)
		case to == rule.Queued && started[id]:
			w.breach("send %s was queued again after its start", id)
		case from != before:
			w.breach("the history of send %s goes from %q on with %q", id, before, from)
		case last && to != now:
			w.breach("the history of send %s ends with %q, and it is %q", id, to, now)
		case to == rule.Sent && from != rule.Started && from != "" && from != rule.Sent:
			w.note(lateWin + string(from))
			if actor == string(rule.Observer) {
				w.note(checkFound)
			}
		}
	}
	w.must(rows.Err())
}

// finallyIntents holds what has started against what was decided: of two messages for one intent the later one names what it
// follows, and began after the earlier one's end. The numbers of the history are in order, whatever the clock does. Two people who
// were merged are one for what began after that.
func (w *World) finallyIntents() {
	w.breachEach("message %s began beside another for the same person and purpose, or names none that it follows", `WITH starts AS (
			SELECT e.id, e.send_id, m.id AS message, p.one_id, m.purpose, m.follows_send,
				coalesce((SELECT max(v.id) FROM events v WHERE v.type = 'person_merged' AND v.person_id = m.person_id), 0) AS merged
			FROM send_events e JOIN messages m ON m.id = e.message_id JOIN same_people p ON p.person_id = m.person_id
			WHERE e.from_status = 'leased' AND e.to_status = 'started')
		SELECT later.message::text FROM starts later JOIN starts earlier USING (one_id, purpose)
		WHERE earlier.message <> later.message AND earlier.id < later.id AND later.id > greatest(later.merged, earlier.merged) AND (later.follows_send IS NULL OR NOT EXISTS (
			SELECT FROM send_events x WHERE x.send_id = earlier.send_id AND x.to_status IN ('sent', 'failed') AND x.id < later.id))`)
}

// finallyIncidents: a person is told of every message that is known to have gone out more than once.
func (w *World) finallyIncidents() {
	var twice, untold int
	w.must(w.owner.QueryRow(w.ctx, `WITH twice AS (SELECT message_id FROM deliveries GROUP BY message_id HAVING count(*) > 1)
		SELECT count(*), count(*) FILTER (WHERE NOT EXISTS (SELECT FROM incidents i
			WHERE message_id IN (i.message_id, i.subject_id) AND i.kind IN ($1, $2))) FROM twice`,
		incident.DeliveredTwice, incident.BrowserRepeated).Scan(&twice, &untold))
	if untold > 0 {
		w.breach("%d messages are known to have gone out twice, and there is no incident", untold)
	}
	if twice > 0 {
		w.note(knownTwice)
	}
}

// finallyBrowser asks whether a browser still owes a word about an attempt.
func (w *World) finallyBrowser(b *browser) {
	for _, token := range b.openEntries() {
		w.breach("%s still has an open entry %s in its journal", b.name, token[len(token)-8:])
	}
}

// openEntries are the lease tokens of the attempts that the browser has yet to say a word about.
func (b *browser) openEntries() []string {
	var journal struct {
		Open map[string]json.RawMessage `json:"open"`
	}
	if raw, there := b.storage["journal"]; there {
		b.w.must(json.Unmarshal([]byte(raw), &journal))
	}
	return slices.Sorted(maps.Keys(journal.Open))
}
