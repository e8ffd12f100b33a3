package main

// sandboxMutants break what keeps the sandbox and real messages apart, and what a client must not do.
func sandboxMutants() []mutant {
	const purpose, client = "server/instance/purpose.go", "client/client.go"
	pages, claims := goTest("Sandbox", "./server/app"), goTest("OnePurpose|InUseIsReal|MadeUpBrowsers", "./server/instance")
	asks, pairs := goTest("LostAnswers", "./client"), goTest("NoRealBrowser", "./server/sandbox")
	return []mutant{
		{
			name: "sandbox-for-any-purpose", breaks: "a sandbox calls sent what nobody received", file: purpose,
			find: "case is == want:", replace: "case is != \"\":", test: claims,
		},
		{
			name: "sandbox-unclaimed", breaks: "a server asks no database what it is for", file: "server/app/database.go",
			find: "err = instance.Claim(ctx, store, purposeOf(settings))", replace: "_ = purposeOf", test: pages,
		},
		{
			name: "sandbox-made-real", breaks: "the server may change what a database is for", file: "server/postgres/rules.sql.tmpl",
			find: "GRANT INSERT (purpose) ON instance_purpose", replace: "GRANT INSERT (purpose), UPDATE ON instance_purpose", test: claims,
		},
		{
			name: "sandbox-of-an-earlier-version", breaks: "a real database becomes a sandbox after an update", file: "server/postgres/migrations/00032_instance_purpose.sql",
			find: "EXISTS (SELECT FROM public.accounts) OR ", replace: "", test: claims,
		},
		{
			name: "sandbox-takes-real-browsers", breaks: "a real browser that came another way writes to real people", file: "server/postgres/migrations/00032_instance_purpose.sql",
			find: "IF NEW.extension_version <> 'sandbox' THEN", replace: "IF false THEN", test: claims,
		},
		{
			name: "made-up-browser-among-real-messages", breaks: "a made-up browser calls sent what nobody received", file: "server/postgres/migrations/00032_instance_purpose.sql",
			find: "ELSIF NEW.extension_version = 'sandbox' THEN", replace: "ELSIF false THEN", test: goTest("TestAttacks/a_made-up_browser", "./server/postgres"),
		},
		{
			name: "browser-changes-sides", breaks: "a browser of the sandbox becomes a real one", file: "server/postgres/rules.sql.tmpl",
			find: "WHEN (OLD.extension_version IS DISTINCT FROM NEW.extension_version)", replace: "WHEN (false)", test: claims,
		},
		{
			name: "sandbox-pairs-a-browser", breaks: "a real browser writes to real people what was only tried out", file: "server/app/sandbox.go",
			find: "if code != m.code {", replace: "if false {", test: pairs,
		},
		{
			name: "sandbox-gives-out-a-code", breaks: "a person is given a code that pairs nothing", file: "server/api/install.go",
			find: "	if err := a.installs.MayPair(); err != nil {\n		return err\n	}\n", replace: "", test: pairs,
		},
		{
			name: "sandbox-unsaid", breaks: "the console looks as if messages were really sent", file: "server/console/render.go",
			find: "	f.Sandbox = s.sandbox\n", replace: "", test: pages,
		},
		{
			name: "edit-of-any-version", breaks: "an edit of a former version overwrites another writer's", file: "server/message/edit.go",
			find: "if e.Version != 0 {", replace: "if false {", test: goTest("AnEditOf", "./server/api"),
		},
		{
			name: "client-asks-again-without-a-key", breaks: "a program does twice what it was asked once", file: client,
			find: `mayAsk := r.Method == http.MethodGet || r.Key != ""`, replace: "mayAsk := true", test: asks,
		},
		{
			name: "client-claims-to-know", breaks: "a lost answer is taken for a refusal", file: client,
			find: "return false, &UnknownError{Key: r.Key, Err: err}\n		}\n		select", replace: "return false, err\n		}\n		select", test: asks,
		},
		{
			name: "client-follows-anywhere", breaks: "a redirect carries the token to another server", file: client,
			find: "return http.ErrUseLastResponse }", replace: "return nil }", test: goTest("StrangeServers", "./client"),
		},
		{
			name: "client-in-plain-text", breaks: "the token is readable on the way", file: client,
			find: `base.Scheme != "http" || !isLoopback(base.Hostname())`, replace: `base.Scheme != "http"`, test: goTest("StrangeServers", "./client"),
		},
	}
}
