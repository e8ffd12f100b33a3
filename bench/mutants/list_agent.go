package main

// agentMutants break what an AI agent must not do, and what it must be told.
func agentMutants() []mutant {
	const words, propose = "server/agent/words.go", "server/agent/message.go"
	tells, decides := goTest("Story", "./server/agent"), goTest("Tools/rejected", "./server/agent")
	return []mutant{
		{
			name: "agent-who-may-approve", breaks: "an agent works with a token that may approve what it wrote", file: "server/agent/agent.go",
			find: "role != access.Agent", replace: "role == access.Viewer", test: goTest("Tools/tokens", "./server/agent"),
		},
		{
			name: "agent-proposes-by-spelling", breaks: "the same call with a blank more is a second message", file: propose,
			find: `keyOf("propose/"+p.AccountID, p)`, replace: `keyOf("propose/"+in.LinkedIn, p)`, test: tells,
		},
		{
			name: "agent-told-of-the-past", breaks: "a repeated call hears what the message was when it was made", file: propose,
			find: "if err == nil && isReplay {", replace: "if err == nil && m.ID == \"\" {", test: tells,
		},
		{
			name: "agent-revises-what-it-has-not-read", breaks: "an agent overwrites what a person has changed", file: propose,
			find: "client.Revision{Version: in.Version, Body: body}", replace: "client.Revision{Body: body}", test: goTest("Tools/revising", "./server/agent"),
		},
		{
			name: "agent-proposes-half-a-character", breaks: "a text that lost a character on its way is proposed without it", file: propose,
			find: "if strings.ContainsRune(text, utf8.RuneError) {", replace: "if strings.ContainsRune(text, utf8.MaxRune) {", test: goTest("Tools/bad_calls", "./server/agent"),
		},
		{
			name: "agent-told-that-nothing-began", breaks: "an agent proposes again what may have arrived", file: words,
			find: "case rule.Started, rule.Unconfirmed, rule.Sent, rule.Failed:", replace: "case rule.Started, rule.Sent, rule.Failed:", test: tells,
		},
		{
			name: "agent-waits-for-what-is-closed", breaks: "an agent is told that a person must approve what is closed for good", file: words,
			find: "	if m.Closure != nil {\n		return nothing + closed(*m.Closure)\n	}\n", replace: "", test: decides,
		},
		{
			name: "agent-not-told-why", breaks: "an agent is not told what a person said when they rejected its text", file: words,
			find: `" rejected this version: " + r.Why`, replace: `" rejected this version: "`, test: decides,
		},
		{
			name: "agent-told-to-retry-in-other-words", breaks: "an agent is not told that a person must look first", file: "server/agent/refusal.go",
			find: "case problem.NeedsALook:", replace: "case problem.Busy:", test: tells,
		},
		{
			name: "agent-hangs-up-unanswered", breaks: "a program that asks through a pipe has no answer", file: "server/agent/stdio.go",
			find: "\t\tc.rest(ctx)\n", replace: "", test: goTest("TestTools$", "./server/agent"),
		},
	}
}
