package postgres_test

import (
	"testing"

	"sendonce/server/rule"
)

// shadowAttacks make temporary objects that are named like ours, which an unpinned function would find first.
var shadowAttacks = []attack{
	{
		name: "temporary sends", in: rule.Started, sql: `CREATE TEMP TABLE sends (LIKE public.sends); ` +
			`INSERT INTO public.sends (workspace_id, message_id, account_id, person_id, ordinal, retry_of, version, digest, text_hash, approval_id)
		VALUES ('{workspace}', '{message}', '{account}', '{person}', 1, NULL, 1, '{digest}', '{hash}', '{approval}')`,
		code: "SO009", says: "already has a live send", hint: "Wait for its end",
	},
	{name: "temporary send_moves", in: rule.Started, sql: `CREATE TEMP TABLE send_moves AS SELECT 'started' AS from_status, 'queued' AS to_status;
		UPDATE sends SET status = 'queued' WHERE id = '{send}'`, code: "SO002", says: "may not go from started to queued", hint: hintRetry},
	{
		name: "temporary evidence", in: rule.Started, sql: `CREATE TEMP TABLE evidence AS SELECT 1::bigint AS id, '{send}'::uuid AS send_id,
		'proof' AS kind, 'attempt-of-{send8}' AS attempt, 'x' AS outcome; UPDATE sends SET status = 'failed' WHERE id = '{send}'`,
		code: "SO006", says: "nothing proves", hint: "Record a proof",
	},
	{
		name: "temporary messages", in: rule.Failed, before: toSent, sql: `CREATE TEMP TABLE messages AS SELECT * FROM public.messages;
		CREATE TEMP TABLE deliveries (LIKE public.deliveries); CREATE TEMP TABLE sends (LIKE public.sends); ` +
			`INSERT INTO public.sends (workspace_id, message_id, account_id, person_id, ordinal, retry_of, version, digest, text_hash, approval_id)
		VALUES ('{workspace}', '{message}', '{account}', '{person}', 2, '{send}', 1, '{digest}', '{hash}', '{approval}')`,
		code: "SO009", says: "already delivered", hint: "new message",
	},
	{
		name: "temporary quiet_times", in: rule.Unconfirmed, before: gone, sql: `CREATE TEMP TABLE quiet_times AS SELECT 'linkedin' AS channel,
		interval '-1 day' AS grace, interval '-1 day' AS unseen; ` + resolutionOf("true") + `; UPDATE sends SET status = 'failed' WHERE id = '{send}'`,
		code: "SO006", says: "too early", hint: "Look again after",
	},
	{name: "an operator in pg_temp", in: rule.Started, sql: `CREATE FUNCTION pg_temp.yes(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
		CREATE OPERATOR pg_temp.= (LEFTARG = text, RIGHTARG = text, FUNCTION = pg_temp.yes); SET search_path = pg_temp, public, pg_catalog;
		UPDATE public.sends SET status = 'queued' WHERE id = '{send}'`, code: "SO002", says: "may not go from started to queued", hint: hintRetry},
	{
		name: "a function in pg_temp", in: rule.Leased, sql: `CREATE FUNCTION pg_temp.current_setting(text) RETURNS text LANGUAGE sql AS $$SELECT 'on'$$;
		SET search_path = pg_temp, public, pg_catalog; SET synchronous_commit = off; ` + toStarted,
		code: "SO010", says: "synchronous_commit is off", hint: "SET LOCAL",
	},
	{name: "the guards on a table of one's own", in: rule.Started, sql: `CREATE TEMP TABLE forged (LIKE sends);
		CREATE TRIGGER forge AFTER INSERT ON forged FOR EACH ROW EXECUTE FUNCTION sends_history()`, code: denied, says: "permission denied for function sends_history"},
}

