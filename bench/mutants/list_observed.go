package main

import "slices"

// observedMutants break what browsers see by the way: that it is told once, true, by those who may say it, and in nobody's way.
func observedMutants() []mutant {
	return slices.Concat(seenMutants(), waitingMutants(), tellingMutants())
}

func seenMutants() []mutant {
	const observe, may, view = "server/callback/observe.go", "server/postgres/db/observed.sql.go", "server/postgres/migrations/00035_waiting.sql"
	browsers := goTest("Browser", "./server/callback")
	return []mutant{
		{
			name: "seen-by-each-browser", breaks: "one reply is another with every browser that sees it", file: observe,
			find: "account, kind, o.About, id))", replace: "account, kind, o.About, id+o.Session.Install.String()))", test: browsers,
		},
		{
			name: "anybody-observes", breaks: "a browser speaks of another user's conversation", file: observe,
			find: "o.Session, o.Token)\n\tif err != nil {", replace: "o.Session, o.Token)\n\tif false {", test: browsers,
		},
		{
			name: "any-member-observes", breaks: "what stands in another member's mailbox is taken for the account's", file: may,
			find: "ac.member_urn = $1::text AND", replace: "ac.member_urn IS NOT NULL AND $1::text <> '' AND", test: browsers,
		},
		{
			name: "any-person-observes", breaks: "somebody else's reply is taken for the person's", file: may,
			find: "        OR NOT EXISTS (SELECT", replace: "        OR true OR NOT EXISTS (SELECT", test: browsers,
		},
		{
			name: "observes-without-a-grant", breaks: "a browser speaks of an account that was taken from its user", file: may,
			find: "AND (pr.role = 'admin' OR", replace: "AND (true OR", test: browsers,
		},
		{
			name: "observes-without-bound", breaks: "one browser fills the table", file: may,
			find: "o.message_id IS NULL) < $9::bigint", replace: "o.message_id IS NULL) < $9::bigint + 1000000", test: browsers,
		},
		{
			name: "copy-without-bound", breaks: "browsers fill the table with what they make up about one copy", file: may,
			find: "o.provider_id = $3::text) < $10::bigint", replace: "o.provider_id = $3::text) < $10::bigint + 1000000", test: browsers,
		},
		{
			name: "copies-of-every-account", breaks: "a browser speaks of another account's copies", file: view,
			find: " AND a.id = coalesce(o.account_id, a.id)", replace: "", test: browsers,
		},
		{
			name: "copies-to-every-person", breaks: "one person's reply is taken for that of another", file: view,
			find: "WHERE w.id = o.send_id AND t.id = d.message_id", replace: "WHERE t.id = d.message_id", test: browsers,
		},
		{
			name: "observation-confirms", breaks: "a reply that a browser saw makes a send sent", file: "server/callback/take.go",
			find: " && w.Source != \"\"", replace: "", test: browsers,
		},
		{
			name: "late-copy-is-by-hand", breaks: "a late copy of ours is called written by hand", file: view,
			find: "(o.kind <> 'manual' OR NOT EXISTS (", replace: "(true OR NOT EXISTS (", test: browsers,
		},
		{
			name: "recognised-stays-by-hand", breaks: "a copy that was recognised late goes on being called written by hand", file: "server/postgres/db/delivery.sql.go",
			find: "AND NOT (a.kind = 'manual' AND EXISTS", replace: "AND NOT (false AND EXISTS", test: browsers,
		},
		{
			name: "by-hand-is-trouble", breaks: "the feed tells a message by hand as one that did not arrive", file: "server/postgres/rules.sql.tmpl",
			find:    "IS NULL AND NEW.message_id IS NOT NULL AND NEW.kind NOT IN ('auto_replied', 'manual'))",
			replace: "IS NULL AND NEW.message_id IS NOT NULL AND NEW.kind <> 'auto_replied')",
			test:    goTest("EveryChange", "./server/postgres"),
		},
		{
			name: "reply-to-what-never-went", breaks: "a message that never went out is shown as replied to", file: "server/postgres/db/delivery.sql.go",
			find:    "kind, at, said_hash)\nSELECT s.workspace_id, $1, 'replied', least(sendonce_now(), s.deadline_at), $2\n",
			replace: "kind, at, said_hash, message_id)\nSELECT s.workspace_id, $1, 'replied', least(sendonce_now(), s.deadline_at), $2, s.message_id\n",
			test:    goTest("AReplyThatAnAttempt", "./server/send"),
		},
		{
			name: "last-by-hand-counts", breaks: "a later message by hand moves when the first was written", file: "server/delivery/delivery.go",
			find: "if e.ByHandAt.IsZero() || o.At.Before(e.ByHandAt) {", replace: "if true {", test: goTest("Fold", "./server/delivery"),
		},
	}
}

