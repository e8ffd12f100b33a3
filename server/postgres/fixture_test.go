package postgres_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/postgres/pgtest"
	"sendonce/server/rule"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// world is a database with one workspace, seen by a hand at a prompt with the server's role, and by the owner's admin.
type world struct {
	db                                             *pgtest.DB
	hand, admin                                    *pgx.Conn
	workspace, principal, account, install, person string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{db: pgtest.New(t)}
	w.hand, w.admin = connect(t, w.db.ServerURL), connect(t, w.db.AdminURL)
	w.workspace = w.one(t, "INSERT INTO workspaces (name) VALUES ('Example') RETURNING id::text")
	w.principal = w.one(t, "INSERT INTO principals (workspace_id, role, name) VALUES ($1, 'admin', 'Rita Recruiter') RETURNING id::text", w.workspace)
	w.account = w.one(t, "INSERT INTO accounts (workspace_id, channel, handle, created_by) VALUES ($1, 'linkedin', 'rita-recruiter', $2) RETURNING id::text", w.workspace, w.principal)
	w.install = w.one(t, "INSERT INTO installs (workspace_id, principal_id, secret_hash) VALUES ($1, $2, 'secret') RETURNING id::text", w.workspace, w.principal)
	w.person = w.one(t, "INSERT INTO people (workspace_id, name) VALUES ($1, 'Ada Example') RETURNING id::text", w.workspace)
	return w
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

// one runs a statement of the hand that answers with one text.
func (w *world) one(t *testing.T, sql string, args ...any) string {
	t.Helper()
	return one(t, w.hand, sql, args...)
}

func one(t *testing.T, conn *pgx.Conn, sql string, args ...any) string {
	t.Helper()
	var text string
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&text); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return text
}

func exec(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// forward moves the clock of the whole database.
func (w *world) forward(t *testing.T, by time.Duration) {
	t.Helper()
	exec(t, w.admin, "UPDATE clock_offset SET ahead = ahead + $1::interval", by)
}

// message is an approved message and what a send of it must carry.
type message struct{ id, approval, digest, textHash string }

func (w *world) message(t *testing.T) message {
	t.Helper()
	m, sql := w.newMessage()
	w.run(t, m.id, sql)
	return m
}

// newMessage is a message, for a purpose of its own, and the statements that make it.
func (w *world) newMessage() (message, string) {
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(rand.Text())))
	m := message{id: uuid.NewString(), approval: uuid.NewString(), digest: "sha256:" + sum, textHash: `\x` + sum}
	return m, fmt.Sprintf(`INSERT INTO messages (id, workspace_id, account_id, person_id, channel, purpose, purpose_key, version, authority, created_by)
			VALUES ('%[1]s', '{workspace}', '{account}', '{person}', 'linkedin', 'reason %[1]s', 'reason %[1]s', 1, 'approved', '{principal}');
		INSERT INTO message_versions (message_id, version, body, digest, text_hash, created_by)
			VALUES ('%[1]s', 1, 'Hello Ada', '%[2]s', '%[3]s', '{principal}');
		INSERT INTO approvals (id, message_id, version, digest, approver, expires_at)
			VALUES ('%[4]s', '%[1]s', 1, '%[2]s', '{principal}', sendonce_now() + interval '7 days')`, m.id, m.digest, m.textHash, m.approval)
}

// newSend is the id of a send and the statement that makes it: the first of its message, or a retry of another.
func (w *world) newSend(m message, ordinal int, retryOf string) (id, sql string) {
	id = uuid.NewString()
	return id, fmt.Sprintf(`INSERT INTO sends (id, workspace_id, message_id, account_id, person_id, ordinal, retry_of, version, digest, text_hash, approval_id)
		VALUES ('%s', '{workspace}', '%s', '{account}', '{person}', %d, nullif('%s', '')::uuid, 1, '%s', '%s', '%s')`,
		id, m.id, ordinal, retryOf, m.digest, m.textHash, m.approval)
}

func (w *world) retry(t *testing.T, m message, ordinal int, of string) string {
	t.Helper()
	send, sql := w.newSend(m, ordinal, of)
	w.run(t, send, sql)
	return send
}

