//go:build full

package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// silenceDeadline is the deadline of attempts whose browser goes silent. Four of them pass by the database's clock, and all
// its moves together stay below the five minutes by which LinkedIn's clock may differ.
const silenceDeadline = 70 * time.Second

// silenceWindows leave that deadline behind them.
var silenceWindows = map[string]string{
	"SENDONCE_TOUCH_WITHIN": "30s", "SENDONCE_ANSWER_WITHIN": "5s", "SENDONCE_LOOK_WITHIN": "25s",
	"SENDONCE_DEADLINE": silenceDeadline.String(),
}

// doubt is an answer after which nobody can say whether the message arrived.
type doubt struct {
	name string
	do   standin.Answer
	code string
}

var doubts = []doubt{
	{"503", standin.Status(http.StatusServiceUnavailable), "server_error"},
	{"500", standin.Status(http.StatusInternalServerError), "server_error"},
	{"no answer", standin.Hang, "no_answer"},
	{"200 that names no message", standin.Status(http.StatusOK), "no_evidence"},
}

// silence is an attempt that its own browser says nothing of before its deadline.
type silence struct {
	name string
	// begin approves the message and brings its attempt to where only the browser knows its end. It returns what then lets
	// the message be delivered; nil: it was.
	begin func(s *struck, cluster *harness.Cluster) (deliver func())
}

var silences = []silence{
	{"both confirmations lost", losesItsReports},
	{"a delivery slower than the deadline", deliversLate},
	{"the server killed between start and report", losesItsServer},
	{"the database stopped between start and report", losesItsDatabase},
}

// Goal: what could have led to a second copy is settled by a look, later, in a real browser: found is sent, by one click and
// with one copy; not found stays unconfirmed, says so, and nothing is sent again.
func TestEveryDoubtIsSettledByALook(t *testing.T) {
	r, cluster := newStoppableWorld(t, world{browsers: 2, within: matrixWithin, changed: silenceWindows})
	in := r.install()
	first, err := r.api.Installs(r.ctx)
	r.must(err)
	other := r.install()
	both, err := r.api.Installs(r.ctx)
	r.must(err)
	second := slices.IndexFunc(both, func(id string) bool { return id != first[0] })
	otherScope := "installs/" + both[second]
	_, err = r.api.Pause(r.ctx, otherScope) // it neither sends nor looks until it is asked to
	r.must(err)
	for i, d := range doubts {
		t.Run(d.name+", taken and not shown yet", func(t *testing.T) { r.attempt(t, in, fmt.Sprintf("taken-%d", i)).isShownLater(d) })
		t.Run(d.name+", not taken", func(t *testing.T) { r.attempt(t, in, fmt.Sprintf("untaken-%d", i)).isNeverShown(d) })
	}
	for i, c := range silences {
		t.Run(c.name, func(t *testing.T) {
			s := r.attempt(t, in, fmt.Sprintf("silent-%d", i))
			deliver := c.begin(s, cluster)
			other.proxy.SetServer(r.server.URL()) // it may have come back elsewhere
			s.must(s.database.Advance(s.ctx, silenceDeadline))
			s.wantsUnconfirmed(s.m, "deadline_passed")
			s.must(s.api.Resume(s.ctx, otherScope))
			s.isFoundByTheOther(deliver)
			_, err := other.AwaitTabs(s.ctx, harness.LinkedIn, 1)
			s.must(err)
			_, err = s.api.Pause(s.ctx, otherScope)
			s.must(err)
			s.changesNothingLate()
		})
	}
}

// looksAgain has the send looked at once more, as a person does.
func (s *struck) looksAgain() {
	s.Helper()
	rows, err := s.database.Rows(s.ctx, s.m.ID)
	s.must(err)
	s.must(s.api.CheckAgain(s.ctx, rows[0].ID))
}

