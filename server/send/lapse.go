package send

import (
	"time"

	"sendonce/server/config"
	"sendonce/server/rule"
)

// LapseFacts is what the end of a message's time to begin rests on, read after the message and all its sends were locked.
type LapseFacts struct {
	Now time.Time
	// May: the message is proposed or approved, and not closed. Only such a one can lapse.
	May bool
	// Begun: a send of it is started or unconfirmed. Delivered: one is sent.
	Begun, Delivered bool
	// ApprovalEnds is of the approval that stands, or nil; SendBefore of the current version. ScheduleEnds is until when what was approved
	// may begin that was scheduled for a time.
	ApprovalEnds, SendBefore, ScheduleEnds *time.Time
}

// Lapse is what becomes of a message whose time to begin may be over.
type Lapse struct {
	// Why it expires now, as its send is canceled; rule.Allow when it does not.
	Why rule.Refusal
	// Again is when to look again, or nil for never.
	Again *time.Time
}

// DecideLapse says whether the message expires. What has begun follows its own outcome: it is looked at again later, since
// it may fail and then wait for a person.
func DecideLapse(f LapseFacts) Lapse {
	switch {
	case !f.May || f.Delivered:
		return Lapse{}
	case f.Begun:
		later := f.Now.Add(config.LapseLookAgain)
		return Lapse{Again: &later}
	case f.ApprovalEnds != nil && !f.ApprovalEnds.After(f.Now):
		return Lapse{Why: rule.ApprovalExpired}
	case f.SendBefore != nil && !f.SendBefore.After(f.Now):
		return Lapse{Why: rule.WindowClosed}
	case f.ScheduleEnds != nil && !f.ScheduleEnds.After(f.Now):
		return Lapse{Why: rule.ScheduleStale}
	}
	return Lapse{Again: sooner(sooner(f.ApprovalEnds, f.SendBefore), f.ScheduleEnds)}
}

// sooner is the earlier of two moments of which either may be nil.
func sooner(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}
