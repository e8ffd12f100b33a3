package sequence

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// Enrolment is a person in a sequence, written to from one account.
type Enrolment struct {
	ID        uuid.UUID
	Workspace uuid.UUID
	Sequence  uuid.UUID
	Person    uuid.UUID // the row that was enrolled
	Name      string    // the person's
	Account   uuid.UUID
	State     State
	Reason    Reason // what it waits for, or what made it so
	Detail    string // where the reason alone does not say it; may be ""
	Message   uuid.UUID
	DueAt     *time.Time // when the next step is due, once that is known
	By        access.Principal
	CreatedAt time.Time
	ChangedAt time.Time
	History   []Event // oldest first; empty in lists
}

// Event is what became of an enrolment.
type Event struct {
	At      time.Time
	State   State
	Reason  Reason
	Message uuid.UUID
	By      string // the principal's name; in whose name Sendonce acts
}

// NewEnrolment is an enrolment to be made.
type NewEnrolment struct {
	ID, Sequence, Person, Account, By uuid.UUID
	Channel                           string
}

// Enrol puts a person into a sequence. Whoever is in it, or has had all its steps, is refused with the enrolment that says so.
func Enrol(ctx context.Context, store Store, who access.Principal, sequence, person, account uuid.UUID) (Enrolment, error) {
	if err := who.Require(access.Propose); err != nil {
		return Enrolment{}, err
	}
	s, err := store.SequenceGet(ctx, who.Workspace, sequence)
	if err != nil {
		return Enrolment{}, err
	}
	if s.State == Stopped || s.State == Finished {
		return Enrolment{}, over(s)
	}
	if len(s.Steps) == 0 {
		return Enrolment{}, problem.New(problem.SequenceEmpty, "the sequence has no step to begin with; set its steps first")
	}
	other, state, err := store.EnrolmentOther(ctx, who.Workspace, sequence, person)
	if err != nil {
		return Enrolment{}, err
	}
	n := NewEnrolment{ID: uuid.Must(uuid.NewV7()), Sequence: sequence, Person: person, Account: account, By: who.ID, Channel: channel}
	if state == Running || state == Paused || state == Held {
		return Enrolment{}, already(other, state)
	}
	contact, err := store.PersonContact(ctx, person, account, uuid.Nil)
	if err != nil {
		return Enrolment{}, err
	}
	if contact.Level == people.DoNotContact {
		return Enrolment{}, problem.Refused(rule.Suppressed).With("because", contact.Because)
	}
	if err := store.EnrolmentInsert(ctx, who.Workspace, n); err != nil {
		return Enrolment{}, err
	}
	f, err := store.EnrolmentFacts(ctx, n.ID)
	if err != nil {
		return Enrolment{}, err
	}
	if other != uuid.Nil && decide(f).State == Finished {
		return Enrolment{}, already(other, state)
	}
	return store.EnrolmentGet(ctx, who.Workspace, sequence, n.ID)
}

func already(other uuid.UUID, state State) *problem.Problem {
	return problem.New(problem.AlreadyEnrolled, "the person is in the sequence by enrolment %s, which is %s", other, state).
		With("enrolment_id", other).With("enrolment_state", state)
}

// MoveEnrolment pauses, resumes or stops an enrolment. Moving it to where it is changes nothing. What was proposed and has not begun is
// taken back by a pause, so that it waits for approval again, and withdrawn by a stop.
func MoveEnrolment(ctx context.Context, store Store, who access.Principal, sequence, id uuid.UUID, to State) (Enrolment, error) {
	if err := who.Require(access.Decide); err != nil {
		return Enrolment{}, err
	}
	if err := store.EnrolmentLock(ctx, who.Workspace, sequence, id); err != nil {
		return Enrolment{}, err
	}
	was, err := store.EnrolmentGet(ctx, who.Workspace, sequence, id)
	if err != nil || was.State == to {
		return was, err
	}
	if was.State == Stopped || was.State == Finished {
		return Enrolment{}, problem.New(problem.EnrolmentOver, "the enrolment is %s, which is for good; enrol the person again", was.State).
			With("enrolment_state", was.State)
	}
	f, err := store.EnrolmentFacts(ctx, id)
	if err != nil {
		return Enrolment{}, err
	}
	v := Verdict{State: to, Reason: ByPerson, LookAt: f.Now}
	if to == Running {
		v.Reason = Resumed
	}
	if err := f.callBack(ctx, store, who.ID, to); err != nil {
		return Enrolment{}, err
	}
	if err := store.EnrolmentSet(ctx, id, v); err != nil {
		return Enrolment{}, err
	}
	return store.EnrolmentGet(ctx, who.Workspace, sequence, id)
}

// callBack has nothing go out beside a pause or an end. What has begun cannot be called back.
func (f Facts) callBack(ctx context.Context, store Store, by uuid.UUID, to State) error {
	open := f.unsent()
	if open == nil {
		return nil
	}
	switch to {
	case Paused:
		return message.TakeBack(ctx, store, f.Enrolment.Workspace, by, open.Message)
	case Stopped:
		return message.CallOff(ctx, store, f.Enrolment.Workspace, by, open.Message)
	}
	return nil
}
