package postgres_test

import "sendonce/server/rule"

const (
	hintRetry = "retry its message: that makes a new send"
	// denied is Postgres' own refusal of a role that lacks a privilege.
	denied = "42501"
)

// writerAttacks put a started send back in the queue by every way in which SQL can write.
var writerAttacks = []attack{
	{
		name: "UPDATE", in: rule.Started, sql: `UPDATE sends SET status = 'queued' WHERE id = '{send}'`,
		code: "SO002", says: "may not go from started to queued", hint: hintRetry,
	},
	{name: "UPDATE that clears the start as well", in: rule.Started, sql: `UPDATE sends SET status = 'queued', started_at = NULL,
		attempt = NULL, deadline_at = NULL, lease_token = NULL, lease_holder = NULL, leased_at = NULL, lease_expires_at = NULL
		WHERE id = '{send}'`, code: "SO002", says: "may not go from started to queued", hint: hintRetry},
	{
		name: "UPDATE FROM", in: rule.Unconfirmed, sql: `UPDATE sends SET status = v.s FROM (VALUES ('queued')) AS v (s) WHERE id = '{send}'`,
		code: "SO002", says: "may not go from unconfirmed to queued", hint: hintRetry,
	},
	{name: "MERGE", in: rule.Started, sql: `MERGE INTO sends USING (VALUES ('{send}'::uuid)) AS v (id) ON sends.id = v.id
		WHEN MATCHED THEN UPDATE SET status = 'queued'`, code: "SO002", says: "may not go from started to queued", hint: hintRetry},
	{
		name: "CTE", in: rule.Failed, sql: `WITH moved AS (UPDATE sends SET status = 'queued' WHERE id = '{send}' RETURNING id) SELECT * FROM moved`,
		code: "SO002", says: "may not go from failed to queued", hint: hintRetry,
	},
	{
		name: "temporary view", in: rule.Started, sql: `CREATE TEMP VIEW mine AS SELECT * FROM sends; UPDATE mine SET status = 'queued' WHERE id = '{send}'`,
		code: "SO002", says: "may not go from started to queued", hint: hintRetry,
	},
	{name: "ON CONFLICT DO UPDATE", in: rule.Started, sql: `INSERT INTO sends (id, workspace_id, message_id, account_id, person_id, ordinal, version, digest, text_hash, approval_id)
		VALUES ('{send}', '{workspace}', '{spare}', '{account}', '{person}', 1, 1, '{spare_digest}', '{spare_hash}', '{spare_approval}')
		ON CONFLICT (id) DO UPDATE SET status = 'queued'`, code: "SO002", says: "may not go from started to queued", hint: hintRetry},
	{
		name: "COPY", in: rule.Started, sql: "COPY sends (workspace_id, message_id, account_id, person_id, ordinal, version, digest, text_hash, approval_id, status, started_at) FROM STDIN\\copy-rows\n" +
			"{workspace}\t{spare}\t{account}\t{person}\t1\t1\t{spare_digest}\t\\\\x00\t{spare_approval}\tstarted\t2026-01-01\n",
		code: "SO001", says: "born queued and bare", hint: "moves step by step",
	},
	{
		name: "function in pg_temp", in: rule.Started, sql: `CREATE FUNCTION pg_temp.requeue(uuid) RETURNS void LANGUAGE sql AS
		'UPDATE public.sends SET status = ''queued'' WHERE id = $1'; SELECT pg_temp.requeue('{send}')`,
		code: "SO002", says: "may not go from started to queued", hint: hintRetry,
	},
	{name: "two steps in one transaction", in: rule.Unconfirmed, sql: `BEGIN; UPDATE sends SET gone_at = sendonce_now() WHERE id = '{send}';
		UPDATE sends SET status = 'leased' WHERE id = '{send}'; COMMIT`, code: "SO002", says: "may not go from unconfirmed to leased", hint: hintRetry},
}

