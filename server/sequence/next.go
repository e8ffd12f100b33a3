package sequence

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/pace"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// Reason is what an enrolment waits for, or what made it so. Beside these it may be the code of a problem, and the status of a send.
type Reason string

// The reasons of Sendonce's own.
const (
	New            Reason = "new"
	Resumed        Reason = "resumed"
	Due            Reason = "not_due"
	ForApproval    Reason = "waits_for_approval"
	WasRejected    Reason = "rejected"
	ApprovalEnded  Reason = "approval_expired"
	UnderWay       Reason = "being_sent"
	SequencePaused Reason = "sequence_paused"

	AllSaid         Reason = "all_said"
	Replied         Reason = "replied"
	ByHand          Reason = "written_by_hand"
	Bounced         Reason = "bounced"
	NotToBeWritten  Reason = "do_not_contact"
	Removed         Reason = "removed"
	Merged          Reason = "merged"
	ByPerson        Reason = "by_person"
	SequenceStopped Reason = "sequence_stopped"

	Colleague    Reason = "owned_by_colleague"
	WasCalledOff Reason = "called_off"
	NoProfile    Reason = "no_profile"
)

// texts say each reason to a person.
var texts = map[Reason]string{
	New: "It begins in a moment.", Resumed: "It goes on in a moment.", Due: "It waits until the next step is due.",
	ForApproval: "Its message waits for approval.", WasRejected: "Its message was rejected: edit it, or stop the enrolment.",
	ApprovalEnded: "The approval of its message ran out: approve it again.", UnderWay: "Its message is approved and on its way.",
	SequencePaused: "The sequence is paused.", AllSaid: "Every step was sent.", Replied: "They replied.",
	ByHand: "Somebody wrote to them by hand.", Bounced: "A message did not reach them.", NotToBeWritten: "They must not be contacted.",
	Removed: "They asked to be forgotten, and were.", Merged: "They are in the sequence as somebody whom they were merged with.",
	ByPerson: "A person said so.", SequenceStopped: "The sequence was stopped.",
	Colleague:                "A colleague has a claim on them: resume it when that is settled, or stop it.",
	WasCalledOff:             "Its message was called off: resume it to propose that step anew, or stop it.",
	NoProfile:                "No LinkedIn profile of theirs is known: add one, then resume it.",
	Reason(rule.Unconfirmed): "Its message may have reached them: look, and resolve that first.",
	Reason(rule.Failed):      "Its message failed: retry it, or stop the enrolment.",
	Reason(rule.Canceled):    "Its message was canceled before it began: approve it again, or stop the enrolment.",
}

// Text says the reason to a person.
func (r Reason) Text() string {
	if text := texts[r]; text != "" {
		return text
	}
	return problem.Code(r).Meaning()
}

// Facts are what is known of an enrolment, read under its lock.
type Facts struct {
	Now       time.Time
	Enrolment Enrolment
	Sequence  State
	Name      string // of the sequence
	Steps     []Step // in their order
	Had       []Had  // what the person has had of the sequence, or may have, by whatever enrolment; oldest first
	Contact   people.Contact
	Hours     pace.Hours // of the account
	Profile   string     // the address of the person's LinkedIn profile, or ""
	LastBegun uuid.UUID  // the send of the sequence's task to them that began last; uuid.Nil when none did
	// RepliedAt and ByHandAt are the last of each, of the person.
	RepliedAt, ByHandAt *time.Time
	BeganAt             time.Time // when the person was first in the sequence, by whichever enrolment
	Bounced             bool      // a message of the sequence came back
	CalledOff           bool      // the message that it waited for, before anything of it began
	Older               bool      // another open enrolment of the same person in the sequence
}

// Had is a step that a person has had, or may have.
type Had struct {
	Step, Message uuid.UUID
	Enrolment     uuid.UUID // that it was said for
	Authority     message.Authority
	Send          uuid.UUID   // the latest; uuid.Nil when there is none
	Status        rule.Status // its; "" when there is none
	Requeues      bool        // a machine makes the next send
	SentAt        *time.Time  // when it went out, once that is sure
}

// unsent is a step that holds the next one; nil when every one went out.
func (f Facts) unsent() *Had {
	for i, had := range f.Had {
		if had.SentAt == nil {
			return &f.Had[i]
		}
	}
	return nil
}

// ownUnsent is unsent of this enrolment alone: two of one person can each have one, if they proved to be one since.
func (f Facts) ownUnsent() *Had {
	for i, had := range f.Had {
		if had.SentAt == nil && had.Enrolment == f.Enrolment.ID {
			return &f.Had[i]
		}
	}
	return nil
}

// overtaken is a message of this enrolment that may still be called off, for a step that another message proved to have brought since; nil
// when there is none.
func (f Facts) overtaken() *Had {
	open := f.ownUnsent()
	if open == nil || open.Status == rule.Started || open.Status == rule.Unconfirmed {
		return nil
	}
	for _, had := range f.Had {
		if had.Step == open.Step && had.SentAt != nil {
			return open
		}
	}
	return nil
}

