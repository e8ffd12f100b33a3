//go:build chaos

package e2e_test

import (
	"fmt"
	"testing"
	"time"

	"sendonce/e2e/harness"
)

// victim is what is killed at a step of a send's life, and how it comes back.
type victim struct {
	fault        string
	kill, revive func(*struck, *harness.Cluster)
}

var victims = []victim{
	{
		killsServer,
		func(s *struck, _ *harness.Cluster) { s.ends(func(s *struck) { s.server.Kill() }) },
		func(s *struck, _ *harness.Cluster) { s.revive(s.in) },
	},
	{
		killsPostgres,
		func(s *struck, cluster *harness.Cluster) { s.must(cluster.Kill(s.ctx)) },
		func(s *struck, cluster *harness.Cluster) { s.must(cluster.Start(s.ctx)) },
	},
	{
		killsChromium,
		func(s *struck, _ *harness.Cluster) { s.ends(killed.die) },
		func(s *struck, _ *harness.Cluster) { s.restart() },
	},
}

// killsWithin bounds all that is killed in one browser's world: each blow, and the looks afterwards.
func killsWithin(blows int) time.Duration { return time.Duration(blows+5) * caseWithin }

// Goal: whatever is killed, and at whatever step of a send's life, no second click makes a copy, nothing that was approved is
// lost, and what LinkedIn took is found by a look.
func TestChaosKill(t *testing.T) {
	times := chaosTimes(t)
	for i, v := range victims {
		t.Run(v.fault, func(t *testing.T) {
			r, cluster := newStoppableWorld(t, world{browsers: 1, within: killsWithin(times * len(chaosSteps))})
			c := &chaos{rig: r, in: r.install(), fault: v.fault}
			for n := range times {
				for j, at := range chaosSteps {
					t.Run(fmt.Sprintf("%s, time %d", at.name, n+1), func(t *testing.T) {
						s := r.attempt(t, c.in, fmt.Sprintf("victim-%d-%d-%d", i, n, j))
						s.must(s.database.AwaitFirstLooks(s.ctx))
						s.must(s.database.PostponeLooks(s.ctx))
						release := s.stopAt(at)
						v.kill(s, cluster)
						release()
						v.revive(s, cluster)
						c.awaitEnds(at.name, &blow{m: s.m, person: s.person, text: s.body()})
						s.wantsCleanedUp()
					})
				}
			}
			writeChaos(t, c.rows()...)
		})
	}
}
