package main

import "slices"

// callbackMutants break what keeps a provider's word from being taken twice, backwards, or from somebody else.
func callbackMutants() []mutant {
	const webhook, event, take, fold = "server/auth/webhook.go", "server/callback/event.go", "server/callback/take.go", "server/delivery/delivery.go"
	const seen, sends = "server/postgres/migrations/00035_waiting.sql", "server/send/provided.go"
	signed := goTest("VerifyWebhook|Vault", "./server/auth")
	called := goTest("Callback|ProviderThatHas|AnotherMessagesCopy", "./server/api")
	folded := goTest("Fold", "./server/delivery")
	return slices.Concat(replyMutants(), automaticMutants(), []mutant{
		{
			name: "any-signature-will-do", breaks: "a callback is believed that nobody with a secret has signed", file: webhook,
			find: "webhook.VerifyIgnoringTimestamp(body, header) == nil {", replace: "(webhook.VerifyIgnoringTimestamp(body, header) == nil || true) {", test: signed,
		},
		{
			name: "callback-of-any-time", breaks: "an old callback is played again", file: webhook,
			find: "|| now.Sub(time.Unix(seconds, 0)).Abs() > config.CallbackClockSlack", replace: "|| now.IsZero() && seconds < 0", test: signed,
		},
		{
			name: "secret-of-any-source", breaks: "a sealed secret is opened for another source", file: "server/auth/vault.go",
			find: "box.Open(nil, nil, sealed, owner[:])", replace: "box.Open(nil, nil, sealed, nil)", test: signed,
		},
		{
			name: "ended-source-is-heard", breaks: "a provider whom an admin has shut out is believed", file: "server/callback/source.go",
			find: "if source.EndedAt != nil {", replace: "if false {", test: called,
		},
		{
			name: "later-wins", breaks: "a late 'sent' takes 'delivered' back", file: fold,
			find: "now > then ||", replace: "now >= 0 ||", test: folded,
		},
		{
			name: "a-bounce-is-forgotten", breaks: "a bounce after 'delivered' is not shown", file: fold,
			find: "e.Bounced = first(e.Bounced, o)", replace: "e.Bounced = nil", test: folded,
		},
		{
			name: "fact-by-its-words", breaks: "one fact is another with every id that a provider gives it", file: event,
			find: `source, e.Kind, e.ProviderID, e.Message, e.At.UnixMicro())`, replace: `source, e.Kind, e.ProviderID+e.ID, e.Message, e.At.UnixMicro())`, test: called,
		},
		{
			name: "good-events-of-a-bad-callback", breaks: "half of a malformed callback is kept", file: take,
			find: "if err := check(events, s.now()); err != nil {", replace: "if err := check(events, s.now()); err != nil && len(events) == 0 {", test: called,
		},
		{
			name: "a-moment-in-no-year", breaks: "one event of a provider keeps every list with its message from being shown", file: event,
			find: "case e.At.UTC().Year() < yearMin:", replace: "case false:", test: called,
		},
		{
			name: "a-copy-of-before-the-approval", breaks: "an old copy confirms a send", file: sends,
			find: "|| !p.SeenAt.After(f.ApprovedAt.Add(-config.ApprovalSlack)) {", replace: "{", test: called,
		},
		{
			name: "a-bounce-confirms", breaks: "a message that bounced is called sent", file: fold,
			find: "{ return slices.Contains(way, k) }", replace: "{ return true }", test: called,
		},
		{
			name: "source-of-every-workspace", breaks: "one team's provider speaks of another team's messages", file: seen,
			find: "WHERE m.id = o.named_message_id AND m.workspace_id = o.workspace_id", replace: "WHERE m.id = o.named_message_id", test: called,
		},
		{
			name: "copies-of-every-workspace", breaks: "one team's provider speaks of another team's copies", file: seen,
			find: "WHERE a.workspace_id = o.workspace_id AND", replace: "WHERE", test: called,
		},
		{
			name: "early-is-lost", breaks: "what comes before its provider id is known is never joined", file: take,
			find: "return s.joinAll(ctx, page)", replace: "return 0, nil", test: called,
		},
	})
}

// automaticMutants break what keeps an automatic answer from being taken for a person's.
func automaticMutants() []mutant {
	called := goTest("ACallbackOfAnAutomaticAnswer", "./server/api")
	return []mutant{
		{
			name: "an-automatic-answer-is-a-reply", breaks: "what waits for somebody who is away is called off as if they had answered", file: "server/callback/take.go",
			find: "if w.Kind == delivery.Replied {", replace: "if w.Kind == delivery.Replied || w.Kind == delivery.AutoReplied {", test: called,
		},
		{
			name: "an-automatic-answer-is-trouble", breaks: "the feed tells an automatic answer as a message that did not arrive", file: "server/postgres/rules.sql.tmpl",
			find: "IS NULL AND NEW.message_id IS NOT NULL AND NEW.kind NOT IN ('auto_replied', 'manual'))", replace: "IS NULL AND NEW.message_id IS NOT NULL AND NEW.kind <> 'manual')",
			test: called,
		},
	}
}

// replyMutants break what a reply stops.
func replyMutants() []mutant {
	const queries, store = "server/postgres/db/delivery.sql.go", "server/postgres/delivery.go"
	replies := goTest("Reply", "./server/send")
	return []mutant{
		{
			name: "a-reply-stops-nothing", breaks: "a person who has replied is written to again", file: store,
			find: "for _, row := range waiting {\n\t\tif _, err := rule.Next", replace: "for _, row := range waiting[:0] {\n\t\tif _, err := rule.Next", test: replies,
		},
		{
			name: "a-reply-stops-its-answer", breaks: "what was approved after the reply was read is called off", file: queries,
			find: "AND pe.replied_at > ap.approved_at ORDER", replace: "ORDER", test: replies,
		},
		{
			name: "a-reply-takes-a-later-one-back", breaks: "an earlier reply, told later, frees what the later one holds back", file: queries,
			find: "SET replied_at = greatest(replied_at, least($1::timestamptz, sendonce_now()))", replace: "SET replied_at = least($1::timestamptz, sendonce_now())", test: replies,
		},
		{
			name: "a-seen-reply-is-not-told", breaks: "a reply that a browser saw stops nothing else", file: "server/send/report.go",
			find: "if report.Unacted != nil && report.Unacted.Reason == HaltReplied {", replace: "if false {", test: replies,
		},
	}
}
