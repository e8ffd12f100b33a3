package postgres_test

import "sendonce/server/rule"

// closing is legal for a message whose send has ended.
const closing = `UPDATE messages SET closed_at = sendonce_now(), closed_by = '{principal}', closed_why = 'the place is taken' WHERE id = '{message}'`

const secondVersion = `INSERT INTO message_versions (message_id, version, body, digest, text_hash, created_by)
	SELECT message_id, 2, body, digest, text_hash, created_by FROM message_versions WHERE message_id = '{message}';
	UPDATE messages SET version = 2 WHERE id = '{message}'`

// messageAttacks change what a message is, take back what is final, or let go out what may not.
var messageAttacks = []attack{
	{
		name: "a message of another task", in: rule.Queued, sql: `UPDATE messages SET task = 'another' WHERE id = '{message}'`,
		code: "SO003", says: "what a row of messages is, is frozen", hint: "is a new message",
	},
	{
		name: "a message for another purpose by its key", in: rule.Queued, sql: `UPDATE messages SET purpose_key = 'another' WHERE id = '{message}'`,
		code: "SO003", says: "is frozen", hint: "new message",
	},
	{
		name: "an older version made the current one", in: rule.Canceled, before: secondVersion, sql: `UPDATE messages SET version = 1 WHERE id = '{message}'`,
		code: "SO003", says: "what a row of messages is, is frozen", hint: "is a new message",
	},
	{
		name: "a withdrawal taken back", in: rule.Canceled, before: `UPDATE messages SET authority = 'withdrawn' WHERE id = '{message}'`,
		sql:  `UPDATE messages SET authority = 'approved' WHERE id = '{message}'`,
		code: "SO012", says: "was withdrawn, which is for good", hint: "Propose a new message",
	},
	{
		name: "a closing taken back", in: rule.Failed, before: closing,
		sql:  `UPDATE messages SET closed_at = NULL, closed_by = NULL, closed_why = NULL WHERE id = '{message}'`,
		code: "SO012", says: "was closed, which is for good", hint: "Propose a new message",
	},
	{
		name: "a closing in other words", in: rule.Sent, before: closing, sql: `UPDATE messages SET closed_why = 'other' WHERE id = '{message}'`,
		code: "SO012", says: "was closed, which is for good", hint: "Propose a new message",
	},
	{
		name: "a closing beside a queued send", in: rule.Queued, sql: closing,
		code: "SO012", says: "which is queued", hint: "Cancel it first",
	},
	{
		name: "a closing beside a leased send", in: rule.Leased, sql: closing,
		code: "SO012", says: "which is leased", hint: "Cancel it first",
	},
	{
		name: "a closing beside a started send", in: rule.Started, sql: closing,
		code: "SO012", says: "which is started", hint: "wait for its end",
	},
	{name: "a closing by nobody", in: rule.Failed, sql: `UPDATE messages SET closed_at = now(), closed_why = 'x' WHERE id = '{message}'`, code: "23514", says: "closing_says_who_and_why"},
	{
		name: "a retry of a closed message", in: rule.Failed, before: closing,
		sql:  birth("2", "'{send}'", "{message}", "{approval}", "{digest}", "{hash}"),
		code: "SO012", says: "is closed: it begins nothing more", hint: "Propose a new message",
	},
	{
		name: "a retry of a withdrawn message", in: rule.Failed, before: `UPDATE messages SET authority = 'withdrawn' WHERE id = '{message}'`,
		sql:  birth("2", "'{send}'", "{message}", "{approval}", "{digest}", "{hash}"),
		code: "SO012", says: "only what is approved may go out", hint: "Approve its current version",
	},
	{
		name: "a send of a proposed message", in: rule.Queued, before: "", sql: `UPDATE messages SET authority = 'proposed' WHERE id = '{spare}';` +
			birth("1", "NULL", "{spare}", "{spare_approval}", "{spare_digest}", "{spare_hash}"),
		code: "SO012", says: "only what is approved may go out", hint: "Approve its current version",
	},
}
