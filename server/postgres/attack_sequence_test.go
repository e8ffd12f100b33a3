package postgres_test

import "sendonce/server/rule"

// A sequence of two steps, s and t, of the target's own, with its person enrolled as e.
const (
	aSequence = aTemplate + `; INSERT INTO sequences (id, workspace_id, name, created_by, changed_by)
			VALUES (md5('q{send}')::uuid, '{workspace}', 'Engineers', '{principal}', '{principal}');
		INSERT INTO sequence_steps (id, workspace_id, sequence_id, place, purpose, purpose_key, channel, template_id, delay_count, delay_unit)
			SELECT md5(x || '{send}')::uuid, '{workspace}', md5('q{send}')::uuid, place, x, x, 'linkedin', md5('t{send}')::uuid, 1, 'days'
			FROM (VALUES ('s', 1), ('u', 2)) AS v (x, place)`
	enrolled = aSequence + `; INSERT INTO enrolments (id, workspace_id, sequence_id, person_id, account_id, channel, created_by)
		SELECT md5('e{send}')::uuid, m.workspace_id, md5('q{send}')::uuid, m.person_id, m.account_id, m.channel, '{principal}' FROM messages m WHERE m.id = '{message}'`
	// saying has a message be a step of the enrolment e.
	saying = `INSERT INTO step_messages (message_id, workspace_id, sequence_id, step_id, enrolment_id, person_id)
		SELECT m.id, m.workspace_id, md5('q{send}')::uuid, md5('s{send}')::uuid, md5('e{send}')::uuid, m.person_id FROM messages m WHERE m.id = `
	// another is one more message of the same kind to the same person.
	another = `INSERT INTO messages (id, workspace_id, account_id, person_id, channel, purpose, purpose_key, version, authority, created_by)
		SELECT md5('m{send}')::uuid, workspace_id, account_id, person_id, channel, 'next {send}', 'next {send}', 1, 'proposed', created_by
		FROM messages WHERE id = '{message}'`
	// bothMeantApart is a message to each of two people.
	bothMeantApart = twoPeople + `; INSERT INTO messages (id, workspace_id, account_id, person_id, channel, purpose, purpose_key, version, authority, created_by)
		SELECT md5('m' || x || '{send}')::uuid, '{workspace}', '{account}', md5(x || '{send}')::uuid, 'linkedin', x || '{send}', x || '{send}', 1, 'proposed', '{principal}'
		FROM unnest('{a,b}'::text[]) AS x`
	said    = enrolled + `; ` + saying + `'{message}'`
	stopped = enrolled + `; UPDATE enrolments SET state = 'stopped', reason = 'replied' WHERE id = md5('e{send}')::uuid`
)

