//go:build full

package e2e_test

import (
	"testing"
	"time"

	"sendonce/e2e/harness"
)

// The name of this file puts the longest test among the first: the others run meanwhile.

// idleFor is how long a worker has nothing to do but to ping.
const idleFor = 10 * time.Minute

// Goal: a worker that pings lives for as long as its browser, on one connection; one whose pings are answered by nobody
// makes a new connection each time, and still works. Nobody is attached to either.
func TestIdleWorker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		isHeard  bool
		wantsNew bool
	}{{"with pings", true, false}, {"without pings", false, true}} {
		t.Run(c.name, func(t *testing.T) {
			// It takes no browser's place: it does nothing until the end.
			r := newWorld(t, world{within: idleFor + matrixWithin})
			in := r.install()
			r.must(in.proxy.Wait(r.ctx, harness.Upstream, "welcome", 2)) // the second says who is signed in
			ended := in.proxy.Ended()
			if !c.isHeard {
				in.proxy.Lose(harness.Install, "ping", -1)
			}
			r.passes(idleFor)
			if isNew := in.proxy.Ended() > ended; isNew != c.wantsNew {
				t.Errorf("%d connections ended in %s", in.proxy.Ended()-ended, idleFor)
			}
			r.wantsSent(r.approved(ada, "Hello Ada"))
			r.wants(ada, "Hello Ada")
			r.wantsClicks(1)
		})
	}
}
