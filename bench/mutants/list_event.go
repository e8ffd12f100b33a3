package main

const eventTables = "server/postgres/migrations/00030_events.sql" // of the feed, and its triggers

// eventMutants break the order of the feed of events, and where it ends and begins.
func eventMutants() []mutant {
	const (
		// The two numbers of which an event bears the higher.
		ownNumber  = "pg_current_xact_id()::text::bigint"
		newestOver = "pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1"
	)
	stored := func(run string) []string { return goTest(run, "./server/postgres") }
	return []mutant{
		{
			name: "event-shown-too-early", breaks: "a reader misses what an older transaction commits later", file: eventTables,
			find: "SELECT coalesce(min(running::text::bigint), pg", replace: "SELECT coalesce(nullif(count(*), count(*)), pg",
			test: stored("ReadersMissNothing"),
		},
		{
			name: "event-held-back-by-a-stranger", breaks: "another database of the cluster holds the feed back", file: eventTables,
			find: "AND a.datid <> (SELECT", replace: "AND a.datid IS NULL AND a.datid <> (SELECT", test: stored("OwnTransactions"),
		},
		{
			name: "event-of-no-transaction", breaks: "moves of sends stand outside the one order", file: eventTables,
			find: "ALTER TABLE send_events ALTER COLUMN shown_after SET DEFAULT\n    greatest(" + ownNumber + ", " + newestOver + ");", replace: "",
			test: stored("ReadersMissNothing"),
		},
		{
			name: "move-by-its-own-number-alone", breaks: "a move is shown before the one that it came after", file: eventTables,
			find: "SET DEFAULT\n    greatest(" + ownNumber + ", " + newestOver + ");", replace: "SET DEFAULT " + ownNumber + ";",
			test: stored("OrderOfWhatHappened"),
		},
		{
			name: "event-by-its-own-number-alone", breaks: "an event is shown before what it came after", file: eventTables,
			find: "        greatest(" + ownNumber + ", " + newestOver + "),\n    xid", replace: "        " + ownNumber + ",\n    xid",
			test: stored("OrderOfWhatHappened"),
		},
	}
}

// eventTruthMutants break what the feed says, and to whom it still says it.
func eventTruthMutants() []mutant {
	const cursor = "server/event/cursor.go"
	stored := func(run string) []string { return goTest(run, "./server/postgres") }
	held := goTest("Cursor", "./server/event")
	return []mutant{
		{
			name: "cursor-of-another-workspace", breaks: "a cursor of another workspace is taken", file: "server/postgres/db/event.sql.go",
			find: "OR EXISTS (SELECT FROM events e WHERE e.id = g.id AND e.workspace_id = g.workspace_id", replace: "OR EXISTS (SELECT FROM events e WHERE e.id = g.id",
			test: stored("StayInTheirWorkspace"),
		},
		{
			name: "cursor-outlives-a-restore", breaks: "after a restore a reader goes on and misses what came", file: cursor,
			find: "case after.Epoch != r.Epoch:", replace: "case false:", test: held,
		},
		{
			name: "cursor-outlives-its-events", breaks: "a reader is not told that it has missed events", file: cursor,
			find: "case after.before(r.Horizon):", replace: "case false:", test: held,
		},
		{
			name: "forgotten-without-a-trace", breaks: "a hand deletes events that nobody has read, unnoticed", file: rules,
			find: "CREATE OR REPLACE TRIGGER a_forgotten AFTER DELETE ON events", replace: "CREATE OR REPLACE TRIGGER a_forgotten AFTER INSERT ON event_horizons",
			test: stored("Forgotten"),
		},
		{
			name: "arming-overtakes-a-writer", breaks: "what was being written at an arming is in no feed", file: eventTables,
			find: "    LOCK TABLE public.sends, public.send_events, public.events IN SHARE MODE;\n", replace: "", test: stored("BeginsAnew"),
		},
		{
			name: "arming-overtakes-a-move", breaks: "a move that had drawn its number at an arming is in no feed", file: eventTables,
			find: "LOCK TABLE public.sends, ", replace: "LOCK TABLE ", test: stored("BeginsAnew"),
		},
		{
			name: "completed-before-the-retry", breaks: "a failure that another send follows is told as the end", file: eventTables,
			find: "o.ordinal > s.ordinal AND s.status IN", replace: "false AND s.status IN", test: stored("EveryChange"),
		},
		{
			name: "completed-by-an-edit", breaks: "a message that was edited is told to have ended", file: eventTables,
			find: "m.id = s.message_id AND m.authority = 'approved' AND", replace: "m.id = s.message_id AND", test: stored("EveryChange"),
		},
		{
			name: "asked-though-approved", breaks: "a person is asked for what is approved already", file: eventTables,
			find: "m.id = NEW.id AND m.authority = 'proposed' AND", replace: "m.id = NEW.id AND", test: stored("EveryChange"),
		},
		{
			name: "delivery-told-again", breaks: "delivery evidence is told twice, and backwards", file: eventTables,
			find: "IF step <= coalesce(array_position(way, was.state), 0)", replace: "IF false", test: stored("EveryChange"),
		},
	}
}

