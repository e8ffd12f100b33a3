package api_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/sequence"
)

const (
	aMinute = time.Minute + time.Second
	aDay    = 24 * time.Hour
)

// Goal: each step is an ordinary message, written once, when it is due; it holds the next one until it is sent, also while it is
// unconfirmed; the next one names the send that it follows; and every server may be another one at every point.
func TestASequenceGoesStepByStep(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	e := s.enrol(s.someone("ada-example"))
	s.work(0)
	first := s.want(e, sequence.Running, sequence.ForApproval, 1)
	wantMembers(t, first, map[string]string{
		"body": "Hello Ada", "purpose": "first contact", "task": "sequence " + s.id.String(), "authority": "proposed", "follows": "", "template.version": "1",
	})
	s.restart()
	s.work(aDay)
	s.want(e, sequence.Running, sequence.ForApproval, 1)
	send := s.approve(first).text("sends.0.id")
	s.work(aMinute)
	s.want(e, sequence.Running, sequence.UnderWay, 1)
	s.move(send, lease, start, unconfirm)
	s.restart()
	s.work(9 * aDay)
	s.want(e, sequence.Running, sequence.Reason(rule.Unconfirmed), 1)
	s.move(send, confirm, sent)
	s.work(aMinute)
	second := s.want(e, sequence.Running, sequence.ForApproval, 2)
	s.wantReceipt(second, e)
	wantMembers(t, second, map[string]string{
		"body": "Hello again Ada", "purpose": "reminder", "follows.send": send, "follows.why": `step "reminder" of the sequence "Engineers"`,
	})
	s.sendStep(second)
	s.restart()
	s.work(aMinute)
	s.want(e, sequence.Finished, sequence.AllSaid, 2)
	s.work(99 * aDay)
	s.want(e, sequence.Finished, sequence.AllSaid, 2)
}

// wantReceipt holds that a message and its receipt name the second step of the sequence, the enrolment and the template.
func (s *sequencing) wantReceipt(m answer, enrolment uuid.UUID) {
	s.t.Helper()
	named := map[string]string{
		"sequence.id": s.id.String(), "sequence.name": "Engineers", "sequence.step_id": s.steps[1].ID.String(), "sequence.enrolment_id": enrolment.String(),
	}
	wantMembers(s.t, m, named)
	receipt := map[string]string{"versions.0.template.id": s.steps[1].Template.String(), "versions.0.template.version": "1"}
	for member, value := range named {
		receipt["message."+member] = value
	}
	wantMembers(s.t, s.ask("GET", "/v1/messages/"+m.text("id")+"/receipt", ""), receipt)
}

// Goal: a delay counts from when the step before it was sent.
func TestADelayCountsFromTheSend(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	e := s.enrol(s.someone("ada-example"))
	s.work(0)
	first := s.want(e, sequence.Running, sequence.ForApproval, 1)
	s.work(5 * aDay)
	s.sendStep(first)
	s.work(2 * aDay)
	s.want(e, sequence.Running, sequence.Due, 1)
	if a := s.ask("GET", "/v1/enrolments/"+e.String(), ""); a.text("due_at") == "" || a.text("message_id") != "" {
		t.Errorf("it is shown as %s", a.Body)
	}
	s.work(aDay + aMinute)
	s.want(e, sequence.Running, sequence.ForApproval, 2)
}