// waitingMutants break what becomes of a fact whose message is not known yet.
func waitingMutants() []mutant {
	const view = "server/postgres/migrations/00035_waiting.sql"
	waits := goTest("AboutNoMessage|ExpiredText|MergedPerson", "./server/callback")
	return []mutant{
		{
			name: "expired-is-by-hand", breaks: "a late copy of ours is called written by hand once its text has expired", file: view,
			find: "coalesce(v.text_digest, o.text_digest) = o.text_digest", replace: "'sha256:' || encode(sha256(convert_to(v.body, 'UTF8')), 'hex') = o.text_digest",
			test: waits,
		},
		{
			name: "one-row-of-a-person", breaks: "a reply after the message to one of two merged rows is lost", file: view,
			find: "JOIN messages t ON t.person_id = ANY (p.ids)", replace: "JOIN messages t ON t.person_id = w.person_id", test: waits,
		},
		{
			name: "waits-for-ever", breaks: "what is said about no message fills the table", file: "server/postgres/db/delivery.sql.go",
			find: "WHERE w.message_id IS NULL AND (w.provider_id <> '' OR w.named_message_id IS NOT NULL) AND w.received_at <", replace: "WHERE false AND w.received_at <",
			test: waits,
		},
		{
			name: "forgets-what-waits", breaks: "what came early is gone before its message is known", file: view,
			find: "IF OLD.received_at > public.sendonce_now() - joined_within THEN", replace: "IF false THEN", test: waits,
		},
		{
			name: "forgets-what-is-joined", breaks: "what is known of a message is removed", file: view,
			find: "IF OLD.message_id IS NOT NULL OR OLD.provider_id = '' AND OLD.named_message_id IS NULL THEN", replace: "IF false THEN",
			test: goTest("Attacks", "./server/postgres"),
		},
	}
}

// tellingMutants break what the extension reads of a page, and when it says so.
func tellingMutants() []mutant {
	const observe = "extension/core/observe.js"
	tests := nodeTest("extension/test/observe.test.js")
	return []mutant{
		{
			name: "observes-before-the-report", breaks: "what was seen by the way stands between the server and the report", file: "extension/core/attempt/close.js",
			find: "  send(turn, s.report ?? {});\n  sayNoticed(turn);\n", replace: "  sayNoticed(turn);\n  send(turn, s.report ?? {});\n", test: tests,
		},
		{
			name: "observes-any-page", breaks: "a page that nobody has proved speaks for member and person", file: "extension/core/attempt/notice.js",
			find: "if (!('go' in whoVerdict(s, facts))) return;", replace: "", test: tests,
		},
		{
			name: "observes-the-whole-past", breaks: "what was said before our message counts as an answer to it", file: observe,
			find: "items.slice(newest + 1)", replace: "items", test: tests,
		},
		{
			name: "an-earlier-mark-counts", breaks: "a message is called read because an earlier one was", file: observe,
			find: "items.slice(newest).some(", replace: "items.some(", test: tests,
		},
		{
			name: "a-third-one-replies", breaks: "somebody else's words are taken for the person's", file: observe,
			find: "sender === null || sender === person_urn ?", replace: "true ?", test: tests,
		},
		{
			name: "marks-that-contradict", breaks: "another's words are taken for the member's", file: observe,
			find: "isOwn(item, member_urn) && item.text !== ''", replace: "item.text !== ''", test: tests,
		},
		{
			name: "observations-crowd-out", breaks: "observations that nobody notes keep a browser from taking leases", file: "extension/core/observed.js",
			find: " || outboxes.waiting(install.outbox, 'observed') >= OBSERVED_WAITING_MAX", replace: "", test: tests,
		},
		{
			name: "digest-of-the-page", breaks: "what an editor changes in a text hides that it is ours", file: "extension/core/digest.js",
			find: "padded(utf8(fold(text)))", replace: "padded(utf8(text))", test: nodeTest("extension/test/text.test.js"),
		},
	}
}
