package main

// receiptMutants break what makes a receipt worth something to who did not see the server.
func receiptMutants() []mutant {
	const verify, number = "server/receipt/verify.go", "server/receipt/number.go"
	document := goTest("Altered|Numbers|Spelled|Verify|Bounded", "./server/receipt")
	return []mutant{
		{
			name: "altered-receipt-holds", breaks: "a receipt that somebody changed is called good", file: verify,
			find: "!ed25519.Verify(key, signed, value)", replace: "false && !ed25519.Verify(key, signed, value)", test: document,
		},
		{
			name: "receipt-signature-spelled-anew", breaks: "a signature can be spelled in two ways", file: "server/receipt/signature.go",
			find: " && encode(raw) == text", replace: "", test: document,
		},
		{
			name: "receipt-number-read-in-two-ways", breaks: "a number that two libraries read differently is signed", file: number,
			find: "-key.WholeMax <= n && n <= key.WholeMax && ", replace: "", test: document,
		},
		{
			name: "no-receipt-with-a-fraction", breaks: "what a browser said keeps a message from having a receipt", file: number,
			find: "token = jsontext.String(token.String())", replace: "_ = token", test: document,
		},
		{
			name: "receipt-of-another-shape", breaks: "a receipt whose members mean something else is read as if they did not", file: verify,
			find: "if r.ReceiptVersion != ShapeVersion {", replace: "if false {", test: document,
		},
		{
			name: "all-that-was-said", breaks: "one message with much evidence makes every list with it too long to be read", file: "server/postgres/receipt.go",
			find: "tx.q.EvidenceOfSends(ctx, int32(most), ids)", replace: "tx.q.EvidenceOfSends(ctx, 1000*int32(most), ids)", test: goTest("StoryIsBounded", "./server/api"),
		},
		{
			name: "all-copies", breaks: "one send with many copies makes every list with it too long to be read", file: "server/postgres/receipt.go",
			find: "tx.q.DeliveriesOfSends(ctx, int32(most), ids)", replace: "tx.q.DeliveriesOfSends(ctx, 1000*int32(most), ids)", test: goTest("CopiesAreBounded", "./server/api"),
		},
		{
			name: "first-of-many-is-forgotten", breaks: "how far a message came is forgotten when much was said since", file: "server/postgres/db/delivery.sql.go",
			find: " OR o.first_of_kind = 1", replace: "", test: goTest("StoryIsBounded", "./server/api"),
		},
		{
			name: "receipt-too-long-to-read", breaks: "a receipt grows with its message until nobody can read it", file: "server/receipt/build.go",
			find: "left = max(0, len(list)-most)", replace: "left = 0 * most", test: document,
		},
		{
			name: "refused-receipt-writes-lines", breaks: "a forged receipt has the program that refuses it say that it is good", file: "server/receipt/signature.go",
			find: "%q stands there twice", replace: "%s stands there twice", test: document,
		},
		{
			name: "old-receipts-are-forgotten", breaks: "no receipt holds any more once the key was changed", file: "server/auth/receipt_keys.go",
			find: "keys = append(keys, ed25519.NewKeyFromSeed(newKey().Secret))", replace: "keys = []ed25519.PrivateKey{ed25519.NewKeyFromSeed(newKey().Secret)}",
			test: goTest("ReceiptKeys", "./server/auth"),
		},
		{
			name: "receipt-hides-an-incident", breaks: "an incident that went on to concern another message is missing from the receipt of the first",
			file: "server/postgres/db/receipt.sql.go", find: "i.id IN (SELECT e.incident_id FROM incident_events e WHERE e.message_id = $1)",
			replace: "i.message_id = $1", test: goTest("ReceiptNames", "./server/api"),
		},
	}
}