// eventReaderMutants break how events are waited for and streamed.
func eventReaderMutants() []mutant {
	const stream = "server/api/event_stream.go"
	overHTTP := func(run string) []string { return goTest(run, "./server/api") }
	return []mutant{
		{
			name: "reader-sleeps-through", breaks: "who waits is not told of what came", file: "server/event/watch.go",
			find: "case seat.news <- struct{}{}:", replace: "case (chan struct{})(nil) <- struct{}{}:", test: overHTTP("WaitingForEvents"),
		},
		{
			name: "reader-waits-in-an-ended-history", breaks: "who waits is not told that the database was armed", file: "server/event/watch.go",
			find: "if seat.upTo.Epoch == end.Epoch && !", replace: "if !", test: goTest("WhoIsWoken", "./server/event"),
		},
		{
			name: "readers-without-number", breaks: "one reader takes all places", file: "server/event/feed.go",
			find: "if f.readers[who.ID] >= config.EventReadersPerPrincipal {", replace: "if false {", test: overHTTP("WaitingForEvents"),
		},
		{
			name: "wait-outlives-its-token", breaks: "a revoked token is told what came", file: "server/api/event.go",
			find: "if wait > 0 { // meanwhile", replace: "if false { // meanwhile", test: overHTTP("WaitingForEvents"),
		},
		{
			name: "stream-outlives-its-token", breaks: "a revoked token goes on reading", file: stream,
			find: "if _, err := a.principal(c.ctx(), c, access.Read); err != nil {\n\t\t\treturn err", replace: "if _, err := a.principal(c.ctx(), c, access.Read); false {\n\t\t\treturn err",
			test: overHTTP("StreamOfEvents"),
		},
		{
			name: "stream-begins-again", breaks: "a stream that is taken up shows the same again", file: "server/api/event.go",
			find: "case streams && last != \"\":", replace: "case false:", test: overHTTP("StreamOfEvents"),
		},
		{
			name: "stream-hides-where-it-stands", breaks: "a stream that broke before its first event begins at a later one", file: stream,
			find: `still here\nid: %s\n\n`, replace: `still here\n%.0s\n`, test: overHTTP("BrokeBeforeItsFirst"),
		},
		{
			name: "stopping-waits-for-streams", breaks: "a server that stops waits for its streams, and cuts them off", file: "server/app/app.go",
			find: "	a.server.RegisterOnShutdown(a.feed.End)\n", replace: "", test: goTest("AStreamHears", "./server/app"),
		},
		{
			name: "stream-waits-for-the-slow", breaks: "a reader that takes nothing in keeps its place", file: stream,
			find: "SetWriteDeadline(time.Now().Add(s.within))", replace: "SetWriteDeadline(time.Time{})", test: overHTTP("SlowReader"),
		},
	}
}
