package postgres_test

import (
	"testing"
	"time"

	"sendonce/server/rule"
)

// evidenceAttacks end a send without what its end needs.
var evidenceAttacks = []attack{
	{
		name: "sent with no evidence", in: rule.Started, sql: `UPDATE sends SET status = 'sent', code = 'confirmed' WHERE id = '{send}'`,
		code: "SO007", says: "sent only on evidence", hint: "name its id in confirmed_by",
	},
	{
		name: "sent on evidence that does not exist", in: rule.Started, sql: `UPDATE sends SET status = 'sent', confirmed_by = 999999 WHERE id = '{send}'`,
		code: "SO007", says: "sent only on evidence", hint: "name its id in confirmed_by",
	},
	{
		name: "sent on another send's evidence", in: rule.Started, sql: `WITH said AS (INSERT INTO evidence (workspace_id, send_id, kind, outcome)
		VALUES ('{workspace}', '{stranger}', 'confirmation', 'confirmed') RETURNING id) SELECT id FROM said;
		UPDATE sends SET status = 'sent', confirmed_by = (SELECT max(id) FROM evidence) WHERE id = '{send}'`,
		code: "SO007", says: "sent only on evidence", hint: "for this send",
	},
	{
		name: "sent on a mere report", in: rule.Started, sql: `INSERT INTO evidence (workspace_id, send_id, kind, outcome)
		VALUES ('{workspace}', '{send}', 'report', 'no_answer');
		UPDATE sends SET status = 'sent', confirmed_by = (SELECT max(id) FROM evidence) WHERE id = '{send}'`,
		code: "SO007", says: "sent only on evidence", hint: "kind confirmation",
	},
	{
		name: "failed with no proof", in: rule.Started, sql: `UPDATE sends SET status = 'failed', code = 'refused_by_provider' WHERE id = '{send}'`,
		code: "SO006", says: "nothing proves", hint: "until then it is unconfirmed",
	},
	{
		name: "started to failed by a resolution", in: rule.Started, before: gone, sql: resolutionOf("true") + `; UPDATE sends SET status = 'failed' WHERE id = '{send}'`,
		code: "SO006", says: "nothing proves", hint: "Record a proof",
	},
	{
		name: "unconfirmed to failed with nothing said", in: rule.Unconfirmed, sql: `UPDATE sends SET status = 'failed' WHERE id = '{send}'`,
		code: "SO006", says: "nothing proves", hint: "a person who looked",
	},
	{
		name: "proof of another attempt", in: rule.Unconfirmed, sql: `INSERT INTO evidence (workspace_id, send_id, kind, attempt, outcome)
		VALUES ('{workspace}', '{send}', 'proof', 'another-attempt-0123', 'refused_by_provider'); UPDATE sends SET status = 'failed' WHERE id = '{send}'`,
		code: "SO006", says: "nothing proves", hint: "names this send's attempt",
	},
	{
		name: "proof about another send", in: rule.Unconfirmed, sql: `INSERT INTO evidence (workspace_id, send_id, kind, attempt, outcome)
		SELECT '{workspace}', '{stranger}', 'proof', attempt, 'refused_by_provider' FROM sends WHERE id = '{send}'; UPDATE sends SET status = 'failed' WHERE id = '{send}'`,
		code: "SO006", says: "nothing proves", hint: "names this send's attempt",
	},
	{
		name: "resolution too early", in: rule.Unconfirmed, before: gone, sql: resolutionOf("false") + `; UPDATE sends SET status = 'failed' WHERE id = '{send}'`,
		code: "SO006", says: "too early", hint: "Look again after",
	},
	{
		name: "resolution too early, with accept_unseen", in: rule.Unconfirmed, sql: resolutionOf("true") + `; UPDATE sends SET status = 'failed' WHERE id = '{send}'`,
		code: "SO006", says: "too early", hint: "with accept_unseen",
	},
	{
		name: "resolution that a later one takes back", in: rule.Unconfirmed, before: gone, sql: resolutionOf("false") + `; INSERT INTO evidence (workspace_id, send_id, kind, principal_id, outcome, note)
		VALUES ('{workspace}', '{send}', 'resolution', '{principal}', 'delivered', 'It is there after all'); UPDATE sends SET status = 'failed' WHERE id = '{send}'`,
		code: "SO006", says: "nothing proves", hint: "Record a proof",
	},
	{
		name: "failed beside a confirmation", in: rule.Started, sql: confirmation + `; ` + toFailed,
		code: "SO006", says: "there is evidence that send", hint: "Move it to sent",
	},
	{
		name: "failed beside a delivery", in: rule.Started, sql: deliver + `; ` + toFailed,
		code: "SO006", says: "there is evidence that send", hint: "Move it to sent",
	},
	{name: "resolution by nobody", in: rule.Unconfirmed, sql: `INSERT INTO evidence (workspace_id, send_id, kind, outcome, note)
		VALUES ('{workspace}', '{send}', 'resolution', 'not_delivered', 'Looked')`, code: "23514", says: "resolution_names_a_person"},
	{name: "proof of no attempt", in: rule.Unconfirmed, sql: `INSERT INTO evidence (workspace_id, send_id, kind, outcome)
		VALUES ('{workspace}', '{send}', 'proof', 'refused_by_provider')`, code: "23514", says: "proof_names_its_attempt"},
	{name: "evidence back-dated", in: rule.Unconfirmed, sql: `INSERT INTO evidence (workspace_id, send_id, kind, outcome, received_at)
		VALUES ('{workspace}', '{send}', 'confirmation', 'confirmed', now() - interval '1 day')`, code: denied, says: "permission denied"},
	{name: "evidence in another workspace", in: rule.Started, sql: `WITH w AS (INSERT INTO workspaces (name) VALUES ('Other') RETURNING id)
		INSERT INTO evidence (workspace_id, send_id, kind, outcome) SELECT id, '{send}', 'report', 'no_answer' FROM w`, code: "23503", says: "evidence_workspace_id_send_id_fkey"},
	{name: "delivery of another message", in: rule.Started, sql: `INSERT INTO deliveries (workspace_id, account_id, provider_id, message_id, send_id)
		VALUES ('{workspace}', '{account}', '{copy}', '{spare}', '{send}')`, code: "SO001", says: "a delivery belongs", hint: "Copy workspace_id"},
	{name: "a copy seen by another message's send", in: rule.Started, before: deliver, sql: `INSERT INTO delivery_sends (delivery_id, send_id)
		SELECT id, '{stranger}' FROM deliveries WHERE provider_id = '{copy}'`, code: "SO001", says: "a delivery of another message", hint: "own message"},
}

