//go:build full

package e2e_test

import (
	"testing"
	"time"

	"sendonce/e2e/harness"
)

// The longest tests stand in one of the first files, and are no subtests, so that they begin first and the others run
// meanwhile.

// idleFor is how long a worker has nothing to do but to ping.
const idleFor = 10 * time.Minute

// Goal: a worker that pings lives for as long as its browser, on one connection. Nobody is attached to it.
func TestIdleWorkerThatIsHeard(t *testing.T) {
	idles(t, func(*install) {}, false)
}

// Goal: a worker whose pings are answered by nobody makes a new connection each time, and still works.
func TestIdleWorkerThatIsNotHeard(t *testing.T) {
	idles(t, func(in *install) { in.proxy.Lose(harness.Install, "ping", -1) }, true)
}

func idles(t *testing.T, prepare func(*install), wantsNew bool) {
	// It takes no browser's place: it does nothing until the end.
	r := newWorld(t, world{within: idleFor + matrixWithin})
	in := r.install()
	r.must(in.proxy.Wait(r.ctx, harness.Upstream, "welcome", 2)) // the second says who is signed in
	ended := in.proxy.Ended()
	prepare(in)
	r.passes(idleFor)
	if isNew := in.proxy.Ended() > ended; isNew != wantsNew {
		t.Errorf("%d connections ended in %s", in.proxy.Ended()-ended, idleFor)
	}
	r.wantsSent(r.approved(ada, "Hello Ada"))
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
}
