package main

// pauseMutants break what a person holds back.
func pauseMutants() []mutant {
	const facts = "server/send/facts.go"
	starts, waits := goTest("WorldMoved", "./server/send"), goTest("Paused|WaitedFor", "./server/api")
	pauses := goTest("APause", "./server/send")
	return []mutant{
		{
			name: "pause-of-account-is-ignored", breaks: "a start goes on while its account is paused", file: facts,
			find: "case f.AccountPaused:", replace: "case false:", test: starts,
		},
		{
			name: "pause-of-team-is-ignored", breaks: "a start goes on while the workspace is paused", file: facts,
			find: "case f.WorkspacePaused:", replace: "case false:", test: starts,
		},
		{
			name: "pause-of-everything-is-ignored", breaks: "a start goes on while everything is paused", file: facts,
			find: "case f.EverythingPaused:", replace: "case false:", test: starts,
		},
		{
			name: "pause-of-install-is-ignored", breaks: "a paused browser begins all the same", file: facts,
			find: "case f.InstallPaused:", replace: "case false:", test: starts,
		},
		{
			name: "paused-install-is-asked-first", breaks: "a message waits for the poll because a paused browser is asked for it", file: "server/gateway/ready.go",
			find: "s.ended || s.rests || s.paused ||", replace: "s.ended || s.rests ||", test: goTest("Paused", "./server/gateway"),
		},
		{
			name: "paused-install-is-not-told", breaks: "a browser that is paused on the server shows nothing of it", file: "server/command/pause.go",
			find: "\tif scope.Of == pause.Install {\n\t\tr.waker.InstallChanged(scope.ID)\n\t}\n\tsettled", replace: "\tsettled", test: goTest("Pauses", "./server/app"),
		},
		{
			name: "paused-install-begins-a-look", breaks: "a browser that is paused on the server takes what it is given", file: "extension/core/readiness.js",
			find: "return install.paused || install.paused_there;", replace: "return install.paused;", test: nodeTest("extension/test/install.test.js"),
		},
		{
			name: "paused-install-is-offered", breaks: "each poll for a paused browser sets rows back", file: "server/postgres/db/send.sql.go",
			find: "AND (SELECT i.paused_at FROM installs i WHERE i.id = $3) IS NULL", replace: "AND $3::uuid IS NOT NULL", test: pauses,
		},
		{
			name: "pause-waits-for-no-start", breaks: "a pause says that nothing has begun, and something begins", file: "server/postgres/db/pause.sql.go",
			find: "ORDER BY sl.account_id FOR NO KEY UPDATE", replace: "ORDER BY sl.account_id", test: goTest("RaceOfStartAndPause", "./server/send"),
		},
		{
			name: "pause-takes-nothing-back", breaks: "what was handed out stays with the browser", file: "server/postgres/pause.go",
			find: "if rule.Status(row.Status) != rule.Leased {", replace: "if true {", test: pauses,
		},
		{
			name: "late-repeat-of-a-pause", breaks: "a repeated request takes leases back that no pause holds", file: "server/postgres/pause.go",
			find: "if !row.IsPaused {", replace: "if false {", test: goTest("RepeatedPause", "./server/send"),
		},
		{
			name: "pause-halts-what-has-begun", breaks: "a pause makes a send fail that could end by itself", file: "server/send/resolve.go",
			find: " || pauses(refusal)", replace: "", test: pauses,
		},
		{
			name: "row-says-what-is-over", breaks: "a queued row names a pause that has ended", file: "server/postgres/receipt.go",
			find: "case row.NotDue:", replace: "case true:", test: waits,
		},
	}
}