// sequenceAttacks say a step twice, or make another story of who is in a sequence.
var sequenceAttacks = []attack{
	{
		name: "a step said twice", in: rule.Sent, before: said + `; ` + another, sql: saying + `md5('m{send}')::uuid`,
		code: "SO018", says: "for step", hint: "said once to a person",
	},
	{
		name: "a step said twice to a person in two rows", in: rule.Sent,
		before: aSequence + `; ` + bothMeantApart + `; UPDATE people SET merged_into = md5('a{send}')::uuid, merged_at = now(), merged_by = '{principal}' WHERE id = md5('b{send}')::uuid;
			INSERT INTO enrolments (id, workspace_id, sequence_id, person_id, account_id, channel, created_by)
				VALUES (md5('e{send}')::uuid, '{workspace}', md5('q{send}')::uuid, md5('a{send}')::uuid, '{account}', 'linkedin', '{principal}'); ` +
			saying + `md5('mb{send}')::uuid`,
		sql:  saying + `md5('ma{send}')::uuid`,
		code: "SO018", says: "for step", hint: "said once to a person",
	},
	{
		name: "the next step beside an unconfirmed one", in: rule.Unconfirmed, before: said + `; ` + another,
		sql: `INSERT INTO step_messages (message_id, workspace_id, sequence_id, step_id, enrolment_id, person_id)
			SELECT id, workspace_id, md5('q{send}')::uuid, md5('u{send}')::uuid, md5('e{send}')::uuid, person_id FROM messages WHERE id = md5('m{send}')::uuid`,
		code: "SO018", says: "of the step before is not sent", hint: "look and resolve",
	},
	{
		name: "a step for somebody who is not in the sequence", in: rule.Failed, before: stopped, sql: saying + `'{message}'`,
		code: "SO018", says: "is no step of enrolment", hint: "of a running enrolment",
	},
	{
		name: "a step given back while it may have arrived", in: rule.Unconfirmed, before: said + `; UPDATE messages SET authority = 'withdrawn' WHERE id = '{message}'`,
		sql:  `UPDATE step_messages SET vacated_at = now() WHERE message_id = '{message}'`,
		code: "SO018", says: "is frozen", hint: "once it has failed",
	},
	{
		name: "a step made another one", in: rule.Sent, before: said, sql: `UPDATE step_messages SET step_id = md5('u{send}')::uuid WHERE message_id = '{message}'`,
		code: "SO018", says: "is frozen", hint: "before it begins",
	},
	{
		name: "a step forgotten", in: rule.Sent, before: said, sql: `DELETE FROM step_messages WHERE message_id = '{message}'`,
		code: "SO008", says: "step_messages is kept for ever: delete", hint: "Add a row",
	},
	{
		name: "a person enrolled twice", in: rule.Failed, before: enrolled, sql: `INSERT INTO enrolments (id, workspace_id, sequence_id, person_id, account_id, channel, created_by)
			SELECT gen_random_uuid(), workspace_id, sequence_id, person_id, account_id, channel, created_by FROM enrolments WHERE id = md5('e{send}')::uuid`,
		code: "SO018", says: "is in the sequence by enrolment", hint: "or stop it first",
	},
	{
		name: "an enrolment in a stopped sequence", in: rule.Failed, before: stopped + `; UPDATE sequences SET state = 'stopped' WHERE id = md5('q{send}')::uuid`,
		sql: `INSERT INTO enrolments (id, workspace_id, sequence_id, person_id, account_id, channel, created_by)
			SELECT gen_random_uuid(), workspace_id, sequence_id, person_id, account_id, channel, created_by FROM enrolments WHERE id = md5('e{send}')::uuid`,
		code: "SO018", says: "takes nobody", hint: "Resume it first",
	},
	{
		name: "an enrolment begun again after its end", in: rule.Failed, before: stopped, sql: `UPDATE enrolments SET state = 'running' WHERE id = md5('e{send}')::uuid`,
		code: "SO018", says: "which is for good", hint: "Enrol the person again",
	},
	{
		name: "an enrolment of somebody else", in: rule.Failed, before: enrolled + `; INSERT INTO people (id, workspace_id) VALUES (md5('p{send}')::uuid, '{workspace}')`,
		sql:  `UPDATE enrolments SET person_id = md5('p{send}')::uuid WHERE id = md5('e{send}')::uuid`,
		code: "SO003", says: "is frozen", hint: "Stop it and make another",
	},
	{
		name: "why an enrolment ended, rewritten", in: rule.Failed, before: stopped, sql: `UPDATE enrolment_events SET reason = 'finished' WHERE enrolment_id = md5('e{send}')::uuid`,
		code: "SO008", says: "enrolment_events is kept for ever", hint: "Add a row",
	},
	{
		name: "a stopped sequence begun again", in: rule.Failed, before: aSequence + `; UPDATE sequences SET state = 'stopped' WHERE id = md5('q{send}')::uuid`,
		sql:  `UPDATE sequences SET state = 'running' WHERE id = md5('q{send}')::uuid`,
		code: "SO018", says: "was stopped, which is for good", hint: "Make a new sequence",
	},
	{
		name: "two steps in one place", in: rule.Failed, before: aSequence, sql: `UPDATE sequence_steps SET place = 1 WHERE id = md5('u{send}')::uuid`,
		code: "23P01", says: "one_step_in_a_place",
	},
	{
		name: "two steps for one purpose", in: rule.Failed, before: aSequence, sql: `UPDATE sequence_steps SET purpose_key = 's' WHERE id = md5('u{send}')::uuid`,
		code: "23P01", says: "one_step_for_a_purpose",
	},
}
