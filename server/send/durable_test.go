package send_test

import (
	"fmt"
	"sync"
	"testing"

	"sendonce/server/postgres"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// A commit that the database warned about may not be durable, so no start of it is acknowledged: however fast the next
// one takes over its connection.
func TestNoStartIsAcknowledgedOnACommitWithAWarning(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var leases []*send.Lease
	for i := range 20 {
		account := b.AddAccount(t, fmt.Sprintf("account-%d", i))
		b.AddMessageTo(t, b.AddMessage(t, "never sent").Person, account, fmt.Sprintf("Hello %d", i))
		lease, err := b.service.Lease(t.Context(), b.session, account)
		if err != nil || lease == nil {
			t.Fatalf("lease: %v, %v", lease, err)
		}
		leases = append(leases, lease)
	}
	b.Exec(t, `CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''not replicated''; RETURN NULL; END'`)
	b.Exec(t, `CREATE CONSTRAINT TRIGGER z_warn AFTER UPDATE ON sends DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION warn()`)
	store, err := postgres.Open(t.Context(), b.db.ServerURL+"&pool_max_conns=2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	service := b.serviceOver(store)
	var all sync.WaitGroup
	for _, lease := range leases {
		all.Go(func() {
			if started, err := service.Start(t.Context(), b.ask(lease, attemptOne)); err == nil {
				t.Errorf("acknowledged: %+v", started)
			}
		})
	}
	all.Wait()
}

// A start travels with its commit: when the database refuses the one, the other must not happen, and the connection serves
// the next start as if nothing had been.
func TestAStartThatTheDatabaseRefusesKeepsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	lease, err := b.service.Lease(t.Context(), b.session, b.Account)
	if err != nil || lease == nil {
		t.Fatalf("lease: %v, %v", lease, err)
	}
	store, err := postgres.Open(t.Context(), b.db.ServerURL+"&pool_max_conns=1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	service := b.serviceOver(store)
	b.Exec(t, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not now''; END'`)
	for _, when := range []string{
		`CREATE TRIGGER z_refuse AFTER UPDATE ON sends FOR EACH ROW EXECUTE FUNCTION refuse()`,
		`CREATE CONSTRAINT TRIGGER z_refuse AFTER UPDATE ON sends DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`,
	} {
		b.Exec(t, when)
		if started, err := service.Start(t.Context(), b.ask(lease, attemptOne)); err == nil {
			t.Errorf("acknowledged: %+v", started)
		}
		row, err := store.SendRow(t.Context(), lease.Send)
		if err != nil || row.Status != rule.Leased || row.HasStart() {
			t.Errorf("after %s the row is %+v: %v", when, row, err)
		}
		b.Exec(t, `DROP TRIGGER z_refuse ON sends`)
	}
	if _, err := service.Start(t.Context(), b.ask(lease, attemptOne)); err != nil {
		t.Errorf("the next start: %v", err)
	}
}
