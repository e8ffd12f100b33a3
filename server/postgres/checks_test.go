package postgres_test

import (
	"os"
	"testing"

	"sendonce/server/rule"
)

// What was unconfirmed before there were checks is looked at too, and holds nothing else back.
func TestOldUnconfirmedSendsAreLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sendIn(t, rule.Sent)
	_, send := w.sendIn(t, rule.Unconfirmed)
	exec(t, w.admin, "DELETE FROM checks")
	exec(t, w.admin, "ALTER TABLE evidence DROP COLUMN asked_at")
	migration, err := os.ReadFile("migrations/00020_checks_asked.sql")
	if err != nil {
		t.Fatal(err)
	}
	if err := simply(t, w.admin, string(migration)); err != nil {
		t.Fatal(err)
	}
	if due := w.one(t, "SELECT string_agg(send_id::text, ' ') FROM checks WHERE due_at <= sendonce_now() AND first_until <= sendonce_now()"); due != send {
		t.Errorf("%s are looked at, want %s", due, send)
	}
}
