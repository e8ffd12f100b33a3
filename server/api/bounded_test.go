package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
)

const (
	giveBack    = `UPDATE sends SET status = 'queued', lease_token = NULL, lease_holder = NULL, lease_expires_at = NULL WHERE id = $1`
	saidOften   = `INSERT INTO evidence (workspace_id, send_id, kind, outcome) SELECT workspace_id, s.id, 'report', 'no_evidence' FROM sends s, generate_series(1, 250) WHERE s.id = $1`
	copiedOften = `WITH made AS (INSERT INTO deliveries (workspace_id, account_id, provider_id, message_id, send_id)
		SELECT workspace_id, account_id, 'again-' || n, message_id, id FROM sends, generate_series(1, 250) n WHERE id = $1 RETURNING id, send_id)
		INSERT INTO delivery_sends (delivery_id, send_id) SELECT id, send_id FROM made`
	editedOften  = `INSERT INTO message_versions (message_id, version, body, digest, text_hash, created_by) SELECT message_id, n, body, digest, text_hash, created_by FROM message_versions, generate_series(2, 250) n WHERE message_id = $1`
	isTheNewest  = `UPDATE messages SET version = 250 WHERE id = $1`
	linesOfStory = `SELECT (SELECT count(*) FROM send_events WHERE message_id = $1) + (SELECT count(*) FROM delivery_observations WHERE message_id = $1)
		+ (SELECT count(*) FROM message_versions WHERE message_id = $1) + (SELECT count(*) FROM approvals WHERE message_id = $1)`
)

// Goal: whatever browsers, providers and programs say of one message, an answer shows the newest of it, says how much it leaves out,
// and still knows how far the message came.
func TestAStoryIsBounded(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.provider("Mailer", "admin")
	s.addInstall()
	id, send := s.approved("ada-example")
	for range 110 {
		s.move(send, lease, giveBack)
	}
	s.move(send, lease, start, confirm, sent, deliver, saidOften)
	first := time.Now().Add(-time.Minute).Truncate(time.Second).UTC()
	p.want(t, "3 0 0", event("", "delivered", copyOf(id), first, ""), event("", "bounced", copyOf(id), first, ""),
		event("", "undelivered", "a copy that nobody knows", first, id))
	for range 2 {
		events := make([]string, config.CallbackEventsMax)
		for i := range events {
			events[i] = event("", "delivered", copyOf(id), time.Now().Add(time.Duration(i)*time.Millisecond), "")
		}
		p.want(t, fmt.Sprint(config.CallbackEventsMax, 0, 0), events...)
	}
	lines, said := s.count(linesOfStory, uuid.MustParse(id)), s.count(`SELECT count(*) FROM evidence WHERE send_id = $1`, uuid.MustParse(send))

	m := s.ask("GET", "/v1/messages/"+id, "")
	most := config.ReceiptRowsMax
	m.wantLength(t, "history", most, "at")
	m.wantLength(t, "sends.0.evidence.said", most, "kind")
	for path, want := range map[string]string{
		"history_left_out": fmt.Sprint(lines - most), "sends.0.evidence.said_left_out": fmt.Sprint(said - most),
		"delivery.state": "delivered", "delivery.at": first.Format(time.RFC3339), "delivery.bounced.at": first.Format(time.RFC3339), "delivery.undelivered.at": first.Format(time.RFC3339),
		"sends.0.evidence.deliveries.0.reached.bounced.at": first.Format(time.RFC3339), "sends.0.evidence.deliveries.0.reached.at": first.Format(time.RFC3339),
	} {
		if got := m.text(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	for _, page := range []struct{ path, of string }{{"/v1/messages", "items.0.sends.0"}, {"/v1/sends", "items.0"}} {
		list := s.ask("GET", page.path, "")
		list.wantLength(t, page.of+".evidence.said", config.ListedRowsMax, "kind")
		if got := list.text(page.of + ".evidence.said_left_out"); got != fmt.Sprint(said-config.ListedRowsMax) {
			t.Errorf("%s leaves out %s of %d", page.path, got, said)
		}
	}
	receipt := s.requireReceipt(id)
	receipt.wantLength(t, "history", most, "at")
	receipt.wantLength(t, "sends.0.evidence", most, "kind")
	receipt.wantLength(t, "delivery_evidence.observations", most, "kind")
	for path, want := range map[string]int{"history": lines - most, "evidence": said - most, "observations": 403 - most} {
		if got := receipt.text("left_out." + path); got != fmt.Sprint(want) {
			t.Errorf("the receipt leaves out %s of %s, want %d", got, path, want)
		}
	}

	edited := s.to("alan-example", "first contact", "Hello Alan").text("id")
	s.move(edited, editedOften, isTheNewest)
	receipt = s.requireReceipt(edited)
	receipt.wantLength(t, "versions", most, "version")
	receipt.wantLength(t, "history", most, "at")
	if receipt.text("left_out.versions") != "50" || receipt.text("left_out.history") != "50" || receipt.text("versions.199.version") != "250" {
		t.Errorf("of 250 versions the receipt leaves out %s", receipt.text("left_out"))
	}
}

// Goal: however many copies a browser or a provider names, an answer shows the first of them and says how many more there are.
func TestCopiesAreBounded(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	id, send := s.approved("ada-example")
	s.move(send, lease, start, confirm, sent, deliver, copiedOften)
	for path, most := range map[string]int{
		"/v1/messages/" + id: config.ReceiptRowsMax, "/v1/sends/" + send: config.ReceiptRowsMax, "/v1/sends": config.ListedRowsMax,
	} {
		of := map[string]string{"/v1/messages/" + id: "sends.0.", "/v1/sends/" + send: "", "/v1/sends": "items.0."}[path] + "evidence."
		shown := s.ask("GET", path, "")
		shown.wantLength(t, of+"deliveries", most, "provider_id")
		if left := shown.text(of + "deliveries_left_out"); left != fmt.Sprint(251-most) {
			t.Errorf("%s leaves out %q of 251 copies", path, left)
		}
		if first := shown.text(of + "deliveries.0.provider_id"); first != copyOf(id) {
			t.Errorf("%s shows %q first, want the first copy", path, first)
		}
	}
	receipt := s.requireReceipt(id)
	receipt.wantLength(t, "sends.0.deliveries", config.ReceiptRowsMax, "provider_id")
	if left := receipt.text("left_out.deliveries"); left != fmt.Sprint(251-config.ReceiptRowsMax) {
		t.Errorf("the receipt leaves out %s of 251 copies", left)
	}
}

// wantLength says that a list has so many entries, each with a member.
func (a answer) wantLength(t *testing.T, list string, want int, member string) {
	t.Helper()
	if a.text(fmt.Sprintf("%s.%d.%s", list, want-1, member)) == "" || a.text(fmt.Sprintf("%s.%d.%s", list, want, member)) != "" {
		t.Errorf("%s has not %d entries", list, want)
	}
}
