package main

// peopleSchema holds what the database says of people, and the guards that read it.
const peopleSchema = "server/postgres/migrations/00034_people.sql"

// forgetSchema holds what a removal empties.
const forgetSchema = "server/postgres/migrations/00037_templates_and_imports.sql"

// contactMutants break what a start hears of who may be written to, by whom and how often.
func contactMutants() []mutant {
	const facts = "server/send/facts.go"
	hears, rows := goTest("AStartHears", "./server/send"), goTest("MergedRows", "./server/send")
	return []mutant{
		{
			name: "unseen-letter-is-another-person", breaks: "who said no is written to under an address that was copied with a mark", file: "server/people/linkedin.go",
			find: "if isUnseen(r) && !(joins", replace: "if false && isUnseen(r) && !(joins", test: goTest("ParseLinkedInRefuses", "./server/people"),
		},
		{
			name: "domain-covers-nobody", breaks: "a team that must not be contacted is, at every address", file: peopleSchema,
			find: "WHERE i.kind = 'email'\nUNION ALL", replace: "WHERE false\nUNION ALL", test: hears,
		},
		{
			name: "company-covers-nobody", breaks: "a company that must not be contacted is", file: peopleSchema,
			find: "FROM people p WHERE p.company_key <> '';", replace: "FROM people p WHERE false;", test: hears,
		},
		{
			name: "owner-counts-for-nothing", breaks: "two recruiters write to one person", file: peopleSchema,
			find: "IF one.owner_id IS NOT NULL AND", replace: "IF false AND", test: hears,
		},
		{
			name: "colleague-who-wrote-counts-for-nothing", breaks: "two recruiters write to one person in one week", file: peopleSchema,
			find: "AND a.created_by <> maker", replace: "AND false", test: hears,
		},
		{
			name: "person-limit-counts-for-nothing", breaks: "five campaigns write to one person on one day", file: peopleSchema,
			find: "IF rules.person_most > 0 THEN", replace: "IF false THEN", test: hears,
		},
		{
			name: "person-limit-is-one-more", breaks: "a person is written to once more than the team allows", file: peopleSchema,
			find: "OFFSET rules.person_most - 1 LIMIT", replace: "OFFSET rules.person_most LIMIT", test: hears,
		},
		{
			name: "claim-is-not-heard-by-a-start", breaks: "two recruiters whose messages wait at one time both write", file: facts,
			find: "case f.OwnedByColleague:", replace: "case false:", test: hears,
		},
		{
			name: "person-limit-is-not-heard-by-a-start", breaks: "messages that were approved before go out all at once", file: facts,
			find: "case f.Now.Before(f.PersonFreeFrom):", replace: "case false:", test: hears,
		},
		{
			name: "person-limit-is-asked-all-the-time", breaks: "what waits for days is looked at with every poll", file: facts,
			find: "return f.PersonFreeFrom", replace: "return f.Now", test: goTest("APersonLimitEnds", "./server/send"),
		},
		{
			name: "mark-of-one-row-alone", breaks: "a person who said no is written to at their other profile", file: peopleSchema,
			find: "WHERE p.id = ANY (same) AND p.suppressed_at", replace: "WHERE p.id = of_person AND p.suppressed_at", test: rows,
		},
	}
}

// mergeTakingMutants break what a merge takes from a colleague, and what it gives one person.
func mergeTakingMutants() []mutant {
	return []mutant{
		{
			name: "merge-takes-a-colleagues-person", breaks: "a colleague's person becomes one's own by a merge", file: "server/person/merge.go",
			find: "case by.Role != access.Admin && m.Kept.Owner", replace: "case false && m.Kept.Owner", test: goTest("WhatAMergeMeets", "./server/person"),
		},
		{
			name: "merge-gives-too-many-fields", breaks: "two people whose fields are too many for one are never one", file: "server/postgres/db/person.sql.go",
			find: "LIMIT greatest(($1)::integer - (SELECT count(*)::integer FROM jsonb_object_keys(k.fields)), 0)) o)", replace: "LIMIT greatest(($1)::integer, 1000)) o)", test: goTest("AMergeOfManyFields", "./server/api"),
		},
	}
}

