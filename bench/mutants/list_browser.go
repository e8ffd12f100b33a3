package main

// browserMutants break what only a real browser shows, and what a worker does that was started again.
func browserMutants() []mutant {
	attempts := nodeTest("extension/test/attempt.test.js", "extension/test/attempt_walk.test.js", "extension/test/install.test.js")
	return []mutant{
		{
			name: "queued-go-outlives-its-worker", breaks: "a frozen tab obeys the last word of a worker that has died",
			file: "extension/linkedin/viewer.js",
			find: "port.onMessage.addListener((message) => hop(() => obey(message)));", replace: "port.onMessage.addListener(obey);",
			test: goTest("TestWorkerDies$", "./e2e"),
		},
		{
			name: "lease-again-begins-again", breaks: "a lease frame that arrives again after the work is done is worked on again",
			file: "extension/core/attempts.js",
			find: "const known = journals.knows(install.journal, lease.lease_token) ||", replace: "const known =", test: attempts,
		},
		{
			name: "revived-worker-leaves-its-tab", breaks: "the page script of a dead attempt stays in its tab",
			file: "extension/core/attempt.js",
			find: "  else if (s.tab === 'open') sweep(turn);\n", replace: "", test: attempts,
		},
	}
}
