package main

// sequenceMutants break what the database holds of sequences: each step once to a person, who is in it once.
func sequenceMutants() []mutant {
	const schema = "server/postgres/migrations/00038_sequences.sql"
	return []mutant{
		{
			name: "step-twice-to-a-merged-person-by-hand", breaks: "two rows of one person have a step each", file: schema,
			find: "WHERE h.person_id = ANY (same) AND h.step_id = NEW.step_id LIMIT 1;", replace: "WHERE h.person_id = NEW.person_id AND h.step_id = NEW.step_id LIMIT 1;", test: attackTests(),
		},
		{
			name: "next-step-beside-an-unconfirmed-one-by-hand", breaks: "a follow-up goes to somebody who may not have had what it follows", file: schema,
			find: "AND h.sequence_id = NEW.sequence_id AND NOT h.is_sent LIMIT 1;", replace: "AND h.sequence_id = NEW.sequence_id AND false LIMIT 1;", test: attackTests(),
		},
		{
			name: "begun-step-is-given-back-by-hand", breaks: "a step that may have reached a person is said again", file: schema,
			find: "        AND NOT EXISTS (SELECT FROM public.sends s WHERE s.message_id = OLD.message_id AND s.status IN ('started', 'unconfirmed', 'sent')) THEN", replace: "        THEN", test: attackTests(),
		},
		{
			name: "person-enrolled-twice-by-hand", breaks: "two enrolments of one person run beside each other", file: schema,
			find: "AND e.state IN ('running', 'paused', 'held') LIMIT 1;", replace: "AND false LIMIT 1;", test: attackTests(),
		},
	}
}

// stepMutants break what is next, and what holds or ends a sequence.
func stepMutants() []mutant {
	const next = "server/sequence/next.go"
	pure := func(name string) []string { return goTest(name, "./server/sequence") }
	return []mutant{
		{
			name: "unsent-step-holds-nothing", breaks: "a follow-up goes out while the step before it is unconfirmed", file: next,
			find: "if open := f.unsent(); open != nil {", replace: "if open := f.unsent(); false {", test: pure("AStepHolds"),
		},
		{
			name: "had-step-is-said-again", breaks: "whoever had a step hears it again once another was put before it", file: next,
			find: "furthest = i", replace: "furthest = min(i, 0)", test: pure("TheNextStep"),
		},
		{
			name: "delay-counts-from-the-enrolment", breaks: "a follow-up goes out right after a late first message", file: next,
			find: "if last != nil && last.SentAt.After(from) {", replace: "if false {", test: pure("TheNextStep"),
		},
		{
			name: "reply-stops-nothing", breaks: "who answered hears the next step", file: next,
			find: "case isSince(f.RepliedAt):", replace: "case false:", test: pure("WhatStops"),
		},
		{
			name: "message-by-hand-stops-nothing", breaks: "who is written to by hand hears the next step", file: next,
			find: "case isSince(f.ByHandAt):", replace: "case false:", test: pure("WhatStops"),
		},
		{
			name: "bounce-stops-nothing", breaks: "a sequence goes on to an address that took nothing", file: next,
			find: "case f.Bounced:", replace: "case false:", test: pure("WhatStops"),
		},
		{
			name: "merged-person-is-in-it-twice", breaks: "one person goes through a sequence twice", file: next,
			find: "case f.Older:", replace: "case false:", test: pure("WhatStops"),
		},
		{
			name: "colleague-holds-nothing", breaks: "a colleague's person hears the next step", file: next,
			find: "if f.Contact.Level == people.Owned {", replace: "if false {", test: pure("WhatStops"),
		},
		{
			name: "called-off-step-comes-back", breaks: "what a person withdrew is proposed again by itself", file: next,
			find: "if f.CalledOff {", replace: "if false {", test: pure("WhatStops"),
		},
		{
			name: "weekend-is-business", breaks: "a follow-up after business days goes out on a Sunday", file: "server/sequence/delay.go",
			find: "return day.Weekday() != time.Saturday && day.Weekday() != time.Sunday", replace: "return true", test: pure("DelaysKeepTheHour"),
		},
		{
			name: "day-is-24-hours", breaks: "a message goes out an hour off after the clocks change", file: "server/sequence/delay.go",
			find: "return firstShown(at, zone)", replace: "return from.Add(time.Duration(d.Count) * 24 * time.Hour)", test: pure("DelaysKeepTheHour"),
		},
		{
			name: "holiday-is-business", breaks: "a follow-up after business days goes out on a holiday of the account", file: "server/sequence/delay.go",
			find: " && !slices.Contains(hours.Holidays, day.Format(time.DateOnly))", replace: "", test: pure("BusinessDaysAreTheAccounts"),
		},
		{
			name: "hour-shown-twice-is-its-second", breaks: "a step is due at another moment than the database has for that time", file: "server/sequence/delay.go",
			find: "if shows(byBefore) {", replace: "if false {", test: pure("DelaysKeepTheHour"),
		},
	}
}

