//go:build full

package e2e_test

import (
	"testing"

	"sendonce/e2e/harness"
)

// atFrozen holds the attempt's page by Chromium's own freezing of pages, which leaves its process alive.
var atFrozen = step{"go is queued in a frozen page", func(s *struck) (arrived, release func()) {
	var tab harness.Tab
	return queueGo(s, func() {
		tab = s.tab()
		s.must(s.in.FreezePage(s.ctx, tab))
	}, func() { s.must(s.in.ThawPage(s.ctx, tab)) })
}}

// Goal: a page that Chromium froze with "go" in its queue does not click when it goes on after its worker has died, and
// clicks once when its worker still lives. Unlike a stopped process, such a page is not even handed the word of a dead
// worker (seen in Chromium 156), so that this holds Chromium to it rather than our own guard, which TestWorkerDies holds.
func TestFrozenPage(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: matrixWithin})
	in := r.install()
	t.Run("its worker alive", func(t *testing.T) {
		s := r.attempt(t, in, "frozen-for-a-while")
		release := s.stopAt(atFrozen)
		release()
		s.wantsSentOnce(s.body())
	})
	for _, w := range []way{closed, idle} {
		t.Run("its worker "+w.name, func(t *testing.T) { r.attempt(t, in, "frozen-"+w.name[:4]).dies(death{at: atFrozen}, w) })
	}
}
