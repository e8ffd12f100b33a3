package send

import (
	"github.com/google/uuid"

	"sendonce/server/problem"
	"sendonce/server/rule"
)

// Another is a send of another message to the same person.
type Another struct {
	ID, Message uuid.UUID
	Status      rule.Status
	Channel     string
}

// IntentRival is another message for the same intent: to the same person, for the same purpose or the same task, from whatever
// account and on whatever channel. Of several it is the one that decides: one that may still go out, else the one that began
// last. What was taken back, or stopped, before it began is none.
type IntentRival struct {
	Message uuid.UUID
	// Waits: it waits for a person.
	Waits bool
	// Live has not ended; Begun is the latest that began. Each may be nil.
	Live, Begun *Another
}

// Intent is what a message rests on that may go out beside others to the same person, read under the person's lock.
type Intent struct {
	// Follows is the send that it names as the one before, or uuid.Nil.
	Follows uuid.UUID
	Rival   *IntentRival // nil when there is none
}

// Decide says why the message may not go out beside its rival, or nil. A send that has ended begins no more, so that what was
// followed once stays so; only the facts of a start ask whether it proved delivered since.
func (i Intent) Decide() *problem.Problem {
	r := i.Rival
	switch {
	case r == nil:
		return nil
	case r.Live != nil:
		return NotToFollow(*r.Live)
	case r.Waits:
		return problem.New(problem.IntentWaits, "message %s to this person for the same purpose or task waits for a person; "+
			"edit that one, or have it approved, withdrawn or closed", r.Message).With("message_id", r.Message)
	case r.Begun == nil || r.Begun.ID == i.Follows:
		return nil
	}
	return problem.New(problem.FollowLatest, "send %s, which is %s, was to this person for the same purpose or task; "+
		"a further message is a new decision: propose it with that send and the reason in follows", r.Begun.ID, r.Begun.Status).
		With("send_id", r.Begun.ID).With("message_id", r.Begun.Message).With("send_status", r.Begun.Status)
}

// NotToFollow says why the send cannot be followed by another message as yet, or nil when it has ended.
func NotToFollow(a Another) *problem.Problem {
	var p *problem.Problem
	switch a.Status {
	case rule.Queued, rule.Leased:
		p = problem.New(problem.NotEnded, "send %s to this person is %s and has not begun; edit its message, or have it withdrawn", a.ID, a.Status)
	case rule.Started:
		p = problem.New(problem.NotEnded, "send %s to this person is %s; it ends by itself, as sent, as failed, or as one that needs a look", a.ID, a.Status)
	case rule.Unconfirmed:
		p = problem.New(problem.NeedsALook, "send %s may have reached this person. %s Say what you saw, with a resolution; "+
			"then propose again", a.ID, rule.Instruction(a.Status, a.Channel))
	default:
		return nil
	}
	return p.With("send_id", a.ID).With("message_id", a.Message).With("send_status", a.Status)
}
