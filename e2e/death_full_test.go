//go:build full

package e2e_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/rule"
)

// Goal: whatever the step and however the worker dies, its successor clicks nothing, closes the tab, and says what it can
// prove.
func TestWorkerDiesAtEveryStep(t *testing.T) {
	t.Parallel()
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
			s.ends(func(*struck) { s.must(in.KillPart(s.ctx, harness.Worker)) })
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

// Goal: a browser whose storage has lost its last writes clicks nothing again: what it no longer knows, the server does.
func TestStorageLosesItsLastWrites(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: matrixWithin})
	in := r.install()
	t.Run("all of the attempt but that it was asked", func(t *testing.T) {
		s := r.attempt(t, in, "half-forgotten")
		saved := filepath.Join(t.TempDir(), "storage")
		s.losesStorage(atStart, saved)
		s.wantsResult(isSenderLost)
		s.wants(s.person, s.body())
		s.wantsClicks(1)
		s.wantsCleanedUp()
	})
	t.Run("all of the attempt", func(t *testing.T) {
		s := r.attempt(t, in, "forgotten")
		saved := filepath.Join(t.TempDir(), "storage")
		s.must(in.SaveStorage(saved))
		refused := in.proxy.Count(harness.Upstream, "refused")
		s.losesStorage(step{}, saved)
		s.must(in.proxy.Repeat(s.leaseFrame()))
		s.must(in.proxy.Wait(s.ctx, harness.Upstream, "refused", refused+1))
		frames := in.proxy.Frames()
		if last := frames[slices.IndexFunc(frames, func(f harness.Frame) bool { return f.Type == "refused" })]; last.Body["code"] != "already_started" {
			s.Errorf("the lease that came again was refused as %v", last.Body["code"])
		}
		s.passDeadline()
		s.wantsUnconfirmed(s.m, "deadline_passed")
		s.wants(s.person, s.body())
		s.wantsClicks(2)
	})
}

// losesStorage kills the browser when the message is accepted, and starts it again with what had been stored when the
// attempt was at a step. Without a step that has been saved before.
func (s *struck) losesStorage(at step, saved string) {
	s.Helper()
	inFlight, answer := holdRequest(s)
	if at.hold == nil {
		s.m = s.approved(s.person, s.body())
	} else {
		release := s.stopAt(at)
		s.must(s.in.SaveStorage(saved))
		release()
	}
	inFlight()
	s.ends(killed.die)
	answer()
	s.must(s.in.RestoreStorage(saved))
	ready := s.in.proxy.Count(harness.Install, "ready")
	s.restart()
	s.must(s.in.proxy.Wait(s.ctx, harness.Install, "ready", ready+1))
}

// leaseFrame is the newest lease that the browser was given.
func (s *struck) leaseFrame() harness.Frame {
	s.Helper()
	for _, frame := range slices.Backward(s.in.proxy.Frames()) {
		if frame.From == harness.Upstream && frame.Type == "lease" {
			return frame
		}
	}
	s.Fatal("no lease was given")
	return harness.Frame{}
}

// Goal: two browsers with one pairing, because a profile was copied, are both stopped, a person is told, and nothing is
// sent by either.
func TestCopiedProfile(t *testing.T) {
	r := newRig(t, 2, nil)
	in := r.install()
	in.Kill()
	copied := t.TempDir()
	r.must(in.CopyProfile(copied))
	welcomes := in.proxy.Count(harness.Upstream, "welcome")
	other := r.startBrowser(copied)
	twin := &install{other, in.proxy}
	r.must(in.proxy.Wait(r.ctx, harness.Upstream, "welcome", welcomes+1))
	// Its secret has been replaced once. After the next replacement the one that the first browser has proves a copy.
	other.Kill()
	r.must(other.Restart(r.ctx))
	r.must(in.proxy.Wait(r.ctx, harness.Upstream, "welcome", welcomes+2))
	r.must(in.Restart(r.ctx))
	for _, one := range []*install{in, twin} {
		page, err := one.OpenExtension(r.ctx)
		r.must(err)
		r.must(one.AwaitPhase(r.ctx, page, "stopped"))
	}
	incidents, err := r.api.Incidents(r.ctx, "")
	r.must(err)
	if len(incidents) != 1 || incidents[0].Kind != "secret_reused" {
		t.Errorf("the open incidents are %+v, want one of a secret that was used again", incidents)
	}
	m := r.approved(ada, "Hello Ada")
	if row := r.awaitRow(m, string(rule.Queued)); row.IsStarted {
		t.Errorf("the row is %+v", row)
	}
	r.wants(ada)
	r.wantsUntouched()
}
