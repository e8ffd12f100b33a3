package main

// idempotencyMutants break what lets a program ask again.
func idempotencyMutants() []mutant {
	const command, queries, key = "server/api/command.go", "server/postgres/db/idempotency.sql.go", "server/key/canonical.go"
	routes, vectors := goTest("EveryWritingRouteIsAskedOnce", "./server/api"), goTest("Vectors", "./server/key")
	return []mutant{
		{
			name: "forgotten-answer-is-no-answer", breaks: "a repeated request is answered with nothing once its first answer is forgotten", file: command,
			find: "if answer.IsForgotten {", replace: "if false {", test: routes,
		},
		{
			name: "answers-are-kept-for-ever", breaks: "message text stays with the keys", file: queries,
			find: "AND a.answer_body <> ''", replace: "AND a.answer_body = ''", test: routes,
		},
		{
			name: "answers-outlive-texts", breaks: "a text that has expired is still told to whoever asks again", file: queries,
			find: "nullif(p.content_days, 0) * interval '1 day'", replace: "$1::interval", test: goTest("AnAnswerKeeps", "./server/api"),
		},
		{
			name: "answers-are-forgotten-at-once", breaks: "a repeated request is not answered as the first was", file: queries,
			find: "sendonce_now() - least($1::interval,", replace: "sendonce_now() + least($1::interval,", test: routes,
		},
		{
			name: "answers-are-forgotten-in-one-bite", breaks: "one statement locks every key there is", file: queries,
			find:    "LIMIT $2 FOR UPDATE SKIP LOCKED) o\n    LIMIT $2) old",
			replace: "LIMIT $2 + 1000 FOR UPDATE SKIP LOCKED) o\n    LIMIT $2 + 1000) old", test: routes,
		},
		{
			name: "reused-key-is-replayed", breaks: "another request under a used key is answered as if it had been done", file: "server/postgres/command.go",
			find: "if !bytes.Equal(row.PayloadHash, once.Payload) {", replace: "if !bytes.Equal(row.PayloadHash, once.Payload) && false {", test: routes,
		},
		{
			name: "create-answers-what-is-not-read", breaks: "a program is told of a create what nobody is told of the message afterwards", file: "server/message/propose.go",
			find: "Person: basis.Person, Account:", replace: "Person: Person{ID: basis.Person.ID}, Account:", test: goTest("ACreateAnswersAsItsGet", "./server/api"),
		},
		{
			name: "key-is-every-path's", breaks: "a key used on one message is used on all", file: command,
			find: `strings.ToLower(c.Request().URL.Path)`, replace: `c.Path()`, test: goTest("AKeyIsOfItsPath", "./server/api"),
		},
		{
			name: "repeated-pairing-code-is-another", breaks: "a repeated request makes one code more", file: "server/api/install.go",
			find: "if once == nil {", replace: "if once != nil {", test: routes,
		},
		{
			name: "pairing-code-of-any-key", breaks: "two keys are given one code", file: "server/auth/refresh.go",
			find: "for _, word := range words {", replace: "for _, word := range words[:3] {", test: goTest("PairingCodeUnderAKey", "./server/api"),
		},
		{
			name: "marks-in-any-number", breaks: "Go and JavaScript make two keys of one text", file: key,
			find: "if row > marksMax {", replace: "if false {", test: vectors,
		},
		{
			name: "letter-in-two-code-points-is-another", breaks: "the same words composed differently have two keys", file: key,
			find: "return norm.NFC.String(text), nil", replace: "return norm.NFD.String(text), nil", test: vectors,
		},
		{
			name: "any-number-has-a-key", breaks: "two numbers that a program reads as one have one key", file: key,
			find: "> WholeMax {", replace: "> math.Inf(1) {", test: vectors,
		},
		{
			name: "key-of-javascript-is-another", breaks: "the two languages order names differently", file: "docs/examples/key.mjs",
			find: "const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));", replace: "const sorted = [...members];", test: nodeTest("docs/examples/key.test.mjs"),
		},
		{
			name: "text-of-nothing-is-taken", breaks: "a message goes out in which nothing can be read", file: "server/message/text.go",
			find: "return !strings.ContainsFunc(text,", replace: "return text == \"\" && !strings.ContainsFunc(text,", test: goTest("BlankTexts", "./server/message"),
		},
	}
}
