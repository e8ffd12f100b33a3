package send_test

import (
	"testing"

	"github.com/google/uuid"

	"sendonce/server/send"
)

// untouched counts what was written about queued sends beyond their birth.
const untouched = `SELECT count(*) FROM send_events e JOIN sends s ON s.id = e.send_id
	WHERE s.status = 'queued' AND e.from_status IS NOT NULL`

func (b *bundle) wantNothingToLease(t *testing.T) {
	t.Helper()
	for range 3 {
		if l, err := b.service.Lease(t.Context(), b.session, b.Account); err != nil || l != nil {
			t.Fatalf("leased %v, %v", l, err)
		}
	}
	if n := b.Count(t, untouched); n != 0 {
		t.Errorf("asking in vain wrote %d events: the history would grow with every poll", n)
	}
	due, err := b.store.DueAccounts(t.Context(), []uuid.UUID{b.Account})
	if err != nil || len(due) != 0 {
		t.Errorf("the poll would ask for %v, %v: nothing of it can be leased", due, err)
	}
}

func TestABusyAccountIsNotAskedAgainAndAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, text := range []string{"Hello Ada", "Hello Alan", "Hello Grace"} {
		b.AddMessage(t, text)
	}
	l := b.lease(t)
	b.wantNothingToLease(t)
	b.start(t, l, attemptOne)
	b.wantNothingToLease(t)
}

// Two installs that ask in the same instant get one lease. Both have looked at the account before either has its slot.
func TestTwoLeasesAtOnceOfOneAccountBecomeOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	b.AddMessage(t, "Hello Alan")
	install, session := b.AddInstall(t)
	slot, err := b.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := slot.Exec(t.Context(), `SELECT FROM account_slots WHERE account_id = $1 FOR NO KEY UPDATE`, b.Account); err != nil {
		t.Fatal(err)
	}
	leases := make(chan *send.Lease, 2)
	for _, asker := range []send.Session{b.session, b.sessionOf(install, session)} {
		go func() {
			lease, err := b.service.Lease(t.Context(), asker, b.Account)
			if err != nil {
				t.Error(err)
			}
			leases <- lease
		}()
	}
	b.waitForLocks(t, 2)
	if err := slot.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if one, other := <-leases, <-leases; (one == nil) == (other == nil) {
		t.Errorf("leased %v and %v, want one of the two", one, other)
	}
}

func TestADisarmedDatabaseIsNotAskedAgainAndAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	b.Exec(t, `UPDATE instance SET armed_at = NULL`)
	b.wantNothingToLease(t)
}

func TestAnOldSessionsEndLeavesTheNewerOnesLease(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	old := b.session
	b.session = b.sessionOf(b.Install, uuid.New())
	b.Exec(t, `UPDATE installs SET session_id = $1 WHERE id = $2`, b.session.ID, b.Install)
	l := b.lease(t)
	if err := b.service.Disconnected(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	b.start(t, l, attemptOne)
}

func TestASendThatWasGivenBackTooOftenSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	for range 5 {
		if err := b.service.Release(t.Context(), b.session, b.lease(t).Token, "busy"); err != nil {
			t.Fatal(err)
		}
	}
	if n := b.Count(t, `SELECT count(*) FROM sends WHERE id = $1 AND parked_at IS NOT NULL AND waiting_for = 'released_too_often'`, m.Send); n != 1 {
		t.Error("the parked send does not say what it waits for")
	}
}
