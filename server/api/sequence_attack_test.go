package api_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/problem"
	"sendonce/server/sequence"
)

const (
	repliedNow = "UPDATE people SET replied_at = sendonce_now() WHERE id = $1"
	byHandNow  = `INSERT INTO delivery_observations (workspace_id, install_id, account_id, kind, provider_id, seen_id, text_digest, at, said_hash, message_id)
		SELECT m.workspace_id, i.id, m.account_id, 'manual', 'urn:copy', 'urn:hand', 'sha256:' || repeat('0', 64), sendonce_now(), 'by hand', m.id
		FROM messages m JOIN step_messages t ON t.message_id = m.id JOIN installs i ON i.workspace_id = m.workspace_id WHERE m.person_id = $1`
)

// Goal: once the pause or the end of a sequence is answered nothing of it begins, whether or not a server has looked since.
func TestThePauseOfASequenceHoldsAtOnce(t *testing.T) {
	t.Parallel()
	for what, status := range map[string]string{"pause": "canceled", "stop": "canceled", "finish": "queued"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newSequencing(t)
			e := s.enrol(s.someone("ada-example"))
			s.work(0)
			m := s.want(e, sequence.Running, sequence.ForApproval, 1)
			s.approve(m)
			if a := s.ask("POST", "/v1/sequences/"+s.id.String()+"/"+what, "{}"); a.Status != 200 {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			if got := s.ask("GET", "/v1/messages/"+m.text("id"), ""); got.text("sends.0.status") != status {
				t.Errorf("its send is %s, want %s", got.text("sends.0.status"), status)
			}
		})
	}
}

// Goal: what had begun beside a pause or an end, and then failed, is sent again by nobody, one by one or with all others; of a resumed
// enrolment it is.
func TestNothingIsRetriedBesideAPause(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	e := s.enrol(s.someone("ada-example"))
	s.work(0)
	send := s.approve(s.want(e, sequence.Running, sequence.ForApproval, 1)).text("sends.0.id")
	s.move(send, lease, start)
	s.moved(e, sequence.Paused)
	s.move(send, prove, fail)
	refused := func(when, code string) {
		t.Helper()
		if a := s.ask("POST", "/v1/sends/"+send+"/retry", "{}"); a.Status != 409 || a.text("code") != code {
			t.Errorf("%s: %d %s", when, a.Status, a.Body)
		}
		if a := s.ask("POST", "/v1/retries", `{"sequence_id":"`+s.id.String()+`"}`); a.text("allowed") != "0" || a.text("refused."+code) != "1" {
			t.Errorf("%s, all: %d %s", when, a.Status, a.Body)
		}
	}
	refused("beside a pause", "sequence_paused")
	s.moved(e, sequence.Running)
	if a := s.ask("POST", "/v1/retries", `{"sequence_id":"`+s.id.String()+`"}`); a.text("allowed") != "1" {
		t.Errorf("resumed: %s", a.Body)
	}
	retried := s.ask("POST", "/v1/sends/"+send+"/retry", "{}")
	if retried.Status != 201 {
		t.Fatalf("resumed: %d %s", retried.Status, retried.Body)
	}
	send = retried.text("id")
	s.move(send, lease, start)
	s.moved(e, sequence.Stopped)
	s.move(send, prove, fail)
	refused("after its end", "enrolment_over")
}

// Goal: who answered, or was written to by hand, hears no more of the sequence, whoever enrols them again: one by one, with many, or as
// somebody whom they prove to be.
func TestWhoAnsweredIsNotEnrolledAgain(t *testing.T) {
	t.Parallel()
	for reason, happens := range map[sequence.Reason]string{sequence.Replied: repliedNow, sequence.ByHand: byHandNow} {
		t.Run(string(reason), func(t *testing.T) {
			t.Parallel()
			s := newSequencing(t)
			person := s.someone("ada-example")
			e := s.enrol(person)
			s.work(0)
			s.sendStep(s.want(e, sequence.Running, sequence.ForApproval, 1))
			s.advance(time.Second)
			s.move(person.String(), happens)
			s.work(aMinute)
			s.want(e, sequence.Stopped, reason, 1)
			if _, err := s.try(person); !problem.Is(err, problem.AlreadyEnrolled) || problem.As(err).More["enrolment_id"] != e {
				t.Errorf("enrolled again: %v", err)
			}
			many := s.ask("POST", "/v1/sequences/"+s.id.String()+"/enrolments", `{"account_id":"`+s.account+`","people":["`+person.String()+`"]}`)
			if many.text("items.0.refused.code") != "already_enrolled" {
				t.Errorf("with many: %s", many.Body)
			}
			other := s.someone("ada-too")
			again := s.enrol(other)
			if a := s.merge(s.preview(other.String(), person.String())); a.Status != 200 {
				t.Fatalf("merge: %d %s", a.Status, a.Body)
			}
			s.work(9 * aDay)
			s.want(again, sequence.Stopped, reason, 1)
		})
	}
}

