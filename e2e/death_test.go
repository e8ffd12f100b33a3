package e2e_test

import (
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// Goal: a worker that was killed after the delivery never clicks again when it is revived: it reads the proof in the
// conversation, or says that it does not know.
func TestWorkerKilledAfterTheDelivery(t *testing.T) {
	r := newRig(t, 1, nil)
	in := r.install()
	for i, c := range []struct {
		person standin.Person
		shows  bool // the conversation shows the message
	}{{ada, true}, {ben, false}} {
		answer, thread := standin.NewGate(), standin.NewGate()
		if c.shows {
			thread.Release()
		}
		r.fault(c.person, standin.Fault{When: standin.AfterAccept, HoldAnswer: answer, HideFromThread: thread})
		m := r.approved(c.person, "Hello")
		r.awaitSite(func(s standin.State) bool { return len(s.Copies) == i+1 })
		r.must(in.StopWorkers(r.ctx))
		answer.Release()
		if c.shows {
			r.wantsSent(m)
		} else {
			// Whether the revived worker still hears the answer is Chromium's choice.
			r.wantsUnconfirmed(m, "no_evidence", "sender_lost")
		}
		r.wants(c.person, "Hello")
		r.wantsClicks(i + 1)
	}
}

// Goal: a browser that was killed after the delivery, and started again, does not click again and reads the proof.
func TestBrowserKilledAfterTheDelivery(t *testing.T) {
	r := newRig(t, 1, nil)
	answer := standin.NewGate()
	r.fault(ada, standin.Fault{When: standin.AfterAccept, HoldAnswer: answer})
	in := r.install()
	m := r.approved(ada, "Hello Ada")
	r.awaitSite(func(s standin.State) bool { return len(s.Copies) == 1 })
	in.Kill()
	answer.Release()
	// A killed browser may have forgotten its newest cookies, so Rita signs in before there is a network again.
	in.proxy.Shut()
	r.must(in.Restart(r.ctx))
	r.must(in.SignIn(r.ctx, rita.Slug))
	in.proxy.Open()
	r.wantsSent(m)
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
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