// roleAttacks lift the guards. Only the separation of roles stops them, so the refusal is Postgres' own.
var roleAttacks = []attack{
	{name: "session_replication_role", in: rule.Started, sql: `SET session_replication_role = replica`, code: denied, says: "permission denied to set parameter"},
	{name: "DISABLE TRIGGER", in: rule.Started, sql: `ALTER TABLE sends DISABLE TRIGGER a_guard`, code: denied, says: "must be owner of table sends"},
	{name: "DISABLE TRIGGER ALL", in: rule.Started, sql: `ALTER TABLE sends DISABLE TRIGGER ALL`, code: denied, says: "must be owner of table sends"},
	{name: "DROP TRIGGER", in: rule.Started, sql: `DROP TRIGGER a_guard ON sends`, code: denied, says: "must be owner of relation sends"},
	{name: "CREATE TRIGGER", in: rule.Started, sql: `CREATE TRIGGER z BEFORE UPDATE ON sends FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`, code: denied, says: "permission denied for table sends"},
	{name: "CREATE RULE", in: rule.Started, sql: `CREATE RULE nothing AS ON UPDATE TO sends DO INSTEAD NOTHING`, code: denied, says: "must be owner of table sends"},
	{name: "inheritance child", in: rule.Started, sql: `CREATE TEMP TABLE child () INHERITS (sends)`, code: denied, says: "must be owner of table sends"},
	{name: "a table beside ours", in: rule.Started, sql: `CREATE TABLE beside (n int)`, code: denied, says: "permission denied for schema public"},
	{name: "CREATE OR REPLACE FUNCTION", in: rule.Started, sql: `CREATE OR REPLACE FUNCTION sends_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`, code: denied, says: "permission denied for schema public"},
	{name: "ALTER FUNCTION", in: rule.Started, sql: `ALTER FUNCTION sends_refuse() SECURITY INVOKER`, code: denied, says: "must be owner of function sends_refuse"},
	{name: "DROP INDEX", in: rule.Started, sql: `DROP INDEX one_live_send_per_message`, code: denied, says: "must be owner of index"},
	{name: "DROP CONSTRAINT", in: rule.Started, sql: `ALTER TABLE sends DROP CONSTRAINT queued_is_bare`, code: denied, says: "must be owner of table sends"},
	{name: "SET ROLE", in: rule.Started, sql: `SET ROLE sendonce_owner`, code: denied, says: "permission denied to set role"},
	{name: "GRANT to oneself", in: rule.Started, sql: `GRANT sendonce_owner TO sendonce_server`, code: denied, says: "must have admin option on role"},
	{name: "the clock", in: rule.Started, sql: `UPDATE clock_offset SET ahead = '1 day'`, code: denied, says: "permission denied for table clock_offset"},
	{name: "the quiet times", in: rule.Started, sql: `UPDATE quiet_times SET grace = '1 second'`, code: denied, says: "permission denied for table quiet_times"},
	{name: "the moves", in: rule.Started, sql: `INSERT INTO send_moves VALUES ('started', 'queued')`, code: denied, says: "permission denied for table send_moves"},
	{name: "the history's numbers", in: rule.Started, sql: `SELECT setval('send_event_ids', 1000000)`, code: denied, says: "permission denied for sequence"},
}

// Goal: temporary tables named like ours swallow neither the history nor the count of deliveries.
func TestShadowsSwallowNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, send := w.sendIn(t, rule.Started)
	hand := connect(t, w.db.ServerURL)
	exec(t, hand, "CREATE TEMP TABLE send_events (LIKE public.send_events); CREATE TEMP TABLE incidents (LIKE public.incidents); CREATE TEMP TABLE deliveries (LIKE public.deliveries)")
	for _, sql := range []string{
		toUnconfirmed,
		"INSERT INTO public.deliveries (workspace_id, account_id, provider_id, message_id, send_id) SELECT workspace_id, account_id, 'one', message_id, id FROM sends WHERE id = '{send}'",
		"INSERT INTO public.deliveries (workspace_id, account_id, provider_id, message_id, send_id) SELECT workspace_id, account_id, 'two', message_id, id FROM sends WHERE id = '{send}'",
	} {
		if err := simply(t, hand, w.fill(sql, send)); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.one(t, "SELECT count(*)::text FROM send_events WHERE send_id = $1", send); got != "4" {
		t.Errorf("the history has %s events, want 4", got)
	}
	if got := w.one(t, "SELECT kind || count FROM incidents WHERE message_id = $1", m.id); got != "browser_repeated1" {
		t.Errorf("the incident is %s, want browser_repeated once", got)
	}
}

// Goal: the guards hold where session_replication_role says that triggers do not fire, as under a logical replica.
func TestGuardsHoldUnderReplica(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, send := w.sendIn(t, rule.Started)
	exec(t, w.admin, "SET session_replication_role = replica")
	requireRefused(t, attack{code: "SO002", says: "may not go from started to queued", hint: hintRetry},
		simply(t, w.admin, w.fill(`UPDATE sends SET status = 'queued' WHERE id = '{send}'`, send)))
	requireRefused(t, attack{code: "SO008", says: "kept for ever", hint: "Add a row"},
		simply(t, w.admin, w.fill(`DELETE FROM sends WHERE id = '{send}'`, send)))
}
