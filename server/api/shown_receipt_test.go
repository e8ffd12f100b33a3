package api_test

import (
	"fmt"
	"testing"
)

func (s *server) receipt(message string) answer {
	s.t.Helper()
	a := s.ask("GET", "/v1/messages/"+message+"/receipt", "")
	if a.Status != 200 {
		s.t.Errorf("the receipt: %d %s", a.Status, a.Body)
	}
	return a
}

// wantMembers holds members of an answer by their paths; "*" is any value.
func wantMembers(t *testing.T, a answer, want map[string]string) {
	t.Helper()
	for path, value := range want {
		if got := a.text(path); got != value && (value != "*" || got == "") {
			t.Errorf("%s is %q, want %q: %s", path, got, value, a.Body)
		}
	}
}

// A receipt tells what only few messages have: a window, a subject, what it waits for, what it follows, and how it was closed.
func TestEveryFieldOfAReceipt(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	s.move(s.account, "UPDATE accounts SET member_urn = 'urn:li:fsd_profile:1', member_name = 'Rita Recruiter' WHERE id = $1")

	full := s.approve(s.ask("POST", "/v1/messages", fmt.Sprintf(fullProposal, s.account)))
	id := full.text("id")
	s.move(full.text("sends.0.id"), "UPDATE sends SET waiting_for = 'too_early' WHERE id = $1")
	wantMembers(t, s.receipt(id), map[string]string{
		"message.account.member_name": "Rita Recruiter", "message.account.member_urn": "*", "message.person.name": "Ada Example",
		"message.task": "spring campaign", "message.send_after": "*", "message.send_before": "*", "versions.0.subject": "Hello",
		"versions.0.send_after": "*", "versions.0.send_before": "*", "sends.0.waiting_for": "too_early",
	})
	incident := s.addIncident("delivered_twice", id)
	s.ask("POST", "/v1/incidents/"+incident+"/closing", `{"note":"Both were read"}`)
	s.ask("POST", "/v1/messages/"+id+"/closing", `{"why":"the place is taken"}`)
	s.ask("POST", "/v1/messages/"+s.edited()+"/withdrawal", "")
	wantMembers(t, s.receipt(id), map[string]string{
		"message.closure.why": "the place is taken", "incidents.0.closed_by": "recruiter", "incidents.0.closed_at": "*", "incidents.0.note": "Both were read",
	})

	i := intent{purpose: "a second reason"}
	first := s.approve(s.meant(s.account, i, ""))
	before := first.text("sends.0.id")
	s.move(before, lease, start, prove, `UPDATE sends SET status = 'failed', code = 'rate_limited', requeue_at = sendonce_now() + interval '1 day' WHERE id = $1`)
	wantMembers(t, s.receipt(first.text("id")), map[string]string{"sends.0.requeue_at": "*"})
	follower := s.approve(s.meant(s.account, i, following(before, "another try")))
	s.move(follower.text("sends.0.id"), lease, start, unconfirm)
	wantMembers(t, s.receipt(follower.text("id")), map[string]string{
		"message.follows.send_id": before, "message.follows.message_id": first.text("id"), "message.follows.why": "another try",
		"message.instruction": "*", "sends.0.instruction": "*",
	})
}

// A receipt tells which policy approved by itself, which earlier message an approval named, what was written by hand after it, and who said no.
func TestReceiptOfDecisions(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.setPolicy(`{"auto_approve":[{"role":"agent","purpose":"reminder"}]}`)
	byPolicy := s.to("ada-example", "reminder", "Do not forget", s.as("agent")).text("id")
	wantMembers(t, s.receipt(byPolicy), map[string]string{"approvals.0.policy": "1", "approvals.0.approver": "admin"})

	s.addInstall()
	earlier := s.approve(s.to("ben-sample", "first contact", "Hello Ben"))
	s.move(earlier.text("sends.0.id"), lease, start, confirm, sent)
	second := s.approve(s.next(earlier, "ben-sample", "first contact", "Hello again"))
	wantMembers(t, s.receipt(second.text("id")), map[string]string{"approvals.0.yes_to.0": earlier.text("id")})

	s.move(earlier.text("id"), `INSERT INTO delivery_observations
			(workspace_id, install_id, account_id, kind, provider_id, seen_id, text_digest, at, said_hash, message_id)
		SELECT m.workspace_id, i.id, m.account_id, 'manual', 'urn:copy', 'urn:hand', 'sha256:' || repeat('0', 64), sendonce_now(), 'by hand', m.id
		FROM messages m JOIN installs i ON i.workspace_id = m.workspace_id WHERE m.id = $1`)
	wantMembers(t, s.ask("GET", "/v1/messages/"+earlier.text("id"), ""), map[string]string{"delivery.by_hand_at": "*"})
	wantMembers(t, s.receipt(earlier.text("id")), map[string]string{
		"delivery_evidence.by_hand_at": "*", "delivery_evidence.observations.0.kind": "manual", "delivery_evidence.observations.0.seen_id": "urn:hand",
	})

	rejected := s.to("chloe-sample", "first contact", "Hello Chloe")
	s.ask("POST", "/v1/messages/"+rejected.text("id")+"/rejection", no(rejected, "too long"))
	wantMembers(t, s.receipt(rejected.text("id")), map[string]string{
		"message.rejection.rejected_by": "recruiter", "message.rejection.rejected_at": "*", "message.rejection.why": "too long",
	})
}

// edited makes a message whose approval was voided by an edit, and holds its receipt.
func (s *server) edited() string {
	s.t.Helper()
	m := s.approve(s.propose("Hello again"))
	s.move(m.text("sends.0.id"), lease, "UPDATE sends SET status = 'queued', lease_token = NULL, lease_expires_at = NULL, lease_holder = NULL, waiting_for = 'too_early' WHERE id = $1")
	id := m.text("id")
	s.ask("PATCH", "/v1/messages/"+id, `{"body":"Hello once more"}`)
	wantMembers(s.t, s.receipt(id), map[string]string{"approvals.0.voided_at": "*", "approvals.0.void_reason": "edited"})
	return id
}
