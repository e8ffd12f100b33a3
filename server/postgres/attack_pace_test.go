package postgres_test

import "sendonce/server/rule"

// An account of the target's own whose one place of the day is taken: each attack has another.
const (
	limitsOf = `INSERT INTO account_limits (account_id, number, per_day, per_hour, gap_seconds, jitter_seconds, warm_up_from, warm_up_days, set_by)
		VALUES ('{account}', (SELECT 1 + count(*) FROM account_limits), `
	lifted  = limitsOf + `10000, 10000, 0, 0, 1, 0, '{principal}')`
	oneADay = limitsOf + `1, 10000, 0, 0, 1, 0, '{principal}')`
	hoursOf = `INSERT INTO account_hours (account_id, number, zone, opens_minute, closes_minute, days, holidays, late_days, set_by)
		VALUES ('{account}', (SELECT 1 + count(*) FROM account_hours), `
)

// paceAttacks begin more than an account may, or change what was decided about it.
var paceAttacks = []attack{
	{
		name: "a start past the day's limit", in: rule.Leased, sql: oneADay + ";" + toStarted,
		code: "SO017", says: "day_limit", hint: "Wait until then",
	},
	{
		name: "a start past the hour's limit", in: rule.Leased, sql: limitsOf + `10000, 1, 0, 0, 1, 0, '{principal}');` + toStarted,
		code: "SO017", says: "hour_limit", hint: "Wait until then",
	},
	{
		name: "a start before the gap is over", in: rule.Leased, sql: limitsOf + `10000, 10000, 600, 0, 1, 0, '{principal}');` + toStarted,
		code: "SO017", says: "minimum_gap", hint: "Wait until then",
	},
	{
		name: "a start past the first day's limit", in: rule.Leased, sql: limitsOf + `10000, 10000, 0, 0, 1, 10, '{principal}');` + toStarted,
		code: "SO017", says: "day_limit", hint: "Wait until then",
	},
	{
		name: "a start on a holiday", in: rule.Leased,
		sql:  hoursOf + `'UTC', 0, 1440, '{1,2,3,4,5,6,7}', ARRAY(SELECT sendonce_now()::date + n FROM generate_series(-2, 2) n), 2, '{principal}');` + toStarted,
		code: "SO017", says: "outside_hours", hint: "Wait until then",
	},
	{
		name: "a start with an older snapshot", in: rule.Leased, sql: "BEGIN ISOLATION LEVEL REPEATABLE READ;" + toStarted,
		code: "SO017", says: "decided under read committed", hint: "as read committed",
	},
	{
		name: "a start taken out of the count", in: rule.Started, sql: `DELETE FROM account_starts WHERE send_id = '{send}'`,
		code: denied, says: "permission denied",
	},
	{
		name: "a start that does not count", in: rule.Started, sql: `UPDATE account_starts SET counts = false WHERE send_id = '{send}'`,
		code: denied, says: "permission denied",
	},
	{
		name: "other defaults", in: rule.Failed, sql: `UPDATE pace_defaults SET per_day = 10000`,
		code: denied, says: "permission denied",
	},
	{
		name: "more than the defaults without a reason", in: rule.Failed, sql: limitsOf + `10000, 10000, 0, 0, 10000, 0, '{principal}')`,
		code: "SO017", says: "need a reason", hint: "Say why",
	},
	{
		name: "limits rewritten", in: rule.Failed, before: lifted, sql: `UPDATE account_limits SET why = 'because'`,
		code: "SO008", says: "account_limits is kept for ever: update", hint: "Add a row",
	},
	{
		name: "limits removed", in: rule.Failed, before: lifted, sql: `DELETE FROM account_limits`,
		code: "SO008", says: "account_limits is kept for ever: delete", hint: "Add a row",
	},
	{
		name: "limits of nobody", in: rule.Failed, sql: `INSERT INTO account_limits (account_id, number, per_day, per_hour, gap_seconds, jitter_seconds, warm_up_from, warm_up_days)
			VALUES ('{account}', 9999, 1, 1, 0, 0, 1, 0)`,
		code: "23502", says: "set_by",
	},
	{
		name: "hours of an offset", in: rule.Failed, sql: hoursOf + `'CET', 540, 1080, '{1}', '{}', 2, '{principal}')`,
		code: "SO017", says: "no time zone CET", hint: "as the IANA does",
	},
	{
		name: "hours of no zone", in: rule.Failed, sql: hoursOf + `'Europe/Nowhere', 540, 1080, '{1}', '{}', 2, '{principal}')`,
		code: "SO017", says: "no time zone Europe/Nowhere", hint: "as the IANA does",
	},
	{
		name: "hours that close before they open", in: rule.Failed, sql: hoursOf + `'UTC', 1080, 540, '{1}', '{}', 2, '{principal}')`,
		code: "23514", says: "opens_before_it_closes",
	},
	{
		name: "hours rewritten", in: rule.Failed, before: hoursOf + `'UTC', 0, 1440, '{1,2,3,4,5,6,7}', '{}', 2, '{principal}')`,
		sql:  `UPDATE account_hours SET zone = 'Europe/Berlin'`,
		code: "SO008", says: "account_hours is kept for ever: update", hint: "Add a row",
	},
}
