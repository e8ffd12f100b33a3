package send_test

import (
	"testing"
	"time"

	"sendonce/server/send"
)

// A look that was asked for while the tab could still act says nothing, also once the tab is gone.
func TestAbsenceCountsOnceTheTabIsGone(t *testing.T) {
	t.Parallel()
	quiet := send.Quiet{Grace: 10 * time.Minute, Unseen: 24 * time.Hour}
	deadline := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	after := func(d time.Duration) *time.Time { at := deadline.Add(d); return &at }
	for name, c := range map[string]struct {
		gone *time.Time
		want time.Duration
	}{
		"gone in time":         {after(-time.Minute), 10 * time.Minute},
		"gone after the grace": {after(time.Hour), time.Hour},
		"gone after a day":     {after(30 * time.Hour), 24 * time.Hour},
		"never gone":           {nil, 24 * time.Hour},
	} {
		if got := quiet.AbsenceCountsFrom(deadline, c.gone); !got.Equal(deadline.Add(c.want)) {
			t.Errorf("%s: %s after the deadline, want %s", name, got.Sub(deadline), c.want)
		}
	}
}