// The statements of a legal life, with {send} for its id.
const (
	toLeased = `UPDATE sends SET status = 'leased', lease_token = gen_random_uuid(), lease_holder = '{install}',
		lease_expires_at = sendonce_now() + interval '1 minute' WHERE id = '{send}'`
	toStarted = `UPDATE sends SET status = 'started', attempt = 'attempt-of-{send8}',
		deadline_at = sendonce_now() + interval '6 minutes' WHERE id = '{send}'`
	toUnconfirmed = `UPDATE sends SET status = 'unconfirmed', code = 'no_answer' WHERE id = '{send}'`
	toCanceled    = `UPDATE sends SET status = 'canceled', code = 'withdrawn' WHERE id = '{send}'`
	proof         = `INSERT INTO evidence (workspace_id, send_id, kind, attempt, outcome)
		SELECT workspace_id, id, 'proof', attempt, 'refused_by_provider' FROM sends WHERE id = '{send}'`
	toFailed     = proof + `; UPDATE sends SET status = 'failed', code = 'refused_by_provider' WHERE id = '{send}'`
	confirmation = `INSERT INTO evidence (workspace_id, send_id, kind, outcome)
		SELECT workspace_id, id, 'confirmation', 'confirmed' FROM sends WHERE id = '{send}'`
	toSent = confirmation + `; UPDATE sends SET status = 'sent', code = 'confirmed',
		confirmed_by = (SELECT max(id) FROM evidence WHERE send_id = '{send}') WHERE id = '{send}'`
	gone    = `UPDATE sends SET gone_at = sendonce_now() WHERE id = '{send}'`
	deliver = `INSERT INTO deliveries (workspace_id, account_id, provider_id, message_id, send_id)
		SELECT workspace_id, account_id, '{copy}', message_id, id FROM sends WHERE id = '{send}' ON CONFLICT (account_id, provider_id) DO NOTHING;
		INSERT INTO delivery_sends (delivery_id, send_id) SELECT d.id, s.id FROM deliveries d JOIN sends s USING (message_id)
		WHERE d.provider_id = '{copy}' AND s.id = '{send}' ON CONFLICT DO NOTHING`
)

// lives says how a queued send is legally brought to each status.
var lives = map[rule.Status][]string{
	rule.Queued:      {},
	rule.Leased:      {toLeased},
	rule.Started:     {toLeased, toStarted},
	rule.Unconfirmed: {toLeased, toStarted, toUnconfirmed},
	rule.Sent:        {toLeased, toStarted, toSent},
	rule.Failed:      {toLeased, toStarted, toFailed},
	rule.Canceled:    {toCanceled},
}

// fill puts the ids of a send into a statement; more are pairs of a placeholder and its text.
func (w *world) fill(sql, send string, more ...string) string {
	pairs := append(more, "{send}", send, "{send8}", send[:8], "{install}", w.install, "{principal}", w.principal,
		"{workspace}", w.workspace, "{account}", w.account, "{person}", w.person)
	return strings.NewReplacer(pairs...).Replace(sql)
}

// run runs statements about a send as the hand, all in one transaction; they must be accepted.
func (w *world) run(t *testing.T, send string, statements ...string) {
	t.Helper()
	sql := strings.Join(statements, ";\n")
	if err := simply(t, w.hand, w.fill(sql, send)); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// simply sends statements as a prompt does: all in one query and one transaction.
func simply(t *testing.T, conn *pgx.Conn, sql string) error {
	_, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	return err
}

// sendIn makes a message with a send in that status.
func (w *world) sendIn(t *testing.T, status rule.Status) (message, string) {
	t.Helper()
	sends := w.sendsIn(t, 1, status)
	return sends[0].message, sends[0].send
}

type sendOf struct {
	message message
	send    string
}

// sendsIn makes many of them in one query.
func (w *world) sendsIn(t *testing.T, count int, status rule.Status) []sendOf {
	t.Helper()
	var made []sendOf
	var all []string
	for range count {
		m, sql := w.newMessage()
		send, insert := w.newSend(m, 1, "")
		made = append(made, sendOf{m, send})
		for _, statement := range append([]string{sql, insert}, lives[status]...) {
			all = append(all, w.fill(statement, send))
		}
	}
	w.run(t, made[0].send, all...)
	return made
}

// state is everything about the sends of a message that an attack must leave as it was.
func (w *world) state(t *testing.T, m message) string {
	t.Helper()
	return one(t, w.admin, `SELECT format('%s %s events, %s evidence, %s deliveries',
		(SELECT jsonb_agg(to_jsonb(s) ORDER BY s.ordinal) FROM sends s WHERE s.message_id = $1),
		(SELECT count(*) FROM send_events e WHERE e.message_id = $1),
		(SELECT md5(string_agg(e::text, ',' ORDER BY e.id)) FROM evidence e JOIN sends s ON s.id = e.send_id WHERE s.message_id = $1),
		(SELECT count(*) FROM deliveries d WHERE d.message_id = $1))`, m.id)
}

func (w *world) statusOf(t *testing.T, send string) rule.Status {
	t.Helper()
	return rule.Status(w.one(t, "SELECT status FROM sends WHERE id = $1", send))
}