// isShownLater: the message was taken, and the conversation shows it after the first look.
func (s *struck) isShownLater(d doubt) {
	thread := standin.NewGate()
	s.fault(s.person, standin.Fault{When: standin.AfterAccept, Do: d.do, HideFromThread: thread})
	s.m = s.approved(s.person, s.body())
	s.wantsUnconfirmed(s.m, d.code)
	s.isLookedForInVain()
	typed := len(s.site.State().Typed(s.person.ID))
	thread.Release()
	s.looksAgain()
	s.wantsSettledByALook(s.since.clicks+1, typed)
	s.wantsNoIncident()
}

// isNeverShown: the message was not taken, and every look says that it is not there.
func (s *struck) isNeverShown(d doubt) {
	checks := s.in.proxy.Count(harness.Install, "checked")
	s.fault(s.person, standin.Fault{When: standin.BeforeAccept, Do: d.do})
	s.m = s.approved(s.person, s.body())
	s.wantsUnconfirmed(s.m, d.code)
	s.isLookedForInVain()
	s.must(s.in.proxy.Wait(s.ctx, harness.Install, "checked", checks+1))
	s.looksAgain()
	s.must(s.in.proxy.Wait(s.ctx, harness.Install, "checked", checks+2))
	s.wantsResult(result{"unconfirmed", d.code, ""})
	s.wants(s.person)
	s.wantsClicks(s.since.clicks + 1)
	s.wantsCleanedUp()
	s.wantsNoIncident()
}

func (s *struck) wantsNoIncident() {
	s.Helper()
	if kind := s.incident(s.m); kind != "" {
		s.Errorf("there is an incident of %s, want none", kind)
	}
}

// isFoundByTheOther: another browser of the account looks, in vain until the message is delivered.
func (s *struck) isFoundByTheOther(deliver func()) {
	s.Helper()
	if deliver != nil {
		s.isLookedForInVain()
		s.wants(s.person)
		deliver()
		s.looksAgain()
	}
	s.wantsSettledByALook(s.since.clicks+1, len(s.site.State().Typed(s.person.ID)))
	s.wantsNoIncident()
}

// changesNothingLate lets the silent browser speak at last: its word is kept, and all stays as it is.
func (s *struck) changesNothingLate() {
	s.Helper()
	recorded := s.in.proxy.Count(harness.Upstream, "recorded")
	s.in.proxy.Heal()
	s.in.proxy.Cut() // what waits is said again on the next connection
	s.must(s.in.proxy.Wait(s.ctx, harness.Upstream, "recorded", recorded+1))
	s.wantsSent(s.m, lateMoves...)
	s.wants(s.person, s.body())
	s.wantsNoIncident()
}

// goesSilent loses every report from now on.
func (s *struck) goesSilent() { s.in.proxy.Lose(harness.Install, "report", -1) }

func losesItsReports(s *struck, _ *harness.Cluster) func() {
	reported := s.in.proxy.Count(harness.Install, "report")
	s.goesSilent()
	s.m = s.approved(s.person, s.body())
	s.must(s.in.proxy.Wait(s.ctx, harness.Install, "report", reported+2))
	return nil
}

func deliversLate(s *struck, _ *harness.Cluster) func() {
	gate := standin.NewGate()
	s.fault(s.person, standin.Fault{When: standin.BeforeAccept, HoldAnswer: gate})
	s.goesSilent()
	s.m = s.approved(s.person, s.body())
	s.awaitSite(func(state standin.State) bool { return state.Arrived(s.person.ID) == 1 })
	return func() {
		gate.Release()
		s.awaitSite(func(state standin.State) bool { return state.Accepted(s.person.ID) == 1 })
	}
}

func losesItsServer(s *struck, _ *harness.Cluster) func() {
	release := s.stopAt(atRequest)
	s.server.Kill()
	release()
	s.goesSilent()
	s.revive(s.in)
	return nil
}

// losesItsDatabase: the report reaches a server that cannot write it down, and is lost from then on.
func losesItsDatabase(s *struck, cluster *harness.Cluster) func() {
	release := s.stopAt(atRequest)
	s.must(cluster.Stop(s.ctx))
	reported := s.in.proxy.Count(harness.Install, "report")
	release()
	s.must(s.in.proxy.Wait(s.ctx, harness.Install, "report", reported+1))
	s.goesSilent()
	s.must(cluster.Start(s.ctx))
	return nil
}
