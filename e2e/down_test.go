package e2e_test

import (
	"testing"
	"time"

	"sendonce/e2e/harness"
)

// revive starts the killed server again and leads the installs to it.
func (r *rig) revive(ins ...*install) {
	r.Helper()
	r.must(r.server.Restart(r.ctx))
	r.api.URL = r.server.URL()
	for _, in := range ins {
		in.proxy.SetServer(r.server.URL())
	}
}

// Goal: a server that was killed lets nothing go out until a start is recorded, hears the report of what did go out after
// it is back, and never offers it again.
func TestServerKilled(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: samplePatience})
	in := r.install()
	t.Run("between lease and start", func(t *testing.T) {
		s := r.attempt(t, in, "leased")
		release := s.stopAt(atStart)
		r.server.Kill()
		release()
		s.wantsUntouched()
		r.revive(in)
		s.await(s.m, "sent")
		s.wants(s.person, s.body())
		s.wantsClicks(s.since.clicks + 1)
		s.wantsCleanedUp()
	})
	t.Run("between start and report", func(t *testing.T) {
		s := r.attempt(t, in, "started")
		release := s.stopAt(atRequest)
		r.server.Kill()
		release()
		r.revive(in)
		s.wantsSentOnce(s.body())
	})
}

// Goal: a database that is down begins nothing, loses nothing and repeats nothing.
func TestDatabaseDown(t *testing.T) {
	const outage = 10 * time.Second
	r, cluster := newStoppableWorld(t, world{browsers: 1, within: samplePatience})
	in := r.install()
	t.Run("at the start", func(t *testing.T) {
		s := r.attempt(t, in, "starting")
		release := s.stopAt(atStart)
		asked := in.proxy.Count(harness.Install, "start")
		s.must(cluster.Stop(s.ctx))
		release()
		s.must(in.proxy.Wait(s.ctx, harness.Upstream, "error", 1))
		s.must(in.proxy.Wait(s.ctx, harness.Install, "start", asked+1))
		s.wantsUntouched()
		s.wants(s.person)

		s.must(cluster.Start(s.ctx))
		s.await(s.m, "sent")
		s.wants(s.person, s.body())
		s.wantsClicks(s.since.clicks + 1)
		s.wantsCleanedUp()
	})
	t.Run("between start and report", func(t *testing.T) {
		s := r.attempt(t, in, "reporting")
		release := s.stopAt(atRequest)
		s.must(cluster.Stop(s.ctx))
		over := time.After(outage)
		reported := in.proxy.Count(harness.Install, "report")
		release()
		s.must(in.proxy.Wait(s.ctx, harness.Install, "report", reported+1))
		select {
		case <-over:
		case <-s.ctx.Done():
		}
		s.must(cluster.Start(s.ctx))
		s.wantsSentOnce(s.body())
	})
}
