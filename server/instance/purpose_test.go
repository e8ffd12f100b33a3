package instance_test

import (
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
	database := pgtest.New(t)
	store, err := postgres.Open(t.Context(), database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
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
	server, err := pgx.Connect(t.Context(), database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close(t.Context())
	for _, sql := range []string{
		"UPDATE instance_purpose SET purpose = 'real'", "DELETE FROM instance_purpose", "TRUNCATE instance_purpose",
		"INSERT INTO instance_purpose (purpose) VALUES ('real')", "INSERT INTO instance_purpose (only_row, purpose) VALUES (false, 'real')",
	} {
		if _, err := server.Exec(t.Context(), sql); err == nil {
			t.Errorf("the server's role may %s", sql)
		}
	}
}

// Goal: a database that was used before there was a sandbox was used for real.
func TestADatabaseOfAnEarlierVersionIsReal(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	hand, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer hand.Close(t.Context())
	if _, err := hand.Exec(t.Context(), `
		INSERT INTO workspaces (name) VALUES ('My team');
		INSERT INTO principals (workspace_id, role, name) SELECT id, 'admin', 'admin' FROM workspaces;
		INSERT INTO accounts (workspace_id, channel, handle, created_by) SELECT workspace_id, 'linkedin', 'rita-recruiter', id FROM principals;
		DROP TABLE instance_purpose;
		DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`); err != nil {
		t.Fatal(err)
	}
	if err := postgres.Migrate(t.Context(), database.AdminURL, postgres.ServerRole, ""); err != nil {
		t.Fatal(err)
	}
	store, err := postgres.Open(t.Context(), database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	if err := instance.Claim(t.Context(), store, instance.Sandbox); err == nil {
		t.Error("it became a sandbox")
	}
}
