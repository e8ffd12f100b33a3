package e2e_test

import (
	"testing"

	"sendonce/e2e/standin"
)

// Goal: however a worker dies, its successor never clicks: it reads the proof in the conversation, or says that it does
// not know. All in one browser, whose death is the last.
func TestWorkerDies(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: samplePatience})
	in := r.install()
	t.Run("before it was told to go on", func(t *testing.T) { r.attempt(t, in, "resolved").dies(death{at: atResolved}, idle) })
	t.Run("when it has told the page to go", func(t *testing.T) { r.attempt(t, in, "told").dies(death{at: atGo}, closed) })
	t.Run("after the delivery, shown", func(t *testing.T) { r.attempt(t, in, "shown").diesAfterDelivery(true) })
	t.Run("after the delivery, hidden", func(t *testing.T) { r.attempt(t, in, "hidden").diesAfterDelivery(false) })
	t.Run("with its browser, after the delivery", func(t *testing.T) {
		r.attempt(t, in, "killed").dies(death{at: atRequest, sent: true}, killed)
	})
}

// diesAfterDelivery stops the worker when the message is accepted. Nobody wakes the next one but Chromium.
func (s *struck) diesAfterDelivery(shows bool) {
	s.Helper()
	clicks := len(s.site.Clicks())
	answer, thread := standin.NewGate(), standin.NewGate()
	if shows {
		thread.Release()
	}
	s.fault(s.person, standin.Fault{When: standin.AfterAccept, HoldAnswer: answer, HideFromThread: thread})
	s.m = s.approved(s.person, s.body())
	s.awaitSite(func(state standin.State) bool { return state.Accepted(s.person.ID) == 1 })
	s.must(s.in.StopWorkers(s.ctx))
	answer.Release()
	if shows {
		s.wantsSent(s.m)
	} else {
		// Whether the revived worker still hears the answer is Chromium's choice.
		s.wantsUnconfirmed(s.m, "no_evidence", "sender_lost")
	}
	s.wants(s.person, s.body())
	s.wantsClicks(clicks + 1)
	s.wantsCleanedUp()
}