// moveAttacks are moves that do not exist, or that lack what they need.
var moveAttacks = []attack{
	{
		name: "sent to queued", in: rule.Sent, sql: `UPDATE sends SET status = 'queued' WHERE id = '{send}'`,
		code: "SO002", says: "may not go from sent to queued", hint: hintRetry,
	},
	{
		name: "sent to failed", in: rule.Sent, sql: proof + `; UPDATE sends SET status = 'failed' WHERE id = '{send}'`,
		code: "SO002", says: "may not go from sent to failed", hint: "send_moves",
	},
	{
		name: "canceled to queued", in: rule.Canceled, sql: `UPDATE sends SET status = 'queued' WHERE id = '{send}'`,
		code: "SO002", says: "may not go from canceled to queued", hint: hintRetry,
	},
	{name: "queued to started", in: rule.Queued, sql: toStarted, code: "SO002", says: "may not go from queued to started", hint: "send_moves"},
	{name: "started to canceled", in: rule.Started, sql: toCanceled, code: "SO002", says: "may not go from started to canceled", hint: "send_moves"},
	{
		name: "unknown status", in: rule.Queued, sql: `UPDATE sends SET status = 'doubtful' WHERE id = '{send}'`,
		code: "SO002", says: "may not go from queued to doubtful", hint: "send_moves",
	},
	{name: "no status", in: rule.Queued, sql: `UPDATE sends SET status = NULL WHERE id = '{send}'`, code: "23502", says: "status"},
	{name: "lease without a holder", in: rule.Queued, sql: `UPDATE sends SET status = 'leased', lease_token = gen_random_uuid(),
		lease_expires_at = sendonce_now() + interval '1 minute' WHERE id = '{send}'`, code: "SO004", says: "needs a token, a holder and an end", hint: "Set lease_token"},
	{name: "lease for an hour", in: rule.Queued, sql: `UPDATE sends SET status = 'leased', lease_token = gen_random_uuid(), lease_holder = '{install}',
		lease_expires_at = sendonce_now() + interval '1 hour' WHERE id = '{send}'`, code: "SO004", says: "needs a token, a holder and an end", hint: "at most 10 minutes"},
	{
		name: "start without attempt", in: rule.Leased, sql: `UPDATE sends SET status = 'started', deadline_at = sendonce_now() + interval '6 minutes' WHERE id = '{send}'`,
		code: "SO004", says: "names its attempt", hint: "Set attempt",
	},
	{
		name: "start without deadline", in: rule.Leased, sql: `UPDATE sends SET status = 'started', attempt = 'attempt-0123456789' WHERE id = '{send}'`,
		code: "SO004", says: "names its attempt and its deadline", hint: "deadline_at",
	},
	{
		name: "start and gone at once", in: rule.Leased, sql: `UPDATE sends SET status = 'started', attempt = 'attempt-0123456789',
		deadline_at = sendonce_now() + interval '6 minutes', gone_at = sendonce_now() WHERE id = '{send}'`,
		code: "SO004", says: "gone is written once, after its start", hint: "Set gone_at",
	},
	{
		name: "start with synchronous_commit off", in: rule.Leased, sql: `SET synchronous_commit = off; ` + toStarted,
		code: "SO010", says: "synchronous_commit is off", hint: "SET LOCAL synchronous_commit = on",
	},
	{
		name: "start with synchronous_commit local", in: rule.Leased, sql: `SET synchronous_commit = local; ` + toStarted,
		code: "SO010", says: "synchronous_commit is local", hint: "SET LOCAL synchronous_commit = on",
	},
	{
		name: "requeue after another code", in: rule.Failed, sql: `UPDATE sends SET requeue_at = sendonce_now() WHERE id = '{send}'`,
		code: "23514", says: "requeued_by_code",
	},
}

