package parity_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/rule"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	// refusedMove is the SQLSTATE of a move that does not exist, brokenCheck that of a CHECK.
	refusedMove, brokenCheck = "SO002", "23514"
	attempt                  = "attempt-0123456789"
)

// database is a private one, written to by a hand with the server's role, and by the admin where no legal way leads.
type database struct {
	hand, admin                                    *pgx.Conn
	workspace, principal, account, install, person string
}

// Goal: hand-typed SQL may make exactly the moves that the rule allows to some actor, from every row that can exist; and
// a row that the rule says contradicts its own status cannot exist.
func TestDatabase(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	requireSame(t, diffDatabase(t, db))
	if err := postgres.Check(t.Context(), db.hand, postgres.CheckOptions{AllowUndurable: true}); err != nil {
		t.Errorf("the guards were not all in place: %v", err)
	}
}

// Goal: a database that lets one move more or less pass is found.
func TestDatabaseParityCanFail(t *testing.T) {
	t.Parallel()
	for _, change := range [][2]string{{"leased>started,", ""}, {"{", "{started>canceled,"}} {
		db := newDatabase(t)
		guard := db.one(t, "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = 'a_guard' AND tgrelid = 'sends'::regclass")
		changed := strings.Replace(guard, change[0], change[1], 1)
		db.must(t, db.admin, strings.Replace(changed, "CREATE TRIGGER", "CREATE OR REPLACE TRIGGER", 1)+"; ALTER TABLE sends ENABLE ALWAYS TRIGGER a_guard")
		if diffs := diffDatabase(t, db); len(diffs) == 0 {
			t.Errorf("with %q for %q the comparison found nothing", change[1], change[0])
		}
	}
}

func diffDatabase(t *testing.T, db *database) []string {
	t.Helper()
	var diffs []string
	for _, from := range rule.Statuses() {
		for _, started := range []bool{false, true} {
			// One row for each move, since a move that passes leaves its row elsewhere.
			rows := db.rowsIn(t, from, started)
			if exists := rows != nil; exists != from.AdmitsStart(started) {
				diffs = append(diffs, fmt.Sprintf("a row %s with a start %t can exist: %t, in the rule %t", from, started, exists, from.AdmitsStart(started)))
			}
			for to, send := range rows {
				if diff := diffMove(db.move(t, send, to), from, to, started); diff != "" {
					diffs = append(diffs, diff)
				}
			}
		}
	}
	return diffs
}

// diffMove compares what became of a typed move with the rule for the union of the actors: a database sees none.
func diffMove(err error, from, to rule.Status, started bool) string {
	if from == to {
		if err != nil {
			return fmt.Sprintf("a row %s was refused to stay so: %v", from, err)
		}
		return ""
	}
	var want bool
	for _, actor := range rule.Actors() {
		want = want || rule.Allowed(from, to, actor, started)
	}
	if want && err != nil || !want && sqlState(err) != refusedMove {
		return fmt.Sprintf("%s to %s, started %t: the rule allows it: %t, the database says %v", from, to, started, want, err)
	}
	return ""
}

func newDatabase(t *testing.T) *database {
	t.Helper()
	made := pgtest.New(t)
	db := &database{
		hand: connect(t, made.ServerURL), admin: connect(t, made.AdminURL), workspace: uuid.NewString(), principal: uuid.NewString(),
		account: uuid.NewString(), install: uuid.NewString(), person: uuid.NewString(),
	}
	db.must(t, db.hand, `INSERT INTO workspaces (id, name) VALUES ('{workspace}', 'Example');
		INSERT INTO principals (id, workspace_id, role, name) VALUES ('{principal}', '{workspace}', 'admin', 'Rita Recruiter');
		INSERT INTO accounts (id, workspace_id, channel, handle, created_by) VALUES ('{account}', '{workspace}', 'linkedin', 'rita-recruiter', '{principal}');
		INSERT INTO installs (id, workspace_id, principal_id, secret_hash) VALUES ('{install}', '{workspace}', '{principal}', 'secret');
		INSERT INTO people (id, workspace_id, name) VALUES ('{person}', '{workspace}', 'Ada Example')`)
	return db
}