// lastSent is the step that went out last; nil when none did.
func (f Facts) lastSent() (last *Had) {
	for i, had := range f.Had {
		if had.SentAt != nil && (last == nil || had.SentAt.After(*last.SentAt)) {
			last = &f.Had[i]
		}
	}
	return last
}

// Verdict is what becomes of an enrolment.
type Verdict struct {
	State   State
	Reason  Reason
	Detail  string
	Message uuid.UUID  // which it waits for
	DueAt   *time.Time // when the next step is due
	LookAt  time.Time
	Says    *Step     // the step that is due now
	Undoes  uuid.UUID // a message that must not go out any more
	IsLate  bool      // it was due so long ago that no policy approves it
	Follows *message.Follows
}

// decide says what becomes of a running enrolment.
func decide(f Facts) Verdict {
	if why := f.ends(); why != "" {
		return Verdict{State: Stopped, Reason: why, LookAt: f.Now}
	}
	if f.Sequence == Paused {
		return f.waits(SequencePaused, uuid.Nil)
	}
	if f.CalledOff {
		return Verdict{State: Held, Reason: WasCalledOff, Message: f.Enrolment.Message, LookAt: f.Now}
	}
	if late := f.overtaken(); late != nil {
		return Verdict{State: Running, Reason: UnderWay, LookAt: f.Now, Undoes: late.Message}
	}
	if open := f.unsent(); open != nil {
		return f.waits(open.holds(), open.Message)
	}
	next := next(f.Steps, f.Had)
	if next == nil {
		return Verdict{State: Finished, Reason: AllSaid, LookAt: f.Now}
	}
	if f.Contact.Level == people.Owned {
		return Verdict{State: Held, Reason: Colleague, Detail: message.ClaimOf(f.Contact), LookAt: f.Now}
	}
	return f.dueFor(next, f.lastSent())
}

// ends is why the enrolment is over for good; "" when it is not.
func (f Facts) ends() Reason {
	isSince := func(at *time.Time) bool { return at != nil && at.After(f.BeganAt) }
	switch {
	case f.Sequence == Stopped:
		return SequenceStopped
	case f.Contact.Because == string(Removed):
		return Removed
	case f.Contact.Level == people.DoNotContact:
		return NotToBeWritten
	case isSince(f.RepliedAt):
		return Replied
	case isSince(f.ByHandAt):
		return ByHand
	case f.Bounced:
		return Bounced
	case f.Older:
		return Merged
	}
	return ""
}

// holds is why a step that was not sent yet keeps the next one back.
func (h Had) holds() Reason {
	switch {
	case h.Status == rule.Unconfirmed:
		return Reason(rule.Unconfirmed)
	case h.Authority == message.Proposed:
		return ForApproval
	case h.Authority == message.Rejected:
		return WasRejected
	case h.Authority == message.Expired:
		return ApprovalEnded
	case (h.Status == rule.Failed || h.Status == rule.Canceled) && !h.Requeues:
		return Reason(h.Status)
	}
	return UnderWay
}

func (f Facts) waits(why Reason, of uuid.UUID) Verdict {
	return Verdict{State: Running, Reason: why, Message: of, LookAt: f.Now.Add(config.EnrolmentLookEvery)}
}

// next is the first of the sequence's steps after the furthest one that the person has had, in the order of now; nil when there is none.
func next(steps []Step, had []Had) *Step {
	furthest := -1
	for i, step := range steps {
		for _, one := range had {
			if one.Step == step.ID {
				furthest = i
			}
		}
	}
	if furthest+1 >= len(steps) {
		return nil
	}
	return &steps[furthest+1]
}

// dueFor says the step when its time has come.
func (f Facts) dueFor(step *Step, last *Had) Verdict {
	from := f.Enrolment.CreatedAt
	if last != nil && last.SentAt.After(from) {
		from = *last.SentAt
	}
	due := step.Delay.after(from, f.Hours)
	v := Verdict{State: Running, Reason: Due, DueAt: &due, LookAt: due}
	if again := f.Now.Add(config.EnrolmentLookEvery); again.Before(due) {
		v.LookAt = again
	}
	if due.After(f.Now) {
		return v
	}
	if f.Profile == "" {
		return Verdict{State: Held, Reason: NoProfile, LookAt: f.Now}
	}
	v.Says = step
	v.IsLate = f.Now.After(Delay{f.Hours.LateDays, BusinessDays}.after(due, f.Hours))
	if f.LastBegun != uuid.Nil {
		v.Follows = &message.Follows{Send: f.LastBegun, Why: f.why(step)}
	}
	return v
}

func (f Facts) why(step *Step) string {
	return fmt.Sprintf("step %q of the sequence %q", step.Purpose, f.Name)
}