func resolutionOf(acceptUnseen string) string {
	return `INSERT INTO evidence (workspace_id, send_id, kind, principal_id, outcome, note, accept_unseen)
		VALUES ('{workspace}', '{send}', 'resolution', '{principal}', 'not_delivered', 'Looked at the thread', ` + acceptUnseen + `)`
}

// ledgerAttacks rewrite or remove what happened.
var ledgerAttacks = []attack{
	{name: "DELETE", in: rule.Started, sql: `DELETE FROM sends WHERE id = '{send}'`, code: "SO008", says: "sends is kept for ever: delete", hint: "Add a row"},
	{
		name: "DELETE by MERGE", in: rule.Started, sql: `MERGE INTO sends USING (VALUES ('{send}'::uuid)) AS v (id) ON sends.id = v.id WHEN MATCHED THEN DELETE`,
		code: "SO008", says: "sends is kept for ever: delete", hint: "Add a row",
	},
	{name: "TRUNCATE", in: rule.Started, sql: `TRUNCATE sends CASCADE`, code: denied, says: "permission denied"},
	{name: "TRUNCATE with what refers to it", in: rule.Started, sql: `TRUNCATE sends, evidence, deliveries, delivery_sends, send_events, account_slots, bulk_items, checks`, code: denied, says: "permission denied"},
	{name: "TRUNCATE from messages", in: rule.Started, sql: `TRUNCATE messages CASCADE`, code: denied, says: "permission denied"},
	{name: "TRUNCATE of the history", in: rule.Started, sql: `TRUNCATE send_events`, code: "SO008", says: "send_events is kept for ever: truncate", hint: "Add a row"},
	{name: "TRUNCATE of evidence", in: rule.Started, sql: `TRUNCATE evidence`, code: "SO008", says: "evidence is kept for ever: truncate", hint: "Add a row"},
	{name: "TRUNCATE of who saw a delivery", in: rule.Started, sql: `TRUNCATE delivery_sends`, code: "SO008", says: "delivery_sends is kept for ever: truncate", hint: "Add a row"},
	{name: "TRUNCATE of deliveries", in: rule.Started, sql: `TRUNCATE deliveries`, code: "0A000", says: "cannot truncate a table referenced"},
	{name: "TRUNCATE of versions", in: rule.Started, sql: `TRUNCATE message_versions`, code: "0A000", says: "cannot truncate a table referenced"},
	{name: "TRUNCATE of approvals", in: rule.Started, sql: `TRUNCATE approvals`, code: "0A000", says: "cannot truncate a table referenced"},
	{name: "TRUNCATE of messages", in: rule.Started, sql: `TRUNCATE messages`, code: "0A000", says: "cannot truncate a table referenced"},
	{name: "evidence rewritten", in: rule.Sent, sql: `UPDATE evidence SET outcome = 'other' WHERE send_id = '{send}'`, code: "SO008", says: "evidence is kept for ever: update", hint: "Add a row"},
	{name: "evidence removed", in: rule.Sent, sql: `DELETE FROM evidence WHERE send_id = '{send}'`, code: "SO008", says: "evidence is kept for ever: delete", hint: "Add a row"},
	{name: "delivery rewritten", in: rule.Started, before: deliver, sql: `UPDATE deliveries SET provider_id = 'other' WHERE send_id = '{send}'`, code: "SO008", says: "deliveries is kept for ever: update", hint: "Add a row"},
	{name: "delivery removed", in: rule.Started, before: deliver, sql: `DELETE FROM deliveries WHERE send_id = '{send}'`, code: "SO008", says: "deliveries is kept for ever: delete", hint: "Add a row"},
	{name: "who saw a delivery removed", in: rule.Started, before: deliver, sql: `DELETE FROM delivery_sends WHERE send_id = '{send}'`, code: "SO008", says: "delivery_sends is kept for ever: delete", hint: "Add a row"},
	{name: "history rewritten", in: rule.Started, sql: `UPDATE send_events SET actor = 'operator' WHERE send_id = '{send}'`, code: "SO008", says: "send_events is kept for ever: update", hint: "Add a row"},
	{name: "history removed", in: rule.Started, sql: `DELETE FROM send_events WHERE send_id = '{send}'`, code: "SO008", says: "send_events is kept for ever: delete", hint: "Add a row"},
	{name: "history forged", in: rule.Started, sql: `INSERT INTO send_events (id, workspace_id, send_id, message_id, at, to_status, actor, written_by)
		VALUES (0, '{workspace}', '{send}', '{message}', now(), 'sent', 'sender', 'server')`, code: denied, says: "permission denied"},
	{name: "version rewritten", in: rule.Queued, sql: `UPDATE message_versions SET body = 'Other words' WHERE message_id = '{message}'`, code: "SO008", says: "message_versions is kept for ever: update", hint: "Add a row"},
	{name: "version removed", in: rule.Queued, sql: `DELETE FROM message_versions WHERE message_id = '{message}'`, code: "SO008", says: "message_versions is kept for ever: delete", hint: "Add a row"},
	{name: "message removed", in: rule.Queued, sql: `DELETE FROM messages WHERE id = '{message}'`, code: "SO008", says: "messages is kept for ever: delete", hint: "Add a row"},
	{name: "approval removed", in: rule.Queued, sql: `DELETE FROM approvals WHERE id = '{approval}'`, code: "SO008", says: "approvals is kept for ever: delete", hint: "Add a row"},
}

