package instance_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"sendonce/server/instance"
	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
)

// Goal: the first that serves a database says what it is for, also when two say it at once, and nobody changes it.
func TestADatabaseServesOnePurposeForEver(t *testing.T) {
	t.Parallel()
	store, server := emptyDatabase(t)
	purposes := []instance.Purpose{instance.Real, instance.Sandbox}
	refused := make([]error, len(purposes))
	var both sync.WaitGroup
	for i, purpose := range purposes {
		both.Go(func() { refused[i] = instance.Claim(t.Context(), store, purpose) })
	}
	both.Wait()
	if (refused[0] == nil) == (refused[1] == nil) {
		t.Fatalf("for real: %v; as a sandbox: %v; one of them had to win", refused[0], refused[1])
	}
	for i, purpose := range purposes {
		if err := instance.Claim(t.Context(), store, purpose); (err == nil) != (refused[i] == nil) {
			t.Errorf("%s again: %v, first: %v", purpose, err, refused[i])
		}
	}
	for _, sql := range []string{
		"UPDATE instance_purpose SET purpose = 'real'", "DELETE FROM instance_purpose", "TRUNCATE instance_purpose",
		"INSERT INTO instance_purpose (purpose) VALUES ('real')", "INSERT INTO instance_purpose (only_row, purpose) VALUES (false, 'real')",
	} {
		if _, err := server.Exec(t.Context(), sql); err == nil {
			t.Errorf("the server's role may %s", sql)
		}
	}
}

const (
	someAccount = `WITH w AS (INSERT INTO workspaces (name) VALUES ('Example') RETURNING id),
		p AS (INSERT INTO principals (workspace_id, role, name) SELECT id, 'admin', 'admin' FROM w RETURNING id, workspace_id)
		INSERT INTO accounts (workspace_id, channel, handle, created_by) SELECT workspace_id, 'linkedin', 'rita-recruiter', id FROM p`
	someInstall = `INSERT INTO installs (workspace_id, principal_id, secret_hash, extension_version)
		SELECT workspace_id, id, sha256($1::text::bytea), $1 FROM principals`
)

// Goal: a database that was used before anybody said what it is for, as one of an earlier version, was used for real.
func TestADatabaseInUseIsReal(t *testing.T) {
	t.Parallel()
	store, server := emptyDatabase(t)
	run(t, server, someAccount)
	if err := instance.Claim(t.Context(), store, instance.Sandbox); err == nil || !strings.Contains(err.Error(), "a data folder of its own") {
		t.Errorf("as a sandbox: %v", err)
	}
	if err := instance.Claim(t.Context(), store, instance.Real); err != nil {
		t.Errorf("for real: %v", err)
	}
}

// Goal: a sandbox's database takes no browser but a made-up one, whatever way it comes; it stays a sandbox's once it is in use.
func TestTheDatabaseOfASandboxTakesMadeUpBrowsersAlone(t *testing.T) {
	t.Parallel()
	store, server := emptyDatabase(t)
	if err := instance.Claim(t.Context(), store, instance.Sandbox); err != nil {
		t.Fatal(err)
	}
	run(t, server, someAccount)
	run(t, server, someInstall, "sandbox")
	for _, version := range []string{"", "1.0.0"} {
		if _, err := server.Exec(t.Context(), someInstall, version); err == nil || !strings.Contains(err.Error(), "a real browser in a sandbox") {
			t.Errorf("an install of the version %q: %v", version, err)
		}
	}
	if _, err := server.Exec(t.Context(), "UPDATE installs SET extension_version = '1.0.0'"); err == nil || !strings.Contains(err.Error(), "a real browser in a sandbox") {
		t.Errorf("an install that becomes a real one: %v", err)
	}
	if err := instance.Claim(t.Context(), store, instance.Sandbox); err != nil {
		t.Errorf("the same sandbox, started again: %v", err)
	}
}

// emptyDatabase is one that nobody has served, and a hand at it with the server's role.
func emptyDatabase(t *testing.T) (*postgres.Store, *pgx.Conn) {
	t.Helper()
	database := pgtest.New(t)
	store, err := postgres.Open(t.Context(), database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	server, err := pgx.Connect(t.Context(), database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close(context.Background()) })
	return store, server
}

func run(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