// claimMutants break what is decided before that, and what a mark does at once.
func claimMutants() []mutant {
	marked, claimed := goTest("WhoMustNotBeContacted|SuppressionsCover", "./server/api"), goTest("Colleague|WhoOwns", "./server/api")
	return []mutant{
		{
			name: "suppression-waits-for-no-start", breaks: "a mark says that nothing has begun, and something begins", file: "server/postgres/suppression.go",
			find: "if _, err := q.SendsLockOfMessages(ctx, messages); err != nil {", replace: "if err := ctx.Err(); err != nil {",
			test: goTest("RaceOfStartAndSuppression", "./server/send"),
		},
		{
			name: "suppression-calls-nothing-off", breaks: "what waits stays in the queue and says nothing", file: "server/command/suppress.go",
			find: "settled, err := r.store.SuppressionSettle(ctx, answer.Object)", replace: "settled, err := person.Settled{}, error(nil)", test: marked,
		},
		{
			name: "proposed-to-who-said-no", breaks: "an agent prepares messages that can never go out", file: "server/message/propose.go",
			find: "if basis.Contact.Level == people.DoNotContact {", replace: "if false {", test: marked,
		},
		{
			name: "approved-to-who-said-no", breaks: "a person approves what can never go out, or passes over a colleague unasked", file: "server/message/approve.go",
			find: "if refused := mayContact(f.Contact); refused != nil {", replace: "if refused := mayContact(f.Contact); refused != nil && false {", test: claimed,
		},
		{
			name: "policy-passes-over-a-colleague", breaks: "a policy writes to a colleague's person", file: "server/message/policy.go",
			find: " || mayContact(facts.Contact) != nil {", replace: " {", test: claimed,
		},
		{
			name: "owner-taken-from-a-colleague", breaks: "a recruiter takes a colleague's person", file: "server/person/person.go",
			find: "if who.Role != access.Admin && !isTheirs {", replace: "if who.Role != access.Admin && !isTheirs && false {", test: claimed,
		},
		{
			name: "lifted-by-a-recruiter", breaks: "whoever wants to write lifts what keeps them from it", file: "server/access/access.go",
			find: "Recruiter: {Read, Propose, Decide, Compose, Import, Manage, Suppress},", replace: "Recruiter: {Read, Propose, Decide, Compose, Import, Manage, Suppress, Forget},", test: marked,
		},
		{
			name: "suppressed-send-is-born-by-hand", breaks: "a hand queues a send to who must not be contacted", file: peopleSchema,
			find: "c) = 'do_not_contact' THEN", replace: "c) = '' THEN", test: attackTests(),
		},
	}
}

// mergeMutants break what is one person.
func mergeMutants() []mutant {
	const merge = "server/person/merge.go"
	merged := goTest("Merge", "./server/api")
	return []mutant{
		{
			name: "merged-unseen", breaks: "a merge does more than a person was shown", file: merge,
			find: "if held.Seen() != seen || held.IsDone() {", replace: "if held.IsDone() {", test: merged,
		},
		{
			name: "merged-though-intents-meet", breaks: "a merge makes two messages for one reason of one", file: merge,
			find: "case len(m.Meetings) > 0:", replace: "case false:", test: merged,
		},
		{
			name: "merged-beside-what-waits-by-hand", breaks: "what was approved for one of two goes to both", file: peopleSchema,
			find: "WHERE s.person_id = ANY (ours || same) AND (s.status", replace: "WHERE false AND (s.status", test: attackTests(),
		},
		{
			name: "merged-though-intents-meet-by-hand", breaks: "a hand makes two messages for one reason of one person's", file: peopleSchema,
			find: "WHERE a.person_id = ANY (ours) AND", replace: "WHERE false AND", test: attackTests(),
		},
		{
			name: "merge-is-taken-back-by-hand", breaks: "what was counted for one is counted for two again", file: peopleSchema,
			find: "IF NOT EXISTS (SELECT FROM public.people o WHERE o.id = OLD.merged_into AND", replace: "IF false AND NOT EXISTS (SELECT FROM public.people o WHERE", test: attackTests(),
		},
		{
			name: "chain-of-merges", breaks: "of three who are one, one is another", file: peopleSchema,
			find: " WHERE merged_into = NEW.id;", replace: " WHERE false;", test: goTest("EachWriterIsNeeded|EveryChangeIsOneEvent", "./server/postgres"),
		},
		{
			name: "identity-moves-by-hand", breaks: "what was approved for one goes to another", file: rules,
			find: "a_frozen BEFORE UPDATE OR DELETE ON person_identities", replace: "a_frozen BEFORE DELETE ON person_identities", test: attackTests(),
		},
	}
}

