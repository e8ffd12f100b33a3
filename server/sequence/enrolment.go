package sequence

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// Enrolment is a person in a sequence, written to from one account.
type Enrolment struct {
	ID        uuid.UUID
	Workspace uuid.UUID
	Sequence  uuid.UUID
	Person    uuid.UUID // the row that was enrolled
	Name      string    // the person's
	Account   uuid.UUID
	// SequenceName and Handle, the account's, are for people to read.
	SequenceName, Handle string
	State                State
	Reason               Reason // what it waits for, or what made it so
	Detail               string // where the reason alone does not say it; may be ""
	Message              uuid.UUID
	DueAt                *time.Time // when the next step is due, once that is known
	By                   access.Principal
	CreatedAt            time.Time
	ChangedAt            time.Time
	History              []Event // the newest config.EnrolmentEventsMax, oldest first; empty in lists
}

// Event is what became of an enrolment.
type Event struct {
	At      time.Time
	State   State
	Reason  Reason
	Message uuid.UUID
	By      string // the principal's name; in whose name Sendonce acts
}

// MoveEnrolment pauses, resumes or stops an enrolment. Moving it to where it is changes nothing. What was proposed and has not begun is
// taken back by a pause, so that it waits for approval again, and withdrawn by a stop.
func MoveEnrolment(ctx context.Context, store Store, who access.Principal, id uuid.UUID, to State) (Enrolment, error) {
	if err := who.Require(access.Decide); err != nil {
		return Enrolment{}, err
	}
	if err := store.EnrolmentLock(ctx, who.Workspace, id); err != nil {
		return Enrolment{}, err
	}
	was, err := store.EnrolmentGet(ctx, who.Workspace, id)
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
	return store.EnrolmentGet(ctx, who.Workspace, id)
}

// callBack has nothing go out beside a pause or an end. What has begun cannot be called back.
func (f Facts) callBack(ctx context.Context, store Store, by uuid.UUID, to State) error {
	open := f.ownUnsent()
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
