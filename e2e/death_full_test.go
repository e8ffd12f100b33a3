//go:build full

package e2e_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// Goal: whatever the step and however the worker dies, its successor clicks nothing, closes the tab, and says what it can
// prove.
func TestWorkerDiesAtEveryStep(t *testing.T) {
	for i, w := range []way{closed, idle, reloaded, killed} {
		t.Run(w.name, func(t *testing.T) {
			r := newWorld(t, world{browsers: 1, within: matrixWithin})
			in := r.install()
			for j, d := range deaths {
				t.Run(d.at.name, func(t *testing.T) {
					r.attempt(t, in, "case-"+strconv.Itoa(i)+"-"+strconv.Itoa(j)).dies(d, w)
				})
			}
		})
	}
}

// Goal: of a request whose events reach nobody, because the worker's process stood still and then died, the conversation
// alone tells.
func TestEventsOfTheRequestReachNobody(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: matrixWithin})
	in := r.install()
	for name, shows := range map[string]bool{"shown": true, "hidden": false} {
		t.Run(name, func(t *testing.T) {
			s := r.attempt(t, in, "lost-"+name)
			clicks := len(s.site.Clicks())
			if !shows {
				s.fault(s.person, standin.Fault{When: standin.AfterAccept, HideFromThread: standin.NewGate()})
			}
			letGo := s.stopAt(atGo)
			s.must(in.Halt(harness.Worker))
			letGo()
			s.awaitSite(func(state standin.State) bool { return state.Accepted(s.person.ID) == 1 })
			s.ends(func(*struck) { s.must(in.KillPart(harness.Worker)) })
			s.openPopup()
			if shows {
				s.wantsSent(s.m)
			} else {
				s.wantsResult(isSenderLost)
			}
			s.wants(s.person, s.body())
			s.wantsClicks(clicks + 1)
			s.wantsCleanedUp()
		})
	}
}

// Goal: a refusal whose request was begun before one worker and ended before the next is no proof: nothing is sent again.
func TestRefusalHeardByTheNextWorker(t *testing.T) {
	r := newRig(t, 1, nil)
	s := r.attempt(t, r.install(), "refused")
	answer := standin.NewGate()
	s.fault(s.person, standin.Fault{
		When: standin.BeforeAccept, Do: standin.Status(http.StatusTooManyRequests), HoldAnswer: answer,
	})
	s.m = s.approved(s.person, s.body())
	s.awaitSite(func(state standin.State) bool { return state.Arrived(s.person.ID) == 1 })
	s.ends(idle.die)
	answer.Release()
	// Whether the next worker hears the answer is Chromium's choice.
	s.wantsUnconfirmed(s.m, "refusal_unproven", "sender_lost")
	s.wants(s.person)
	s.wantsClicks(1)
	s.wantsCleanedUp()
}

// Goal: a page script that was left behind by a reload clicks nothing, although everything that it waited for comes.
func TestOrphanClicksNothing(t *testing.T) {
	r := newRig(t, 1, nil)
	s := r.attempt(t, r.install(), "orphaned")
	enable := s.stopAt(atTyped)
	s.in.proxy.Shut() // without its server the next worker leaves the tab alone
	s.must(s.in.Reload(s.ctx))
	enable()
	s.inTab(untilReady)
	s.wantsClicks(0)
	s.in.proxy.Open()
	s.wantsResult(isSenderLost)
	s.wantsCleanedUp()
	next := s.approved(ada, "Hello Ada")
	s.wantsSent(next)
	s.wants(s.person)
	s.wants(ada, "Hello Ada")
	s.wantsClicks(1)
}

// Goal: an acknowledgement that was held back past the touch window permits nothing.
func TestAcknowledgementAfterTheTouchWindow(t *testing.T) {
	const window = 5 * time.Second
	r := newRig(t, 1, map[string]string{"SENDONCE_TOUCH_WITHIN": window.String()})
	s := r.attempt(t, r.install(), "acknowledged-late")
	release := s.stopAt(atStarted)
	r.passes(window)
	release()
	s.wantsResult(isTooLate)
	s.wantsUntouched()
	s.wants(s.person)
}
