package main

// checkMutants break the looks that settle, later, what nobody could confirm.
func checkMutants() []mutant {
	const server, view = "server/send/check.go", "server/postgres/migrations/00018_checks.sql"
	checks := goTest("Check|Look|Copies", "./server/send")
	looks := nodeTest("extension/test/check.test.js", "extension/test/install.test.js")
	return []mutant{
		{
			name: "unconfirmed-is-not-looked-at", breaks: "what is unconfirmed stays so until a person looks", file: view,
			find: "IF NEW.status = 'unconfirmed' THEN", replace: "IF false THEN", test: checks,
		},
		{
			name: "next-send-before-the-look", breaks: "after an unclean stop the account goes on before anyone has looked", file: view,
			find: "AND c.answered_at IS NULL\n", replace: "AND false\n", test: checks,
		},
		{
			name: "looks-for-ever", breaks: "a conversation is opened again and again for weeks", file: server,
			find: "if tries >= len(pauses) {\n\t\treturn 0\n\t}\n\treturn pauses[tries]", replace: "return pauses[min(tries, len(pauses)-1)]", test: checks,
		},
		{
			name: "old-copy-is-found", breaks: "an equal message from before the approval confirms the send", file: server,
			find: "|| !one.SentAt.After(t.ApprovedAt.Add(-config.ApprovalSlack))", replace: "", test: checks,
		},
		{
			name: "copy-of-the-other-attempt", breaks: "two copies of two attempts are taken for one attempt's", file: server,
			find: "if best == nil {\n\t\t\tbest = first", replace: "if best = first; false {\n\t\t\tbest = first", test: checks,
		},
		{
			name: "absence-settles", breaks: "what was not found is taken for not delivered", file: server,
			find: "if result == CheckFound {", replace: "if true {", test: checks,
		},
		{
			name: "a-lease-beside-a-look", breaks: "a lease is given to a browser that is looking, which gives it back, five times",
			file: "server/gateway/check.go", find: "\tg.hub.rest(s)\n", replace: "", test: goTest("Check", "./server/gateway"),
		},
		{
			name: "a-look-could-act", breaks: "the page script that types and clicks is put into a page that is only looked at",
			file: "extension/core/check.js", find: "follow(turn, event, 'view');", replace: "follow(turn, event, 'act');", test: looks,
		},
		{
			name: "a-short-page-says-absent", breaks: "a page that does not reach back far enough says that the message is not there",
			file: "extension/core/check.js", find: "oldest > since &&", replace: "false &&", test: looks,
		},
		{
			name: "a-look-beside-work", breaks: "a check is begun while something is being sent", file: "extension/core/checks.js",
			find: "|| Object.keys(install.attempts).length > 0) return 'busy';", replace: ") return 'busy';", test: looks,
		},
		{
			name: "a-looks-tab-stays", breaks: "the tab of a look stays open when its worker dies", file: "extension/core/checks.js",
			find: "if (stored === undefined || stored === null) return quiet(install);", replace: "if (stored !== null) return quiet(install);", test: looks,
		},
	}
}
