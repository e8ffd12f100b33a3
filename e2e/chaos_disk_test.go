//go:build chaos

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

const (
	// smallDisk holds a cluster, its log and little more, in bytes.
	smallDisk = 192 << 20
	// refusesWithin bounds the wait until a full disk is felt.
	refusesWithin = time.Minute
)

// Goal: a Postgres whose disk is full begins nothing, loses nothing and repeats nothing, whether it refuses or ends.
func TestChaosDiskFull(t *testing.T) {
	times := chaosTimes(t)
	w := world{within: looksWithin + time.Duration(times)*loadWithin}
	browserPlaces.expect(w.takes(t.Name()))
	t.Parallel()
	r := enter(t, w)
	cluster, err := harness.StartSmallCluster(r.ctx, smallDisk)
	if errors.Is(err, harness.ErrNoMount) {
		t.Skipf("mounting a small disk needs root, and a system that allows it: %v", err)
	}
	r.must(err)
	r.Cleanup(func() { r.must(cluster.Remove(context.Background())) })
	r.begin(cluster.AdminURL(), cluster.ServerURL(), w)
	c := &chaos{rig: r, fault: fillsDisk}
	blows, end := r.load(times)
	defer end()
	ends := 0
	for n := range times {
		done := n * loadSenders * loadMessages
		r.awaitSite(func(state standin.State) bool { return len(state.Copies) > done })
		empty, err := cluster.Fill(r.ctx)
		r.must(err)
		r.awaitRefusal()
		r.must(empty())
		ended, err := cluster.Revive(r.ctx)
		r.must(err)
		if ended {
			ends++
		}
	}
	c.awaitEnds(atWork, blows...)
	rows := c.rows()
	rows[0].times, rows[0].also = times, fmt.Sprintf("Postgres ended by itself %d times, else it refused", ends)
	writeChaos(t, rows...)
}

// awaitRefusal proposes until the server says that it cannot write it down.
func (r *rig) awaitRefusal() {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, refusesWithin)
	defer cancel()
	for {
		if _, err := r.api.Propose(ctx, r.account, ada.Slug, "Hello Ada"); ctx.Err() != nil {
			r.Fatal("the full disk was not felt")
		} else if err != nil {
			return
		}
	}
}
