package main

// armingMutants break how a database that may not be the one that sent before holds fire.
func armingMutants() []mutant {
	const judge, arming = "server/instance/instance.go", "server/postgres/migrations/00014_arming.sql"
	in := func(run string) []string { return goTest(run, "./server/instance") }
	asks := goTest("Arming", "./server/api")
	return []mutant{
		{
			name: "armed-elsewhere", breaks: "a restored copy sends everything again", file: judge,
			find: "case seen.Home != Home{} && seen.Home != seen.Here:", replace: "case false:", test: in("ACopyElsewhere"),
		},
		{
			name: "armed-without-the-last-start", breaks: "a start that a failover lost is made once more", file: judge,
			find: "case memory.Epoch > seen.Epoch || seen.Missing:", replace: "case memory.Epoch > seen.Epoch:", test: in("OneCluster"),
		},
		{
			name: "armed-beside-the-original", breaks: "a copied data folder sends what the original sends", file: "server/instance/guard.go",
			find: "note.IsCopied = folder != 0 && note.Folder != 0 && note.Folder != folder", replace: "note.IsCopied = false", test: in("OneCluster"),
		},
		{
			name: "armed-though-an-install-knows-more", breaks: "what a browser did is done once more", file: "server/postgres/instance.go",
			find: "!instance.IsAhead(mark, row.Epoch, row.Newest)", replace: "true", test: in("EmptyDatabase"),
		},
		{
			name: "armed-under-a-running-server", breaks: "a database that is replaced under a running server is not looked at", file: "server/postgres/store.go",
			find: "	poolConfig.AfterConnect = s.lookAtConnection\n", replace: "", test: in("PutBack/running"),
		},
		{
			name: "armed-and-the-start-forgotten", breaks: "a server does not remember what it acknowledged", file: "server/postgres/send.go",
			find: "	s.acknowledged(mark)\n", replace: "", test: in("PutBack/running"),
		},
		{
			name: "armed-and-the-note-unwritten", breaks: "a restart forgets what was acknowledged", file: "server/instance/guard.go",
			find: "func (g *Guard) Close() error { return g.note() }", replace: "func (g *Guard) Close() error { return nil }", test: in("PutBack/note"),
		},
		{
			name: "armed-by-anybody", breaks: "the server arms itself", file: arming,
			find: "WHERE id = NEW.principal_id AND role = 'admin'", replace: "WHERE id = NEW.principal_id", test: attackTests(),
		},
		{
			name: "armed-before-the-reports", breaks: "a hand arms before the browsers have said what they know", file: arming,
			find: "ELSIF NEW.unreported > 0 AND NOT NEW.accept_unseen THEN", replace: "ELSIF false THEN", test: attackTests(),
		},
		{
			name: "armed-in-an-old-epoch", breaks: "a browser that heard of a higher epoch never works again", file: arming,
			find:    "NEW.epoch := greatest(here.epoch, (SELECT max(mark_epoch) FROM public.installs WHERE mark_epoch < sensible_epochs)) + 1;",
			replace: "NEW.epoch := here.epoch + 1;", test: goTest("Begins|Empty", "./server/postgres", "./server/instance"),
		},
		{
			name: "armed-and-nobody-asked", breaks: "a person arms and is not told who has not reported", file: "server/instance/arming.go",
			find: "case report.Unreported > 0 && !arming.AcceptUnseen:", replace: "case false:", test: asks,
		},
		{
			name: "armed-for-another-epoch", breaks: "a yes to what was shown before a second restore arms after it", file: "server/instance/arming.go",
			find: "case report.Epoch != arming.Epoch:", replace: "case false:", test: asks,
		},
		{
			name: "arrived-while-stopping", breaks: "browsers that reach a stopping server hear nothing, and come back all at once", file: "server/gateway/socket.go",
			find: "\t\ts.turnAway()\n", replace: "\t\t_ = conn.Close()\n", test: goTest("ArrivesWhileStopping", "./server/gateway"),
		},
		{
			name: "armed-and-browsers-not-told", breaks: "browsers go on in the old epoch, or wait for ever", file: "server/gateway/look.go",
			find: "case standing.Turn != s.turn:", replace: "case false:", test: goTest("Arming", "./server/gateway"),
		},
		{
			name: "armed-and-browsers-at-rest", breaks: "after a restore browsers take themselves for superseded, and say nothing for ten minutes", file: "server/gateway/look.go",
			find: "case standing.Turn != s.turn:", replace: "case standing.Turn != s.turn && standing.Session == s.info.ID:", test: goTest("Arming", "./server/gateway"),
		},
	}
}
