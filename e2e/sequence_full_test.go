//go:build full

package e2e_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// reachesTheMiddle has the first step approved for everybody and comes to where two have it, of one nobody knows, one is leased and one
// waits. The one of whom nobody knows has it: LinkedIn shows it from shows on. Leases arrive again after goOn.
func (s *sequenced) reachesTheMiddle(in *install) (shows, goOn func()) {
	s.Helper()
	answer, thread := standin.NewGate(), standin.NewGate()
	s.fault(chloe, standin.Fault{
		When: standin.AfterAccept, Do: standin.Status(http.StatusServiceUnavailable), HoldAnswer: answer, HideFromThread: thread,
	})
	id := s.profileID(chloe)
	m := s.approves(question, s.people...)[chloe.Name]
	s.awaitSite(func(state standin.State) bool { return state.Accepted(id) == 1 })
	leased, goOn := in.proxy.HoldNew(harness.Upstream, "lease")
	answer.Release()
	s.wantsUnconfirmed(m, "server_error")
	s.must(leased(s.ctx))
	got := map[string]int{}
	for _, status := range []string{"sent", "unconfirmed", "leased", "queued"} {
		sends, err := s.api.Sends(s.ctx, status)
		s.must(err)
		got[status] = len(sends)
	}
	if diff := cmp.Diff(map[string]int{"sent": 2, "unconfirmed": 1, "leased": 1, "queued": 1}, got); diff != "" {
		s.Fatalf("the middle of the sequence (-want +got):\n%s", diff)
	}
	s.site.ClearFaults()
	return thread.Release, goOn
}

// goesOn has the first step end for everybody and the second one approved and sent: each once, and nobody left out.
func (s *sequenced) goesOn() {
	s.Helper()
	s.awaitEnrolled(len(s.people), "running", "not_due")
	s.wantsEach(question)
	s.later(untilReminded * aDay)
	s.approves(reminder, s.people...)
	s.awaitEnrolled(len(s.people), "finished", "all_said")
	s.wantsEach(question, reminder)
}

// wantsEach holds against the ledger and the clicks that everybody has had these steps, once, and nothing else.
func (s *sequenced) wantsEach(steps ...harness.Step) {
	s.Helper()
	for _, person := range s.people {
		var texts []string
		for _, step := range steps {
			texts = append(texts, says(step, person))
		}
		s.wants(person, texts...)
	}
	s.wantsClicks(len(s.people) * len(steps))
}

// Goal: when everything but Postgres is lost in the middle of a sequence, the server and the browser with its profile, it goes on with a
// new server and a browser that is paired anew: nobody has a step twice, and nobody is left out.
func TestASequenceOutlivesItsMachines(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: matrixWithin})
	s := newSequenced(r)
	in := s.install()
	s.creates()
	shows, goOn := s.reachesTheMiddle(in)
	in.Kill()
	s.server.Kill()
	shows()
	goOn()
	s.revive()
	s.install()
	s.later(nextLook) // and what was leased to the browser that is no more comes back
	s.goesOn()
}

// Goal: when Postgres is lost as well, and the list imported, the sequence made and everybody enrolled and approved once more, nothing goes
// out before the database is armed, because the browser remembers more; then each conversation is read first. Who has a step gets no
// other copy, and who has not gets it. After all of it was said, and on another day, once more: nothing goes out.
func TestASequenceIsMadeAgainOverNothing(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: matrixWithin})
	s := newSequenced(r)
	in := s.install()
	s.creates()
	shows, goOn := s.reachesTheMiddle(in)
	s.wipes(in)
	shows()
	goOn()
	s.pair(in)
	instance, err := s.api.AwaitHoldingFire(s.ctx)
	s.must(err)
	if instance.Installs.Ahead != 1 {
		t.Errorf("the instance is %+v, want one browser that remembers more", instance)
	}
	s.creates()
	messages := s.approves(question, s.people...)
	s.must(in.proxy.Wait(s.ctx, harness.Upstream, "pong", in.proxy.Count(harness.Upstream, "pong")+1)) // it is connected all the same
	s.wantsUntouched()
	have := s.whoHas()
	if len(have) != 3 {
		t.Errorf("%d have had the first step by now, want 3", len(have))
	}
	s.must(s.api.Arm(s.ctx, instance.Epoch))
	for _, person := range have {
		s.wantsEnd(messages[person.Name], isAlreadyThere)
	}
	s.goesOn()

	in.Kill()
	s.wipes(in)
	s.must(s.database.Advance(s.ctx, untilReminded*aDay)) // a new database is as late as LinkedIn
	s.later(longAfter)
	s.install()
	s.creates()
	for _, m := range s.approves(question, s.people...) {
		s.wantsEnd(m, isRepeat)
	}
	s.wantsEach(question, reminder)
}

// whoHas are those who have had a step, by the ledger.
func (s *sequenced) whoHas() (have []standin.Person) {
	for _, person := range s.people {
		if s.site.State().Accepted(s.profileID(person)) > 0 {
			have = append(have, person)
		}
	}
	return have
}
