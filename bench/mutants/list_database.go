package main

const (
	guards = "server/postgres/migrations/00006_guards.sql"
	rules  = "server/postgres/rules.sql.tmpl"
	tables = "server/postgres/migrations/00005_sends.sql"
	proofs = "server/postgres/migrations/00021_quiet_since_gone.sql"
)

func attackTests() []string { return goTest("Attack|Shadow|Replica", "./server/postgres") }

func factTests() []string {
	return goTest("Late|Copies|Shared|History|Retries|Life", "./server/postgres")
}

// databaseMutants break what the database refuses to every writer.
func databaseMutants() []mutant {
	return []mutant{
		{
			name: "started-goes-back-to-queued", breaks: "a hand at a prompt puts a started send back in the queue", file: rules,
			find: "AND (OLD.status = NEW.status OR OLD.status || '>' ||", replace: "AND (true OR OLD.status || '>' ||", test: attackTests(),
		},
		{
			name: "lease-may-be-extended", breaks: "an expired lease is made longer and starts", file: rules,
			find: "OR OLD.status || '>' || NEW.status IN ('queued>leased', 'leased>queued'))", replace: "OR true)", test: attackTests(),
		},
		{
			name: "attempt-may-be-rewritten", breaks: "another attempt takes over a started send", file: rules,
			find: "OR OLD.status || '>' || NEW.status = 'leased>started')", replace: "OR true)", test: attackTests(),
		},
		{
			name: "a-start-may-be-forgotten", breaks: "a start is acknowledged that a power cut undoes", file: rules,
			find: "OR current_setting('synchronous_commit') IN ('on', 'remote_apply'))", replace: "OR true)", test: attackTests(),
		},
		{
			name: "guards-sleep-under-replica", breaks: "session_replication_role turns the guards off", file: rules,
			find: "ENABLE ALWAYS TRIGGER %I", replace: "ENABLE TRIGGER %I", test: goTest("Attack|Shadow|Replica|Check", "./server/postgres"),
		},
		{
			name: "two-live-sends", breaks: "a message has two sends that may both go out", file: tables,
			find: "CREATE UNIQUE INDEX one_live_send_per_message", replace: "CREATE INDEX one_live_send_per_message", test: goTest("Attack|Guard|Needed|Check|Race", "./server/postgres"),
		},
		{
			name: "sibling-of-a-delivered-one", breaks: "a retry begins after the first send proved delivered", file: guards,
			find: "RAISE EXCEPTION 'message % was already delivered', NEW.message_id USING ERRCODE = 'SO009',", replace: "RAISE NOTICE 'message % was already delivered', NEW.message_id USING", test: attackTests(),
		},
		{
			name: "sent-without-evidence", breaks: "a row says sent and nobody said so", file: proofs,
			find: "AND (e.kind = 'confirmation' OR e.kind = 'resolution' AND e.outcome = 'delivered')", replace: "", test: attackTests(),
		},
		{
			name: "no-quiet-time", breaks: "\"not delivered\" counts while the request may still arrive", file: proofs,
			find: "IF OLD.gone_at IS NOT NULL AND resolution.received_at >= over", replace: "IF OLD.gone_at IS NOT NULL", test: attackTests(),
		},
		{
			name: "a-late-tab-by-hand", breaks: "a hand says \"not delivered\" of what a machine sent that slept past the deadline", file: proofs,
			find: "greatest(OLD.deadline_at, OLD.gone_at) + quiet.grace", replace: "OLD.deadline_at + quiet.grace", test: attackTests(),
		},
		{
			name: "any-proof-will-do", breaks: "another attempt's proof makes a row failed", file: proofs,
			find: "e.kind = 'proof' AND e.attempt = OLD.attempt", replace: "e.kind = 'proof'", test: attackTests(),
		},
		{
			name: "late-delivery-cancels-nothing", breaks: "a queued retry goes out after a late confirmation", file: guards,
			find: "WHERE message_id = NEW.message_id AND id <> NEW.id AND status IN ('queued', 'leased');", replace: "WHERE false;", test: factTests(),
		},
		{
			name: "two-copies-stay-quiet", breaks: "a person is written to twice and nobody is told", file: guards,
			find: "    IF others > 0 THEN", replace: "    IF false THEN", test: factTests(),
		},
		{
			name: "history-is-optional", breaks: "a hand-typed change leaves no trace", file: rules,
			find: "CREATE OR REPLACE TRIGGER e_history AFTER INSERT OR UPDATE ON sends", replace: "CREATE OR REPLACE TRIGGER e_history AFTER INSERT ON sends", test: factTests(),
		},
	}
}
