package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
)

var ofTests = postgres.CheckOptions{AllowUndurable: true}

// Goal: a database fresh from its migration passes, and does so again after a second migration.
func TestCheckPasses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 2 {
		if err := postgres.Check(t.Context(), w.hand, ofTests); err != nil {
			t.Fatal(err)
		}
		if err := postgres.Migrate(t.Context(), w.db.AdminURL, postgres.ServerRole, ""); err != nil {
			t.Fatal(err)
		}
	}
}

// Goal: each thing that can be broken by hand is named, with its remedy, and nothing else is.
func TestCheckNamesWhatIsBroken(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, broken, mended, want string }{
		{
			"older schema", "UPDATE goose_db_version SET version_id = -version_id WHERE version_id > 1",
			"UPDATE goose_db_version SET version_id = -version_id WHERE version_id < 0", "its schema has version 1",
		},
		{
			"newer schema", "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)",
			"DELETE FROM goose_db_version WHERE version_id = 99999", "run the newer program",
		},
		{
			"a move more", "INSERT INTO send_moves VALUES ('failed', 'queued')",
			"DELETE FROM send_moves WHERE to_status = 'queued' AND from_status = 'failed'", "send_moves holds",
		},
		{
			"a constraint", "ALTER TABLE sends DROP CONSTRAINT canceled_never_started",
			"ALTER TABLE sends ADD CONSTRAINT canceled_never_started CHECK (status <> 'canceled' OR started_at IS NULL)",
			"the constraint canceled_never_started is missing",
		},
		{"a trigger", "DROP TRIGGER e_history ON sends", "", "the trigger e_history on sends is missing"},
		{
			"a quiet trigger", "ALTER TABLE sends DISABLE TRIGGER a_guard",
			"ALTER TABLE sends ENABLE ALWAYS TRIGGER a_guard", "the trigger a_guard on sends is not enabled always",
		},
		{
			"a trigger of the origin only", "ALTER TABLE evidence ENABLE TRIGGER x_no_rewrite",
			"ALTER TABLE evidence ENABLE ALWAYS TRIGGER x_no_rewrite", "the trigger x_no_rewrite on evidence is not enabled always",
		},
		{
			"another function", "CREATE OR REPLACE TRIGGER b_birth BEFORE INSERT ON sends FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger(); ALTER TABLE sends ENABLE ALWAYS TRIGGER b_birth",
			"CREATE OR REPLACE TRIGGER b_birth BEFORE INSERT ON sends FOR EACH ROW EXECUTE FUNCTION sends_birth(); ALTER TABLE sends ENABLE ALWAYS TRIGGER b_birth",
			"the trigger b_birth on sends is not calling sends_birth",
		},
		{
			"an index", "DROP INDEX one_live_send_per_message",
			"CREATE UNIQUE INDEX one_live_send_per_message ON sends (message_id) WHERE vacated_at IS NULL",
			"the unique index one_live_send_per_message is missing",
		},
		{
			"an unpinned function", "ALTER FUNCTION sends_stamp() RESET ALL",
			"ALTER FUNCTION sends_stamp() SET search_path = pg_catalog, public, pg_temp", "the function sends_stamp has no pinned search_path",
		},
		{
			"the caller's rights", "ALTER FUNCTION sends_birth() SECURITY INVOKER",
			"ALTER FUNCTION sends_birth() SECURITY DEFINER", "the function sends_birth does not run as its owner",
		},
		{
			"another owner", "ALTER FUNCTION ledger_refuse() OWNER TO CURRENT_USER",
			"ALTER FUNCTION ledger_refuse() OWNER TO sendonce_owner", "the function ledger_refuse belongs to",
		},
		{
			"a statuses list", "ALTER TABLE sends DROP CONSTRAINT status_is_known; ALTER TABLE sends ADD CONSTRAINT status_is_known CHECK (status IN ('queued', 'doubtful'))",
			"", "a send may be [queued doubtful]",
		},
		{
			"a grant on the clock", "GRANT UPDATE ON clock_offset TO sendonce_server", "REVOKE UPDATE ON clock_offset FROM sendonce_server",
			"may change clock_offset",
		},
		{
			"which cluster it is", "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC", "GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC",
			"the role sendonce_owner may not read which cluster this is",
		},
		{"a grant to arm", "GRANT UPDATE ON instance TO sendonce_server", "REVOKE UPDATE ON instance FROM sendonce_server", "may change instance"},
		{"a grant on what it is for", "GRANT UPDATE ON instance_purpose TO sendonce_server", "REVOKE UPDATE ON instance_purpose FROM sendonce_server", "may change instance_purpose"},
		{
			"a grant on epochs", "GRANT INSERT ON instance_events TO sendonce_server", "",
			"may choose the epoch of an arming",
		},
		{"the guard of arming", "DROP TRIGGER a_birth ON instance_events", "", "the trigger a_birth on instance_events is missing"},
		{
			"a grant on the history", "GRANT INSERT ON send_events TO sendonce_server", "REVOKE INSERT ON send_events FROM sendonce_server",
			"may write the history itself",
		},
		{
			"a grant on evidence", "GRANT INSERT (received_at) ON evidence TO sendonce_server",
			"REVOKE INSERT (received_at) ON evidence FROM sendonce_server", "may choose the moment of evidence",
		},
		{
			"a grant of triggers", "GRANT TRIGGER ON sends TO sendonce_server", "REVOKE TRIGGER ON sends FROM sendonce_server",
			"may make triggers or foreign keys on sends",
		},
		{
			"a grant of functions", "GRANT EXECUTE ON FUNCTION sends_history() TO sendonce_server",
			"REVOKE EXECUTE ON FUNCTION sends_history() FROM sendonce_server", "may call the guard function sends_history",
		},
		{
			"the schema", "GRANT CREATE ON SCHEMA public TO sendonce_server", "REVOKE CREATE ON SCHEMA public FROM sendonce_server",
			"may make objects in the schema public",
		},
		{
			"an unlogged table", "CREATE UNLOGGED TABLE notes (n int); ALTER TABLE notes OWNER TO sendonce_owner",
			"DROP TABLE notes", "the table notes is lost in a crash",
		},
		{
			"a table of the server's own", "CREATE TABLE mine (n int); ALTER TABLE mine OWNER TO sendonce_server", "DROP TABLE mine",
			"owns mine",
		},
	}
	w := newWorld(t)
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			exec(t, w.admin, test.broken)
			requireDifference(t, postgres.Check(t.Context(), w.hand, ofTests), test.want)
			// Without a statement, the remedy that was named mends it.
			if test.mended != "" {
				exec(t, w.admin, test.mended)
			} else if err := postgres.Migrate(t.Context(), w.db.AdminURL, postgres.ServerRole, ""); err != nil {
				t.Fatal(err)
			}
			if err := postgres.Check(t.Context(), w.hand, ofTests); err != nil {
				t.Errorf("after its mend: %v", err)
			}
		})
	}
}

