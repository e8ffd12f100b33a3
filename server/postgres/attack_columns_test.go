package postgres_test

import "sendonce/server/rule"

// columnAttacks change what a send is, when it happened or who holds it.
var columnAttacks = []attack{
	{
		name: "another id", in: rule.Started, sql: `UPDATE sends SET id = gen_random_uuid() WHERE id = '{send}'`,
		code: "SO003", says: "is frozen", hint: "a different intent is a new message",
	},
	{
		name: "another message", in: rule.Queued, sql: `UPDATE sends SET message_id = '{spare}' WHERE id = '{send}'`,
		code: "SO003", says: "is frozen", hint: "new message",
	},
	{
		name: "another ordinal", in: rule.Queued, sql: `UPDATE sends SET ordinal = 7 WHERE id = '{send}'`,
		code: "SO003", says: "is frozen", hint: "new message",
	},
	{
		name: "another retry_of", in: rule.Queued, sql: `UPDATE sends SET retry_of = '{stranger}' WHERE id = '{send}'`,
		code: "SO003", says: "is frozen", hint: "new message",
	},
	{
		name: "another digest", in: rule.Leased, sql: `UPDATE sends SET digest = '{spare_digest}' WHERE id = '{send}'`,
		code: "SO003", says: "is frozen", hint: "new message",
	},
	{
		name: "another text hash", in: rule.Leased, sql: `UPDATE sends SET text_hash = '{spare_hash}' WHERE id = '{send}'`,
		code: "SO003", says: "is frozen", hint: "new message",
	},
	{
		name: "another approval", in: rule.Queued, sql: `UPDATE sends SET approval_id = '{spare_approval}' WHERE id = '{send}'`,
		code: "SO003", says: "is frozen", hint: "new message",
	},
	{
		name: "another version", in: rule.Queued, sql: `UPDATE sends SET version = 2 WHERE id = '{send}'`,
		code: "SO003", says: "is frozen", hint: "new message",
	},
	{
		name: "another account", in: rule.Queued, sql: `UPDATE sends SET account_id = gen_random_uuid() WHERE id = '{send}'`,
		code: "SO003", says: "is frozen", hint: "new message",
	},
	{
		name: "another person", in: rule.Queued, sql: `UPDATE sends SET person_id = gen_random_uuid() WHERE id = '{send}'`,
		code: "SO003", says: "is frozen", hint: "new message",
	},
	{
		name: "another workspace", in: rule.Queued, sql: `UPDATE sends SET workspace_id = gen_random_uuid() WHERE id = '{send}'`,
		code: "SO003", says: "is frozen", hint: "new message",
	},
	{
		name: "another birth", in: rule.Queued, sql: `UPDATE sends SET created_at = '2020-01-01' WHERE id = '{send}'`,
		code: "SO005", says: "stamped by the database", hint: "Change the status alone",
	},
	{
		name: "a message to another person", in: rule.Queued, sql: `UPDATE messages SET person_id = gen_random_uuid() WHERE id = '{message}'`,
		code: "SO003", says: "what a row of messages is, is frozen", hint: "is a new message",
	},
	{
		name: "delivered_at of a message cleared", in: rule.Failed, before: toSent, sql: `UPDATE messages SET delivered_at = NULL WHERE id = '{message}'`,
		code: "SO003", says: "what a row of messages is, is frozen", hint: "is a new message",
	},
	{
		name: "an approval of other bytes", in: rule.Queued, sql: `UPDATE approvals SET digest = '{spare_digest}' WHERE id = '{approval}'`,
		code: "SO003", says: "what a row of approvals is, is frozen", hint: "Void the approval",
	},
	{
		name: "an approval for longer", in: rule.Queued, sql: `UPDATE approvals SET expires_at = expires_at + interval '1 year' WHERE id = '{approval}'`,
		code: "SO003", says: "what a row of approvals is, is frozen", hint: "Void the approval",
	},
	{
		name: "a void taken back", in: rule.Queued, before: `UPDATE approvals SET voided_at = sendonce_now(), void_reason = 'edited' WHERE id = '{approval}'`,
		sql:  `UPDATE approvals SET voided_at = NULL, void_reason = NULL WHERE id = '{approval}'`,
		code: "SO003", says: "what a row of approvals is, is frozen", hint: "Void the approval",
	},
	{name: "an approval of a digest that its version lacks", in: rule.Queued, sql: `INSERT INTO approvals (message_id, version, digest, approver, voided_at, void_reason, expires_at)
		VALUES ('{message}', 1, '{spare_digest}', '{principal}', now(), 'other', now())`, code: "23503", says: "approvals_message_id_version_digest_fkey"},
	{name: "a message of another channel than its account", in: rule.Queued, sql: `INSERT INTO messages (workspace_id, account_id, person_id, channel, purpose, purpose_key, version, authority, created_by)
		VALUES ('{workspace}', '{account}', '{person}', 'email', 'first contact', 'first contact', 1, 'draft', '{principal}')`, code: "23503", says: "messages_workspace_id_account_id_channel_fkey"},

	{
		name: "lease extended", in: rule.Leased, sql: `UPDATE sends SET lease_expires_at = lease_expires_at + interval '1 minute' WHERE id = '{send}'`,
		code: "SO004", says: "may not be changed, moved or extended", hint: "lease it again",
	},
	{
		name: "lease extended with its start", in: rule.Leased, sql: `UPDATE sends SET status = 'started', attempt = 'attempt-0123456789',
		deadline_at = sendonce_now() + interval '6 minutes', lease_expires_at = lease_expires_at + interval '1 minute' WHERE id = '{send}'`,
		code: "SO004", says: "may not be changed, moved or extended", hint: "lease it again",
	},
	{
		name: "lease moved to another holder", in: rule.Leased, sql: `INSERT INTO installs (id, workspace_id, principal_id, secret_hash)
		VALUES (gen_random_uuid(), '{workspace}', '{principal}', '{send8}'); UPDATE sends SET lease_holder =
		(SELECT id FROM installs WHERE id <> '{install}' LIMIT 1) WHERE id = '{send}'`,
		code: "SO004", says: "may not be changed, moved or extended", hint: "lease it again",
	},
	{
		name: "lease token changed", in: rule.Started, sql: `UPDATE sends SET lease_token = gen_random_uuid() WHERE id = '{send}'`,
		code: "SO004", says: "may not be changed, moved or extended", hint: "lease it again",
	},
	{
		name: "lease back-dated before a start", in: rule.Leased, sql: `UPDATE sends SET leased_at = leased_at - interval '1 hour' WHERE id = '{send}'`,
		code: "SO005", says: "stamped by the database", hint: "Change the status alone",
	},
	{
		name: "a queued send with a lease", in: rule.Queued, sql: `UPDATE sends SET lease_token = gen_random_uuid() WHERE id = '{send}'`,
		code: "SO004", says: "may not be changed, moved or extended", hint: "lease it again",
	},
	{
		name: "another attempt", in: rule.Started, sql: `UPDATE sends SET attempt = 'another-attempt-0123' WHERE id = '{send}'`,
		code: "SO004", says: "written once, by its start", hint: "with the move from leased to started",
	},
	{
		name: "another deadline", in: rule.Started, sql: `UPDATE sends SET deadline_at = deadline_at - interval '5 minutes' WHERE id = '{send}'`,
		code: "SO004", says: "written once, by its start", hint: "with the move from leased to started",
	},
	{name: "gone before the start", in: rule.Leased, sql: gone, code: "SO004", says: "gone is written once, after its start", hint: "Set gone_at"},
	{
		name: "gone taken back", in: rule.Started, before: gone, sql: `UPDATE sends SET gone_at = NULL WHERE id = '{send}'`,
		code: "SO004", says: "gone is written once, after its start", hint: "Set gone_at",
	},
	{
		name: "started_at by hand", in: rule.Leased, sql: `UPDATE sends SET started_at = sendonce_now() WHERE id = '{send}'`,
		code: "SO005", says: "stamped by the database", hint: "Change the status alone",
	},
	{
		name: "started_at back-dated", in: rule.Started, sql: `UPDATE sends SET started_at = started_at - interval '1 hour' WHERE id = '{send}'`,
		code: "SO005", says: "stamped by the database", hint: "Change the status alone",
	},
	{
		name: "started_at cleared", in: rule.Started, sql: `UPDATE sends SET started_at = NULL WHERE id = '{send}'`,
		code: "SO005", says: "stamped by the database", hint: "Change the status alone",
	},
	{
		name: "a start back-dated with its move", in: rule.Leased, sql: `UPDATE sends SET status = 'started', attempt = 'attempt-0123456789',
		deadline_at = sendonce_now() + interval '6 minutes', started_at = sendonce_now() - interval '1 hour' WHERE id = '{send}'`,
		code: "SO005", says: "stamped by the database", hint: "Change the status alone",
	},
	{
		name: "ended_at by hand", in: rule.Started, sql: `UPDATE sends SET ended_at = sendonce_now() WHERE id = '{send}'`,
		code: "SO005", says: "stamped by the database", hint: "Change the status alone",
	},
	{
		name: "vacated_at of a sent send", in: rule.Sent, sql: `UPDATE sends SET vacated_at = sendonce_now() WHERE id = '{send}'`,
		code: "SO005", says: "stamped by the database", hint: "Change the status alone",
	},
	{
		name: "vacated_at cleared", in: rule.Failed, sql: `UPDATE sends SET vacated_at = NULL WHERE id = '{send}'`,
		code: "SO005", says: "stamped by the database", hint: "Change the status alone",
	},
	{name: "vacated_at with a confirmation", in: rule.Started, sql: confirmation + `; UPDATE sends SET status = 'sent', vacated_at = sendonce_now(),
		confirmed_by = (SELECT max(id) FROM evidence) WHERE id = '{send}'`, code: "SO005", says: "stamped by the database", hint: "Change the status alone"},
	{
		name: "the history's number by hand", in: rule.Started, sql: `UPDATE sends SET last_event_id = 1 WHERE id = '{send}'`,
		code: "SO005", says: "stamped by the database", hint: "Change the status alone",
	},
	{
		name: "code rewritten", in: rule.Failed, sql: `UPDATE sends SET code = 'rate_limited' WHERE id = '{send}'`,
		code: "SO003", says: "outcome of send", hint: "only together with the status",
	},
	{
		name: "reason rewritten", in: rule.Failed, sql: `UPDATE sends SET reason = 'replied' WHERE id = '{send}'`,
		code: "SO003", says: "outcome of send", hint: "only together with the status",
	},
	{
		name: "confirmed_by rewritten", in: rule.Sent, before: confirmation, sql: `UPDATE sends SET confirmed_by = (SELECT max(id) FROM evidence WHERE send_id = '{send}') WHERE id = '{send}'`,
		code: "SO007", says: "written once", hint: "another row of evidence",
	},
	{
		name: "confirmed_by without the move", in: rule.Started, before: confirmation, sql: `UPDATE sends SET confirmed_by = (SELECT max(id) FROM evidence WHERE send_id = '{send}') WHERE id = '{send}'`,
		code: "SO007", says: "with the move to sent", hint: "another row of evidence",
	},
}
