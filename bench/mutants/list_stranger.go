package main

// strangerMutants break how input is read that anyone may have written.
func strangerMutants() []mutant {
	return []mutant{
		{
			name: "member-stands-twice", breaks: "one value of a frame is checked and another one used", file: "server/gateway/shape.go",
			find: "jsontext.AllowInvalidUTF8(true)", replace: "jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)",
			test: goTest("FramesThatNoGolden|FuzzReport", "./server/gateway"),
		},
		{
			name: "browser-takes-nul", breaks: "the two sides take different frames", file: "extension/core/frames.js",
			find: `value.includes('\0')`, replace: "false", test: nodeTest("extension/test/frames.test.js"),
		},
		{
			name: "mail-key-as-typed", breaks: "one person is two, by the system on which the address was typed", file: "server/people/email.go",
			find: "norm.NFC.String(strings.ToLower(norm.NFC.String(strings.TrimSpace(raw))))", replace: `strings.ToLower(strings.TrimSpace(raw)) + norm.NFC.String("")`,
			test: goTest("Email", "./server/people"),
		},
		{
			name: "mail-domain-as-typed", breaks: "one person is two, by the letters in which a domain was written", file: "server/people/email.go",
			find: "domain, err := idna.Lookup.ToASCII(text[at:])", replace: "_, err := idna.Lookup.ToASCII(text[at:])\n\tdomain := text[at:]",
			test: goTest("Email", "./server/people"),
		},
		{
			name: "address-is-not-one-segment", breaks: "a conversation's id leads to another page", file: "extension/linkedin/urls.js",
			find: "${encodeURIComponent(conversation).replace(/%3D/g, '=')}", replace: "${conversation}", test: nodeTest("extension/test/text.test.js"),
		},
		{
			name: "last-recipient-counts", breaks: "a page that names two people is taken for the second one's", file: "extension/linkedin/urls.js",
			find: "named.every((urn) => urn === named[0])", replace: "true", test: nodeTest("extension/test/text.test.js"),
		},
		{
			name: "any-name-is-an-id", breaks: "a page that names the person by their address is taken to show their id", file: "extension/linkedin/urls.js",
			find: "urn:li:fsd_profile:(ACo[", replace: "urn:li:fsd_profile:([", test: nodeTest("extension/test/text.test.js"),
		},
		{
			name: "page-throws-at-its-reader", breaks: "a posted body stops the watch over the page's requests", file: "extension/linkedin/delivery.js",
			find: "textOr(one) ?? '?'", replace: "String(one)", test: nodeTest("extension/test/text.test.js"),
		},
		{
			name: "unseen-in-mail-key", breaks: "one person is two, by a character that nobody sees", file: "server/people/email.go",
			find: " || strings.ContainsFunc(value, isUnseen)", replace: "", test: goTest("Email", "./server/people"),
		},
	}
}
