package main

// approvalMutants break how a person's yes and no bind a message, and what needs a yes of its own.
func approvalMutants() []mutant {
	const approve, reject, edit, earlier = "server/message/approve.go", "server/message/reject.go", "server/message/edit.go", "server/message/earlier.go"
	asks := func(run string) []string { return goTest(run, "./server/api") }
	return []mutant{
		{
			name: "rejected-is-approved", breaks: "what a person rejected goes out", file: approve,
			find: "if no := f.Rejection; no != nil {", replace: "if no := f.Rejection; no != no {", test: asks("Rejection|Reject"),
		},
		{
			name: "a-yes-that-does-nothing", breaks: "a person hears that a text is approved which can never go out", file: approve,
			find: "f.begun() && f.Approval == nil", replace: "false", test: asks("LateConfirmation"),
		},
		{
			name: "approved-is-rejected", breaks: "a rejection is shown of what is queued all the same", file: reject,
			find: "if f.approved() {", replace: "if false {", test: asks("Reject"),
		},
		{
			name: "stale-version-is-rejected", breaks: "a no to one text falls on another", file: reject,
			find: "if err := f.isCurrent(no.Version, no.Digest); err != nil {", replace: "if err := error(nil); err != nil {", test: asks("Rejection"),
		},
		{
			name: "revoked-and-still-queued", breaks: "what a person took back goes out", file: edit,
			find: "	if !f.inQueue() {\n\t\treturn nil\n\t}\n\tcanceled", replace: "	if true {\n\t\treturn nil\n\t}\n\tcanceled", test: asks("Revocation"),
		},
		{
			name: "same-text-asks-nobody", breaks: "the same text goes to a person twice and nobody was asked", file: earlier,
			find: "if e.SameText && e.reached()", replace: "if false && e.reached()", test: asks("SecondMessage"),
		},
		{
			name: "same-purpose-asks-nobody", breaks: "a second message for one purpose goes out and nobody was asked", file: earlier,
			find: "isRecent := !e.reached() || e.At.After(coolSince)", replace: "isRecent := e.At.After(coolSince) && false", test: asks("SecondMessage"),
		},
		{
			name: "cool-off-forgets-what-waits", breaks: "what a machine is about to send again counts for nothing", file: earlier,
			find: "isRecent := !e.reached() || e.At.After(coolSince)", replace: "isRecent := e.reached() && e.At.After(coolSince)", test: asks("RateLimitedMessage"),
		},
		{
			name: "purpose-in-other-letters", breaks: "another spelling of a purpose is a way around the cool-off", file: earlier,
			find: "return Fold(a) == Fold(b)", replace: "return a == b", test: asks("SecondMessage"),
		},
		{
			name: "an-old-yes-covers-the-new", breaks: "a yes to what was shown covers a newer message that was not", file: earlier,
			find: "if !slices.Contains(yes.To, one.Message) {", replace: "if len(yes.To) == 0 && !slices.Contains(yes.To, one.Message) {", test: asks("AYesIs"),
		},
		{
			name: "approvals-do-not-meet", breaks: "two messages to one person are approved at one moment", file: peopleSchema,
			find: "WHERE p.id = one AND p.merged_into IS NULL FOR NO KEY UPDATE;", replace: "WHERE p.id = one AND p.merged_into IS NULL;", test: asks("TwoApprovalsToOnePerson"),
		},
		{
			name: "rate-limited-is-forgotten", breaks: "a message follows one that a machine is about to send again", file: "server/postgres/db/approval.sql.go",
			find: " OR s.requeue_at IS NOT NULL)", replace: ")", test: asks("RateLimitedMessage"),
		},
		{
			name: "a-mail-address-redirects", breaks: "what was approved for a person goes to a profile that somebody else named beside their mail address",
			file: "server/postgres/db/identity.sql.go", find: "WHERE $2 = 'email' OR NOT EXISTS", replace: "WHERE true OR NOT EXISTS", test: asks("AnotherProfile|TwoProfiles"),
		},
	}
}

// policyMutants break who approves, and what a person was shown of many approvals at once.
func policyMutants() []mutant {
	const policy = "server/message/policy.go"
	asks := func(run string) []string { return goTest(run, "./server/api") }
	return []mutant{
		{
			name: "another's-messages", breaks: "a recruiter approves messages from an account of somebody else", file: policy,
			find: "if !granted {", replace: "if !granted && false {", test: asks("WhoDecides"),
		},
		{
			name: "agents-approved-unnamed", breaks: "an agent's proposals go out by a rule that named no agents", file: policy,
			find: `r.Role == "" && role != access.Agent`, replace: `r.Role == ""`, test: asks("AutoApproval"),
		},
		{
			name: "policy-approves-the-second", breaks: "the policy sends a person a second message", file: policy,
			find: "if err != nil || len(p.Asks(earlier, facts.Target.Purpose, facts.Now)) > 0 {", replace: "if _ = p.Asks(earlier, facts.Target.Purpose, facts.Now); err != nil {",
			test: asks("AutoApproval"),
		},
		{
			name: "policy-decides-to-follow", breaks: "an agent writes to a person again and again for one task, and no person decided so", file: policy,
			find: "facts.Intent.Follows != uuid.Nil", replace: "false", test: asks("PolicyDecides"),
		},
		{
			name: "approve-all-shows-no-versions", breaks: "a yes to a preview approves a text that it did not show", file: "server/bulk/approval.go",
			find: "message.Yes{Version: items[i].Version, Digest: items[i].Digest}", replace: "message.Yes{Version: f.Version, Digest: f.Digest}",
			test: asks("ApproveAllOfAWorld"),
		},
		{
			name: "approve-all-forgets-itself", breaks: "\"approve all\" promises two messages to one person", file: "server/bulk/approval.go",
			find: "j.allowed[f.Person] = append(j.allowed[f.Person], waits)", replace: "_ = waits", test: asks("ApproveAllIsShown"),
		},
		{
			name: "approve-all-promises-one-text-twice", breaks: "\"approve all\" queues a text to a person beside the same one", file: "server/bulk/approval.go",
			find: "f.IdenticalWaits() || j.texts[same]", replace: "f.IdenticalWaits()", test: asks("ApproveAllIsShown"),
		},
		{
			name: "approve-all-beside-a-queued-text", breaks: "\"approve all\" queues a text that the start will stop", file: "server/bulk/approval.go",
			find: "f.IdenticalWaits() || j.texts[same]", replace: "j.texts[same]", test: asks("ApproveAllIsShown"),
		},
		{
			name: "approval-hides-whom-it-is-for", breaks: "a person approves a name that a program chose, and the message goes to another profile",
			file: "server/console/template/parts.html", find: "{{range $i, $one := .Person.Identities}}", replace: "{{range $i, $one := slice .Person.Identities 0 0}}",
			test: goTest("ShownWhatItBinds", "./server/console"),
		},
		{
			name: "policy-set-by-anybody", breaks: "a recruiter lets agents' messages go out unread", file: policy,
			find: "who.Require(access.SetPolicy); err != nil", replace: "error(nil); err != nil", test: goTest("OnlyPeopleDecide", "./server/message"),
		},
	}
}
