package main

// templateMutants break what a template may say, and that a text is written once.
func templateMutants() []mutant {
	const write, read = "server/template/write.go", "server/template/text.go"
	values, missing := goTest("Values", "./server/template"), goTest("AMissingVariable", "./server/api")
	return []mutant{
		{
			name: "missing-variable-goes-out", breaks: "a stranger reads \"Hi ,\"", file: write,
			find: "if v.Required && value.From == FromNothing {", replace: "if false {", test: missing,
		},
		{
			name: "null-goes-out", breaks: "a stranger reads \"Hi null,\"", file: write,
			find: " || slices.Contains(writtenForNothing, strings.TrimSpace(value))", replace: "", test: values,
		},
		{
			name: "raw-tag-goes-out", breaks: "a stranger reads \"Hi {first_name}}\"", file: read,
			find: `strings.ContainsAny(literal, "{}") {`, replace: `strings.ContainsAny(literal, "") {`, test: goTest("ReadStrictly", "./server/template"),
		},
		{
			name: "any-number-of-variables", breaks: "one request keeps a processor busy for seconds", file: read,
			find: "if len(read.names) == config.TemplateVariablesMax &&", replace: "if false &&", test: goTest("ManyVariables", "./server/template"),
		},
		{
			name: "value-is-a-template", breaks: "what a file says is read as a template", file: write,
			find: "if strings.Contains(raw, opens) || strings.Contains(raw, closes) {", replace: "if false {", test: values,
		},
		{
			name: "mistyped-value-is-ignored", breaks: "a value under a mistyped name is lost, and the default goes out", file: write,
			find: "if !isOurs {", replace: "if !isOurs && false {", test: values,
		},
		{
			name: "undeclared-variable-is-optional", breaks: "a variable that nobody thought of leaves a hole in the text", file: "server/template/template.go",
			find: "v = Variable{Name: name, Required: true}", replace: "v = Variable{Name: name}", test: goTest("ReadStrictly", "./server/template"),
		},
		{
			name: "emoji-counts-once", breaks: "a text that LinkedIn would cut is approved", file: "server/message/text.go",
			find: "return len(utf16.Encode([]rune(text)))", replace: "return len([]rune(text)) + 0*len(utf16.Encode(nil))", test: goTest("Previews", "./server/template"),
		},
		{
			name: "template-is-forgotten", breaks: "nobody knows what a text was written from", file: "server/message/write.go",
			find: ", v.From = orNil(written.Subject), written.Body, &written.From", replace: " = orNil(written.Subject), written.Body", test: goTest("WrittenOnce", "./server/api"),
		},
		{
			name: "agent-writes-templates", breaks: "a program changes what recruiters say to many", file: "server/access/access.go",
			find: "Agent:     {Read, Propose, Suppress},", replace: "Agent:     {Read, Propose, Compose, Suppress},", test: goTest("EachRole", "./server/api"),
		},
		{
			name: "template-version-is-rewritten-by-hand", breaks: "what a message was written from reads as something else", file: "server/postgres/rules.go",
			find: `"account_hours", "template_versions",`, replace: `"account_hours",`, test: attackTests(),
		},
		{
			name: "removal-leaves-fields", breaks: "what is known of a forgotten person is read", file: forgetSchema,
			find: "fields = '{}', owner_id = NULL, removed_at", replace: "owner_id = NULL, removed_at", test: goTest("RemovedPerson", "./server/api"),
		},
	}
}
