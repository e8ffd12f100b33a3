package main

import "slices"

// checkMutants break the looks that settle, later, what nobody could confirm.
func checkMutants() []mutant {
	return slices.Concat(serverLookMutants(), gatewayLookMutants(), browserLookMutants(), heldUpMutants())
}

func lookTests() []string {
	return nodeTest("extension/test/check.test.js", "extension/test/install_check.test.js", "extension/test/install.test.js")
}

func serverLookMutants() []mutant {
	const server, attribute = "server/send/check.go", "server/send/attribute.go"
	const view = "server/postgres/migrations/00018_checks.sql"
	checks := goTest("Check|Look|Copies", "./server/send")
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
			name: "old-copy-is-found", breaks: "an equal message from before the approval confirms the send", file: attribute,
			find: "|| !one.SentAt.After(t.ApprovedAt.Add(-config.ApprovalSlack))", replace: "", test: checks,
		},
		{
			name: "copy-of-the-other-attempt", breaks: "two copies of two attempts are taken for one attempt's", file: attribute,
			find: "if one.SentAt.After(t.StartedAt.Add(-config.ApprovalSlack)) {", replace: "if false {", test: checks,
		},
		{
			name: "absence-settles", breaks: "what was not found is taken for not delivered", file: server,
			find: "if result == CheckFound {", replace: "if true {", test: checks,
		},
	}
}

func gatewayLookMutants() []mutant {
	checks := goTest("Check", "./server/gateway")
	return []mutant{
		{
			name: "a-lease-beside-a-look", breaks: "a lease is given to a browser that is looking, which gives it back, five times",
			file: "server/gateway/check.go", find: "\tg.hub.rest(s, g.age())\n", replace: "", test: checks,
		},
		{
			name: "unanswered-look-for-ever", breaks: "a browser whose answer to a check is lost gets no lease until it reconnects",
			file: "server/gateway/ready.go", find: "now-s.restsSince >= config.CheckRestMax", replace: "false", test: checks,
		},
		{
			name: "unsaid-look-holds", breaks: "a check that could not be said keeps leases from a browser", file: "server/gateway/check.go",
			find: "if !s.say(checkFrameOf(*check)) {", replace: "if s.say(checkFrameOf(*check)) && false {", test: checks,
		},
	}
}

func browserLookMutants() []mutant {
	looks := lookTests()
	return []mutant{
		{
			name: "a-look-could-act", breaks: "the page script that types and clicks is put into a page that is only looked at",
			file: "extension/core/check.js", find: "follow(turn, event, 'view');", replace: "follow(turn, event, 'act');", test: looks,
		},
		{
			name: "a-short-page-says-absent", breaks: "a page that does not reach back far enough says that the message is not there",
			file: "extension/core/checked.js", find: "oldest > since &&", replace: "false &&", test: looks,
		},
		{
			name: "look-without-a-person", breaks: "a tab is opened for a person who cannot be proved", file: "extension/core/checks.js",
			find: "if (check.person.urn === null && check.person.slug === null)", replace: "if (false)", test: looks,
		},
		{
			name: "look-leaves-the-member", breaks: "a browser that met a sign-in page still asks for leases", file: "extension/core/checks.js",
			find: "const seen = seenAfter(install.seen, effect.evidence.reason);", replace: "const { seen } = install;", test: looks,
		},
		{
			name: "conversation-without-its-person", breaks: "a remembered conversation is opened and can never be proved", file: "extension/core/check.js",
			find: "s.person_urn === null ? 'profile' : 'thread'", replace: "s.conversation === null && s.person_urn === null ? 'profile' : 'thread'", test: looks,
		},
		{
			name: "first-page-only", breaks: "a check reads no further back than the page that LinkedIn loads at first", file: "extension/core/check.js",
			find: "page(turn, { do: 'older' });", replace: "", test: looks,
		},
		{
			name: "reads-back-for-ever", breaks: "a check loads the whole history of a conversation", file: "extension/core/check.js",
			find: "|| s.older_loads === OLDER_LOADS_MAX", replace: "", test: looks,
		},
	}
}

// heldUpMutants make a check hold up what it must not.
func heldUpMutants() []mutant {
	looks := lookTests()
	return []mutant{
		{
			name: "look-beyond-the-outbox", breaks: "a check is begun whose answer cannot be kept", file: "extension/core/checks.js",
			find: "if (outboxes.isCrowded(install.outbox)) return quiet(install);", replace: "", test: looks,
		},
		{
			name: "tab-that-stays-holds-all", breaks: "a check's tab that does not close holds up its account and an update", file: "extension/core/check.js",
			find: "turn.s.closes === CLOSE_TRIES_MAX", replace: "false", test: looks,
		},
		{
			name: "unopened-tab-holds-all", breaks: "a check that was stopped waits for ever for a tab that does not open", file: "extension/core/check.js",
			find: "else timer(turn, 'close', CLOSE_WITHIN_MS);", replace: "", test: looks,
		},
		{
			name: "late-tab-stays", breaks: "a tab that opens after its check has ended stays open", file: "extension/core/install.js",
			find: "if (event.type !== 'tab' || event.what !== 'opened') return quiet(install);", replace: "if (true) return quiet(install);", test: looks,
		},
		{
			name: "update-waits-for-a-look", breaks: "an update waits until a check has ended by itself", file: "extension/core/install.js",
			find: "return toCheck({ ...install, update_waits: true }, { type: 'stop' }, world);", replace: "return quiet({ ...install, update_waits: true });", test: looks,
		},
		{
			name: "lost-ready", breaks: "a browser whose ready came too fast is given nothing until it reconnects", file: "extension/core/install.js",
			find: "if (event.name === 'ready') return quiet({ ...install, said_ready: null });", replace: "if (event.name === 'ready') return quiet(install);", test: looks,
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
