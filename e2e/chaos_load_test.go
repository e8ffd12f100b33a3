//go:build chaos

package e2e_test

import (
	"testing"
	"time"

	"sendonce/e2e/standin"
)

const (
	// loadSenders work at one time while Postgres restarts, each with loadMessages for every restart.
	loadSenders, loadMessages = 6, 4
	// loadWithin bounds one restart under load.
	loadWithin = 3 * time.Minute
)

// Goal: a Postgres that restarts while installs work, again and again, repeats nothing and loses nothing.
func TestChaosPostgresRestartsUnderLoad(t *testing.T) {
	times := chaosTimes(t)
	r, cluster := newStoppableWorld(t, world{within: looksWithin + time.Duration(times)*loadWithin})
	c := &chaos{rig: r, fault: restartsUnder}
	blows, end := r.load(times)
	defer end()
	for n := range times {
		done := n * loadSenders * loadMessages
		r.awaitSite(func(state standin.State) bool { return len(state.Copies) > done })
		r.must(cluster.Stop(r.ctx))
		r.must(cluster.Start(r.ctx))
	}
	c.awaitEnds(atWork, blows...)
	rows := c.rows()
	rows[0].times = times
	writeChaos(t, rows...)
}
