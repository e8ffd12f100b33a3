//go:build chaos

package e2e_test

import (
	"context"
	"fmt"
	"testing"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/rule"
)

// restored is how far a message has come when its database is put back to before its start.
type restored struct {
	when string
	// until brings the message there, and returns what lets it go on.
	until func(s *struck) (goOn func())
}

var restores = []restored{
	{alreadySent, func(s *struck) func() {
		s.in.proxy.Open()
		s.await(s.m, string(rule.Sent))
		s.wantsCleanedUp()
		return func() {}
	}},
	{stillUnreported, func(s *struck) func() {
		answer := standin.NewGate()
		s.fault(s.person, standin.Fault{When: standin.AfterAccept, HoldAnswer: answer})
		s.in.proxy.Open()
		s.awaitSite(func(state standin.State) bool { return state.Accepted(s.person.ID) == 1 })
		return answer.Release
	}},
}

// Goal: a database that is put back to before a send was started holds fire until a person arms it, and then sends nothing
// twice: what its browser reports counts, and the conversation is read first.
func TestChaosRestored(t *testing.T) {
	times := chaosTimes(t)
	r, cluster := newStoppableWorld(t, world{browsers: 1, within: killsWithin(len(restores) * times)})
	c := &chaos{rig: r, in: r.install(), fault: restoresOlder}
	for n := range times {
		for i, to := range restores {
			t.Run(fmt.Sprintf("%s, time %d", to.when, n+1), func(t *testing.T) {
				s := r.attempt(t, c.in, fmt.Sprintf("restored-%d-%d", i, n))
				s.isRestored(cluster, to)
				c.awaitEnds(to.when, &blow{m: s.m, person: s.person, text: s.body()})
				s.wants(s.person, s.body())
				s.wantsClicks(s.since.clicks + 1)
			})
		}
	}
	writeChaos(t, c.rows()...)
}

// isRestored has the message queued, saves the database, and puts it back when the message has come that far.
func (s *struck) isRestored(cluster *harness.Cluster, to restored) {
	s.Helper()
	s.in.proxy.Shut()
	s.m = s.approved(s.person, s.body())
	s.must(cluster.Stop(s.ctx))
	saved, err := cluster.Save(s.ctx)
	s.must(err)
	s.Cleanup(func() { s.must(saved.Remove(context.Background())) })
	s.must(cluster.Start(s.ctx))
	goOn := to.until(s)
	s.must(cluster.Stop(s.ctx))
	s.must(cluster.Restore(s.ctx, saved))
	s.must(cluster.Start(s.ctx))
	goOn()
	instance, err := s.api.AwaitHoldingFire(s.ctx)
	s.must(err)
	read, err := s.api.Message(s.ctx, s.m.ID)
	s.must(err)
	if last := read.Last(); rule.Status(last.Status) == rule.Queued && last.WaitingFor != "not_armed" {
		s.Errorf("the send is %+v, want it to wait until the database is armed", last)
	}
	s.must(s.api.Arm(s.ctx, instance.Epoch))
}

// Goal: a start that was acknowledged is there when the primary is lost and its synchronous standby takes over, and what was
// in hand goes on.
func TestChaosFailover(t *testing.T) {
	times := chaosTimes(t)
	w := world{within: killsWithin(times)}
	browserPlaces.expect(w.takes(t.Name()))
	t.Parallel()
	r := enter(t, w)
	primary, err := harness.StartCluster(r.ctx)
	r.must(err)
	clusters := []*harness.Cluster{primary}
	r.Cleanup(func() { // after what the world looks at in the last of them
		for _, cluster := range clusters {
			r.must(cluster.Remove(context.Background()))
		}
	})
	folder := t.TempDir()
	wire, err := harness.StartWire("unix", harness.SocketIn(folder), r.socket(primary))
	r.must(err)
	r.Cleanup(wire.Close)
	admin, err := harness.Through(primary.AdminURL(), folder)
	r.must(err)
	server, err := harness.Through(primary.ServerURL(), folder)
	r.must(err)
	r.begin(admin, server, w)
	c := &chaos{rig: r, fault: losesPrimary}
	senders := r.senders(2 * times)
	for n := range times {
		r.must(primary.Stop(r.ctx))
		standby, err := primary.Save(r.ctx)
		r.must(err)
		clusters = append(clusters, standby)
		r.must(primary.Start(r.ctx))
		r.must(standby.Follow(r.ctx, primary))
		leased, begun, release := r.hold(senders[2*n : 2*n+2])
		r.must(primary.Kill(r.ctx))
		r.must(standby.Promote(r.ctx))
		wire.SetTarget(r.socket(standby))
		row, err := r.database.AwaitRow(r.ctx, begun[0].m.ID, func(row harness.Row) bool { return row.IsStarted })
		r.must(err)
		if rule.Status(row.Status) != rule.Started {
			r.Errorf("the acknowledged start is %+v on the promoted standby", row)
		}
		release()
		c.awaitEnds(leaseGiven, leased...)
		c.awaitEnds(startAcked, begun...)
		primary = standby
	}
	writeChaos(t, c.rows()...)
}

func (r *rig) socket(cluster *harness.Cluster) string {
	r.Helper()
	path, err := cluster.Socket()
	r.must(err)
	return path
}
