package pgtest_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"sendonce/server/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// Goal: each test has its own migrated database, reached as the admin and as the server's role.
func TestNew(t *testing.T) {
	t.Parallel()
	first, second := pgtest.New(t), pgtest.New(t)
	if first.Name == second.Name {
		t.Fatalf("two tests share the database %s", first.Name)
	}
	if got := query(t, first.ServerURL, "SELECT current_user::text || ' ' || current_database()"); got != "sendonce_server "+first.Name {
		t.Errorf("the server connects as %q", got)
	}
	if got := query(t, first.AdminURL, "SELECT rolsuper::text FROM pg_roles WHERE rolname = current_user"); got != "true" {
		t.Errorf("the admin is superuser: %s", got)
	}
	if got := query(t, first.AdminURL, "SELECT count(*)::text FROM pg_tables WHERE tableowner = 'sendonce_owner'"); got == "0" {
		t.Error("the database has no tables of the owner")
	}
}

// Goal: many tests at once migrate once, and share nothing of what they write.
func TestCloneMigratesOnce(t *testing.T) {
	t.Parallel()
	var migrations atomic.Int32
	template := pgtest.Template{Fingerprint: "clone_once", Migrate: func(ctx context.Context, adminURL string) error {
		migrations.Add(1)
		return execute(ctx, adminURL, "CREATE TABLE numbers (n int)")
	}}
	var clones sync.WaitGroup
	for i := range 8 {
		clones.Go(func() {
			db := pgtest.Clone(t, template)
			if err := execute(t.Context(), db.AdminURL, fmt.Sprintf("INSERT INTO numbers VALUES (%d)", i)); err != nil {
				t.Error(err)
			}
			if got := query(t, db.AdminURL, "SELECT count(*)::text FROM numbers"); got != "1" {
				t.Errorf("database of clone %d holds %s rows, want 1", i, got)
			}
		})
	}
	clones.Wait()
	if got := migrations.Load(); got > 1 {
		t.Errorf("migrated %d times, want once", got)
	}
}

// Goal: the database is gone after its test, even if the test left a connection open.
func TestDropsAtTheEnd(t *testing.T) {
	t.Parallel()
	var name string
	t.Run("leaks a connection", func(t *testing.T) {
		db := pgtest.New(t)
		name = db.Name
		if _, err := pgx.Connect(t.Context(), db.AdminURL); err != nil {
			t.Fatal(err)
		}
	})
	other := pgtest.New(t)
	if got := query(t, other.AdminURL, "SELECT count(*)::text FROM pg_database WHERE datname = '"+name+"'"); got != "0" {
		t.Errorf("the database %s is still there", name)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		pgtest.New(b)
	}
}

func execute(ctx context.Context, url, statement string) error {
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	_, err = connection.Exec(ctx, statement)
	return err
}

func query(t *testing.T, url, statement string) string {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(t.Context())
	var text string
	if err := connection.QueryRow(t.Context(), statement).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}