// birthAttacks insert what may not be born.
var birthAttacks = []attack{
	{
		name: "born started", in: rule.Queued, sql: `INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, version, digest, text_hash, approval_id, status, started_at, attempt)
		VALUES ('{workspace}', '{spare}', '{account}', '{person}', 1, 1, '{spare_digest}', '{spare_hash}', '{spare_approval}', 'started', now(), 'attempt-0123456789')`,
		code: "SO001", says: "born queued and bare", hint: "moves step by step",
	},
	{
		name: "born sent", in: rule.Queued, sql: `INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, version, digest, text_hash, approval_id, status, confirmed_by)
		VALUES ('{workspace}', '{spare}', '{account}', '{person}', 1, 1, '{spare_digest}', '{spare_hash}', '{spare_approval}', 'sent', 1)`,
		code: "SO001", says: "born queued and bare", hint: "moves step by step",
	},
	{
		name: "born vacated", in: rule.Queued, sql: `INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, version, digest, text_hash, approval_id, vacated_at)
		VALUES ('{workspace}', '{spare}', '{account}', '{person}', 1, 1, '{spare_digest}', '{spare_hash}', '{spare_approval}', now())`,
		code: "SO001", says: "born queued and bare", hint: "moves step by step",
	},
	{
		name: "for another person", in: rule.Queued, sql: `INSERT INTO people (workspace_id) VALUES ('{workspace}');
		INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, version, digest, text_hash, approval_id)
		SELECT '{workspace}', '{spare}', '{account}', id, 1, 1, '{spare_digest}', '{spare_hash}', '{spare_approval}' FROM people WHERE name = '' LIMIT 1`,
		code: "SO001", says: "its message's person", hint: "from the message",
	},
	{
		name: "bytes of another approval", in: rule.Queued, sql: birth("1", "NULL", "{spare}", "{approval}", "{digest}", "{hash}"),
		code: "SO001", says: "bytes of a standing approval", hint: "Copy version",
	},
	{
		name: "another digest than approved", in: rule.Queued, sql: birth("1", "NULL", "{spare}", "{spare_approval}", "{digest}", "{spare_hash}"),
		code: "SO001", says: "bytes of a standing approval", hint: "Copy version",
	},
	{
		name: "another text hash than approved", in: rule.Queued, sql: birth("1", "NULL", "{spare}", "{spare_approval}", "{spare_digest}", "{hash}"),
		code: "SO001", says: "bytes of a standing approval", hint: "Copy version",
	},
	{name: "a voided approval", in: rule.Queued, sql: `UPDATE approvals SET voided_at = sendonce_now(), void_reason = 'edited' WHERE id = '{spare_approval}';` +
		birth("1", "NULL", "{spare}", "{spare_approval}", "{spare_digest}", "{spare_hash}"), code: "SO001", says: "bytes of a standing approval", hint: "Copy version"},
	{name: "sibling of queued", in: rule.Queued, sql: sibling, code: "SO009", says: "already has a live send", hint: "Wait for its end"},
	{name: "sibling of leased", in: rule.Leased, sql: sibling, code: "SO009", says: "already has a live send", hint: "Wait for its end"},
	{name: "sibling of started", in: rule.Started, sql: sibling, code: "SO009", says: "already has a live send", hint: "Wait for its end"},
	{name: "sibling of unconfirmed", in: rule.Unconfirmed, sql: sibling, code: "SO009", says: "already has a live send", hint: "resolve it first"},
	{name: "sibling of sent", in: rule.Sent, sql: sibling, code: "SO009", says: "already delivered", hint: "a new message that a person approves"},
	{name: "sibling after a late confirmation", in: rule.Failed, before: toSent, sql: sibling, code: "SO009", says: "already delivered", hint: "new message"},
	{name: "sibling beside a delivery of a failed send", in: rule.Failed, before: deliver, sql: sibling, code: "SO009", says: "already delivered", hint: "new message"},
	{
		name: "first send again", in: rule.Failed, sql: birth("1", "NULL", "{message}", "{approval}", "{digest}", "{hash}"),
		code: "SO001", says: "is ordinal 2 and names", hint: "Only the latest send",
	},
	{
		name: "retry that skips a number", in: rule.Failed, sql: birth("3", "'{send}'", "{message}", "{approval}", "{digest}", "{hash}"),
		code: "SO001", says: "is ordinal 2 and names", hint: "Only the latest send",
	},
	{
		name: "retry of another message's send", in: rule.Failed, sql: birth("2", "'{stranger}'", "{message}", "{approval}", "{digest}", "{hash}"),
		code: "SO001", says: "is ordinal 2 and names", hint: "Only the latest send",
	},
	{
		name: "first send with retry_of", in: rule.Failed, sql: birth("1", "'{send}'", "{spare}", "{spare_approval}", "{spare_digest}", "{spare_hash}"),
		code: "SO001", says: "ordinal 1 and no retry_of", hint: "ordinal 1",
	},
}

var sibling = birth("2", "'{send}'", "{message}", "{approval}", "{digest}", "{hash}")

func birth(ordinal, retryOf, message, approval, digest, hash string) string {
	return `INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, retry_of, version, digest, text_hash, approval_id)
		VALUES ('{workspace}', '` + message + `', '{account}', '{person}', ` + ordinal + `, ` + retryOf + `, 1, '` + digest + `', '` + hash + `', '` + approval + `')`
}
