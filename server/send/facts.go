package send

import (
	"time"

	"github.com/google/uuid"

	"sendonce/server/rule"
)

// Row is a send as the database has it, read under its row lock.
type Row struct {
	ID, Workspace, Message, Account, Person uuid.UUID
	Ordinal                                 int
	Status                                  rule.Status
	Digest                                  string
	LeaseToken, LeaseHolder                 uuid.UUID // uuid.Nil when there is none
	LeaseExpiresAt                          time.Time
	Attempt                                 string
	StartedAt, DeadlineAt                   time.Time // zero when it never started
	Vacated                                 bool
	Parked                                  bool
	Releases                                int
	Requeues                                int // how often in a row a machine made the next send, up to this one
	Code                                    string
	Event                                   int64
}

// HasStart reports whether a start is recorded.
func (r Row) HasStart() bool { return !r.StartedAt.IsZero() }

// Facts is everything that a decision about one send may rest on. Now was read after the locks were held, so that a
// start which waited for a lock cannot slip under an expiry.
type Facts struct {
	Now  time.Time
	Row  Row
	Mark Mark

	Armed bool
	// Withdrawn: the message is withdrawn or rejected. Delivered: some send of it has a delivery or is sent.
	Withdrawn, Delivered bool
	SendAfter            time.Time // zero is no limit
	SendBefore           time.Time

	// ApprovalStands: the approval that this send was made under is not voided.
	ApprovalStands            bool
	ApprovedAt, ApprovalEnds  time.Time
	ApprovedDigest            string
	RepeatApproved            bool
	Suppressed                bool      // nobody may write to the person
	OwnedByColleague          bool      // a colleague has a claim on the person that the approval does not pass over
	PersonFreeFrom            time.Time // until then the person was written to as often as they may; zero is no limit
	Pace                      Pace
	ScheduleEnds              time.Time // a message that was scheduled for a time begins no later; zero is no limit
	RepliedAt                 time.Time
	AccountStopped            bool
	AccountTripped            bool // stopped by its breaker: LinkedIn has not refused it
	AccountPaused             bool
	AccountCoolUntil          time.Time
	WorkspacePaused           bool
	EverythingPaused          bool // in all workspaces
	InstallPaused             bool // the asker's; without an asker, every one that may take the send
	AccountBusy               bool // another send of this account is leased or started
	FollowedSent              bool // the send that the message follows proved delivered since the approval
	IdenticalDelivered        bool // another message with the same folded text reached this person since the approval
	IdenticalMayHaveReached   bool // … is started or unconfirmed, and no yes of the approval to a repeat is newer than its start
	SessionIsNewest           bool
	InstallRevoked, IsGranted bool
}

// Pace is when the account may begin something by its hours and limits.
type Pace struct {
	// Because holds it until FreeAt; rule.Allow is nothing, until OpenUntil.
	Because           rule.Refusal
	FreeAt, OpenUntil time.Time
}

// mayGo is the part that lease and start share: whether this message may go to this person from this account now. The
// order is from what ends the row to what only delays it, so that a row is not delayed that must be canceled.
func mayGo(f Facts) rule.Refusal {
	switch {
	case f.Withdrawn:
		return rule.Withdrawn
	case f.Delivered:
		return rule.SiblingExists
	case !f.ApprovalStands:
		return rule.ApprovalMissing
	case f.ApprovedDigest != f.Row.Digest:
		return rule.ContentChanged
	case !f.Now.Before(f.ApprovalEnds):
		return rule.ApprovalExpired
	case !f.SendBefore.IsZero() && !f.Now.Before(f.SendBefore):
		return rule.WindowClosed
	case !f.ScheduleEnds.IsZero() && !f.Now.Before(f.ScheduleEnds):
		return rule.ScheduleStale
	case f.Suppressed:
		return rule.Suppressed
	case f.OwnedByColleague:
		return rule.OwnedByColleague
	case f.RepliedAt.After(f.ApprovedAt):
		return rule.Replied
	case f.FollowedSent:
		return rule.FollowedSent
	case f.IdenticalDelivered:
		return rule.AlreadyDelivered
	case f.IdenticalMayHaveReached:
		return rule.MayHaveReached
	}
	return mayGoNow(f)
}

// mayGoNow names what LinkedIn or the database holds before what a person holds: an attempt that has begun goes on under the
// latter alone.
func mayGoNow(f Facts) rule.Refusal {
	switch {
	case !f.Armed:
		return rule.NotArmed
	case f.AccountTripped:
		return rule.BreakerTripped
	case f.AccountStopped:
		return rule.AccountStopped
	case f.EverythingPaused:
		return rule.EverythingPaused
	case f.WorkspacePaused:
		return rule.WorkspacePaused
	case f.AccountPaused:
		return rule.AccountPaused
	case f.Now.Before(f.AccountCoolUntil):
		return rule.AccountCoolingDown
	case f.Now.Before(f.SendAfter):
		return rule.TooEarly
	case f.Now.Before(f.PersonFreeFrom):
		return rule.PersonLimit
	case f.Pace.Because != rule.Allow:
		return f.Pace.Because
	case f.AccountBusy:
		return rule.AccountBusy
	case f.InstallPaused:
		return rule.InstallPaused
	}
	return rule.Allow
}

// WaitsFor is what a queued send waits for by the facts that only delay it, or rule.Allow, and until when it does at least; zero is not
// known. The same function refuses a lease.
func WaitsFor(f Facts) (rule.Refusal, time.Time) {
	refusal := mayGoNow(f)
	if f.Pace.Because != rule.Allow && refusal == f.Pace.Because {
		return refusal, f.Pace.FreeAt
	}
	return refusal, dueAgain(f, refusal)
}

// paces reports whether the refusal is the account's pace, of which what has begun is a part itself.
func paces(refusal rule.Refusal) bool {
	switch refusal {
	case rule.OutsideHours, rule.DayLimit, rule.HourLimit, rule.MinimumGap:
		return true
	}
	return false
}

// pauses reports whether the refusal is a person's wish that nothing more should begin.
func pauses(refusal rule.Refusal) bool {
	switch refusal {
	case rule.AccountPaused, rule.InstallPaused, rule.WorkspacePaused, rule.EverythingPaused:
		return true
	}
	return false
}

// Setback is what a refusal does to its row.
type Setback struct {
	Refusal rule.Refusal
	// Until is when the row may be looked at again, for the disposition wait.
	Until time.Time
}

// setback leaves what its account's pace holds due: the pace holds all rows of the account alike, and is asked before any of them.
func setback(f Facts, refusal rule.Refusal) Setback {
	until := dueAgain(f, refusal)
	if until.IsZero() {
		until = f.Now
	}
	return Setback{Refusal: refusal, Until: until}
}

// dueAgain is when what holds this one row ends by itself; zero is not known.
func dueAgain(f Facts, refusal rule.Refusal) time.Time {
	switch refusal {
	case rule.TooEarly:
		return f.SendAfter
	case rule.AccountCoolingDown:
		return f.AccountCoolUntil
	case rule.PersonLimit:
		return f.PersonFreeFrom
	}
	return time.Time{}
}