// removalMutants break what is forgotten, and what must not be.
func removalMutants() []mutant {
	removed := goTest("RemovedPerson", "./server/api")
	return []mutant{
		{
			name: "removed-while-unconfirmed", breaks: "nobody can look any more whether a message reached them", file: "server/person/removal.go",
			find: "case r.Unconfirmed > 0:", replace: "case false:", test: goTest("ARemovalIsRefused", "./server/api"),
		},
		{
			name: "removal-leaves-the-texts", breaks: "what was written to a forgotten person is read", file: forgetSchema,
			find: "WHERE message_id = ANY (their_messages) AND expired_at IS NULL;", replace: "WHERE false;", test: removed,
		},
		{
			name: "removal-leaves-answers", breaks: "the texts stand in the answers that are kept for repeated requests", file: forgetSchema,
			find: "WHERE answer_body <> '' AND object_id = ANY", replace: "WHERE false AND object_id = ANY", test: removed,
		},
		{
			name: "removal-leaves-notes", breaks: "what a person noted names who is forgotten", file: forgetSchema,
			find: "SET note = CASE WHEN note IS NOT NULL THEN '' END", replace: "SET note = note", test: removed,
		},
		{
			name: "removal-leaves-no-mark-by-hand", breaks: "who is forgotten is written to again", file: forgetSchema,
			find: "IF cardinality(marks) <> (SELECT", replace: "IF false AND 0 <> (SELECT", test: attackTests(),
		},
		{
			name: "removed-are-named-again", breaks: "who asked to be forgotten is written to again", file: "server/postgres/proposal.go",
			find: "if !gone && len(r.keys) > 0 {", replace: "if !gone && false {", test: removed,
		},
		{
			name: "mark-without-its-kind", breaks: "an address of one kind is taken for one of another", file: "server/auth/mark.go",
			find: "\tmac.Write([]byte(kind))\n", replace: "", test: goTest("Mark", "./server/auth"),
		},
		{
			name: "one-key-for-two-purposes", breaks: "what is sealed for a callback opens as the key of marks", file: "server/auth/vault.go",
			find: "nil, v.purpose, keyBytes)", replace: "nil, sourcesPurpose, keyBytes)", test: goTest("Vaults", "./server/auth"),
		},
		{
			name: "text-gone-while-it-may-be-sent-by-hand", breaks: "an empty text goes out", file: peopleSchema,
			find: "'unconfirmed') OR s.requeue_at IS NOT NULL) LIMIT 1;", replace: "'unconfirmed') OR s.requeue_at IS NOT NULL) AND false LIMIT 1;", test: attackTests(),
		},
		{
			name: "text-that-is-gone-is-approved", breaks: "a person approves nothing", file: "server/message/approve.go",
			find: "if f.Content.ExpiredAt != nil {", replace: "if false {", test: goTest("AnExpiredText", "./server/api"),
		},
	}
}