// Goal: of many who enrol one person at one moment one does, and the others hear by which enrolment; of many servers that look at one
// moment one says the step.
func TestOnePersonIsEnrolledOnce(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	person := s.someone("ada-example")
	const many = 8
	var at sync.WaitGroup
	made, refused := make([]uuid.UUID, many), make([]error, many)
	for i := range many {
		at.Go(func() {
			e, err := s.try(person)
			made[i], refused[i] = e.ID, err
		})
	}
	at.Wait()
	var only uuid.UUID
	for i := range many {
		if refused[i] == nil && only == uuid.Nil {
			only = made[i]
		} else if !problem.Is(refused[i], problem.AlreadyEnrolled) {
			t.Errorf("enrolment %d: %v", i, refused[i])
		}
	}
	for i := range many {
		if refused[i] != nil && problem.As(refused[i]).More["enrolment_id"] != only {
			t.Errorf("refused with %v, want the enrolment %s", refused[i], only)
		}
	}
	for range many {
		at.Go(func() {
			if err := s.worker.WorkOnce(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	at.Wait()
	s.want(only, sequence.Running, sequence.ForApproval, 1)
}

// Goal: who is enrolled again goes on after what they have had; who has had all is refused with the enrolment that says so; what was
// called off before it began is offered again, and only that.
func TestAnotherEnrolmentSaysNothingTwice(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	person := s.someone("ada-example")
	first := s.enrol(person)
	s.work(0)
	s.moved(first, sequence.Stopped)
	if n := s.count("SELECT count(*) FROM messages WHERE authority = 'withdrawn'"); n != 1 {
		t.Fatalf("%d messages were withdrawn, want 1", n)
	}
	second := s.enrol(person)
	s.work(0)
	s.sendStep(s.want(second, sequence.Running, sequence.ForApproval, 2))
	s.moved(second, sequence.Stopped)
	third := s.enrol(person)
	s.work(aMinute)
	s.want(third, sequence.Running, sequence.Due, 2)
	s.work(4 * aDay)
	m := s.want(third, sequence.Running, sequence.ForApproval, 3)
	if m.text("purpose") != "reminder" {
		t.Fatalf("it goes on with %s", m.Body)
	}
	s.sendStep(m)
	s.work(aMinute)
	s.want(third, sequence.Finished, sequence.AllSaid, 3)
	if a := s.ask("POST", "/v1/enrolments/"+third.String()+"/stop", "{}"); a.Status != 409 || a.text("enrolment_state") != "finished" {
		t.Errorf("stopped after its end: %d %s", a.Status, a.Body)
	}
	if _, err := s.try(person); !problem.Is(err, problem.AlreadyEnrolled) || problem.As(err).More["enrolment_id"] != third {
		t.Errorf("enrolled once more: %v", err)
	}
}

// Goal: a reply, a message by hand and do-not-contact end an enrolment with the reason, and withdraw what waits.
func TestWhatEndsAnEnrolment(t *testing.T) {
	t.Parallel()
	for reason, happens := range map[sequence.Reason]string{
		sequence.Replied: "UPDATE people SET replied_at = sendonce_now() WHERE id = $1",
		sequence.ByHand: `INSERT INTO delivery_observations (workspace_id, install_id, account_id, kind, provider_id, seen_id, text_digest, at, said_hash, message_id)
			SELECT m.workspace_id, i.id, m.account_id, 'manual', 'urn:copy', 'urn:hand', 'sha256:' || repeat('0', 64), sendonce_now(), 'by hand', m.id
			FROM messages m JOIN step_messages t ON t.message_id = m.id JOIN installs i ON i.workspace_id = m.workspace_id WHERE m.person_id = $1`,
		sequence.NotToBeWritten: "UPDATE people SET suppressed_at = sendonce_now() WHERE id = $1",
	} {
		t.Run(string(reason), func(t *testing.T) {
			t.Parallel()
			s := newSequencing(t)
			person := s.someone("ada-example")
			e := s.enrol(person)
			s.work(0)
			s.approve(s.want(e, sequence.Running, sequence.ForApproval, 1))
			s.advance(time.Second)
			s.move(person.String(), happens)
			s.work(aMinute)
			s.want(e, sequence.Stopped, reason, 1)
			if n := s.count("SELECT count(*) FROM sends WHERE status = 'queued'"); n != 0 {
				t.Errorf("%d sends wait, want none", n)
			}
			s.work(9 * aDay)
			s.want(e, sequence.Stopped, reason, 1)
		})
	}
}

// Goal: a pause of an enrolment or of its sequence takes the approval of what has not begun back, and nothing further is said; resumed,
// it goes on with the same message. The end of a sequence ends its enrolments.
func TestPausesAndEnds(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	e := s.enrol(s.someone("ada-example"))
	s.work(0)
	m := s.want(e, sequence.Running, sequence.ForApproval, 1)
	s.approve(m)
	s.moved(e, sequence.Paused)
	s.work(9 * aDay)
	s.want(e, sequence.Paused, sequence.ByPerson, 1)
	if got := s.ask("GET", "/v1/messages/"+m.text("id"), ""); got.text("authority") != "proposed" || got.text("sends.0.status") != "canceled" {
		t.Errorf("beside a pause: %s", got.Body)
	}
	s.moved(e, sequence.Running)
	s.work(0)
	again := s.want(e, sequence.Running, sequence.ForApproval, 1)
	s.approve(again)
	s.sequenceMoved(sequence.Paused)
	s.work(0)
	s.want(e, sequence.Running, sequence.SequencePaused, 1)
	if got := s.ask("GET", "/v1/messages/"+m.text("id"), ""); got.text("authority") != "proposed" {
		t.Errorf("beside a pause of the sequence: %s", got.Body)
	}
	s.sequenceMoved(sequence.Finished)
	if _, err := s.try(s.someone("ben-sample")); !problem.Is(err, problem.SequenceOver) {
		t.Errorf("a finished sequence takes somebody: %v", err)
	}
	s.work(0)
	s.want(e, sequence.Running, sequence.ForApproval, 1)
	s.sequenceMoved(sequence.Stopped)
	s.work(0)
	s.want(e, sequence.Stopped, sequence.SequenceStopped, 1)
	if got := s.ask("GET", "/v1/messages/"+m.text("id"), ""); got.text("authority") != "withdrawn" {
		t.Errorf("beside the end of the sequence: %s", got.Body)
	}
}

// Goal: a message that was withdrawn holds its enrolment, and a resumed one offers that step again; a value that is not known holds it
// until it is.
func TestWhatHoldsAnEnrolment(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	person := s.someone("ada-example")
	s.know(person.String(), `{"first_name":null}`)
	e := s.enrol(person)
	s.work(0)
	s.want(e, sequence.Held, sequence.Reason(problem.VariableMissing), 0)
	if a := s.ask("GET", "/v1/enrolments/"+e.String(), ""); !strings.Contains(a.text("detail"), "first_name") {
		t.Errorf("it is shown as %s", a.Body)
	}
	s.know(person.String(), `{"first_name":"Ada"}`)
	s.moved(e, sequence.Running)
	s.work(0)
	m := s.want(e, sequence.Running, sequence.ForApproval, 1)
	s.ask("POST", "/v1/messages/"+m.text("id")+"/withdrawal", "")
	s.work(aMinute)
	s.want(e, sequence.Held, sequence.WasCalledOff, 1)
	s.moved(e, sequence.Running)
	s.work(0)
	if again := s.want(e, sequence.Running, sequence.ForApproval, 2); again.text("purpose") != "first contact" {
		t.Errorf("it goes on with %s", again.Body)
	}
}

// Goal: a step keeps its id where it stands: whoever had it does not have it again, whatever was put before it.
func TestStepsChangePlaces(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	e := s.enrol(s.someone("ada-example"))
	s.work(0)
	s.sendStep(s.want(e, sequence.Running, sequence.ForApproval, 1))
	between := sequence.Step{Purpose: "news", Channel: "linkedin", Template: s.steps[1].Template, Delay: sequence.Delay{Count: 1, Unit: sequence.Days}}
	before := between
	before.Purpose = "before"
	was := s.steps
	s.set(before, was[0], between, was[1])
	if s.steps[1].ID != was[0].ID || s.steps[3].ID != was[1].ID {
		t.Fatalf("the steps are %+v", s.steps)
	}
	s.work(aDay + aMinute)
	if m := s.want(e, sequence.Running, sequence.ForApproval, 2); m.text("purpose") != "news" {
		t.Errorf("it goes on with %s", m.Body)
	}
}

// Goal: two who prove to be one person have each step once: the younger enrolment ends, and nothing that the other one had is said.
func TestAMergeSaysNothingTwice(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	one, two := s.someone("ada-example"), s.someone("ada-too")
	first, second := s.enrol(one), s.enrol(two)
	s.work(0)
	s.sendStep(s.want(first, sequence.Running, sequence.ForApproval, 2))
	s.sendStep(s.want(second, sequence.Running, sequence.ForApproval, 2))
	if a := s.merge(s.preview(one.String(), two.String())); a.Status != 200 {
		t.Fatalf("merge: %d %s", a.Status, a.Body)
	}
	s.work(4 * aDay)
	s.want(second, sequence.Stopped, sequence.Merged, 3)
	s.want(first, sequence.Running, sequence.ForApproval, 3)
}

// Goal: of two who are merged while nothing went out to either, the younger enrolment ends with its own message alone: the older one's is
// still there to be retried, and nothing else is said.
func TestAMergeCallsOffTheYoungerMessage(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	one, two := s.someone("ada-example"), s.someone("ada-too")
	first, second := s.enrol(one), s.enrol(two)
	s.work(0)
	older, younger := s.want(first, sequence.Running, sequence.ForApproval, 2), s.want(second, sequence.Running, sequence.ForApproval, 2)
	s.move(s.approve(older).text("sends.0.id"), lease, start, prove, fail)
	if a := s.merge(s.preview(one.String(), two.String())); a.Status != 200 {
		t.Fatalf("merge: %d %s", a.Status, a.Body)
	}
	s.work(9 * aDay)
	s.want(second, sequence.Stopped, sequence.Merged, 2)
	s.want(first, sequence.Running, sequence.Reason(rule.Failed), 2)
	for m, want := range map[string]string{older.text("id"): "approved", younger.text("id"): "withdrawn"} {
		if got := s.ask("GET", "/v1/messages/"+m, ""); got.text("authority") != want {
			t.Errorf("it is %s, want %s", got.text("authority"), want)
		}
	}
}

// Goal: an automatic answer that a provider names as one, and a message by hand that proves to be a copy of ours, end nothing.
func TestWhatEndsNoEnrolment(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	e := s.enrol(s.someone("ada-example"))
	s.work(0)
	send := s.sendStep(s.want(e, sequence.Running, sequence.ForApproval, 1))
	s.advance(time.Second)
	s.move(send, arrived, `INSERT INTO delivery_observations (workspace_id, install_id, kind, provider_id, at, said_hash, message_id)
			SELECT workspace_id, lease_holder, 'auto_replied', 'urn:li:msg_message:1', sendonce_now(), 'away', message_id FROM sends WHERE id = $1`,
		`INSERT INTO delivery_observations (workspace_id, install_id, account_id, kind, provider_id, seen_id, text_digest, at, said_hash, message_id)
			SELECT workspace_id, lease_holder, account_id, 'manual', 'urn:copy', 'urn:li:msg_message:1', 'sha256:' || repeat('0', 64), sendonce_now(), 'ours', message_id
			FROM sends WHERE id = $1`)
	s.work(aMinute)
	s.want(e, sequence.Running, sequence.Due, 1)
}

// Goal: an enrolment that ended in an error is made anew, or resumed, and offers exactly what was not sent: the failed step, as a new decision
// that follows the failed send, and nothing that went out. A late confirmation of the failed one calls the new one off.
func TestAnErrorIsResumedWithWhatWasNotSent(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	person := s.someone("ada-example")
	first := s.enrol(person)
	s.work(0)
	s.sendStep(s.want(first, sequence.Running, sequence.ForApproval, 1))
	s.work(4 * aDay)
	failed := s.want(first, sequence.Running, sequence.ForApproval, 2)
	send := s.approve(failed).text("sends.0.id")
	s.move(send, lease, start, prove, fail)
	s.work(0)
	s.want(first, sequence.Running, sequence.Reason(rule.Failed), 2)
	s.ask("POST", "/v1/messages/"+failed.text("id")+"/withdrawal", "{}")
	s.work(0)
	s.want(first, sequence.Held, sequence.WasCalledOff, 2)
	s.moved(first, sequence.Running)
	s.work(0)
	again := s.want(first, sequence.Running, sequence.ForApproval, 3)
	wantMembers(t, again, map[string]string{"purpose": "reminder", "follows.send": send})
	s.moved(first, sequence.Stopped)
	second := s.enrol(person)
	s.work(4 * aDay)
	again = s.want(second, sequence.Running, sequence.ForApproval, 4)
	wantMembers(t, again, map[string]string{"purpose": "reminder", "follows.send": send})
	s.approve(again)
	s.advance(time.Second)
	s.move(send, confirm, arrived, arrivedFor, sent)
	s.ask("POST", "/v1/messages/"+again.text("id")+"/revocation", "{}")
	if a := s.approve(again); a.Status != 409 || a.text("code") != "step_had" {
		t.Errorf("approved beside a late confirmation: %d %s", a.Status, a.Body)
	}
	s.work(0)
	s.want(second, sequence.Finished, sequence.AllSaid, 4)
	if a := s.ask("GET", "/v1/messages/"+again.text("id"), ""); a.text("authority") != "withdrawn" || a.text("status") != "canceled" {
		t.Errorf("beside a late confirmation: %s", a.Body)
	}
}

// Goal: who was written to for the same purpose by something else is held, and a person who resumes says that the step follows that.
func TestAnotherCampaignHoldsUntilResumed(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	other := s.to("ada-example", "first contact", "Good day")
	s.know(other.personOf(), `{"first_name":"Ada"}`)
	send := s.sendStep(other)
	e := s.enrol(uuid.MustParse(other.personOf()))
	s.work(0)
	s.want(e, sequence.Held, sequence.Reason(problem.FollowLatest), 0)
	s.moved(e, sequence.Running)
	s.work(0)
	wantMembers(t, s.want(e, sequence.Running, sequence.ForApproval, 1), map[string]string{"purpose": "first contact", "follows.send": send})
}
