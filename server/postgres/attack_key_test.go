package postgres_test

import "sendonce/server/rule"

// keyIsAnswered is a key of its own for each target, with an answer.
const keyIsAnswered = `INSERT INTO idempotency_keys (workspace_id, principal_id, route, key, payload_hash, object_id, answer_status, answer_body)
	VALUES ('{workspace}', '{principal}', 'POST /v1/messages', '{message}', 'asked', '{message}', 201, '{}')`

const keyIsForgotten = keyIsAnswered + `; UPDATE idempotency_keys SET answer_body = NULL, forgotten_at = sendonce_now() WHERE key = '{message}'`

// keyAttacks let a request be done twice, or replay what was not answered.
var keyAttacks = []attack{
	{
		name: "key removed", in: rule.Queued, before: keyIsAnswered, sql: `DELETE FROM idempotency_keys WHERE key = '{message}'`,
		code: "SO008", says: "idempotency_keys is kept for ever: delete", hint: "Add a row",
	},
	{
		name: "TRUNCATE of keys", in: rule.Queued, before: keyIsAnswered, sql: `TRUNCATE idempotency_keys`,
		code: "SO008", says: "idempotency_keys is kept for ever: truncate", hint: "Add a row",
	},
	{
		name: "key of another request", in: rule.Queued, before: keyIsAnswered, sql: `UPDATE idempotency_keys SET payload_hash = 'other' WHERE key = '{message}'`,
		code: "SO003", says: "is frozen", hint: "another key",
	},
	{
		name: "key set free by another name", in: rule.Queued, before: keyIsAnswered, sql: `UPDATE idempotency_keys SET key = 'free' WHERE key = '{message}'`,
		code: "SO003", says: "is frozen", hint: "another key",
	},
	{
		name: "key of another object", in: rule.Queued, before: keyIsAnswered, sql: `UPDATE idempotency_keys SET object_id = gen_random_uuid() WHERE key = '{message}'`,
		code: "SO003", says: "is frozen", hint: "another key",
	},
	{
		name: "answer rewritten", in: rule.Queued, before: keyIsAnswered, sql: `UPDATE idempotency_keys SET answer_body = '{"id":1}' WHERE key = '{message}'`,
		code: "SO003", says: "is frozen", hint: "written once",
	},
	{
		name: "answer lost", in: rule.Queued, before: keyIsAnswered, sql: `UPDATE idempotency_keys SET answer_body = NULL WHERE key = '{message}'`,
		code: "SO003", says: "is frozen", hint: "may be forgotten",
	},
	{
		name: "answer made up later", in: rule.Queued, before: keyIsForgotten,
		sql:  `UPDATE idempotency_keys SET answer_body = '{}', forgotten_at = NULL WHERE key = '{message}'`,
		code: "SO003", says: "is frozen", hint: "may be forgotten",
	},
	{
		name: "key forgotten with its answer", in: rule.Queued, before: keyIsAnswered, sql: `UPDATE idempotency_keys SET forgotten_at = sendonce_now() WHERE key = '{message}'`,
		code: "23514", says: "forgotten_answer_is_gone",
	},
}
