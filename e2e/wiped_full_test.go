//go:build full

package e2e_test

import (
	"slices"
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/rule"
)

// longAfter is longer than the five minutes by which LinkedIn's clock may differ from the server's: what was sent before
// is then older than an approval.
const longAfter = 6 * time.Minute

// wipes loses the server with all that it knew, and leads the browser to one that begins with nothing.
func (r *rig) wipes(in *install) {
	r.Helper()
	in.proxy.Shut()
	r.server.Kill()
	db := pgtest.New(r)
	r.serve(db.AdminURL, db.ServerURL, nil)
	in.proxy.SetServer(r.server.URL())
	in.proxy.Open()
	r.since.accesses, r.since.clicks = len(r.site.AccessLog()), len(r.site.Clicks())
}

var (
	isRepeat       = result{rule.Failed, "not_attempted", "repeat_text"}
	isAlreadyThere = result{rule.Sent, "already_there", ""}
)

// Goal: when all that the server knew is gone, and the browser is paired again with one that knows nothing, a message that
// is created once more is not sent once more: the conversation is read first. A browser that remembers more than its server
// has nothing go out until a person arms it; then what was never sent goes out, once. One that was wiped as well reads the
// same.
func TestEverythingWiped(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: matrixWithin})
	const toAda, toBen = "Hello Ada", "Hello Jürgen"
	in := r.install()
	r.wantsSent(r.approved(ada, toAda))

	r.wipes(in)
	before := len(in.proxy.Frames())
	r.pair(in)
	instance, err := r.api.AwaitHoldingFire(r.ctx)
	r.must(err)
	if instance.Installs.Ahead != 1 {
		t.Errorf("the instance is %+v, want one browser that remembers more", instance)
	}
	first := r.approved(ben, toBen)
	r.must(r.database.Advance(r.ctx, longAfter))
	again := r.approved(ada, toAda)
	// It is connected all the same.
	r.must(in.proxy.Wait(r.ctx, harness.Upstream, "pong", in.proxy.Count(harness.Upstream, "pong")+1))
	for _, m := range []harness.Message{first, again} {
		read, err := r.api.Message(r.ctx, m.ID)
		r.must(err)
		if last := read.Last(); last.Status != "queued" || last.WaitingFor != "not_armed" {
			t.Errorf("the send is %+v, want it to wait until the database is armed", last)
		}
	}
	r.wantsUntouched()
	armed := time.Now()
	r.must(r.api.Arm(r.ctx, instance.Epoch))
	// Arming ends the session, and a lease that it was given just before comes back unstarted.
	if moves := r.wantsConfirmed(first); !slices.Equal(moves[len(moves)-2:], []string{"started", "sent"}) {
		t.Errorf("the send's history is %v", moves)
	}
	r.wantsEnd(again, isRepeat)
	for _, frame := range in.proxy.Frames()[before:] {
		if frame.Type == "lease" && frame.At.Before(armed) {
			t.Errorf("a lease was given %s before the database was armed", armed.Sub(frame.At))
		}
	}

	in.Kill()
	r.wipes(in)
	r.install()
	r.wantsEnd(r.approved(ben, toBen), isAlreadyThere) // the copy is not provably old
	r.must(r.database.Advance(r.ctx, longAfter))
	r.wantsEnd(r.approved(ada, toAda), isRepeat)
	r.wants(ada, toAda)
	r.wants(ben, toBen)
	r.wantsClicks(2)
}
