package e2e_test

import (
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// Goal: however a worker dies, its successor never clicks: it reads the proof in the conversation, or says that it does
// not know. All in one browser, whose death is the last.
func TestWorkerDies(t *testing.T) {
	r := newRig(t, 1, nil)
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

// revive starts the killed server again and leads the installs to it.
func (r *rig) revive(ins ...*install) {
	r.Helper()
	r.must(r.server.Restart(r.ctx))
	r.api.URL = r.server.URL()
	for _, in := range ins {
		in.proxy.SetServer(r.server.URL())
	}
}

// Goal: a server that was killed between lease and start lets nothing go out until a start is recorded, and then once.
func TestServerKilledBetweenLeaseAndStart(t *testing.T) {
	r := newRig(t, 1, nil)
	in := r.install()
	release := in.proxy.Hold(harness.Install, "start")
	m := r.approved(ada, "Hello Ada")
	r.must(in.proxy.Wait(r.ctx, harness.Install, "start", 1))
	r.server.Kill()
	release()
	r.wantsUntouched()
	r.revive(in)
	r.await(m, "sent")
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
}

// Goal: a server that was killed between start and report hears the report after it is back, and never offers the send.
func TestServerKilledBetweenStartAndReport(t *testing.T) {
	r := newRig(t, 1, nil)
	answer := standin.NewGate()
	r.fault(ada, standin.Fault{When: standin.AfterAccept, HoldAnswer: answer})
	in := r.install()
	m := r.approved(ada, "Hello Ada")
	r.awaitSite(func(s standin.State) bool { return len(s.Copies) == 1 })
	r.server.Kill()
	answer.Release()
	r.revive(in)
	r.wantsSent(m)
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
}

// Goal: a database that is down for a while between start and report loses nothing and repeats nothing.
func TestDatabaseDownBetweenStartAndReport(t *testing.T) {
	const outage = 10 * time.Second
	r, cluster := newStoppableRig(t)
	answer := standin.NewGate()
	r.fault(ada, standin.Fault{When: standin.AfterAccept, HoldAnswer: answer})
	in := r.install()
	m := r.approved(ada, "Hello Ada")
	r.awaitSite(func(s standin.State) bool { return len(s.Copies) == 1 })
	r.must(cluster.Stop(r.ctx))
	over := time.After(outage)
	answer.Release()
	r.must(in.proxy.Wait(r.ctx, harness.Install, "report", 1))
	select {
	case <-over:
	case <-r.ctx.Done():
	}
	r.must(cluster.Start(r.ctx))
	r.wantsSent(m)
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
}
