//go:build chaos

package e2e_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sendonce/e2e/harness"
)

// Goal: behind a pooler of transactions, past which it listens, a server sends everything once.
func TestChaosPooler(t *testing.T) {
	times := chaosTimes(t)
	w := world{within: looksWithin + time.Duration(times)*loadWithin}
	browserPlaces.expect(w.takes(t.Name()))
	t.Parallel()
	r := enter(t, w)
	cluster, err := harness.StartCluster(r.ctx)
	r.must(err)
	r.Cleanup(func() { r.must(cluster.Remove(context.Background())) })
	pooler, err := harness.StartPooler(r.ctx, cluster)
	if errors.Is(err, harness.ErrNoPooler) {
		t.Skip("PgBouncer is not installed: apt-get install pgbouncer")
	}
	r.must(err)
	r.Cleanup(func() { r.must(pooler.Close()) })
	pooled, err := harness.Through(cluster.ServerURL(), pooler.Folder())
	r.must(err)
	// What is prepared on one connection of a pooler is not there on the next.
	pooled += "&default_query_exec_mode=cache_describe"
	w.changed = map[string]string{"SENDONCE_LISTEN_URL": cluster.ServerURL()}
	r.begin(cluster.AdminURL(), pooled, w)
	c := &chaos{rig: r, fault: poolsTransactions}
	blows, end := r.load(times)
	defer end()
	c.awaitEnds(atWork, blows...)
	rows := c.rows()
	rows[0].times = times
	writeChaos(t, rows...)
}
