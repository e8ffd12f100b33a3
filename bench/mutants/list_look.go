package main

// worthMutants break what a look is taken for: whose a copy is, and whether an absence counts.
func worthMutants() []mutant {
	const server, attribute, queries = "server/send/check.go", "server/send/attribute.go", "server/postgres/db/check.sql.go"
	checks, rivals := goTest("Check|Look|Copies", "./server/send"), goTest("Repeats|Rival", "./server/send")
	return []mutant{
		{
			name: "report-of-an-old-copy", breaks: "an install that takes an older message for this one confirms by it", file: "server/send/report.go",
			find: "isOld := !c.SentAt.IsZero() && ", replace: "isOld := false && !c.SentAt.IsZero() && ",
			test: goTest("BeforeTheApproval", "./server/send"),
		},
		{
			name: "late-answer-counts", breaks: "an absence counts by when its answer came, though the look was asked before the message arrived",
			file: "server/message/looked.go", find: "l.Counts = s.absenceCounts(e.AskedAt)", replace: "l.Counts = s.absenceCounts(&e.ReceivedAt)",
			test: goTest("Absence", "./server/message"),
		},
		{
			name: "asking-is-not-written-down", breaks: "nobody knows later when a look was asked for, and no absence counts",
			file: "server/postgres/checks.go", find: ", AskedAt: nullableTime(write.AskedAt)", replace: "", test: checks,
		},
		{
			name: "takes-a-repeats-copy", breaks: "one of two messages with one text takes the other's copy, and the other may be sent again",
			file: attribute, find: "return r.mayHaveLeft(one) })", replace: "return false && r.mayHaveLeft(one) })", test: rivals,
		},
		{
			name: "a-persons-word-names-its-copy", breaks: "the copy of what a person said was delivered is taken for another message's",
			file: queries, find: "o.status IN ('started', 'unconfirmed', 'sent')", replace: "o.status IN ('started', 'unconfirmed')", test: rivals,
		},
		{
			name: "rivals-for-ever", breaks: "a copy is nobody's because the same text was once written and never confirmed",
			file: attribute, find: "one.SentAt.Before(r.Until.Add(config.ApprovalSlack))", replace: "true", test: rivals,
		},
		{
			name: "absent-before-a-late-tab", breaks: "an absence counts although the tab that may have sent was closed after it was seen",
			file: "server/send/resolution.go", find: "return q.over(deadline, *gone)", replace: "return q.NotDeliveredFrom(deadline, gone)",
			test: goTest("QuietTime", "./server/send"),
		},
		{
			name: "any-look-is-filled-in", breaks: "a person is given words to say of a look that proves nothing",
			file: "server/message/looked.go", find: "if l == nil || !l.Counts {", replace: "if l == nil {", test: goTest("Absence", "./server/message"),
		},
		{
			name: "a-rivals-late-tab-left-nothing", breaks: "a copy that a machine sent as it woke is taken for another message's",
			file: queries, find: "greatest(o.deadline_at + q.unseen, o.gone_at + q.grace)", replace: "(o.deadline_at + q.unseen)", test: rivals,
		},
		{
			name: "held-copy-leaves-a-report", breaks: "a look that saw only another message's copy leaves a report that nobody made",
			file: server, find: "decided = ReportDecision{} // other", replace: "_ = decided // other",
			test: goTest("HeldCopy", "./server/send"),
		},
	}
}

// lookerMutants break who is asked to look, when, and whose word is taken for it.
func lookerMutants() []mutant {
	const server, queries = "server/send/check.go", "server/postgres/db/check.sql.go"
	const view = "server/postgres/migrations/00018_checks.sql"
	mayNot := goTest("WhoMayNotLook", "./server/send")
	return []mutant{
		{
			name: "anyone-looks", breaks: "an install looks at conversations of an account that it was not granted",
			file: "server/postgres/checks.go", find: "if !row.MayLook {", replace: "if false {", test: mayNot,
		},
		{
			name: "paused-install-looks", breaks: "a browser that a person paused goes on opening conversations",
			file: queries, find: "AND i.paused_at IS NULL", replace: "", test: mayNot,
		},
		{
			name: "revoked-install-looks", breaks: "a revoked browser is asked to look", file: queries,
			find: "AND i.revoked_at IS NULL", replace: "", test: mayNot,
		},
		{
			name: "looks-while-it-cools", breaks: "conversations are opened while LinkedIn asked to slow down", file: view,
			find: "AND (a.cool_until IS NULL OR a.cool_until <= (SELECT sendonce_now()))", replace: "", test: mayNot,
		},
		{
			name: "looks-though-stopped", breaks: "conversations are opened for an account that LinkedIn refused", file: view,
			find: "WHERE a.stopped_at IS NULL AND a.paused_at IS NULL", replace: "WHERE a.paused_at IS NULL", test: mayNot,
		},
		{
			name: "looks-though-everything-is-paused", breaks: "a pause of everything does not hold what only reads", file: view,
			find: "AND (SELECT e.paused_at FROM pause_of_everything e) IS NULL", replace: "", test: mayNot,
		},
		{
			name: "a-lease-answers-a-check", breaks: "whoever holds a lease says that a check found it delivered", file: server,
			find: "claims, err := s.claimsOf(ctx, s.checkTokens, c.Session, c.Token)", replace: "claims, err := s.claimsOf(ctx, s.tokens, c.Session, c.Token)", test: goTest("ALeaseAnswersNoCheck", "./server/send"),
		},
		{
			name: "a-check-is-a-lease", breaks: "the token of a check opens what a lease opens", file: "server/auth/jwt.go",
			find: "audience: checkAudience, parser: newParser(checkAudience)", replace: "audience: leaseAudience, parser: newParser(leaseAudience)",
			test: goTest("ALeaseIsNoCheck", "./server/auth"),
		},
		{
			name: "old-unconfirmed-are-forgotten", breaks: "what was unconfirmed before there were checks is never looked at",
			file: "server/postgres/migrations/00020_checks_asked.sql", find: "WHERE status = 'unconfirmed'", replace: "WHERE false",
			test: goTest("OldUnconfirmed", "./server/postgres"),
		},
		{
			name: "only-a-planned-look-again", breaks: "a person's word does nothing for a send that was never planned to be looked at", file: queries,
			find: "SELECT s.id, s.account_id, sendonce_now() FROM sends s", replace: "SELECT s.id, s.account_id, sendonce_now() FROM checks p JOIN sends s ON s.id = p.send_id",
			test: goTest("LookedAtAgain", "./server/api"),
		},
	}
}
