package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"sendonce/server/rule"
)

// needed names a guard, what takes it away, and the attack that it alone still refuses once the guards in behind are gone.
type needed struct{ guard, without, behind, attack string }

func dropTrigger(name, table string) string { return "DROP TRIGGER " + name + " ON " + table + "; " }

func dropConstraint(name, table string) string {
	return "ALTER TABLE " + table + " DROP CONSTRAINT " + name + "; "
}

// neededTriggers is also the list of which attack witnesses which trigger, foreign key or missing privilege.
var neededTriggers = []needed{
	{"sends a_guard", dropTrigger("a_guard", "sends"), "", "UPDATE that clears the start as well"},
	{"sends b_birth", dropTrigger("b_birth", "sends"), "", "sibling after a late confirmation"},
	{"sends c_evidence", dropTrigger("c_evidence", "sends"), "", "failed with no proof"},
	{"sends d_stamp", dropTrigger("d_stamp", "sends"), dropConstraint("leased_names_its_lease", "sends") + dropTrigger("e_history", "sends"), "lease for an hour"},
	{"sends g_no_delete", dropTrigger("g_no_delete", "sends"), dropConstraint("send_events_send_id_fkey", "send_events"), "DELETE"},
	{"sends h_no_truncate", dropTrigger("h_no_truncate", "sends"), dropConstraint("messages_follows_send_fkey", "messages") +
		dropConstraint("delivery_observations_send_id_fkey", "delivery_observations") + withoutTruncateGuards("evidence", "deliveries", "delivery_sends", "send_events") +
		"GRANT TRUNCATE ON account_slots, bulk_items, checks TO sendonce_server", "TRUNCATE"},
	{"deliveries a_birth", dropTrigger("a_birth", "deliveries"), "", "delivery of another message"},
	{"delivery_sends a_birth", dropTrigger("a_birth", "delivery_sends"), "", "a copy seen by another message's send"},
	{"messages a_frozen", dropTrigger("a_frozen", "messages"), "", "delivered_at of a message cleared"},
	{"messages b_final", dropTrigger("b_final", "messages"), "", "a closing taken back"},
	{"messages d_intent", dropTrigger("d_intent", "messages"), "", "a second message beside a queued one"},
	{"messages e_intent_again", dropTrigger("e_intent_again", "messages"), "", "a message revived beside another"},
	{"sends d_intent", dropTrigger("d_intent", "sends"), "", "a retry beside the message that follows"},
	{"follows_says_why", dropConstraint("follows_says_why", "messages"), "", "a follow without a reason"},
	{"messages c_closing", dropTrigger("c_closing", "messages"), "", "a closing beside a leased send"},
	{"sends c_authority", dropTrigger("c_authority", "sends"), "", "a retry of a closed message"},
	{"closing_says_who_and_why", dropConstraint("closing_says_who_and_why", "messages"), "", "a closing by nobody"},
	{"approvals a_frozen", dropTrigger("a_frozen", "approvals"), "", "an approval for longer"},
	{"evidence x_no_rewrite", dropTrigger("x_no_rewrite", "evidence"), "", "evidence rewritten"},
	{"deliveries x_no_rewrite", dropTrigger("x_no_rewrite", "deliveries"), "", "delivery rewritten"},
	{"delivery_sends x_no_rewrite", dropTrigger("x_no_rewrite", "delivery_sends"), "", "who saw a delivery removed"},
	{"send_events x_no_rewrite", dropTrigger("x_no_rewrite", "send_events"), "", "history rewritten"},
	{"message_versions x_no_rewrite", dropTrigger("x_no_rewrite", "message_versions"), "", "version rewritten"},
	{"send_events y_no_truncate", dropTrigger("y_no_truncate", "send_events"), "", "TRUNCATE of the history"},
	{"evidence y_no_truncate", dropTrigger("y_no_truncate", "evidence"), "", "TRUNCATE of evidence"},
	{"delivery_sends y_no_truncate", dropTrigger("y_no_truncate", "delivery_sends"), "", "TRUNCATE of who saw a delivery"},
	{"deliveries y_no_truncate", dropTrigger("y_no_truncate", "deliveries"), withoutReferencesTo("deliveries"), "TRUNCATE of deliveries"},
	{"message_versions y_no_truncate", dropTrigger("y_no_truncate", "message_versions"), withoutReferencesTo("message_versions"), "TRUNCATE of versions"},
	{"approvals y_no_truncate", dropTrigger("y_no_truncate", "approvals"), withoutReferencesTo("approvals"), "TRUNCATE of approvals"},
	{"messages y_no_truncate", dropTrigger("y_no_truncate", "messages"), withoutReferencesTo("messages"), "TRUNCATE of messages"},
	{"delivery_observations x_no_delete", dropTrigger("x_no_delete", "delivery_observations"), "", "waiting observation removed"},
	{"callback_events x_no_delete", dropTrigger("x_no_delete", "callback_events"), "", "event id removed"},
	{"callback_events x_no_rewrite", dropTrigger("x_no_rewrite", "callback_events"), "", "event id given to another fact"},
	{"messages x_no_delete", dropTrigger("x_no_delete", "messages"), withoutReferencesTo("messages"), "message removed"},
	{"approvals x_no_delete", dropTrigger("x_no_delete", "approvals"), withoutReferencesTo("approvals"), "approval removed"},
	{"incidents a_guard", dropTrigger("a_guard", "incidents"), "", "incident of something else"},
	{"incidents b_stamp", dropTrigger("b_stamp", "incidents"), "", "incident born closed"},
	{"incidents x_no_delete", dropTrigger("x_no_delete", "incidents"), withoutReferencesTo("incidents"), "incident removed"},
	{"incidents y_no_truncate", dropTrigger("y_no_truncate", "incidents"), withoutReferencesTo("incidents"), "TRUNCATE of incidents"},
	{"incident_events x_no_rewrite", dropTrigger("x_no_rewrite", "incident_events"), "", "timeline rewritten"},
	{"incident_events y_no_truncate", dropTrigger("y_no_truncate", "incident_events"), "", "TRUNCATE of the timeline"},
	{"idempotency_keys a_guard", dropTrigger("a_guard", "idempotency_keys"), "", "key of another request"},
	{"idempotency_keys x_no_delete", dropTrigger("x_no_delete", "idempotency_keys"), "", "key removed"},
	{"idempotency_keys y_no_truncate", dropTrigger("y_no_truncate", "idempotency_keys"), "", "TRUNCATE of keys"},
	{"forgotten_answer_is_gone", dropConstraint("forgotten_answer_is_gone", "idempotency_keys"), "", "key forgotten with its answer"},
	{"closed_by_whom", dropConstraint("closed_by_whom", "incidents"), "", "fact closed by nobody"},
	{"no grant on the timeline", "GRANT INSERT ON incident_events TO sendonce_server", "", "timeline forged"},
	{"instance_purpose a_birth", dropTrigger("a_birth", "instance_purpose"), "", "a database of real messages made a sandbox's"},
	{"installs a_purpose", dropTrigger("a_purpose", "installs"), "", "a made-up browser among real messages"},
	{"installs b_purpose", dropTrigger("b_purpose", "installs"), "", "a real browser that becomes a made-up one"},
	{"no grant on what the database is for", "GRANT UPDATE ON instance_purpose TO sendonce_server", "", "what the database is for, changed"},

	{"people a_birth", dropTrigger("a_birth", "people"), "", "a person born merged"},
	{"people a_guard", dropTrigger("a_guard", "people"), "", "a merge beside a queued send"},
	{"people a_guard of marks", dropTrigger("a_guard", "people"), "", "a person's mark cleared"},
	{"person_identities a_frozen", dropTrigger("a_frozen", "person_identities"), "", "an identity moved"},
	{"suppressions a_guard", dropTrigger("a_guard", "suppressions"), "", "a suppression of somebody else"},
	{"suppressions x_no_delete", dropTrigger("x_no_delete", "suppressions"), "", "a suppression removed"},
	{"suppressions y_no_truncate", dropTrigger("y_no_truncate", "suppressions"), "", "TRUNCATE of suppressions"},
	{"removed_marks x_no_rewrite", dropTrigger("x_no_rewrite", "removed_marks"), "", "a mark of a removed person taken away"},
	{"person_events x_no_rewrite", dropTrigger("x_no_rewrite", "person_events"), "", "what was done about a person rewritten"},
	{"mark_keys x_no_delete", dropTrigger("x_no_delete", "mark_keys"), "", "the key of marks removed"},
	{"template_versions x_no_rewrite", dropTrigger("x_no_rewrite", "template_versions"), "", "a template's version rewritten"},
	{"templates x_no_delete", dropTrigger("x_no_delete", "templates"), withoutReferencesTo("templates"), "a template removed"},
	{"template_in_a_version", dropConstraint("template_in_a_version", "message_versions"), "", "a text from a template in no version"},
	{"merging_says_when_and_who", dropConstraint("merging_says_when_and_who", "people"), "", "a merge by nobody"},
	{"removed_is_bare", dropConstraint("removed_is_bare", "people"), "", "a removed person named again"},
	{"lifting_says_who_and_why", dropConstraint("lifting_says_who_and_why", "suppressions"), "", "a lifting without a reason"},
	{"override_says_why", dropConstraint("override_says_why", "approvals"), "", "an override without a reason"},
	{"expired_text_is_gone", dropConstraint("expired_text_is_gone", "message_versions"), "", "a text that is gone in other words"},
	{"no grant on marks", "GRANT INSERT ON removed_marks TO sendonce_server", "", "a mark of nobody"},
	{"no grant on forgetting", "GRANT INSERT ON forgetting TO sendonce_server", "", "forgetting by hand"},
	{"no grant on what was done about people", "GRANT INSERT ON person_events TO sendonce_server", "", "what was done about a person forged"},

	{"sends f_pace", dropTrigger("f_pace", "sends"), "", "a start past the day's limit"},
	{"sends f_pace of the hour", dropTrigger("f_pace", "sends"), "", "a start past the hour's limit"},
	{"sends f_pace of the gap", dropTrigger("f_pace", "sends"), "", "a start before the gap is over"},
	{"sends f_pace of hours", dropTrigger("f_pace", "sends"), "", "a start on a holiday"},
	{"account_limits a_guard", dropTrigger("a_guard", "account_limits"), "", "more than the defaults without a reason"},
	{"account_hours a_guard", dropTrigger("a_guard", "account_hours"), "", "hours of an offset"},
	{"opens_before_it_closes", dropConstraint("opens_before_it_closes", "account_hours"), "", "hours that close before they open"},
	{"account_limits x_no_rewrite", dropTrigger("x_no_rewrite", "account_limits"), "", "limits rewritten"},
	{"account_hours x_no_rewrite", dropTrigger("x_no_rewrite", "account_hours"), "", "hours rewritten"},
	{"no grant on what has begun", "GRANT DELETE ON account_starts TO sendonce_server", "", "a start taken out of the count"},
	{"no grant on what counts", "GRANT UPDATE ON account_starts TO sendonce_server", "", "a start that does not count"},
	{"no grant on the defaults of limits", "GRANT UPDATE ON pace_defaults TO sendonce_server", "", "other defaults"},

	{"approval names its version's digest", dropConstraint("approvals_message_id_version_digest_fkey", "approvals"), "", "an approval of a digest that its version lacks"},
	{"message has its account's channel", dropConstraint("messages_workspace_id_account_id_channel_fkey", "messages"), "", "a message of another channel than its account"},
	{"evidence stays in its workspace", dropConstraint("evidence_workspace_id_send_id_fkey", "evidence"), "", "evidence in another workspace"},
	{"proof_names_its_attempt", dropConstraint("proof_names_its_attempt", "evidence"), "", "proof of no attempt"},
	{"resolution_names_a_person", dropConstraint("resolution_names_a_person", "evidence"), "", "resolution by nobody"},
	{"requeued_by_code", dropConstraint("requeued_by_code", "sends"), "", "requeue after another code"},

	{"no grant on the moment of evidence", "GRANT INSERT (received_at) ON evidence TO sendonce_server", "", "evidence back-dated"},
	{"no grant on the history", "GRANT INSERT ON send_events TO sendonce_server", "", "history forged"},
	{"no grant on guard functions", "GRANT EXECUTE ON FUNCTION sends_history() TO sendonce_server", "", "the guards on a table of one's own"},
	{"no grant on the clock", "GRANT UPDATE ON clock_offset TO sendonce_server", "", "the clock"},
	{"no grant on the quiet times", "GRANT UPDATE ON quiet_times TO sendonce_server", "", "the quiet times"},
	{"no grant on the moves", "GRANT INSERT ON send_moves TO sendonce_server", "", "the moves"},
	{"no grant on the history's numbers", "GRANT UPDATE ON SEQUENCE send_event_ids TO sendonce_server", "", "the history's numbers"},
	{"no membership of the owner", "SET LOCAL ROLE NONE; GRANT sendonce_owner TO sendonce_server", "", "DROP TRIGGER"},
	{"no grant of triggers", "GRANT TRIGGER ON sends TO sendonce_server", "", "CREATE TRIGGER"},
}

