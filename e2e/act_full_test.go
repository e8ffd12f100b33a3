//go:build full

package e2e_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/server/rule"
)

// Goal: every hand of the table, at every step.
func TestEveryHand(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: matrixWithin})
	in := r.install()
	for i, c := range handCases {
		t.Run(c.name, func(t *testing.T) { r.attempt(t, in, fmt.Sprintf("hand-%d", i)).meets(c) })
	}
}

// stillness is a part of a browser that stands still when Send could be pressed, longer than the touch window.
type stillness struct {
	name string
	at   step
	stop func(s *struck)
	// goOn lets it go on, apart from the step's own release.
	goOn func(s *struck)
}

var stillnesses = []stillness{
	{"the page", atGo, func(*struck) {}, func(*struck) {}},
	{"the worker", atPoised, func(*struck) {}, func(*struck) {}},
	{"the whole browser", atPoised, func(s *struck) { s.in.Freeze() }, func(s *struck) { s.in.Thaw() }},
}

// Goal: a browser that stood still past the touch window never clicks late. What it then knows, it says: that it did not
// click, or, when its worker was given up meanwhile, that it is not known.
func TestStandsStillPastTheTouchWindow(t *testing.T) {
	t.Parallel()
	// Whoever is slow to come to the step has less of the window left; whoever is fast stands still until it is over.
	for _, length := range []struct{ window, still time.Duration }{
		{25 * time.Second, 12 * time.Second},
		{60 * time.Second, 90 * time.Second},
	} {
		for i, c := range stillnesses {
			t.Run(fmt.Sprintf("%s for %s", c.name, length.still), func(t *testing.T) {
				r := newWorld(t, world{
					browsers: 1, within: matrixWithin, changed: map[string]string{"SENDONCE_TOUCH_WITHIN": length.window.String()},
				})
				s := r.attempt(t, r.install(), fmt.Sprintf("still-%d", i))
				s.ctx = r.ctx // a case of its own may take longer than one of many
				release := s.stopAt(c.at)
				c.stop(s)
				r.passes(max(length.still, length.window-time.Since(s.asked())+time.Second))
				c.goOn(s)
				release()
				row, err := s.database.AwaitRow(s.ctx, s.m.ID, hasEnded)
				s.must(err)
				if got := (result{rule.Status(row.Status), row.Code, row.Reason}); got != isTooLate && got != isSenderLost {
					s.Errorf("the send is %+v, want it too late or not known", got)
				}
				s.wants(s.person)
				s.wantsClicks(0)
				s.wantsCleanedUp()
			})
		}
	}
}

// asked is when the start was first heard to be asked for.
func (s *struck) asked() time.Time {
	frames := s.in.proxy.Frames()
	return frames[slices.IndexFunc(frames, func(f harness.Frame) bool { return f.Type == "start" })].At
}
