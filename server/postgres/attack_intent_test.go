package postgres_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sendonce/server/rule"
)

// further is the statement that proposes one more message for the purpose of the target's, following a send or NULL.
func further(follows string) string {
	why := "'they asked'"
	if follows == "NULL" {
		why = "NULL"
	}
	return fmt.Sprintf(`INSERT INTO messages (workspace_id, account_id, person_id, channel, purpose, purpose_key, follows_send, follows_why, version, authority, created_by)
		SELECT workspace_id, account_id, person_id, channel, upper(purpose), purpose_key, %s, %s, 1, 'proposed', created_by FROM messages WHERE id = '{message}'`, follows, why)
}

// forTask is the statement that proposes a message for a task of the target's own.
func forTask(purpose string) string {
	return `INSERT INTO messages (workspace_id, account_id, person_id, channel, purpose, purpose_key, task, version, authority, created_by)
		VALUES ('{workspace}', '{account}', '{person}', 'linkedin', '` + purpose + ` {send}', '` + purpose + ` {send}', 'task {send}', 1, 'proposed', '{principal}')`
}

// ofAnother follows the target's send with a message to somebody else.
const ofAnother = `INSERT INTO people (id, workspace_id) VALUES (md5('{send}')::uuid, '{workspace}');
	INSERT INTO messages (workspace_id, account_id, person_id, channel, purpose, purpose_key, follows_send, follows_why, version, authority, created_by)
	VALUES ('{workspace}', '{account}', md5('{send}')::uuid, 'linkedin', 'x', 'x', '{send}', 'they asked', 1, 'proposed', '{principal}')`

// intentAttacks let a second message go out for one intent that nobody decided on, or beside the first.
var intentAttacks = []attack{
	{
		name: "a second message beside a queued one", in: rule.Queued, sql: further("NULL"),
		code: "SO013", says: "may still go out", hint: "wait for its end",
	},
	{
		name: "a second message beside a started one", in: rule.Started, sql: further("NULL"),
		code: "SO013", says: "may still go out", hint: "wait for its end",
	},
	{
		name: "a second message beside an unconfirmed one", in: rule.Unconfirmed, sql: further("NULL"),
		code: "SO013", says: "may still go out", hint: "look and resolve it first",
	},
	{
		name: "a second message that follows an unconfirmed one", in: rule.Unconfirmed, sql: further("'{send}'"),
		code: "SO013", says: "which is unconfirmed", hint: "look and resolve it first",
	},
	{
		name: "a second message that follows nothing", in: rule.Sent, sql: further("NULL"),
		code: "SO013", says: "was to the same person for the same purpose", hint: "in follows_send, and why in follows_why",
	},
	{
		name: "a second message after a failed one", in: rule.Failed, sql: further("NULL"),
		code: "SO013", says: "was to the same person for the same purpose", hint: "in follows_send, and why in follows_why",
	},
	{
		name: "a third message that follows the first", in: rule.Sent, before: further("'{send}'"), sql: further("'{send}'"),
		code: "SO013", says: "may still go out", hint: "Change that message",
	},
	{
		name: "a follow of somebody else's send", in: rule.Sent, sql: ofAnother,
		code: "SO013", says: "follows a send to somebody else", hint: "Name a send to the same person",
	},
	{
		name: "a follow of another purpose's unconfirmed send", in: rule.Unconfirmed,
		sql:  strings.Replace(further("'{send}'"), "upper(purpose)", "'another'", 1),
		code: "SO013", says: "which is unconfirmed", hint: "look and resolve it first",
	},
	{name: "a follow without a reason", in: rule.Sent, sql: strings.Replace(further("'{send}'"), "'they asked'", "NULL", 1), code: "23514", says: "follows_says_why"},
	{
		name: "a follow put in later", in: rule.Sent, sql: `UPDATE messages SET follows_send = '{send}', follows_why = 'x' WHERE id = '{message}'`,
		code: "SO003", says: "what a row of messages is, is frozen", hint: "is a new message",
	},
	{
		name: "a retry beside the message that follows", in: rule.Failed, before: further("'{send}'"),
		sql:  birth("2", "'{send}'", "{message}", "{approval}", "{digest}", "{hash}"),
		code: "SO013", says: "may still go out", hint: "take it back",
	},
	{
		name: "a message revived beside another", in: rule.Canceled, before: `UPDATE messages SET authority = 'expired' WHERE id = '{message}';` + further("NULL"),
		sql:  `UPDATE messages SET authority = 'proposed' WHERE id = '{message}'`,
		code: "SO013", says: "may still go out", hint: "Change that message",
	},
	{
		name: "a canceled message that is sent beside another", in: rule.Canceled, before: further("NULL"),
		sql:  birth("2", "'{send}'", "{message}", "{approval}", "{digest}", "{hash}"),
		code: "SO013", says: "may still go out", hint: "Change that message",
	},
	{
		name: "a second message for the same task", in: rule.Canceled, before: forTask("one purpose"), sql: forTask("another purpose"),
		code: "SO013", says: "may still go out", hint: "Change that message",
	},
}

// Goal: two writers who propose for one intent at one moment meet: the second is refused, under whatever isolation.
func TestTwoIntentsMeet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, _ := w.sendIn(t, rule.Canceled)
	propose := strings.ReplaceAll(further("NULL"), "{message}", m.id)
	for begin, refused := range map[string]attack{
		"BEGIN": {code: "SO013", says: "may still go out", hint: "Change that message"},
		"BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM messages": {code: notSerializable, says: "could not serialize"},
	} {
		first, second := connect(t, w.db.ServerURL), connect(t, w.db.ServerURL)
		exec(t, first, "BEGIN")
		exec(t, second, begin)
		exec(t, first, propose)
		said := make(chan error, 1)
		go func() { said <- simply(t, second, propose) }()
		w.waitForALock(t)
		exec(t, first, "COMMIT")
		requireRefused(t, refused, <-said)
		exec(t, second, "ROLLBACK")
		w.run(t, m.id, "UPDATE messages SET authority = 'withdrawn' WHERE authority = 'proposed'")
	}
}

// waitForALock returns when somebody waits for a lock.
func (w *world) waitForALock(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for one(t, w.admin, "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == "0" {
		if time.Now().After(deadline) {
			t.Fatal("nobody waits")
		}
		time.Sleep(time.Millisecond)
	}
}
