package postgres_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/incident"
	"sendonce/server/postgres"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// Goal: what has not ended is counted by its status, and no more of it than is asked for; what is done is not.
func TestLiveSendsAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, status := range rule.Statuses() {
		w.sendsIn(t, 2, status)
	}
	exec(t, w.hand, "INSERT INTO incidents (workspace_id, kind, subject_id) VALUES ($1, 'parked', $1)", w.workspace)
	store, err := postgres.Open(t.Context(), w.db.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	got, err := store.SendsLive(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	want := map[rule.Status]int{rule.Queued: 2, rule.Leased: 2, rule.Started: 2, rule.Unconfirmed: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err = store.SendsLive(t.Context(), 1); err != nil || got[rule.Queued]+got[rule.Leased]+got[rule.Started] != 1 || got[rule.Unconfirmed] != 1 {
		t.Errorf("at most one each: %v, %v", got, err)
	}
	open, err := store.IncidentsByKind(t.Context())
	if diff := cmp.Diff(map[incident.Kind]int{incident.Parked: 1}, open); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

// Goal: an error of the database is counted once, by its class, from a single statement and from a batch; a row that is
// not there is none.
func TestDatabaseErrorsAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store, err := postgres.Open(t.Context(), w.db.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	none := uuid.New()
	if _, err := store.SendRow(t.Context(), none); err == nil {
		t.Fatal("there is such a send")
	}
	if got := store.DatabaseErrors(); len(got) != 0 {
		t.Errorf("a row that is not there: %v", got)
	}
	exec(t, w.admin, "ALTER TABLE sends RENAME TO hidden_sends")
	if _, err := store.SendRow(t.Context(), none); err == nil {
		t.Fatal("a statement without its table passed")
	}
	if _, _, err := store.LeaseNext(t.Context(), send.LeaseAsk{Account: none}, nil); err == nil {
		t.Fatal("a batch without its table passed")
	}
	if diff := cmp.Diff(map[string]uint64{"42": 2}, store.DatabaseErrors()); diff != "" {
		t.Error(diff)
	}
}
