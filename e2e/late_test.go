package e2e_test

import (
	"testing"

	"github.com/google/uuid"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/rule"
)

// lateMoves is the history of a send whose confirmation came after its deadline.
var lateMoves = []string{"queued", "leased", "started", "unconfirmed", "sent"}

// Goal: what confirms after the deadline still wins: a report that was lost twice, and the browser's own look after it has
// slept. Meanwhile the send needs a look and is offered to nobody.
func TestConfirmedAfterTheDeadline(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: samplePatience})
	in := r.install()
	t.Run("both confirmations lost", func(t *testing.T) { r.attempt(t, in, "lost-twice").losesBothConfirmations() })
	t.Run("the browser asleep", func(t *testing.T) { r.attempt(t, in, "asleep").sleeps() })
}

func (s *struck) losesBothConfirmations() {
	reported := s.in.proxy.Count(harness.Install, "report")
	s.in.proxy.Lose(harness.Install, "report", -1)
	s.m = s.approved(s.person, s.body())
	s.must(s.in.proxy.Wait(s.ctx, harness.Install, "report", reported+2))
	s.passDeadline()
	s.wantsUnconfirmed(s.m, "deadline_passed")
	s.offersOnlyAnother(s.m)
	s.wants(s.person, s.body())

	s.in.proxy.Heal()
	s.in.proxy.Cut() // what waits is said again on the next connection
	s.wantsConfirmedLate()
}

// wantsConfirmedLate waits until the message is sent, after it had been unconfirmed, by one click.
func (s *struck) wantsConfirmedLate() {
	s.Helper()
	s.wantsSent(s.m, lateMoves...)
	s.wants(s.person, s.body())
	s.wantsClicks(s.since.clicks + 1)
	s.wantsCleanedUp()
}

// sleeps stops the browser with the delivery under way.
func (s *struck) sleeps() {
	gate := standin.NewGate()
	s.fault(s.person, standin.Fault{When: standin.AfterAccept, HoldAnswer: gate, HideFromThread: gate})
	s.m = s.approved(s.person, s.body())
	s.awaitSite(func(state standin.State) bool { return state.Accepted(s.person.ID) == 1 })
	s.in.Freeze()
	s.passDeadline()
	s.wantsUnconfirmed(s.m, "deadline_passed")
	gate.Release()
	s.in.Thaw()
	s.wantsConfirmedLate()
}

// offersOnlyAnother lets another install take all that there is: a look at the unconfirmed message, and then a message that
// is approved now.
func (r *rig) offersOnlyAnother(m harness.Message) {
	r.Helper()
	other := r.approved(ben, "Hello Jürgen")
	s, attempt := r.script(), uuid.NewString()
	r.must(s.connect())
	rows, err := r.database.Rows(r.ctx, m.ID)
	r.must(err)
	if check := s.looksInVain(); check.Send != rows[0].ID {
		r.Errorf("it was to look for %s, want for %s", check.Send, rows[0].ID)
	}
	lease, err := s.hear("lease")
	r.must(err)
	if row := r.awaitRow(other, string(rule.Leased)); lease.Send != row.ID {
		r.Errorf("the other install was offered %s, want %s", lease.Send, row.ID)
	}
	if answer := s.start(lease, attempt); answer.Type != "started" {
		r.Errorf("the start was answered by %s %s", answer.Type, answer.Code)
	}
	s.report(lease, attempt)
	r.wantsSent(other)
	s.ready()
	r.must(s.say("ping", map[string]any{}))
	_, err = s.hear("pong") // and no lease before it
	r.must(err)
	s.connection.Close()
}

// Goal: a delivery that is slower than the lease and than the deadline needs a look meanwhile, is offered to nobody, and
// is sent in the end.
func TestDeliverySlowerThanTheDeadline(t *testing.T) {
	r := newRig(t, 1, map[string]string{"SENDONCE_LEASE_LASTS": "8s"})
	gate := standin.NewGate()
	r.fault(ada, standin.Fault{When: standin.BeforeAccept, HoldAnswer: gate})
	in := r.install()
	m := r.approved(ada, "Hello Ada")
	r.awaitSite(func(s standin.State) bool { return len(s.Requests) == 1 })
	r.passDeadline()
	r.wantsUnconfirmed(m, "deadline_passed")
	r.wants(ada)
	r.offersOnlyAnother(m)
	gate.Release()
	r.wantsSent(m, lateMoves...)
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
	if got := in.proxy.Count(harness.Upstream, "lease"); got != 1 {
		t.Errorf("the browser was offered %d leases, want 1", got)
	}
}
