package postgres_test

import "sendonce/server/rule"

// Two people of the target's own, a and b, and b merged into a.
const (
	twoPeople = `INSERT INTO people (id, workspace_id) VALUES (md5('a{send}')::uuid, '{workspace}'), (md5('b{send}')::uuid, '{workspace}')`
	oneOfTwo  = twoPeople + `; UPDATE people SET merged_into = md5('a{send}')::uuid, merged_at = now(), merged_by = '{principal}' WHERE id = md5('b{send}')::uuid`
	known     = twoPeople + `; INSERT INTO person_identities (workspace_id, kind, value, person_id) VALUES ('{workspace}', 'email', '{send}@example.com', md5('a{send}')::uuid)`
	forgotten = known + `; SELECT person_forget(md5('a{send}')::uuid, '{principal}', ARRAY[sha256('{send}')])`
)

// bothMeant is one message to each of the two for one intent.
const bothMeant = twoPeople + `; INSERT INTO messages (workspace_id, account_id, person_id, channel, purpose, purpose_key, version, authority, created_by)
	SELECT '{workspace}', '{account}', id, 'linkedin', 'one {send}', 'one {send}', 1, 'proposed', '{principal}' FROM people
	WHERE id IN (md5('a{send}')::uuid, md5('b{send}')::uuid)`

const (
	notContacted = `INSERT INTO suppressions (id, workspace_id, scope, value, why, set_by)
		VALUES (md5('s{send}')::uuid, '{workspace}', 'email', '{send}@example.com', 'they said no', '{principal}')`
	personNotContacted = twoPeople + `; INSERT INTO suppressions (id, workspace_id, scope, value, why, set_by)
		VALUES (md5('s{send}')::uuid, '{workspace}', 'person', md5('a{send}')::uuid::text, 'they said no', '{principal}')`
	lifting = `UPDATE suppressions SET lifted_at = now(), lifted_by = '{principal}', lifted_why = 'they asked for it' WHERE id = md5('s{send}')::uuid`
)

// textGone is legal for a message whose send has ended.
const textGone = `UPDATE message_versions SET body = '', subject = NULL, expired_at = now() WHERE message_id = '{message}'`

// intoThird merges a into the person of every target.
const intoThird = `UPDATE people SET merged_into = '{person}', merged_at = now(), merged_by = '{principal}' WHERE id = md5('a{send}')::uuid`

// aTemplate is one of the target's own.
const aTemplate = `WITH made AS (INSERT INTO templates (id, workspace_id, version) VALUES (md5('t{send}')::uuid, '{workspace}', 1) RETURNING id)
	INSERT INTO template_versions (template_id, version, name, subject, body, variables, created_by) SELECT id, 1, 'x', '', 'Hello', '[]', '{principal}' FROM made`