// enrolmentMutants break who is enrolled, and what a pause, an end, a merge and a long downtime leave.
func enrolmentMutants() []mutant {
	const next, enrol = "server/sequence/next.go", "server/sequence/enrol.go"
	whole := func(name string) []string { return goTest(name, "./server/api") }
	return []mutant{
		{
			name: "policy-approves-what-is-overdue", breaks: "after a long downtime messages go out in a burst that nobody has read", file: "server/message/propose.go",
			find: "if p.NoPolicy || !basis", replace: "if !basis", test: whole("APersonApprovesWhatIsOverdue"),
		},
		{
			name: "paused-step-is-approved", breaks: "\"approve all\" sends what somebody has paused", file: "server/message/approve.go",
			find: "if f.StepHeld != \"\" {", replace: "if false {", test: whole("ABatchOfASequenceIsShown"),
		},
		{
			name: "step-had-is-approved", breaks: "what proved delivered late is approved once more before a server has looked", file: "server/postgres/migrations/00039_held_steps.sql",
			find: "AND h.step_id = t.step_id AND h.message_id <> t.message_id AND h.is_sent) AS had) had", replace: "AND false) AS had) had", test: whole("AnErrorIsResumed"),
		},
		{
			name: "younger-calls-off-the-older", breaks: "the end of one enrolment withdraws the message of another", file: next,
			find: "had.SentAt == nil && had.Enrolment == f.Enrolment.ID", replace: "had.SentAt == nil", test: whole("AMergeCallsOff"),
		},
		{
			name: "nothing-told-wakes-anybody", breaks: "who answered may still be written to for ten minutes", file: "server/postgres/migrations/00038_sequences.sql",
			find: "AND e.state = 'running' FOR NO KEY UPDATE OF e SKIP LOCKED", replace: "AND false FOR NO KEY UPDATE OF e SKIP LOCKED", test: whole("WhatEndsAnEnrolment"),
		},
		{
			name: "suppressed-is-enrolled", breaks: "who must not be contacted is put into a sequence", file: enrol,
			find: "if contact.Level == people.DoNotContact {", replace: "if contact.Level == people.DoNotContact && other == s.ID {", test: whole("ManyAreEnrolled"),
		},
		{
			name: "had-all-is-enrolled-again", breaks: "who has had all of a sequence is in it once more", file: enrol,
			find: "if other != uuid.Nil && (Facts{Had: had}).unsent() == nil && next(s.Steps, had) == nil {", replace: "if had == nil && other == s.ID {", test: whole("AnotherEnrolment"),
		},
		{
			name: "enrolled-people-are-not-held", breaks: "of two who enrol the same people one is told of a defect", file: enrol,
			find: "if err := store.PeopleToEnrol(ctx, who.Workspace, ids); err != nil {", replace: "if err := ctx.Err(); err != nil {", test: whole("TwoImports"),
		},
	}
}

// hadMutants break which step a person has had, and what becomes of one that is called off.
func hadMutants() []mutant {
	const next, look, enrol = "server/sequence/next.go", "server/sequence/look.go", "server/sequence/enrol.go"
	whole := func(name string) []string { return goTest(name, "./server/api") }
	return []mutant{
		{
			name: "copy-of-ours-stops-it", breaks: "a message of ours that a browser saw is taken for one by hand", file: "server/postgres/migrations/00039_held_steps.sql",
			find: "WHERE o.account_id = d.account_id AND o.provider_id = d.seen_id", replace: "WHERE false", test: whole("WhatEndsNoEnrolment"),
		},
		{
			name: "overtaken-step-still-waits", breaks: "what proved delivered late is said once more", file: next,
			find: "if late := f.overtaken(); late != nil {", replace: "if late := f.overtaken(); late != nil && false {", test: whole("AnErrorIsResumed"),
		},
		{
			name: "failed-step-is-lost", breaks: "what failed and was called off is never offered again", file: "server/postgres/migrations/00038_sequences.sql",
			find: "s.message_id = NEW.id AND s.status IN ('started', 'unconfirmed', 'sent'));", replace: "s.message_id = NEW.id AND s.started_at IS NOT NULL);", test: whole("AnErrorIsResumed"),
		},
		{
			name: "late-copy-is-no-step-had", breaks: "a step that proved delivered late is offered again", file: "server/postgres/migrations/00038_sequences.sql",
			find: "WHERE t.vacated_at IS NULL OR EXISTS (SELECT FROM deliveries d WHERE d.message_id = t.message_id)\n    OR EXISTS (SELECT FROM sends s WHERE s.message_id = t.message_id AND s.status = 'sent');", replace: "WHERE t.vacated_at IS NULL;", test: whole("AnErrorIsResumed"),
		},
		{
			name: "resumed-says-nothing-new", breaks: "who was written to for the same purpose by something else is held for ever", file: look,
			find: "f.Enrolment.Reason == Resumed {", replace: "false {", test: whole("AnotherCampaignHolds"),
		},
		{
			name: "agent-enrols-an-import", breaks: "an agent reads who is in a file", file: enrol,
			find: "who.Require(access.Import)", replace: "who.Require(access.Propose)", test: whole("ManyAreEnrolled"),
		},
		{
			name: "stop-leaves-what-waits", breaks: "what was proposed before a reply is approved after it", file: look,
			find: "return f.callBack(ctx, tx, f.Enrolment.By.ID, to)", replace: "_ = to\n\treturn nil", test: whole("WhatEndsAnEnrolment"),
		},
		{
			name: "pause-leaves-what-waits", breaks: "a paused enrolment's message goes out", file: "server/sequence/enrolment.go",
			find: "return message.TakeBack(ctx, store, f.Enrolment.Workspace, by, open.Message)", replace: "return nil", test: whole("PausesAndEnds"),
		},
		{
			name: "step-is-not-remembered", breaks: "a step is said again and again", file: look,
			find: "tx.StepSayLast(f.Enrolment.ID, v.Says.ID, m.ID)", replace: "", test: whole("GoesStepByStep"),
		},
	}
}

