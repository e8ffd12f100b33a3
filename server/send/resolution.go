package send

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/problem"
	"sendonce/server/rule"
)

// The two answers of a person who looked, as they are asked for, recorded and shown.
const (
	AnswerDelivered    = "delivered"
	AnswerNotDelivered = "not_delivered"
)

// Resolution is what a person says of an unconfirmed send after they looked.
type Resolution struct {
	Delivered bool
	// Note is what they saw. "Not delivered" cannot do without.
	Note string
	// AcceptUnseen is a yes to: that browser has not been seen since, so the message may still go out.
	AcceptUnseen bool
}

// ResolutionFacts is what a resolution rests on, read after the message and all its sends were locked.
type ResolutionFacts struct {
	Now time.Time
	Row Row
	// GoneAt is when the install said that no tab of the attempt is left, or nil.
	GoneAt *time.Time
	Quiet  Quiet
	// First is what a person said before, or nil.
	First *Said
}

// Quiet is how long must pass before "not delivered" counts: a timely click is not a timely arrival. Grace is enough once the
// tab of the attempt is known to be gone; Unseen, after the deadline, is for when it is not.
type Quiet struct{ Grace, Unseen time.Duration }

// over is when nothing can be on its way any more. A machine that slept may send its request when it wakes, just before the
// tab closes: so the grace counts from then, when that is after the deadline.
func (q Quiet) over(deadline, gone time.Time) time.Time {
	if gone.After(deadline) {
		return gone.Add(q.Grace)
	}
	return deadline.Add(q.Grace)
}

// NotDeliveredFrom is when "not delivered" may be said of an attempt with that deadline. gone is nil as long as the tab may be
// there; that it closes makes nobody wait longer.
func (q Quiet) NotDeliveredFrom(deadline time.Time, gone *time.Time) time.Time {
	unseen := deadline.Add(q.Unseen)
	if gone == nil {
		return unseen
	}
	if over := q.over(deadline, *gone); over.Before(unseen) {
		return over
	}
	return unseen
}

// AbsenceCountsFrom is when a look must have been asked for, so that what it did not find is not merely late. A tab that closes
// at last puts it off, however late that is: a request may have left just before, and the look would have missed it.
func (q Quiet) AbsenceCountsFrom(deadline time.Time, gone *time.Time) time.Time {
	if gone == nil {
		return deadline.Add(q.Unseen)
	}
	return q.over(deadline, *gone)
}

// NeedsYes says whether "not delivered" needs a yes to Resolution.AcceptUnseen once it may be said, if that is now or later.
func (q Quiet) NeedsYes(deadline time.Time, gone *time.Time, now time.Time) bool {
	if gone == nil {
		return true
	}
	over := q.over(deadline, *gone)
	return over.After(deadline.Add(q.Unseen)) && now.Before(over)
}

// Said is a resolution as it was recorded.
type Said struct {
	By        string
	Delivered bool
	Note      string
	At        time.Time
}

// ResolutionStore writes resolutions, in one transaction.
type ResolutionStore interface {
	// ResolutionFacts is problem.NotFound when the workspace has no such send.
	ResolutionFacts(ctx context.Context, workspace, send uuid.UUID) (ResolutionFacts, error)
	// ResolutionAdd records what the person said as evidence, and moves the unconfirmed row by it.
	ResolutionAdd(ctx context.Context, row Row, who uuid.UUID, r Resolution) error
}

// DecideResolution says why the resolution does not count, or nil.
func DecideResolution(f ResolutionFacts, r Resolution) *problem.Problem {
	if p := mayBeResolved(f); p != nil || r.Delivered {
		return p
	}
	if r.Note == "" {
		return problem.Field("note", "say what you saw in the conversation and where you looked")
	}
	from := f.Quiet.NotDeliveredFrom(f.Row.DeadlineAt, f.GoneAt)
	if f.Now.Before(from) {
		why := "a message that left before its tab closed may still arrive"
		if f.GoneAt == nil {
			why = "its browser has not said that the tab is closed, so the message may still go out"
		}
		return problem.New(problem.ResolvedTooEarly, "look again after %s: %s", from.UTC().Format(time.RFC3339), why).
			With("not_before", from.UTC())
	}
	if !r.AcceptUnseen && f.Quiet.NeedsYes(f.Row.DeadlineAt, f.GoneAt, f.Now) {
		why := "the browser that began has not been seen since"
		if f.GoneAt != nil {
			why = "its tab was closed only lately"
		}
		return problem.New(problem.UnseenBrowser, "%s, so the message may still go out; say accept_unseen to take that on you", why)
	}
	return nil
}

func mayBeResolved(f ResolutionFacts) *problem.Problem {
	switch {
	case f.Row.Status == rule.Unconfirmed:
		return nil
	case f.First != nil:
		what := "not delivered"
		if f.First.Delivered {
			what = "delivered"
		}
		return problem.New(problem.AlreadySettled, "%s said on %s that it was %s: %q", f.First.By,
			f.First.At.UTC().Format(time.RFC3339), what, f.First.Note).
			With("send_status", f.Row.Status).With("by", f.First.By).With("note", f.First.Note)
	case f.Row.HasStart() && f.Row.Status != rule.Started:
		return problem.New(problem.AlreadySettled, "it is %s; nobody has to say what became of it", f.Row.Status).With("send_status", f.Row.Status)
	}
	return problem.New(problem.NotUnconfirmed, "it is %s; only an unconfirmed send is settled by a person", f.Row.Status).
		With("send_status", f.Row.Status)
}
