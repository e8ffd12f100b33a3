package api_test

import (
	"testing"

	"github.com/google/uuid"

	"sendonce/server/sequence"
)

// Goal: what is long overdue is proposed all the same, and no policy approves it: after a long pause nothing goes out that nobody has read.
// What is due now the policy approves.
func TestAPersonApprovesWhatIsOverdue(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	s.setPolicy(`{"auto_approve":[{"purpose":"first contact"}]}`)
	soon, late := s.someone("ada-example"), s.someone("ben-sample")
	e := s.enrol(soon)
	s.work(0)
	if m := s.want(e, sequence.Running, sequence.UnderWay, 1); m.text("approval.policy") != "1" {
		t.Errorf("what was due now: %s", m.Body)
	}
	overdue := s.enrol(late)
	s.work(5 * aDay) // the account's hours say two working days
	if m := s.want(overdue, sequence.Running, sequence.ForApproval, 2); m.text("sends.0.id") != "" {
		t.Errorf("what was overdue: %s", m.Body)
	}
}

// Goal: a message of a paused sequence or enrolment is approved by nobody, one by one or with all others; of a resumed one it is. A batch is
// of a sequence, a step or enrolments, and shows each whole text.
func TestABatchOfASequenceIsShown(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	s.to("finn-sample", "something else", "Hello Finn")
	first, second, third := s.enrol(s.someone("ada-example")), s.enrol(s.someone("ben-sample")), s.enrol(s.someone("cleo-sample"))
	s.work(0)
	paused := s.want(first, sequence.Running, sequence.ForApproval, 3)
	s.moved(first, sequence.Paused)
	if a := s.approve(paused); a.Status != 409 || a.text("code") != "sequence_paused" {
		t.Errorf("approved beside a pause: %d %s", a.Status, a.Body)
	}
	s.ask("PATCH", "/v1/messages/"+paused.text("id"), `{"subject":"For Ada"}`)
	of := `{"sequence_id":"` + s.id.String() + `"}`
	preview := s.ask("POST", "/v1/approvals", of)
	wantMembers(t, preview, map[string]string{"total": "3", "allowed": "2", "refused.sequence_paused": "1", "sequence_id": s.id.String(), "step_id": ""})
	for body, total := range map[string]string{
		`{"step_id":"` + s.steps[0].ID.String() + `"}`: "3", `{"step_id":"` + s.steps[1].ID.String() + `"}`: "0",
		`{"enrolment_ids":["` + second.String() + `","` + third.String() + `"]}`: "2", `{"enrolment_ids":[]}`: s.ask("POST", "/v1/approvals", "{}").text("total"),
	} {
		if a := s.ask("POST", "/v1/approvals", body); a.text("total") != total {
			t.Errorf("%s: %s, want %s", body, a.Body, total)
		}
	}
	for _, body := range []string{`{"sequence_id":"` + uuid.NewString() + `"}`, `{"step_id":"` + uuid.NewString() + `"}`} {
		if a := s.ask("POST", "/v1/approvals", body); a.Status != 404 {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
	if a := s.ask("POST", "/v1/approvals", of, s.as("stranger")); a.Status != 404 {
		t.Errorf("by a stranger: %d %s", a.Status, a.Body)
	}
	if a := s.ask("POST", "/v1/retries", `{"sequence_id":"`+s.id.String()+`","step_id":"`+s.steps[0].ID.String()+`","enrolment_ids":["`+first.String()+`"]}`); a.text("total") != "0" || a.text("enrolment_ids.0") != first.String() {
		t.Errorf("retries: %s", a.Body)
	}
	path := "/v1/approvals/" + preview.text("id")
	items := s.ask("GET", path+"/items", "")
	wantMembers(t, items, map[string]string{"items.0.body": "Hello Ada", "items.1.body": "Hello Ada", "items.2.body": "Hello Ada", "items.0.subject": "For Ada"})
	if a := s.ask("POST", path+"/start", "{}", s.as("agent")); a.Status != 403 {
		t.Errorf("begun by an agent: %d %s", a.Status, a.Body)
	}
	s.ask("POST", path+"/start", "{}")
	if done := s.done("approvals", preview.text("id")); done.text("made") != "2" {
		t.Errorf("done: %s", done.Body)
	}
	s.work(0)
	s.want(second, sequence.Running, sequence.UnderWay, 3)
	s.want(first, sequence.Paused, sequence.ByPerson, 3)
	s.moved(first, sequence.Running)
	s.work(0)
	if a := s.approve(s.want(first, sequence.Running, sequence.ForApproval, 3)); a.Status != 200 {
		t.Errorf("approved after the pause: %d %s", a.Status, a.Body)
	}
	s.sequenceMoved(sequence.Paused)
	s.work(0)
	s.want(first, sequence.Running, sequence.SequencePaused, 3)
	if a := s.approve(s.ask("GET", "/v1/messages/"+paused.text("id"), "")); a.Status != 409 || a.text("code") != "sequence_paused" {
		t.Errorf("approved beside a pause of the sequence: %d %s", a.Status, a.Body)
	}
}