// answerMutants break what an answer, a pause and an end of a sequence keep from going out, and which step a step is.
func answerMutants() []mutant {
	whole := func(name string) []string { return goTest(name, "./server/api") }
	return []mutant{
		{
			name: "sequence-pause-waits-for-a-look", breaks: "messages of a paused sequence go out until a server has looked at each", file: "server/sequence/sequence.go",
			find: "if to == Paused || to == Stopped {", replace: "if to == Finished {", test: whole("ThePauseOfASequenceHoldsAtOnce"),
		},
		{
			name: "sequence-end-leaves-the-held", breaks: "who is held or paused stays in a sequence that is over", file: "server/postgres/sequence.go",
			find: "if to != sequence.Stopped {", replace: "if to != \"\" {", test: whole("TheEndOfASequenceEndsAll"),
		},
		{
			name: "held-step-is-retried", breaks: "what had begun beside a pause and failed goes out in spite of it", file: "server/send/retry.go",
			find: "if f.StepHeld != \"\" {", replace: "if false {", test: whole("NothingIsRetriedBesideAPause"),
		},
		{
			name: "step-is-approved-after-an-answer", breaks: "\"approve all\" writes on to who has just answered", file: "server/postgres/migrations/00039_held_steps.sql",
			find: "(had.had OR answered.answered OR e.state", replace: "(had.had OR e.state", test: whole("NoStepIsApprovedAfterAnAnswer"),
		},
		{
			name: "message-by-hand-waits-for-a-look", breaks: "what is queued goes out beside a message by hand until a server has looked", file: "server/callback/take.go",
			find: "err != nil || w.Kind != delivery.Manual {", replace: "err != nil || true {", test: whole("AMessageByHandTakesBackAtOnce"),
		},
		{
			name: "who-answered-is-enrolled-again", breaks: "a list that is enrolled once more writes on to those who answered", file: "server/sequence/enrol.go",
			find: " || hasAnswered {", replace: " || hasAnswered && false {", test: whole("WhoAnsweredIsNotEnrolledAgain"),
		},
		{
			name: "answer-counts-for-one-enrolment", breaks: "who answered is written to as somebody whom they proved to be", file: "server/sequence/next.go",
			find: "at.After(f.BeganAt)", replace: "at.After(f.Enrolment.CreatedAt)", test: whole("WhoAnsweredIsNotEnrolledAgain"),
		},
		{
			name: "step-written-anew-is-another", breaks: "whoever had a step hears it again once a program has written all steps anew", file: "server/sequence/sequence.go",
			find: "step.ID = is\n", replace: "step.ID = uuid.Nil\n", test: whole("AStepIsWhatItIsFor"),
		},
		{
			name: "no-steps-end-everybody", breaks: "a request that names no steps ends a sequence for all who are in it", file: "server/sequence/sequence.go",
			find: "if len(raw) == 0 {", replace: "if false {", test: whole("SequencesAreKept"),
		},
		{
			name: "step-put-back-is-gone", breaks: "a step that was taken out and put back is never said", file: "server/postgres/db/sequence.sql.go",
			find: ", removed_at = NULL", replace: "", test: whole("AStepIsWhatItIsFor"),
		},
	}
}