// rowsIn makes, for each status to move to, a row that is in one status, with or without a recorded start; nil when the
// database's CHECKs refuse such a row. The triggers rest meanwhile, because no legal way leads to most of them.
func (db *database) rowsIn(t *testing.T, from rule.Status, started bool) map[rule.Status]string {
	t.Helper()
	rows := map[rule.Status]string{}
	for _, to := range rule.Statuses() {
		rows[to] = db.queued(t)
	}
	db.must(t, db.admin, "BEGIN; ALTER TABLE sends DISABLE TRIGGER USER")
	defer db.must(t, db.admin, "COMMIT")
	for _, send := range rows {
		err := db.try(t, db.admin, rawRow(send, from, started))
		if sqlState(err) == brokenCheck {
			db.must(t, db.admin, "ROLLBACK; BEGIN")
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	db.must(t, db.admin, `DO $$ DECLARE name text; BEGIN
		FOR name IN SELECT tgname FROM pg_trigger WHERE tgrelid = 'sends'::regclass AND NOT tgisinternal LOOP
			EXECUTE format('ALTER TABLE sends ENABLE ALWAYS TRIGGER %I', name);
		END LOOP; END $$`)
	return rows
}

// rawRow gives a row everything that its status asks for, and a start if told to, whatever its status says about one.
func rawRow(send string, status rule.Status, started bool) string {
	set := []string{fmt.Sprintf("status = '%s'", status)}
	if status != rule.Queued || started {
		set = append(set, "lease_token = gen_random_uuid()", "lease_holder = '{install}'", "leased_at = sendonce_now()", "lease_expires_at = sendonce_now() + interval '5 minutes'")
	}
	if started {
		set = append(set, "attempt = '"+attempt+"'", "started_at = sendonce_now()", "deadline_at = sendonce_now() + interval '6 minutes'")
	}
	if status == rule.Failed || status == rule.Canceled {
		set = append(set, "vacated_at = sendonce_now()", "ended_at = sendonce_now()")
	}
	if status == rule.Sent {
		set = append(set, "confirmed_by = 1", "confirmed_at = sendonce_now()", "ended_at = sendonce_now()")
	}
	return "UPDATE sends SET " + strings.Join(set, ", ") + " WHERE id = '" + send + "'"
}

// queued makes a message of its own with its first send.
func (db *database) queued(t *testing.T) string {
	t.Helper()
	send, digest := uuid.NewString(), "sha256:"+strings.Repeat("0", 64)
	replaced := strings.NewReplacer("{send}", send, "{message}", uuid.NewString(), "{approval}", uuid.NewString(), "{digest}", digest)
	db.must(t, db.hand, replaced.Replace(`
		INSERT INTO messages (id, workspace_id, account_id, person_id, channel, purpose, purpose_key, version, authority, created_by)
			VALUES ('{message}', '{workspace}', '{account}', '{person}', 'linkedin', 'reason {message}', 'reason {message}', 1, 'approved', '{principal}');
		INSERT INTO message_versions (message_id, version, body, digest, text_hash, created_by)
			VALUES ('{message}', 1, 'Hello Ada', '{digest}', '\x00', '{principal}');
		INSERT INTO approvals (id, message_id, version, digest, approver, expires_at)
			VALUES ('{approval}', '{message}', 1, '{digest}', '{principal}', sendonce_now() + interval '7 days');
		INSERT INTO sends (id, workspace_id, message_id, account_id, person_id, ordinal, version, digest, text_hash, approval_id)
			VALUES ('{send}', '{workspace}', '{message}', '{account}', '{person}', 1, 1, '{digest}', '\x00', '{approval}')`))
	return send
}

// move types one move with all the evidence and the columns that it may need, so that only its legality decides.
func (db *database) move(t *testing.T, send string, to rule.Status) error {
	t.Helper()
	sql, set := "", ""
	switch to {
	case rule.Leased:
		set = ", lease_token = gen_random_uuid(), lease_holder = '{install}', lease_expires_at = sendonce_now() + interval '5 minutes'"
	case rule.Started:
		set = ", attempt = '" + attempt + "', deadline_at = sendonce_now() + interval '6 minutes'"
	case rule.Sent:
		sql = "INSERT INTO evidence (workspace_id, send_id, kind, outcome) VALUES ('{workspace}', '{send}', 'confirmation', 'confirmed');"
		set = ", confirmed_by = (SELECT max(id) FROM evidence WHERE send_id = '{send}')"
	case rule.Failed:
		sql = "INSERT INTO evidence (workspace_id, send_id, kind, attempt, outcome) VALUES ('{workspace}', '{send}', 'proof', '" + attempt + "', 'refused_by_provider');"
	}
	if rule.Status(db.one(t, "SELECT status FROM sends WHERE id = $1", send)) == to {
		sql, set = "", ""
	}
	sql += "UPDATE sends SET status = '" + string(to) + "'" + set + " WHERE id = '{send}'"
	return db.try(t, db.hand, strings.ReplaceAll(sql, "{send}", send))
}

func (db *database) try(t *testing.T, conn *pgx.Conn, sql string) error {
	t.Helper()
	filled := strings.NewReplacer("{workspace}", db.workspace, "{principal}", db.principal, "{account}", db.account,
		"{install}", db.install, "{person}", db.person).Replace(sql)
	_, err := conn.PgConn().Exec(t.Context(), filled).ReadAll()
	return err
}

func (db *database) must(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if err := db.try(t, conn, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (db *database) one(t *testing.T, sql string, args ...any) string {
	t.Helper()
	var text string
	if err := db.hand.QueryRow(t.Context(), sql, args...).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// sqlState is the SQLSTATE of a refusal, and "" for anything else.
func sqlState(err error) string {
	var refusal *pgconn.PgError
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return ""
}
