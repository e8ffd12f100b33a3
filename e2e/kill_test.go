package e2e_test

import (
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"sendonce/e2e/harness"
)

// way is one way in which a worker dies. After die there is nobody but the journal who knows of the attempt.
type way struct {
	name string
	die  func(s *struck)
	// revive brings a worker back at once; nil: the browser does so by itself.
	revive func(s *struck)
}

var (
	closed = way{"closed by DevTools", func(s *struck) { s.must(s.in.CloseWorker(s.ctx)) }, (*struck).openPopup}
	idle   = way{"stopped as an idle one", func(s *struck) { s.must(s.in.StopWorkers(s.ctx)) }, (*struck).openPopup}
	// A reload leaves the page script in its page, as an orphan.
	reloaded = way{"reloaded", func(s *struck) { s.must(s.in.Reload(s.ctx)) }, nil}
	killed   = way{"its browser killed", func(s *struck) { s.in.Kill() }, (*struck).restart}
)

// openPopup wakes the worker as a person does who opens the popup. Without it Chrome does, within half a minute.
func (s *struck) openPopup() {
	_, err := s.in.Command(s.ctx, "view")
	s.must(err)
}

// restart starts a killed browser again. It may have forgotten its newest cookies, so Rita signs in before there is a
// network again.
func (s *struck) restart() {
	s.in.proxy.Shut()
	s.must(s.in.Restart(s.ctx))
	s.must(s.in.SignIn(s.ctx, rita.Slug))
	s.in.proxy.Open()
}

// matrixWithin bounds a test that runs many cases in one browser.
const matrixWithin = 15 * time.Minute

// ends strikes the worker, and returns when its connection is gone with it.
func (s *struck) ends(die func(*struck)) {
	s.Helper()
	before := s.in.proxy.Ended()
	die(s)
	s.must(s.in.proxy.WaitEnded(s.ctx, before+1))
}

// death says what must become of an attempt whose worker dies at a step.
type death struct {
	at step
	// sent: the message reaches its person, once. By this attempt, when it had been clicked; else by a later one, when its
	// start was never recorded.
	sent, again bool
}

var deaths = []death{
	{at: atLease, sent: true, again: true},
	{at: atStart, sent: true, again: true},
	{at: atStarted},
	{at: atTab},
	{at: atProfile},
	{at: atResolved},
	{at: atProceed},
	{at: atLoaded},
	{at: atTyped},
	{at: atGo},
	{at: atRequest, sent: true},
	{at: atLook, sent: true},
	{at: atReport, sent: true},
	{at: atRecorded, sent: true},
	{at: atGone, sent: true},
}

// dies lets the worker of one attempt die at a step, and checks that what comes of it is never a second click.
func (s *struck) dies(d death, w way) {
	s.Helper()
	clicks, noted := len(s.site.Clicks()), s.in.proxy.Count(harness.Upstream, "noted")
	release := s.stopAt(d.at)
	s.ends(w.die)
	release()
	if w.revive != nil {
		w.revive(s)
	}
	if !d.sent {
		s.wantsResult(isSenderLost)
		s.wants(s.person)
		s.wantsClicks(clicks)
	} else {
		if d.again {
			s.wantsSentByNext(d)
		} else {
			s.wantsSent(s.m)
		}
		s.wants(s.person, s.body())
		s.wantsClicks(clicks + 1)
	}
	s.must(s.in.proxy.Wait(s.ctx, harness.Upstream, "noted", noted+1))
	s.wantsCleanedUp()
}

// wantsSentByNext waits until the message is sent by the lease after the one whose worker died, or, when that had not been
// heard of, by a later one: until the server knows that the connection has ended, it may offer the send to it once more.
func (s *struck) wantsSentByNext(d death) {
	s.Helper()
	got := s.wantsConfirmed(s.m)
	given := []string{"queued", "leased"}
	end := []string{"queued", "leased", "started", "sent"}
	for d.at.name == atLease.name && len(got) > len(given)+len(end) && slices.Equal(got[:len(given)], given) {
		got = got[len(given):]
	}
	if diff := cmp.Diff(slices.Concat(given, end), got); diff != "" {
		s.Errorf("the send's history (-want +got):\n%s", diff)
	}
}

// wantsCleanedUp waits until the tabs of all attempts are closed, and checks what was said meanwhile: no lease was asked
// for twice, and none was taken while a tab of an earlier one might still be open.
func (s *struck) wantsCleanedUp() {
	s.Helper()
	_, err := s.in.AwaitTabs(s.ctx, harness.LinkedIn, 1) // Rita's own
	s.must(err)
	attempts, open := map[any][]any{}, map[any]bool{}
	for _, frame := range s.in.proxy.Frames() {
		token, attempt := frame.Body["lease_token"], frame.Body["attempt"]
		switch {
		case frame.From == harness.Upstream && frame.Type == "lease" && frame.Fate == harness.Passed:
			if len(open) > 0 {
				s.Errorf("a lease was given while the tab of another attempt was open")
			}
		case frame.From == harness.Install && frame.Type == "start":
			open[token] = true
			if !slices.Contains(attempts[token], attempt) {
				attempts[token] = append(attempts[token], attempt)
			}
		case frame.From == harness.Install && frame.Type == "gone":
			delete(open, token)
		}
	}
	for _, asked := range attempts {
		if len(asked) > 1 {
			s.Errorf("one lease was asked to start by %d workers", len(asked))
		}
	}
}
