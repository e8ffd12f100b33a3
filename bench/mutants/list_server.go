package main

import "slices"

// serverMutants break the decisions of server/send and the store that obeys them.
func serverMutants() []mutant {
	return slices.Concat(startMutants(), factMutants(), reportMutants(), retryMutants(), checkMutants(), worthMutants(), lookerMutants(), pauseMutants(), limitMutants())
}

func lifeTests() []string {
	return goTest("Start|Lease|Attempt|Stale|Park|Disconnect|Approval", "./server/send")
}

func reportTests() []string {
	return goTest("Report|Late|Rate|Refusal|Copy|Identical|Deadline|Ambiguity|Resolve|Deliver|Proves", "./server/send")
}

func startMutants() []mutant {
	return []mutant{
		{
			name: "anyones-lease", breaks: "a browser ends the lease of another user's browser", file: "server/send/observation.go",
			find: "if !may {", replace: "if !may && false {", test: goTest("SettlesNothing|NotTheirs", "./server/send"),
		},
		{
			name: "another-workspaces-lease", breaks: "a browser ends the send of another workspace", file: "server/send/observation.go",
			find: "if claims.Workspace != session.Workspace {", replace: "if false {", test: goTest("SettlesNothing", "./server/send"),
		},
		{
			name: "unknown-report-is-lost", breaks: "a report that nobody can place is thrown away", file: "server/send/observation.go",
			find: "isNew, err := s.store.Observe(ctx, o)", replace: "isNew, err := true, ctx.Err()", test: goTest("SettlesNothing", "./server/send"),
		},
		{
			name: "the-sender-takes-back", breaks: "the history says that a browser took back what the server did", file: "server/postgres/send.go",
			find: "return takeBack(ctx, t.q, facts, decision.Setback)", replace: "return setBack(ctx, t.q, facts, decision.Setback)", test: lifeTests(),
		},
		{
			name: "any-attempt-is-acked", breaks: "a lease frame that arrives again is acked and clicked again", file: "server/send/start.go",
			find: "row.LeaseToken == lease && row.Attempt == attempt {", replace: "row.LeaseToken == lease {", test: lifeTests(),
		},
		{
			name: "stale-token-starts", breaks: "a lease that was given to someone else starts", file: "server/send/start.go",
			find: "row.Status != rule.Leased || row.LeaseToken != lease || row.LeaseHolder != install", replace: "row.Status != rule.Leased", test: lifeTests(),
		},
		{
			name: "superseded-session-starts", breaks: "an old connection of an install starts a send", file: "server/send/start.go",
			find: "case !f.SessionIsNewest:", replace: "case false:", test: lifeTests(),
		},
		{
			name: "other-bytes-start", breaks: "bytes that were not approved go out", file: "server/send/start.go",
			find: "case digest != row.Digest:", replace: "case false:", test: lifeTests(),
		},
		{
			name: "started-may-be-queued", breaks: "a row that contradicts its own status moves", file: "server/rule/status.go",
			find: "return listed && from.AdmitsStart(started) && by[actor]", replace: "return listed && by[actor]", test: goTest(".", "./server/rule", "./parity"),
		},
	}
}

func factMutants() []mutant {
	return []mutant{
		{
			name: "expired-approval-starts", breaks: "a message goes out after its approval expired", file: "server/send/facts.go",
			find: "case !f.Now.Before(f.ApprovalEnds):", replace: "case false:", test: lifeTests(),
		},
		{
			name: "suppressed-person-is-written-to", breaks: "a person who must not be contacted is", file: "server/send/facts.go",
			find: "case f.Suppressed:", replace: "case false:", test: lifeTests(),
		},
		{
			name: "reply-does-not-stop", breaks: "a message follows a reply that its approver had not seen", file: "server/send/facts.go",
			find: "case f.RepliedAt.After(f.ApprovedAt):", replace: "case false:", test: lifeTests(),
		},
		{
			name: "stopped-account-sends", breaks: "an account that LinkedIn refused goes on", file: "server/send/facts.go",
			find: "case f.AccountStopped:", replace: "case false:", test: lifeTests(),
		},
		{
			name: "two-leases-per-account", breaks: "two installs of one account work at once", file: "server/send/facts.go",
			find: "case f.AccountBusy:", replace: "case false:", test: lifeTests(),
		},
		{
			name: "identical-text-may-repeat", breaks: "the same words go out while they may have arrived already", file: "server/send/facts.go",
			find: "case f.IdenticalMayHaveReached:", replace: "case false:", test: reportTests(),
		},
		{
			name: "a-yes-to-a-repeat-covers-the-next", breaks: "a yes to one repeat sends the same words once more after another message that began since",
			file: "server/postgres/db/send.sql.go", find: "(NOT ap.repeat_approved OR o.started_at >= ap.approved_at)", replace: "NOT ap.repeat_approved", test: reportTests(),
		},
	}
}

func reportMutants() []mutant {
	return []mutant{
		{
			name: "revived-worker-proves", breaks: "a worker that restarted says failed, and the message is sent again", file: "server/send/report.go",
			find: "d.Outcome.Status == rule.Failed && r.Attempt == \"\"", replace: "false", test: reportTests(),
		},
		{
			name: "other-attempts-proof-counts", breaks: "an attempt that never started proves another one's failure", file: "server/send/report.go",
			find: "sameAttempt := mine && r.Attempt == f.Row.Attempt", replace: "sameAttempt := mine", test: reportTests(),
		},
		{
			name: "held-copy-is-evidence", breaks: "another message's copy is taken for this one's delivery", file: "server/send/report.go",
			find: "c.ProviderID != \"\" && !f.Held[c.ProviderID]", replace: "c.ProviderID != \"\"", test: reportTests(),
		},
		{
			name: "late-rate-limit-is-requeued", breaks: "a machine re-sends after the deadline", file: "server/send/report.go",
			find: " && !f.Now.After(f.Row.DeadlineAt)", replace: "", test: reportTests(),
		},
		{
			name: "repeated-report-acts-again", breaks: "a resent refusal stops an account that a person has cleared", file: "server/postgres/report.go",
			find: "if isNew {", replace: "if isNew || true {", test: reportTests(),
		},
		{
			name: "any-text-is-pinned", breaks: "a person is known for good by a text that names nobody", file: "server/send/resolve.go",
			find: "case !people.IsProfileURN(r.PersonURN):", replace: "case !people.IsProfileURN(r.PersonURN) && false:", test: reportTests(),
		},
		{
			name: "resolve-skips-the-person", breaks: "the page of somebody else is written on", file: "server/send/resolve.go",
			find: "case j.PinnedURN != \"\" && j.PinnedURN != r.PersonURN:", replace: "case false:", test: reportTests(),
		},
	}
}
