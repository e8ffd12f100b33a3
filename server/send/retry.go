package send

import (
	"context"

	"github.com/google/uuid"

	"sendonce/server/problem"
	"sendonce/server/rule"
)

// RetryFacts is what a retry rests on, read after the message, all its sends, the person and the account's slot were locked.
type RetryFacts struct {
	Facts
	Latest Latest
	// Closed: the message begins nothing more. Edited: it has a newer version than this send carries.
	Closed, Edited bool
	TextIsGone     bool // it has expired
	// StepHeld is why nothing of the message begins, where it is a step of a sequence; "" is nothing.
	StepHeld problem.Code
	// Intent is of the send's message.
	Intent Intent
	// IdenticalWaits: another message with the same folded text is queued or leased for this person.
	IdenticalWaits bool
	// TextHash is of the folded text.
	TextHash []byte
}

// Latest is the send of the message with the highest ordinal.
type Latest struct {
	ID     uuid.UUID
	Status rule.Status
}

// RetryStore writes retries, in one transaction.
type RetryStore interface {
	// RetryFacts is problem.NotFound when the workspace has no such send.
	RetryFacts(ctx context.Context, workspace, send uuid.UUID) (RetryFacts, error)
	// RetryAdd queues the send that follows this one, and returns its id.
	RetryAdd(ctx context.Context, send uuid.UUID) (uuid.UUID, error)
}

// DecideRetry says why the send may not be followed by another, or nil. What would only delay the new send does not forbid
// it, except a stopped account: a person who retries means now. A machine that follows a rate limit is refused alike.
func DecideRetry(f RetryFacts) *problem.Problem {
	row := f.Row
	switch {
	case f.Latest.ID != row.ID:
		return problem.New(problem.AlreadyRetried, "it was retried before: send %s is %s", f.Latest.ID, f.Latest.Status).
			With("latest_send_id", f.Latest.ID).With("latest_status", f.Latest.Status)
	case row.Status == rule.Unconfirmed:
		return problem.New(problem.NeedsALook, "%s Say what you saw, with a resolution; then it may be retried", row.Status.Text())
	case row.Status == rule.Sent || f.Delivered:
		return problem.Refused(rule.SiblingExists)
	case row.Status.Live():
		return problem.New(problem.NotEnded, "it is %s: only what has ended may be retried", row.Status)
	case f.Closed:
		return problem.Refused(rule.Closed)
	case f.Edited:
		return problem.Refused(rule.ContentChanged)
	case f.TextIsGone:
		return problem.New(problem.ContentExpired, "the text of this message has expired; edit it with a new one, or propose a new message")
	}
	if f.StepHeld != "" {
		return StepHeld(f.StepHeld)
	}
	if refused := f.Intent.Decide(); refused != nil {
		return refused
	}
	if refusal := mayGo(f.Facts); refusal.Disposition() != rule.Wait && refusal != rule.Allow {
		return problem.Refused(refusal)
	}
	if f.AccountTripped {
		return problem.Refused(rule.BreakerTripped)
	}
	if f.AccountStopped {
		return problem.Refused(rule.AccountStopped)
	}
	if f.IdenticalWaits && !f.RepeatApproved {
		return problem.New(problem.IdenticalWaits, "another message with the same text is queued for this person; withdraw one of them")
	}
	return nil
}

var stepHeldRemedies = map[problem.Code]string{
	problem.SequencePaused: "resume the sequence, and this person's place in it, first; of a sequence that was stopped nothing more goes out",
	problem.EnrolmentOver:  "they answered, or their place in the sequence was stopped: nothing more of it goes out to them; propose a message of its own",
	problem.StepHad:        "another message of the sequence has brought it to them; this one is withdrawn in a moment",
}

// StepHeld is why a message that is a step of a sequence is neither approved nor tried again.
func StepHeld(why problem.Code) *problem.Problem {
	return problem.New(why, "%s", stepHeldRemedies[why])
}