// Goal: what the clock decides is decided by the database's clock, read when the row is held.
func TestAttacksByTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	early := attack{code: "SO006", says: "too early", hint: "Look again after"}
	fail := `UPDATE sends SET status = 'failed', code = 'resolved_not_delivered' WHERE id = '{send}'`

	_, late := w.sendIn(t, rule.Leased)
	_, looked := w.sendIn(t, rule.Unconfirmed)
	_, unseen := w.sendIn(t, rule.Unconfirmed)
	_, slept := w.sendIn(t, rule.Unconfirmed)
	_, sleptLong := w.sendIn(t, rule.Unconfirmed)
	w.run(t, looked, gone, resolutionOf("false"))
	w.run(t, unseen, resolutionOf("true"))

	w.forward(t, time.Minute+time.Second)
	requireRefused(t, attack{code: "SO004", says: "ran out at", hint: "lease it again"}, simply(t, w.hand, w.fill(toStarted, late)))

	// Deadline and grace have passed since, but the look was before: what a person saw then proves nothing.
	w.forward(t, 17*time.Minute)
	requireRefused(t, early, simply(t, w.hand, w.fill(fail, looked)))
	w.run(t, looked, resolutionOf("false"), fail)

	// A tab that closed after that may have sent just before: the grace counts from then.
	w.run(t, slept, gone, resolutionOf("true"))
	requireRefused(t, early, simply(t, w.hand, w.fill(fail, slept)))

	// Without "gone", not even a look after the grace counts, unless it is a day later and says so.
	w.run(t, unseen, resolutionOf("true"))
	requireRefused(t, early, simply(t, w.hand, w.fill(fail, unseen)))
	w.forward(t, 24*time.Hour)
	w.run(t, unseen, resolutionOf("false"))
	requireRefused(t, early, simply(t, w.hand, w.fill(fail, unseen)))
	w.run(t, unseen, resolutionOf("true"), fail)
	w.run(t, slept, resolutionOf("false"), fail)

	// A tab that closes a day later makes nobody wait who could say so before.
	w.run(t, sleptLong, gone, resolutionOf("false"))
	requireRefused(t, early, simply(t, w.hand, w.fill(fail, sleptLong)))
	w.run(t, sleptLong, resolutionOf("true"), fail)
}