// peopleAttacks part what is one person, make one of what is approved for two, or write to who must not be contacted.
var peopleAttacks = []attack{
	{
		name: "a template's version rewritten", in: rule.Failed, before: aTemplate, sql: `UPDATE template_versions SET body = 'Bye' WHERE template_id = md5('t{send}')::uuid`,
		code: "SO008", says: "template_versions is kept for ever", hint: "Add a row",
	},
	{
		name: "a template removed", in: rule.Failed, before: aTemplate, sql: `DELETE FROM templates WHERE id = md5('t{send}')::uuid`,
		code: "SO008", says: "templates is kept for ever", hint: "Add a row",
	},
	{
		name: "a text from a template in no version", in: rule.Failed, before: aTemplate,
		sql: `INSERT INTO message_versions (message_id, version, body, digest, text_hash, client_release, template_id, created_by)
			SELECT message_id, version + 1, body, digest, text_hash, client_release, md5('t{send}')::uuid, created_by FROM message_versions WHERE message_id = '{message}'`,
		code: "23514", says: "template_in_a_version",
	},
	{
		name: "a person born merged", in: rule.Failed, sql: `INSERT INTO people (workspace_id, merged_into, merged_at, merged_by)
		VALUES ('{workspace}', '{person}', now(), '{principal}')`, code: "SO015", says: "born neither merged nor removed", hint: "then merge or remove them",
	},
	{
		name: "a merge beside a queued send", in: rule.Queued, before: twoPeople, sql: intoThird,
		code: "SO015", says: "who saw one history of two", hint: "approved again after the merge",
	},
	{
		name: "a merge beside a leased send", in: rule.Leased, before: twoPeople, sql: intoThird,
		code: "SO015", says: "who saw one history of two", hint: "approved again after the merge",
	},
	{
		name: "a merge of two who wait for one intent", in: rule.Failed, before: bothMeant,
		sql:  `UPDATE people SET merged_into = md5('a{send}')::uuid, merged_at = now(), merged_by = '{principal}' WHERE id = md5('b{send}')::uuid`,
		code: "SO015", says: "a message for one intent that may still go out", hint: "Take one of them back",
	},
	{
		name: "a merge into one who was merged", in: rule.Failed, before: oneOfTwo,
		sql: `INSERT INTO people (id, workspace_id) VALUES (md5('c{send}')::uuid, '{workspace}');
			UPDATE people SET merged_into = md5('b{send}')::uuid, merged_at = now(), merged_by = '{principal}' WHERE id = md5('c{send}')::uuid`,
		code: "SO015", says: "cannot be merged into", hint: "neither merged nor removed",
	},
	{
		name: "a merge into oneself", in: rule.Failed, before: twoPeople,
		sql:  `UPDATE people SET merged_into = id, merged_at = now(), merged_by = '{principal}' WHERE id = md5('a{send}')::uuid`,
		code: "SO015", says: "cannot be merged into", hint: "neither merged nor removed",
	},
	{
		name: "a merge into one who was removed", in: rule.Failed, before: forgotten,
		sql:  `UPDATE people SET merged_into = md5('a{send}')::uuid, merged_at = now(), merged_by = '{principal}' WHERE id = md5('b{send}')::uuid`,
		code: "SO015", says: "cannot be merged into", hint: "neither merged nor removed",
	},
	{
		name: "a merge taken back", in: rule.Failed, before: oneOfTwo,
		sql:  `UPDATE people SET merged_into = NULL, merged_at = NULL, merged_by = NULL WHERE id = md5('b{send}')::uuid`,
		code: "SO015", says: "was merged, which is for good", hint: "not parted again",
	},
	{
		name: "a merged person given to another", in: rule.Failed, before: oneOfTwo, sql: `UPDATE people SET merged_into = '{person}' WHERE id = md5('b{send}')::uuid`,
		code: "SO015", says: "was merged, which is for good", hint: "not parted again",
	},
	{
		name: "a merge by somebody else", in: rule.Failed, before: oneOfTwo, sql: `UPDATE people SET merged_by = gen_random_uuid() WHERE id = md5('b{send}')::uuid`,
		code: "SO015", says: "was merged, which is for good", hint: "not parted again",
	},
	{
		name: "a merge by nobody", in: rule.Failed, before: twoPeople, sql: `UPDATE people SET merged_into = md5('a{send}')::uuid WHERE id = md5('b{send}')::uuid`,
		code: "23514", says: "merging_says_when_and_who",
	},
	{
		name: "a person of another workspace", in: rule.Failed, before: twoPeople, sql: `UPDATE people SET workspace_id = gen_random_uuid() WHERE id = md5('a{send}')::uuid`,
		code: "SO003", says: "is frozen", hint: "another row",
	},
	{
		name: "an identity moved", in: rule.Failed, before: known,
		sql:  `UPDATE person_identities SET person_id = md5('b{send}')::uuid WHERE value = '{send}@example.com'`,
		code: "SO015", says: "names one person for good: update", hint: "merge them",
	},
	{
		name: "an identity rewritten", in: rule.Failed, before: known, sql: `UPDATE person_identities SET value = 'x' WHERE value = '{send}@example.com'`,
		code: "SO015", says: "names one person for good: update", hint: "merge them",
	},
	{
		name: "an identity removed", in: rule.Failed, before: known, sql: `DELETE FROM person_identities WHERE value = '{send}@example.com'`,
		code: denied, says: "permission denied",
	},

	{
		name: "a removal by hand", in: rule.Failed, before: twoPeople, sql: `UPDATE people SET removed_at = now() WHERE id = md5('a{send}')::uuid`,
		code: "SO015", says: "is removed as a whole and for good", hint: "person_forget",
	},
	{
		name: "a removal taken back", in: rule.Failed, before: forgotten, sql: `UPDATE people SET removed_at = NULL WHERE id = md5('a{send}')::uuid`,
		code: "SO015", says: "is removed as a whole and for good", hint: "person_forget",
	},
	{
		name: "a removed person named again", in: rule.Failed, before: forgotten, sql: `UPDATE people SET name = 'Ada' WHERE id = md5('a{send}')::uuid`,
		code: "23514", says: "removed_is_bare",
	},
	{
		name: "a removal that leaves no mark", in: rule.Failed, before: known, sql: `SELECT person_forget(md5('a{send}')::uuid, '{principal}', '{}')`,
		code: "SO015", says: "leaves its mark", hint: "keyed hash of every identity",
	},
	{
		name: "a removal beside a queued send", in: rule.Queued, sql: `SELECT person_forget('{person}', '{principal}', '{}')`,
		code: "SO015", says: "has not ended", hint: "Cancel what waits",
	},
	{
		name: "a mark of a removed person taken away", in: rule.Failed, before: forgotten, sql: `DELETE FROM removed_marks WHERE mark = sha256('{send}')`,
		code: "SO008", says: "removed_marks is kept for ever: delete", hint: "Add a row",
	},
	{
		name: "a mark of nobody", in: rule.Failed, sql: `INSERT INTO removed_marks VALUES ('{workspace}', sha256('{send}'))`,
		code: denied, says: "permission denied",
	},
	{
		name: "the key of marks removed", in: rule.Failed, before: `INSERT INTO mark_keys (workspace_id, key_id, sealed) VALUES ('{workspace}', 'k', 'x') ON CONFLICT DO NOTHING`,
		sql:  `DELETE FROM mark_keys`,
		code: "SO008", says: "mark_keys is kept for ever: delete", hint: "Add a row",
	},
	{
		name: "forgetting by hand", in: rule.Failed, sql: `INSERT INTO forgetting VALUES (pg_current_xact_id())`,
		code: denied, says: "permission denied",
	},
	{
		name: "what was done about a person forged", in: rule.Failed, sql: `INSERT INTO person_events (workspace_id, person_id, what, written_by)
		VALUES ('{workspace}', '{person}', 'merged', 'me')`, code: denied, says: "permission denied",
	},
	{
		name: "what was done about a person rewritten", in: rule.Failed, before: oneOfTwo,
		sql:  `UPDATE person_events SET what = 'owned' WHERE person_id = md5('b{send}')::uuid`,
		code: "SO008", says: "person_events is kept for ever: update", hint: "Add a row",
	},

	{
		name: "a suppression of somebody else", in: rule.Failed, before: notContacted, sql: `UPDATE suppressions SET value = 'x' WHERE id = md5('s{send}')::uuid`,
		code: "SO015", says: "stays as it is until it is lifted", hint: "lifted_by and lifted_why",
	},
	{
		name: "a lifting taken back", in: rule.Failed, before: notContacted + "; " + lifting,
		sql:  `UPDATE suppressions SET lifted_at = NULL, lifted_by = NULL, lifted_why = NULL WHERE id = md5('s{send}')::uuid`,
		code: "SO015", says: "stays as it is until it is lifted", hint: "is another row",
	},
	{
		name: "a lifting without a reason", in: rule.Failed, before: notContacted,
		sql:  `UPDATE suppressions SET lifted_at = now(), lifted_by = '{principal}' WHERE id = md5('s{send}')::uuid`,
		code: "23514", says: "lifting_says_who_and_why",
	},
	{
		name: "a suppression removed", in: rule.Failed, before: notContacted, sql: `DELETE FROM suppressions WHERE id = md5('s{send}')::uuid`,
		code: "SO008", says: "suppressions is kept for ever: delete", hint: "Add a row",
	},
	{
		name: "TRUNCATE of suppressions", in: rule.Failed, sql: `TRUNCATE suppressions`,
		code: "SO008", says: "suppressions is kept for ever: truncate", hint: "Add a row",
	},
	{
		name: "a person's mark cleared", in: rule.Failed, before: personNotContacted, sql: `UPDATE people SET suppressed_at = NULL WHERE id = md5('a{send}')::uuid`,
		code: "SO015", says: "must not be contacted", hint: "Lift that suppression",
	},
	{
		name: "a send to who must not be contacted", in: rule.Failed,
		sql: `INSERT INTO suppressions (id, workspace_id, scope, value, why, set_by) VALUES (gen_random_uuid(), '{workspace}', 'person', '{person}', '', '{principal}');` +
			birth("2", "'{send}'", "{message}", "{approval}", "{digest}", "{hash}"),
		code: "SO015", says: "must not be contacted", hint: "Lift the suppression first",
	},
	{
		name: "an override without a reason", in: rule.Failed, sql: `INSERT INTO approvals (message_id, version, digest, approver, voided_at, void_reason, expires_at, overrides)
		VALUES ('{message}', 1, '{digest}', '{principal}', now(), 'other', now(), '{principal}')`, code: "23514", says: "override_says_why",
	},
	{
		name: "an override put in later", in: rule.Failed, sql: `UPDATE approvals SET overrides = '{principal}', override_why = 'x' WHERE id = '{approval}'`,
		code: "SO003", says: "what a row of approvals is, is frozen", hint: "Void the approval",
	},

	{
		name: "a text gone beside a queued send", in: rule.Queued, sql: textGone,
		code: "SO015", says: "which is queued", hint: "while it may be sent or looked for",
	},
	{
		name: "a text gone beside an unconfirmed send", in: rule.Unconfirmed, sql: textGone,
		code: "SO015", says: "which is unconfirmed", hint: "while it may be sent or looked for",
	},
	{
		name: "a text that is gone in other words", in: rule.Failed, sql: `UPDATE message_versions SET body = 'Other words', expired_at = now() WHERE message_id = '{message}'`,
		code: "23514", says: "expired_text_is_gone",
	},
	{
		name: "a text put back", in: rule.Failed, before: textGone, sql: `UPDATE message_versions SET body = 'Hello Ada', expired_at = NULL WHERE message_id = '{message}'`,
		code: "SO008", says: "message_versions is kept for ever: update", hint: "Add a row",
	},
	{
		name: "a digest rewritten with its text's end", in: rule.Failed,
		sql:  `UPDATE message_versions SET body = '', expired_at = now(), created_by = gen_random_uuid() WHERE message_id = '{message}'`,
		code: "SO008", says: "message_versions is kept for ever: update", hint: "Add a row",
	},
	{
		name: "a send of a text that is gone", in: rule.Failed, before: textGone,
		sql:  birth("2", "'{send}'", "{message}", "{approval}", "{digest}", "{hash}"),
		code: "SO015", says: "the text of message", hint: "Write its next version",
	},
}
