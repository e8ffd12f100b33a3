package postgres_test

import "sendonce/server/rule"

// What a provider has said about the target's message, once.
const observed = `INSERT INTO callback_sources (id, workspace_id, name, created_by) VALUES (gen_random_uuid(), '{workspace}', 'Mailer of {send}', '{principal}');
	INSERT INTO delivery_observations (workspace_id, source_id, kind, provider_id, at, said_hash, message_id)
		SELECT '{workspace}', id, 'delivered', '{copy}', now(), '{hash}', '{message}' FROM callback_sources WHERE name = 'Mailer of {send}';
	INSERT INTO callback_events (source_id, event_id, observation_id)
		SELECT source_id, 'evt_1', id FROM delivery_observations WHERE message_id = '{message}'`

// What a provider has said of a copy that nobody knows.
const waiting = `INSERT INTO callback_sources (id, workspace_id, name, created_by) VALUES (gen_random_uuid(), '{workspace}', 'Early of {send}', '{principal}');
	INSERT INTO delivery_observations (workspace_id, source_id, kind, provider_id, at, said_hash)
		SELECT '{workspace}', id, 'delivered', '{copy}', now(), '{hash}' FROM callback_sources WHERE name = 'Early of {send}'`

// observationAttacks make what was observed say something else.
var observationAttacks = []attack{
	{
		name: "observation of another message", in: rule.Sent, before: observed,
		sql:  `UPDATE delivery_observations SET message_id = '{spare}' WHERE message_id = '{message}'`,
		code: "SO008", says: "delivery_observations is kept for ever: update", hint: "Add a row",
	},
	{
		name: "observation that is about nothing again", in: rule.Sent, before: observed,
		sql:  `UPDATE delivery_observations SET message_id = NULL WHERE message_id = '{message}'`,
		code: "SO008", says: "delivery_observations is kept for ever: update", hint: "Add a row",
	},
	{
		name: "observation rewritten", in: rule.Sent, before: observed,
		sql:  `UPDATE delivery_observations SET kind = 'bounced' WHERE message_id = '{message}'`,
		code: denied, says: "permission denied",
	},
	{
		name: "observation removed", in: rule.Sent, before: observed, sql: `DELETE FROM delivery_observations WHERE message_id = '{message}'`,
		code: "SO008", says: "delivery_observations is kept for ever: delete", hint: "Add a row",
	},
	{
		name: "waiting observation removed", in: rule.Sent, before: waiting,
		sql:  `DELETE FROM delivery_observations WHERE provider_id = '{copy}' AND message_id IS NULL`,
		code: "SO008", says: "still waits for its message", hint: "30 days old",
	},
	{
		name: "reply that kept a send back removed", in: rule.Sent, before: `INSERT INTO delivery_observations (workspace_id, install_id, kind, at, said_hash, received_at)
			SELECT '{workspace}', id, 'replied', now(), '{hash}', now() - interval '31 days' FROM installs LIMIT 1`,
		sql:  `DELETE FROM delivery_observations WHERE provider_id = '' AND said_hash = '{hash}'`,
		code: "SO008", says: "delivery_observations is kept for ever: delete", hint: "Add a row",
	},
	{
		name: "observation by nobody", in: rule.Sent, sql: `INSERT INTO delivery_observations (workspace_id, kind, at, said_hash, message_id)
		VALUES ('{workspace}', 'delivered', now(), '{hash}', '{message}')`, code: "23514", says: "one_says_it",
	},
	{
		name: "message by hand that nobody can name", in: rule.Sent, sql: `INSERT INTO delivery_observations (workspace_id, install_id, kind, at, said_hash)
		SELECT '{workspace}', id, 'manual', now(), '{hash}' FROM installs LIMIT 1`, code: "23514", says: "by_hand_is_named",
	},
	{
		name: "event id given to another fact", in: rule.Sent, before: observed,
		sql:  `UPDATE callback_events SET event_id = 'evt_2' WHERE observation_id = (SELECT id FROM delivery_observations WHERE message_id = '{message}')`,
		code: "SO008", says: "callback_events is kept for ever: update", hint: "Add a row",
	},
	{
		name: "event id removed", in: rule.Sent, before: observed, sql: `DELETE FROM callback_events WHERE event_id = 'evt_1'`,
		code: "SO008", says: "callback_events is kept for ever: delete", hint: "Add a row",
	},
}
