package main

// operationMutants break what a message is beside its sends: its closure, and how long it may begin.
func operationMutants() []mutant {
	const closures = "server/postgres/migrations/00022_closure_and_lapse.sql"
	attacks := attackTests()
	closing, lapse := goTest("Closing", "./server/api"), goTest("Expire|Expiry|Lapse", "./server/api", "./server/send")
	return []mutant{
		{
			name: "closed-message-is-retried", breaks: "a message that a person closed goes out after all", file: "server/send/retry.go",
			find: "case f.Closed:", replace: "case false:", test: closing,
		},
		{
			name: "closed-message-is-approved", breaks: "a message that a person closed goes out after all", file: "server/message/approve.go",
			find: "if f.Closed {", replace: "if false {", test: closing,
		},
		{
			name: "closing-beside-a-start", breaks: "a closing says that nothing more is sent while it is being sent", file: "server/message/close.go",
			find: "f.Latest.Status == rule.Started", replace: "false", test: closing,
		},
		{
			name: "closing-leaves-the-queue", breaks: "a closed message is still taken from the queue", file: "server/message/close.go",
			find: "cancelWaiting(ctx, store, facts, rule.Closed); err != nil", replace: "error(nil); err != nil", test: closing,
		},
		{
			name: "closing-beside-a-queued-send-by-hand", breaks: "a hand closes a message that then goes out", file: closures,
			find: "AND status IN ('queued', 'leased', 'started');\n    IF FOUND", replace: "AND status IN ('started');\n    IF FOUND", test: attacks,
		},
		{
			name: "closed-message-sends-by-hand", breaks: "a hand queues a send of a closed message", file: peopleSchema,
			find: "IF message.closed_at IS NOT NULL THEN", replace: "IF false THEN", test: attacks,
		},
		{
			name: "unapproved-message-sends-by-hand", breaks: "a hand queues a send of what was taken back or never approved", file: peopleSchema,
			find: "IF message.authority <> 'approved' THEN", replace: "IF false THEN", test: attacks,
		},
		{
			name: "withdrawal-is-taken-back", breaks: "a hand revives what a person took back", file: rules,
			find: "OLD.authority = 'withdrawn' AND NEW.authority <> 'withdrawn'", replace: "false", test: attacks,
		},
		{
			name: "message-changes-its-task", breaks: "a message becomes one of another task after it was approved", file: rules,
			find: "OLD.purpose, OLD.task, OLD.follows_send", replace: "OLD.purpose, NEW.task, OLD.follows_send", test: attacks,
		},
		{
			name: "purpose-by-another-key", breaks: "a hand makes a message one of another intent, so that a second one may go out beside it", file: rules,
			find: "OLD.created_at, OLD.purpose_key)", replace: "OLD.created_at, NEW.purpose_key)", test: attacks,
		},
		{
			name: "older-version-comes-back", breaks: "a hand makes a text current again that an edit replaced", file: rules,
			find: "    OR NEW.version < OLD.version\n", replace: "", test: attacks,
		},
		{
			name: "window-closes-unnoticed", breaks: "a message that can never go out waits for approval for ever", file: "server/send/lapse.go",
			find: "case f.SendBefore != nil && !f.SendBefore.After(f.Now):", replace: "case false:", test: lapse,
		},
		{
			name: "what-began-expires", breaks: "a message that may have reached someone is called expired", file: "server/send/lapse.go",
			find: "case f.Begun:", replace: "case false:", test: lapse,
		},
		{
			name: "expired-message-keeps-its-send", breaks: "an expired message stays in the queue", file: "server/postgres/lapse.go",
			find: "if waiting != uuid.Nil {", replace: "if false {", test: lapse,
		},
	}
}

// intentMutants let a person be written to again though nobody decided so.
func intentMutants() []mutant {
	const intents = "server/send/intent.go"
	meant, attacks := goTest("Intent|Follow", "./server/api", "./server/send"), attackTests()
	return []mutant{
		{
			name: "second-message-beside-a-live-one", breaks: "a person is written to twice for one reason because two were under way", file: intents,
			find: "case r.Live != nil:", replace: "case false:", test: meant,
		},
		{
			name: "purpose-by-its-letters", breaks: "another spelling of a purpose is a way around the one intent at a time", file: "server/postgres/message.go",
			find: "message.Fold(n.Target.Purpose)", replace: "n.Target.Purpose", test: meant,
		},
		{
			name: "second-message-beside-a-waiting-one", breaks: "an agent that is run twice has two messages approved", file: intents,
			find: "case r.Waits:", replace: "case false:", test: meant,
		},
		{
			name: "second-message-undecided", breaks: "a person is written to again and nobody said why", file: intents,
			find: "case r.Begun == nil || r.Begun.ID == i.Follows:", replace: "case true:", test: meant,
		},
		{
			name: "follow-of-an-unconfirmed-send", breaks: "a second message goes out while nobody knows whether the first arrived", file: intents,
			find: "case rule.Unconfirmed:\n\t\tp =", replace: "case \"\":\n\t\tp =", test: meant,
		},
		{
			name: "revived-beside-another", breaks: "an expired message is approved beside the one that took its place", file: "server/message/approve.go",
			find: "if refused := f.Intent.Decide(); refused != nil {", replace: "if refused := f.Intent.Decide(); refused != nil && false {", test: meant,
		},
		{
			name: "retried-beside-its-follower", breaks: "a failed message is retried beside the one that follows it", file: "server/send/retry.go",
			find: "if refused := f.Intent.Decide(); refused != nil {", replace: "if refused := f.Intent.Decide(); refused != nil && false {", test: meant,
		},
		{
			name: "follower-of-a-late-delivery", breaks: "a second message goes out though the first proved delivered since", file: "server/send/facts.go",
			find: "case f.FollowedSent:", replace: "case false:", test: goTest("WhatIsFollowed", "./server/send"),
		},
		{
			name: "rival-is-not-told", breaks: "a second message is refused as a defect that nobody can act on", file: "server/postgres/proposal.go",
			find: "basis.Rival = rivalOf(row)", replace: "_ = rivalOf(row)", test: meant,
		},
		{
			name: "two-people-are-one", breaks: "a message goes to one person under the address of another", file: "server/postgres/person.go",
			find: "case owners[0] != person:", replace: "case false:", test: goTest("TwoPeopleAreNotOne", "./server/api"),
		},
		{
			name: "second-message-by-hand", breaks: "a hand writes to a person twice for one reason", file: peopleSchema,
			find: "IF rival.waits OR rival.live_send IS NOT NULL THEN", replace: "IF false THEN", test: attacks,
		},
		{
			name: "undecided-second-message-by-hand", breaks: "a hand writes to a person again and nobody said why", file: peopleSchema,
			find: "ELSIF rival.begun_send IS DISTINCT FROM this.follows_send AND rival.begun_send IS NOT NULL THEN", replace: "ELSIF false THEN", test: attacks,
		},
		{
			name: "two-intents-do-not-meet", breaks: "two that propose at one moment do not see each other", file: peopleSchema,
			find: "    UPDATE public.people SET intents = intents + 1 WHERE id = one;\n", replace: "", test: goTest("TwoIntentsMeet", "./server/postgres"),
		},
	}
}
