package e2e_test

import (
	"testing"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// lateMoves is the history of a send whose confirmation came after its deadline.
var lateMoves = []string{"queued", "leased", "started", "unconfirmed", "sent"}

// Goal: when the confirmation is lost twice, the send needs a look and is offered to nobody; the late report still wins.
func TestBothConfirmationsLost(t *testing.T) {
	r := newRig(t, 2, nil)
	first := r.install()
	first.proxy.Lose(harness.Install, "report", -1)
	m := r.approved(ada, "Hello Ada")
	r.must(first.proxy.Wait(r.ctx, harness.Install, "report", 2))
	r.passDeadline()
	r.wantsUnconfirmed(m, "deadline_passed")

	// The other install takes what there is, and this is not among it.
	second := r.install()
	other := r.approved(ben, "Hello Jürgen")
	r.wantsSent(other)
	if got := second.proxy.Count(harness.Upstream, "lease"); got != 1 {
		t.Errorf("the other install was offered %d leases, want only the other message", got)
	}
	r.wants(ada, "Hello Ada")

	first.proxy.Heal()
	first.proxy.Cut() // what waits is said again on the next connection
	r.wantsSent(m, lateMoves...)
	r.wants(ada, "Hello Ada")
	r.wantsClicks(2)
}

// Goal: a delivery that is slower than the lease and than the deadline needs a look meanwhile, is offered to nobody, and
// is sent in the end.
func TestDeliverySlowerThanTheDeadline(t *testing.T) {
	r := newRig(t, 2, map[string]string{"SENDONCE_LEASE_LASTS": "8s"})
	gate := standin.NewGate()
	r.fault(ada, standin.Fault{When: standin.BeforeAccept, HoldAnswer: gate})
	first, second := r.install(), r.install()
	m := r.approved(ada, "Hello Ada")
	r.awaitSite(func(s standin.State) bool { return len(s.Requests) == 1 })
	r.passDeadline()
	r.wantsUnconfirmed(m, "deadline_passed")
	r.wants(ada)
	gate.Release()
	r.wantsSent(m, lateMoves...)
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
	if got := first.proxy.Count(harness.Upstream, "lease") + second.proxy.Count(harness.Upstream, "lease"); got != 1 {
		t.Errorf("the send was offered %d times, want once", got)
	}
}

// Goal: a browser that sleeps past the deadline, with the delivery under way, confirms it when it wakes.
func TestBrowserAsleepPastTheDeadline(t *testing.T) {
	r := newRig(t, 1, nil)
	gate := standin.NewGate()
	r.fault(ada, standin.Fault{When: standin.AfterAccept, HoldAnswer: gate, HideFromThread: gate})
	in := r.install()
	m := r.approved(ada, "Hello Ada")
	r.awaitSite(func(s standin.State) bool { return len(s.Copies) == 1 })
	in.Freeze()
	r.passDeadline()
	r.wantsUnconfirmed(m, "deadline_passed")
	gate.Release()
	in.Thaw()
	r.wantsSent(m, lateMoves...)
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
}