// Goal: who writes all steps anew writes the same steps: a step is what its purpose says, also one that was taken out and put back.
func TestAStepIsWhatItIsFor(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	e := s.enrol(s.someone("ada-example"))
	s.work(0)
	s.sendStep(s.want(e, sequence.Running, sequence.ForApproval, 1))
	was := s.steps
	anew := func(of sequence.Step) sequence.Step { of.ID = uuid.Nil; return of }
	s.set(anew(was[0]), anew(was[1]))
	if s.steps[0].ID != was[0].ID || s.steps[1].ID != was[1].ID {
		t.Errorf("written anew they are %v, were %v", s.steps, was)
	}
	s.set(was[1])
	s.set(anew(was[0]), was[1])
	if s.steps[0].ID != was[0].ID {
		t.Errorf("put back it is %v, was %v", s.steps[0], was[0])
	}
	s.work(9 * aDay)
	if m := s.want(e, sequence.Running, sequence.ForApproval, 2); m.text("purpose") != "reminder" {
		t.Errorf("it goes on with %s", m.Body)
	}
}

// Goal: the end of a sequence ends all its enrolments, also those that are held or paused, and withdraws what they proposed.
func TestTheEndOfASequenceEndsAll(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	unknown := s.someone("ada-example")
	s.know(unknown.String(), `{"first_name":null}`)
	held, paused := s.enrol(unknown), s.enrol(s.someone("ben-sample"))
	s.work(0)
	s.want(held, sequence.Held, sequence.Reason(problem.VariableMissing), 1)
	m := s.want(paused, sequence.Running, sequence.ForApproval, 1)
	s.moved(paused, sequence.Paused)
	s.sequenceMoved(sequence.Stopped)
	s.work(0)
	s.want(held, sequence.Stopped, sequence.SequenceStopped, 1)
	s.want(paused, sequence.Stopped, sequence.SequenceStopped, 1)
	if got := s.ask("GET", "/v1/messages/"+m.text("id"), ""); got.text("authority") != "withdrawn" {
		t.Errorf("what it proposed is %s", got.text("authority"))
	}
}

// Goal: a message that was proposed before they answered, or were written to by hand, is approved by nobody, whether or not a server has
// looked since.
func TestNoStepIsApprovedAfterAnAnswer(t *testing.T) {
	t.Parallel()
	for what, happens := range map[string]string{"replied": repliedNow, "by hand": byHandNow} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newSequencing(t)
			person := s.someone("ada-example")
			e := s.enrol(person)
			s.work(0)
			m := s.want(e, sequence.Running, sequence.ForApproval, 1)
			s.advance(time.Second)
			s.move(person.String(), happens)
			if a := s.approve(m); a.Status != 409 || a.text("code") != "enrolment_over" {
				t.Errorf("one: %d %s", a.Status, a.Body)
			}
			if a := s.ask("POST", "/v1/approvals", `{"sequence_id":"`+s.id.String()+`"}`); a.text("allowed") != "0" || a.text("refused.enrolment_over") != "1" {
				t.Errorf("all: %s", a.Body)
			}
		})
	}
}

// Goal: a message by hand takes back what waits of the sequence at once, whether or not a server has looked at the enrolment since.
func TestAMessageByHandTakesBackAtOnce(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	e := s.enrol(s.someone("ada-example"))
	s.work(0)
	first := s.sendStep(s.want(e, sequence.Running, sequence.ForApproval, 1))
	s.move(first, arrived)
	s.work(4 * aDay)
	second := s.want(e, sequence.Running, sequence.ForApproval, 2)
	s.approve(second)
	s.advance(time.Second)
	s.move(first, `INSERT INTO delivery_observations (workspace_id, install_id, account_id, kind, provider_id, seen_id, text_digest, at, said_hash)
		SELECT workspace_id, lease_holder, account_id, 'manual', 'urn:li:msg_message:1', 'urn:hand', 'sha256:' || repeat('0', 64), sendonce_now(), 'by hand' FROM sends WHERE id = $1`)
	if _, err := s.callbacks.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantMembers(t, s.ask("GET", "/v1/messages/"+second.text("id"), ""), map[string]string{"authority": "proposed", "status": "canceled"})
	s.work(0)
	s.want(e, sequence.Stopped, sequence.ByHand, 2)
}

// Goal: a step that failed is retried by nobody once its person, merged with somebody else, has had it as that one.
func TestAFailedStepIsNotRetriedOnceHad(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	one, two := s.someone("ada-example"), s.someone("ada-too")
	first, second := s.enrol(one), s.enrol(two)
	s.work(0)
	failed := s.approve(s.want(first, sequence.Running, sequence.ForApproval, 2)).text("sends.0.id")
	s.move(failed, lease, start, prove, fail)
	s.sendStep(s.want(second, sequence.Running, sequence.ForApproval, 2))
	if a := s.merge(s.preview(one.String(), two.String())); a.Status != 200 {
		t.Fatalf("merge: %d %s", a.Status, a.Body)
	}
	if a := s.ask("POST", "/v1/sends/"+failed+"/retry", "{}"); a.Status != 409 || a.text("code") != "step_had" {
		t.Errorf("retried: %d %s", a.Status, a.Body)
	}
}
