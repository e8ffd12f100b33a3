package send_test

import (
	"testing"
	"time"

	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// A request may leave just before its tab closes, however late: the grace counts from then. That the tab closed makes nobody
// wait longer than if it never had.
func TestQuietTimeCountsFromWhenTheTabWasGone(t *testing.T) {
	t.Parallel()
	const taken problem.Code = ""
	quiet := send.Quiet{Grace: 10 * time.Minute, Unseen: 24 * time.Hour}
	deadline := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	after := func(d time.Duration) *time.Time { at := deadline.Add(d); return &at }
	type try struct {
		at       time.Duration // after the deadline
		yes      bool
		want     problem.Code
		needsYes bool
	}
	for name, c := range map[string]struct {
		gone *time.Time
		// From when "not delivered" may be said, and a look that finds nothing counts: after the deadline.
		from, counts time.Duration
		try          []try
	}{
		"gone in time": {after(-time.Minute), 10 * time.Minute, 10 * time.Minute, []try{
			{9 * time.Minute, true, problem.ResolvedTooEarly, false}, {10 * time.Minute, false, taken, false},
		}},
		"gone late": {after(5 * time.Minute), 15 * time.Minute, 15 * time.Minute, []try{
			{10 * time.Minute, true, problem.ResolvedTooEarly, false}, {15 * time.Minute, false, taken, false},
		}},
		"gone after the grace": {after(time.Hour), 70 * time.Minute, 70 * time.Minute, []try{
			{time.Hour, true, problem.ResolvedTooEarly, false}, {70 * time.Minute, false, taken, false},
		}},
		"gone when the day was nearly over": {after(24*time.Hour - time.Minute), 24 * time.Hour, 24*time.Hour + 9*time.Minute, []try{
			{24*time.Hour - time.Second, true, problem.ResolvedTooEarly, true},
			{24 * time.Hour, false, problem.UnseenBrowser, true},
			{24 * time.Hour, true, taken, true},
			{24*time.Hour + 9*time.Minute, false, taken, false},
		}},
		"gone after a day": {after(30 * time.Hour), 24 * time.Hour, 30*time.Hour + 10*time.Minute, []try{
			{30 * time.Hour, false, problem.UnseenBrowser, true},
			{30 * time.Hour, true, taken, true},
			{30*time.Hour + 10*time.Minute, false, taken, false},
		}},
		"never gone": {nil, 24 * time.Hour, 24 * time.Hour, []try{
			{10 * time.Minute, true, problem.ResolvedTooEarly, true},
			{24 * time.Hour, false, problem.UnseenBrowser, true},
			{24 * time.Hour, true, taken, true},
		}},
	} {
		if got := quiet.NotDeliveredFrom(deadline, c.gone); !got.Equal(deadline.Add(c.from)) {
			t.Errorf("%s: from %s after the deadline, want %s", name, got.Sub(deadline), c.from)
		}
		if got := quiet.AbsenceCountsFrom(deadline, c.gone); !got.Equal(deadline.Add(c.counts)) {
			t.Errorf("%s: an absence counts from %s after the deadline, want %s", name, got.Sub(deadline), c.counts)
		}
		for _, try := range c.try {
			now, got := deadline.Add(try.at), taken
			f := send.ResolutionFacts{Now: now, Row: send.Row{Status: rule.Unconfirmed, DeadlineAt: deadline}, GoneAt: c.gone, Quiet: quiet}
			if p := send.DecideResolution(f, send.Resolution{Note: "Nothing there", AcceptUnseen: try.yes}); p != nil {
				got = p.Code
			}
			if needs := quiet.NeedsYes(deadline, c.gone, now); got != try.want || needs != try.needsYes {
				t.Errorf("%s, %s after the deadline: %q, needs a yes %t; want %q, %t", name, try.at, got, needs, try.want, try.needsYes)
			}
		}
	}
}
