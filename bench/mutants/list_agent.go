package main

// agentMutants break what an AI agent must not do, and what it must be told.
func agentMutants() []mutant {
	const words, propose = "server/agent/words.go", "server/agent/message.go"
	tells := goTest("Story", "./server/agent")
	return []mutant{
		{
			name: "agent-who-may-approve", breaks: "an agent works with a token that may approve what it wrote", file: "server/agent/agent.go",
			find: "role != access.Agent", replace: "role == access.Viewer", test: goTest("Tools/tokens", "./server/agent"),
		},
		{
			name: "agent-proposes-by-spelling", breaks: "the same call with a blank more is a second message", file: propose,
			find: `keyOf("propose/"+p.AccountID, p)`, replace: `keyOf("propose/"+in.Body, p)`, test: tells,
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
			name: "agent-told-that-nothing-began", breaks: "an agent proposes again what may have arrived", file: words,
			find: "case rule.Started, rule.Unconfirmed, rule.Sent, rule.Failed:", replace: "case rule.Started, rule.Sent, rule.Failed:", test: tells,
		},
	}
}
