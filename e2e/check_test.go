package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// nextLook is longer than the pause before the second look at a send.
const nextLook = 2 * time.Minute

// Goal: what nobody could confirm is settled by a look, later, when it stands in the conversation; when it does not, nothing
// is settled and nothing is sent. A look types nothing and clicks nothing.
func TestChecks(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: samplePatience})
	in := r.install()
	t.Run("a thread that lagged behind", func(t *testing.T) { r.attempt(t, in, "lagging").isFoundLater() })
	t.Run("a worker that died", func(t *testing.T) { r.attempt(t, in, "cut-off").isFoundAfterADeath() })
	t.Run("nothing was delivered", func(t *testing.T) { r.attempt(t, in, "missing").isAbsent() })
}

// isLookedForInVain waits until a look has not found the message. Without it there may be no conversation at all.
func (s *struck) isLookedForInVain() {
	s.Helper()
	s.must(s.database.AwaitCheck(s.ctx, s.m.ID, "absent", "no_conversation"))
}

// wantsSettledByALook waits until the send is sent, and checks that it was a look that moved it.
func (s *struck) wantsSettledByALook(clicks, typed int) {
	s.Helper()
	s.wantsSent(s.m, lateMoves...)
	s.must(s.database.AwaitCheck(s.ctx, s.m.ID, "found"))
	by, err := s.database.MovedBy(s.ctx, s.m.ID, "sent")
	s.must(err)
	if by != "observer" {
		s.Errorf("it was moved by the %s, want by the observer", by)
	}
	s.wants(s.person, s.body())
	s.wantsClicks(clicks)
	if got := len(s.site.State().Typed(s.person.ID)); got != typed {
		s.Errorf("the box changed %d times, want the %d of the attempt", got, typed)
	}
	s.wantsCleanedUp()
}

// lagsBehind has the message taken and not shown until thread is released, and the first look miss it. typed is how often the
// box has changed by then.
func (s *struck) lagsBehind() (thread *standin.Gate, typed int) {
	s.Helper()
	thread = standin.NewGate()
	s.fault(s.person, standin.Fault{When: standin.AfterAccept, Do: standin.Status(http.StatusServiceUnavailable), HideFromThread: thread})
	s.m = s.approved(s.person, s.body())
	s.wantsUnconfirmed(s.m, "server_error")
	s.isLookedForInVain()
	return thread, len(s.site.State().Typed(s.person.ID))
}

func (s *struck) isFoundLater() {
	thread, typed := s.lagsBehind()
	// The next message of the account waits for that look, and not for the next.
	next := s.approved(ben, "Hello Jürgen, after "+s.person.Name)
	s.wantsSent(next)
	thread.Release()
	s.must(s.database.Advance(s.ctx, nextLook))
	s.wantsSettledByALook(s.since.clicks+2, typed)
}

func (s *struck) isFoundAfterADeath() {
	answer, thread := standin.NewGate(), standin.NewGate()
	s.fault(s.person, standin.Fault{When: standin.AfterAccept, HoldAnswer: answer, HideFromThread: thread})
	s.m = s.approved(s.person, s.body())
	s.awaitSite(func(state standin.State) bool { return state.Accepted(s.person.ID) == 1 })
	s.ends(idle.die)
	answer.Release()
	s.openPopup()
	s.wantsUnconfirmed(s.m, "no_evidence", "sender_lost")
	s.isLookedForInVain()
	typed := len(s.site.State().Typed(s.person.ID))
	thread.Release()
	s.must(s.database.Advance(s.ctx, nextLook))
	s.wantsSettledByALook(s.since.clicks+1, typed)
}

func (s *struck) isAbsent() {
	checks := s.in.proxy.Count(harness.Install, "checked")
	s.fault(s.person, standin.Fault{When: standin.BeforeAccept, Do: standin.Status(http.StatusServiceUnavailable)})
	s.m = s.approved(s.person, s.body())
	s.wantsUnconfirmed(s.m, "server_error")
	s.must(s.in.proxy.Wait(s.ctx, harness.Install, "checked", checks+1))
	s.must(s.database.Advance(s.ctx, nextLook))
	s.must(s.in.proxy.Wait(s.ctx, harness.Install, "checked", checks+2))
	s.isLookedForInVain()
	s.wantsResult(result{"unconfirmed", "server_error", ""})
	s.wants(s.person)
	s.wantsClicks(s.since.clicks + 1)
	s.wantsCleanedUp()
}