func withoutTruncateGuards(tables ...string) string {
	var out strings.Builder
	for _, table := range tables {
		out.WriteString(dropTrigger("y_no_truncate", table))
	}
	return out.String()
}

// withoutReferencesTo drops the foreign keys to a table, which would refuse before its guard does.
func withoutReferencesTo(table string) string {
	return `DO $$ DECLARE found record; BEGIN
		FOR found IN SELECT conrelid::regclass AS on_table, conname FROM pg_constraint WHERE confrelid = '` + table + `'::regclass LOOP
			EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.on_table, found.conname);
		END LOOP; END $$`
}

// Goal: each guard is needed: with it the attack is refused, without it the same attack passes.
func TestEachTriggerIsNeeded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, stranger := w.sendIn(t, rule.Started)
	all := attacks()
	for _, guard := range neededTriggers {
		t.Run(guard.guard, func(t *testing.T) {
			i := slices.IndexFunc(all, func(a attack) bool { return a.name == guard.attack })
			if i < 0 {
				t.Fatalf("no attack is called %q", guard.attack)
			}
			at := w.target(t, all[i], stranger)
			w.requireNeeded(t, guard.behind, guard.without, w.aimed(all[i].sql, at), "")
		})
	}
}

// requireNeeded tries the attack twice as the server's role, with the guard and without it, and takes everything back.
// says is a part of the refusal, or "" for any.
func (w *world) requireNeeded(t *testing.T, behind, without, attack, says string) {
	t.Helper()
	do := func(sql string) {
		t.Helper()
		if err := simply(t, w.admin, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	do("BEGIN; " + behind)
	defer do("ROLLBACK")
	do("SAVEPOINT guarded; SET LOCAL ROLE sendonce_server")
	err := simply(t, w.admin, attack)
	if err == nil {
		t.Error("the attack passed with the guard in place")
	} else if !strings.Contains(err.Error(), says) {
		t.Errorf("refused with %v, want %q", err, says)
	}
	do("ROLLBACK TO guarded; " + without + "; SET LOCAL ROLE sendonce_server")
	if err := simply(t, w.admin, attack); err != nil {
		t.Errorf("the attack was refused without the guard: %v", err)
	}
}

// constraintCase breaks one constraint while no trigger fires, so that the constraint alone stands.
type constraintCase struct {
	constraint, without string
	in                  rule.Status
	before, sql         string
}

var neededConstraints = []constraintCase{
	{"status_is_known", "", rule.Queued, "", `SET status = 'doubtful'`},
	{"queued_is_bare", "", rule.Queued, "", `SET lease_token = gen_random_uuid()`},
	{"leased_names_its_lease", "", rule.Leased, "", `SET lease_holder = NULL`},
	{"lease_is_short", "", rule.Leased, "", `SET lease_expires_at = leased_at + interval '11 minutes'`},
	{"started_names_its_attempt", "", rule.Started, "", `SET deadline_at = NULL`},
	{"started_inside_its_lease", "", rule.Started, "", `SET started_at = lease_expires_at + interval '1 second'`},
	{"deadline_follows_the_start", "", rule.Started, "", `SET deadline_at = started_at + interval '2 days'`},
	{"start_names_its_attempt", "", rule.Sent, "", `SET attempt = NULL`},
	{"gone_after_its_start", "", rule.Queued, "", `SET gone_at = now()`},
	{"canceled_never_started", "", rule.Canceled, "", `SET started_at = now(), attempt = 'attempt-0123456789', lease_expires_at = now()`},
	{"sent_names_its_evidence", "", rule.Sent, "", `SET confirmed_by = NULL`},
	{"vacated_when_over", "", rule.Failed, "", `SET vacated_at = NULL`},
	{"vacated_when_over", "", rule.Started, "", `SET vacated_at = now()`},
	{"one_live_send_per_message", "DROP INDEX one_live_send_per_message", rule.Started, "", sibling},
	{"one_live_send_per_message", "DROP INDEX one_live_send_per_message", rule.Sent, "", sibling},
	{"one_send_per_ordinal", "DROP INDEX one_send_per_ordinal", rule.Failed, "", birth("1", "'{send}'", "{message}", "{approval}", "{digest}", "{hash}")},
	{"one_next_send_per_ended_one", "DROP INDEX one_next_send_per_ended_one", rule.Failed, "", birth("2", "NULL", "{message}", "{approval}", "{digest}", "{hash}")},
	{
		"deliveries_account_id_provider_id_key", "ALTER TABLE deliveries DROP CONSTRAINT deliveries_account_id_provider_id_key", rule.Started, deliver,
		`INSERT INTO deliveries (workspace_id, account_id, provider_id, message_id, send_id) VALUES ('{workspace}', '{account}', '{copy}', '{message}', '{send}')`,
	},
}

// Goal: behind the triggers, each CHECK and unique index refuses by itself, and nothing else does.
func TestEachConstraintIsNeeded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range neededConstraints {
		t.Run(c.constraint+" "+string(c.in), func(t *testing.T) {
			at := w.target(t, attack{in: c.in, before: c.before}, "")
			sql := c.sql
			if strings.HasPrefix(sql, "SET") {
				sql = "UPDATE sends " + sql + " WHERE id = '{send}'"
			}
			without := c.without
			if without == "" {
				without = dropConstraint(c.constraint, "sends")
			}
			w.requireNeeded(t, "ALTER TABLE sends DISABLE TRIGGER USER", without, w.aimed(sql, at), c.constraint)
		})
	}
}

// Goal: the triggers that write instead of refusing are needed as well: without them the record is silent.
func TestEachWriterIsNeeded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, first := w.sendIn(t, rule.Failed)
	second := w.retry(t, m, 2, first)
	cases := []struct{ guard, table, sql, ask, with, without string }{
		{"e_history", "sends", w.fill(toLeased, second), "SELECT count(*)::text FROM send_events WHERE send_id = '" + second + "'", "2", "1"},
		{"f_late_delivery", "sends", w.fill(toSent, first), "SELECT status FROM sends WHERE id = '" + second + "'", string(rule.Canceled), string(rule.Queued)},
		{
			"b_count", "deliveries", w.fill(strings.ReplaceAll(deliver, "{copy}", "one")+";"+strings.ReplaceAll(deliver, "{copy}", "two"), first),
			"SELECT count(*)::text FROM incidents WHERE message_id = '" + m.id + "'", "1", "0",
		},
		{
			"d_lapse", "approvals", "UPDATE approvals SET voided_at = now(), void_reason = 'other' WHERE id = '" + m.approval + "'; UPDATE messages SET lapses_at = NULL WHERE id = '" + m.id + `';
				INSERT INTO approvals (message_id, version, digest, approver, expires_at) SELECT message_id, version, digest, approver, expires_at FROM approvals WHERE id = '` + m.approval + "'",
			"SELECT count(lapses_at)::text FROM messages WHERE id = '" + m.id + "'", "1", "0",
		},
		{
			"d_lapse", "message_versions", "INSERT INTO message_versions (message_id, version, body, digest, text_hash, created_by) SELECT message_id, 2, body, digest, text_hash, created_by FROM message_versions WHERE message_id = '" + m.id + "'",
			"SELECT count(lapses_at)::text FROM messages WHERE id = '" + m.id + "'", "0", "1",
		},
		{
			"c_timeline", "incidents", "INSERT INTO incidents (workspace_id, kind, subject_id) VALUES ('" + w.workspace + "', 'parked', '" + m.id + "')",
			"SELECT count(*)::text FROM incident_events e JOIN incidents i ON i.id = e.incident_id WHERE i.subject_id = '" + m.id + "'", "1", "0",
		},
		{
			"b_person", "suppressions", w.fill(strings.ReplaceAll(personNotContacted, "md5('a{send}')", "md5('one')"), first),
			"SELECT count(suppressed_at)::text FROM people WHERE id = md5('one')::uuid", "1", "0",
		},
		{
			"c_history", "people", "UPDATE people SET owner_id = '" + w.principal + "' WHERE id = '" + w.person + "'",
			"SELECT count(*)::text FROM person_events WHERE person_id = '" + w.person + "'", "1", "0",
		},
		{
			"b_point_on", "people", w.fill(oneOfTwo+`; INSERT INTO people (id, workspace_id) VALUES (md5('c{send}')::uuid, '{workspace}');
				UPDATE people SET merged_into = md5('c{send}')::uuid, merged_at = now(), merged_by = '{principal}' WHERE id = md5('a{send}')::uuid`, first),
			"SELECT count(*)::text FROM people WHERE merged_into = md5('c" + first + "')::uuid", "2", "1",
		},
	}
	for _, c := range cases {
		t.Run(c.guard, func(t *testing.T) {
			for want, without := range map[string]string{c.with: "", c.without: dropTrigger(c.guard, c.table)} {
				exec(t, w.admin, "BEGIN; "+without)
				exec(t, w.admin, c.sql)
				if got := one(t, w.admin, c.ask); got != want {
					t.Errorf("after %q: %s, want %s", without, got, want)
				}
				exec(t, w.admin, "ROLLBACK")
			}
		})
	}
}
