package api_test

import (
	"testing"
	"time"
)

// looked answers a check of the send as a browser would that was asked so long ago, by the database's clock.
func (s *server) looked(send, result, reason string, asked time.Duration) answer {
	s.t.Helper()
	s.move(send, `INSERT INTO evidence (workspace_id, send_id, kind, install_id, outcome, asked_at, body) SELECT workspace_id, id, 'check',
		lease_holder, '`+result+`', sendonce_now() - interval '`+asked.String()+`', '{"reason":`+reason+`,"copies":[],"conversation":"2-abc",
		"messages":14,"oldest_at_ms":1795900000000,"looked_at_ms":1}' FROM sends WHERE id = $1`)
	return s.ask("GET", "/v1/sends/"+send, "")
}

// A program reads what the newest look saw, when it was asked for, and whether its absence counts: also where the answer came
// late, and after a person has settled the send.
func TestWhatALookIsWorth(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	send := s.unconfirmed("Hello Ada", "UPDATE sends SET gone_at = sendonce_now() WHERE id = $1")
	if a := s.ask("GET", "/v1/sends/"+send, ""); a.text("looked") != "" {
		t.Errorf("before any look: %s", a.Body)
	}
	s.advance(17 * time.Minute) // the deadline, 6 minutes after the start, and the grace of 10
	late := s.looked(send, "absent", "null", 2*time.Minute)
	if late.text("looked.result") != "absent" || late.text("looked.counts") != "false" || late.text("looked.asked_at") == "" ||
		late.text("looked.messages") != "14" || late.text("looked.conversation") != "2-abc" || late.text("looked.back_to") != "2026-11-28T21:06:40Z" {
		t.Errorf("asked before the grace was over: %s", late.Body)
	}
	if a := s.looked(send, "absent", "null", 30*time.Second); a.text("looked.counts") != "true" || a.text("evidence.said.1.asked_at") == "" {
		t.Errorf("asked after it: %s", a.Body)
	}
	if a := s.resolve(send, "not_delivered", "Nothing stands there"); a.Status != 200 || a.text("looked.counts") != "true" {
		t.Errorf("settled: %d %s", a.Status, a.Body)
	}
}

// A person may have an unconfirmed send looked at again, and reads when that will be. Nothing else is looked at again.
func TestLookedAtAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	send := s.unconfirmed("Hello Ada")
	s.move(send, "UPDATE checks SET due_at = NULL, tries = 7 WHERE send_id = $1")
	if a := s.ask("GET", "/v1/sends/"+send, ""); a.text("next_check_at") != "" {
		t.Errorf("a look is planned: %s", a.Body)
	}
	if a := s.ask("POST", "/v1/sends/"+send+"/check", `{}`); a.Status != 200 || a.text("next_check_at") == "" || a.text("status") != "unconfirmed" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	s.move(send, "DELETE FROM checks WHERE send_id = $1") // as one that became unconfirmed before there were checks
	if a := s.ask("POST", "/v1/sends/"+send+"/check", `{}`); a.Status != 200 || a.text("next_check_at") == "" {
		t.Errorf("without a plan: %d %s", a.Status, a.Body)
	}
	if a := s.ask("POST", "/v1/sends/"+send+"/check", `{}`, s.as("stranger")); a.Status != 404 {
		t.Errorf("by a stranger: %d %s", a.Status, a.Body)
	}
	s.resolve(send, "delivered", "It stands there")
	if a := s.ask("POST", "/v1/sends/"+send+"/check", `{}`); a.Status != 409 || a.text("code") != "not_unconfirmed" {
		t.Errorf("after it was settled: %d %s", a.Status, a.Body)
	}
}