// Goal: the guard's own list of moves is read, not only the table beside it.
func TestCheckReadsTheGuard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	guard := one(t, w.admin, "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = 'a_guard' AND tgrelid = 'sends'::regclass")
	wider := strings.Replace(guard, "{", "{failed>queued,", 1)
	exec(t, w.admin, strings.Replace(wider, "CREATE TRIGGER", "CREATE OR REPLACE TRIGGER", 1)+"; ALTER TABLE sends ENABLE ALWAYS TRIGGER a_guard")
	requireDifference(t, postgres.Check(t.Context(), w.hand, ofTests), "the trigger a_guard lets")
}

// Goal: a guard's body that was replaced is found.
func TestCheckReadsTheFunctions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	exec(t, w.admin, `CREATE OR REPLACE FUNCTION sends_refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
		SET search_path = pg_catalog, public, pg_temp AS $$ BEGIN RETURN NEW; END $$`)
	requireDifference(t, postgres.Check(t.Context(), w.hand, ofTests), "the function sends_refuse has another body")
}

// Goal: the roles that could lift the guards are refused, and an empty database is told what to run.
func TestCheckRefusesRoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	requireDifference(t, postgres.Check(t.Context(), w.admin, ofTests), "is a superuser")
	exec(t, w.admin, "SET ROLE sendonce_owner")
	requireDifference(t, postgres.Check(t.Context(), w.admin, ofTests), "is the tables' owner")
	exec(t, w.admin, "RESET ROLE")

	// A role of this test alone: roles belong to the whole cluster.
	role := "member_" + w.db.Name
	exec(t, w.admin, "CREATE ROLE "+role+" IN ROLE sendonce_server, pg_write_all_data CREATEROLE")
	t.Cleanup(func() { _, _ = w.admin.Exec(t.Context(), "RESET ROLE") })
	exec(t, w.admin, "GRANT sendonce_owner TO "+role+"; ALTER DATABASE "+w.db.Name+" OWNER TO "+role+"; SET ROLE "+role)
	err := postgres.Check(t.Context(), w.admin, ofTests)
	for _, want := range []string{"may make roles", "is a member of sendonce_owner", "is a member of pg_write_all_data", "owns the database"} {
		requireDifference(t, err, want)
	}
	exec(t, w.admin, "RESET ROLE; ALTER DATABASE "+w.db.Name+" OWNER TO CURRENT_USER; DROP OWNED BY "+role+"; DROP ROLE "+role)
}

// Goal: an empty database is told what to run.
func TestCheckOfAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	empty := pgtest.Clone(t, pgtest.Template{Fingerprint: "empty", Migrate: func(context.Context, string) error { return nil }})
	requireDifference(t, postgres.Check(t.Context(), connect(t, empty.AdminURL), ofTests), "run: sendonce migrate")
}

// Goal: the settings of a cluster that loses data are named, unless they are allowed. The tests' own cluster is such a one.
func TestCheckOfDurability(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fsync := one(t, w.admin, "SHOW fsync")
	err := postgres.Check(t.Context(), w.hand, postgres.CheckOptions{})
	if fsync == "on" {
		t.Skip("this cluster is durable")
	}
	requireDifference(t, err, "the setting fsync is off")
}

func requireDifference(t *testing.T, err error, want string) {
	t.Helper()
	var found *postgres.CheckError
	if !errors.As(err, &found) {
		t.Fatalf("got %v, want a difference with %q", err, want)
	}
	for _, difference := range found.Differences {
		if difference.Remedy == "" {
			t.Errorf("%q has no remedy", difference.What)
		}
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant a difference with %q", err, want)
	}
}
