package send_test

import (
	"testing"

	"github.com/google/uuid"
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
