package postgres_test

import "sendonce/server/rule"

// The statements of an incident about the target's message.
const (
	incidentOpens = `INSERT INTO incidents (workspace_id, kind, subject_id, message_id)
		VALUES ('{workspace}', 'delivered_twice', '{message}', '{message}')`
	incidentIsSeen = `UPDATE incidents SET closed_at = sendonce_now(), closed_by = '{principal}', note = 'Looked' WHERE subject_id = '{message}'`
)

// incidentAttacks make an incident go away, or its timeline say something else.
var incidentAttacks = []attack{
	{
		name: "incident removed", in: rule.Queued, before: incidentOpens, sql: `DELETE FROM incidents WHERE subject_id = '{message}'`,
		code: "SO008", says: "incidents is kept for ever: delete", hint: "Add a row",
	},
	{
		name: "incident of something else", in: rule.Queued, before: incidentOpens, sql: `UPDATE incidents SET subject_id = '{stranger}' WHERE subject_id = '{message}'`,
		code: "SO003", says: "is frozen", hint: "Change count",
	},
	{
		name: "incident counted down", in: rule.Queued, before: incidentOpens + `; UPDATE incidents SET count = 3 WHERE subject_id = '{message}'`,
		sql:  `UPDATE incidents SET count = 2 WHERE subject_id = '{message}'`,
		code: "SO003", says: "its count only grows", hint: "Change count",
	},
	{
		name: "incident opened again", in: rule.Queued, before: incidentOpens + ";" + incidentIsSeen,
		sql:  `UPDATE incidents SET closed_at = NULL, closed_by = NULL, note = NULL WHERE subject_id = '{message}'`,
		code: "SO003", says: "was closed at", hint: "a new incident",
	},
	{
		name: "what was found rewritten", in: rule.Queued, before: incidentOpens + ";" + incidentIsSeen,
		sql:  `UPDATE incidents SET note = 'Nothing' WHERE subject_id = '{message}'`,
		code: "SO003", says: "was closed at", hint: "a new incident",
	},
	{
		name: "incident born closed", in: rule.Queued, sql: `INSERT INTO incidents (workspace_id, kind, subject_id, closed_at, closed_by)
		VALUES ('{workspace}', 'delivered_twice', '{message}', now(), '{principal}')`, code: "SO001", says: "is born open", hint: "then close it",
	},
	{
		name: "fact closed by nobody", in: rule.Queued, before: incidentOpens, sql: `UPDATE incidents SET closed_at = sendonce_now() WHERE subject_id = '{message}'`,
		code: "23514", says: "closed_by_whom",
	},
	{
		name: "condition closed by hand", in: rule.Queued, before: `INSERT INTO incidents (workspace_id, kind, subject_id) VALUES ('{workspace}', 'parked', '{message}')`,
		sql: incidentIsSeen, code: "23514", says: "closed_by_whom",
	},
	{
		name: "timeline rewritten", in: rule.Queued, before: incidentOpens, sql: `UPDATE incident_events SET what = 'counted' WHERE message_id = '{message}'`,
		code: "SO008", says: "incident_events is kept for ever: update", hint: "Add a row",
	},
	{
		name: "timeline removed", in: rule.Queued, before: incidentOpens, sql: `DELETE FROM incident_events WHERE message_id = '{message}'`,
		code: "SO008", says: "incident_events is kept for ever: delete", hint: "Add a row",
	},
	{
		name: "timeline forged", in: rule.Queued, before: incidentOpens, sql: `INSERT INTO incident_events (incident_id, at, what, count, written_by)
		SELECT id, now(), 'closed', 1, 'server' FROM incidents WHERE subject_id = '{message}'`, code: denied, says: "permission denied",
	},
	{
		name: "TRUNCATE of the timeline", in: rule.Queued, sql: `TRUNCATE incident_events`,
		code: "SO008", says: "incident_events is kept for ever: truncate", hint: "Add a row",
	},
	{name: "TRUNCATE of incidents", in: rule.Queued, sql: `TRUNCATE incidents`, code: "0A000", says: "cannot truncate a table referenced"},
}
