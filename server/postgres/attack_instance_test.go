package postgres_test

import (
	"testing"

	"sendonce/server/rule"
)

const (
	disarm = `INSERT INTO instance_events (what, code) VALUES ('disarmed', 'restored_or_copied')`
	arm    = `INSERT INTO instance_events (what, principal_id, accept_unseen) VALUES ('armed', '{principal}', true)`
)

// instanceAttacks let a database send that holds fire.
var instanceAttacks = []attack{
	{name: "armed by a hand", in: rule.Queued, before: disarm, sql: `UPDATE instance SET armed_at = now()`, code: denied, says: "permission denied for table instance"},
	{name: "the epoch by a hand", in: rule.Queued, sql: `UPDATE instance SET epoch = 7`, code: denied, says: "permission denied for table instance"},
	{name: "another instance", in: rule.Queued, sql: `INSERT INTO instance (only_row) VALUES (false)`, code: denied, says: "permission denied for table instance"},
	{name: "armed by nobody", in: rule.Queued, before: disarm, sql: `INSERT INTO instance_events (what, accept_unseen) VALUES ('armed', true)`, code: "SO011", says: "only an admin", hint: "Name the admin"},
	{
		name: "armed by a recruiter", in: rule.Queued, before: disarm, sql: `INSERT INTO principals (workspace_id, role, name) VALUES ('{workspace}', 'recruiter', 'Bo');
			INSERT INTO instance_events (what, accept_unseen, principal_id) SELECT 'armed', true, id FROM principals WHERE name = 'Bo'`,
		code: "SO011", says: "only an admin", hint: "Name the admin",
	},
	{
		name: "armed before installs reported", in: rule.Queued, before: disarm, sql: `INSERT INTO instance_events (what, principal_id) VALUES ('armed', '{principal}')`,
		code: "SO011", says: "1 installs have not reported", hint: "say accept_unseen",
	},
	{
		name: "armed behind a table that hides installs", in: rule.Queued, before: disarm, sql: `CREATE TEMP TABLE unreported_installs (id uuid); CREATE TEMP TABLE installs (LIKE public.installs);
			INSERT INTO instance_events (what, principal_id) VALUES ('armed', '{principal}')`,
		code: "SO011", says: "1 installs have not reported", hint: "say accept_unseen",
	},
	{name: "armed with an epoch of one's own", in: rule.Queued, before: disarm, sql: `INSERT INTO instance_events (what, principal_id, accept_unseen, epoch) VALUES ('armed', '{principal}', true, 1)`, code: denied, says: "permission denied for table instance_events"},
	{name: "armed twice", in: rule.Queued, before: disarm + ";" + arm, sql: arm, code: "SO011", says: "armed already", hint: "nothing to do"},
	{name: "begun with a history", in: rule.Queued, before: disarm, sql: `INSERT INTO instance_events (what) VALUES ('begun')`, code: "SO011", says: "has a history already", hint: "a person arms it"},
	{name: "disarmed without a reason", in: rule.Queued, sql: `INSERT INTO instance_events (what) VALUES ('disarmed')`, code: "23514", says: "disarmed_says_why"},
	{name: "who armed, rewritten", in: rule.Queued, before: disarm, sql: `UPDATE instance_events SET code = 'other'`, code: "SO008", says: "instance_events is kept for ever: update", hint: "Add a row"},
	{name: "who armed, removed", in: rule.Queued, before: disarm, sql: `DELETE FROM instance_events`, code: "SO008", says: "instance_events is kept for ever: delete", hint: "Add a row"},
	{name: "who armed, truncated", in: rule.Queued, sql: `TRUNCATE instance_events`, code: "SO008", says: "instance_events is kept for ever: truncate", hint: "Add a row"},
}

// Goal: disarming keeps its first reason; arming names who did it and begins an epoch above every one that an install has
// heard of, though not above a number beyond all sense.
func TestArmingBeginsAnEpochAboveEveryMark(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	exec(t, w.hand, "UPDATE installs SET mark_epoch = 7, mark_event = 9")
	exec(t, w.hand, "INSERT INTO installs (workspace_id, principal_id, secret_hash, mark_epoch) VALUES ($1, $2, 'other', 9007199254740991)", w.workspace, w.principal)
	state := func() string {
		return w.one(t, "SELECT concat_ws(' ', epoch, armed_at IS NOT NULL, disarmed_at IS NOT NULL, disarmed_code) FROM instance")
	}
	for _, step := range []struct{ sql, want string }{
		{disarm, "1 f t restored_or_copied"},
		{"INSERT INTO instance_events (what, code) VALUES ('disarmed', 'another reason')", "1 f t restored_or_copied"},
		{arm, "8 t f"},
		{disarm, "8 f t restored_or_copied"},
		{arm, "9 t f"},
	} {
		if err := simply(t, w.hand, w.fill(step.sql, w.install)); err != nil {
			t.Fatalf("%s: %v", step.sql, err)
		}
		if got := state(); got != step.want {
			t.Errorf("after %s: %s, want %s", step.sql, got, step.want)
		}
	}
	history := w.one(t, "SELECT string_agg(concat_ws(' ', what, epoch, principal_id IS NOT NULL, unreported), ', ' ORDER BY id) FROM instance_events")
	if want := "disarmed 1 f 2, disarmed 1 f 2, armed 8 t 2, disarmed 8 f 2, armed 9 t 2"; history != want {
		t.Errorf("the history says %s\nwant %s", history, want)
	}
}
