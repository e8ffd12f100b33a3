package main

// limitMutants break what keeps an account from pressing on against a provider that is not well or not pleased.
func limitMutants() []mutant {
	const limits = "server/send/limits.go"
	waits, bursts := goTest("WaitAfterARateLimit", "./server/send"), goTest("Burst|Trouble|Breaker", "./server/send")
	machine := goTest("AMachine", "./server/send")
	return []mutant{
		{
			name: "backoff-does-not-grow", breaks: "a machine comes back as soon as the first time", file: limits,
			find: "backoff = min(backoff*2, config.RateLimitBackoffMax)", replace: "backoff = min(backoff, config.RateLimitBackoffMax)", test: waits,
		},
		{
			name: "backoff-has-no-jitter", breaks: "what was limited together comes back together", file: limits,
			find: "jitter*config.RateLimitJitterPart", replace: "0*jitter*config.RateLimitJitterPart", test: waits,
		},
		{
			name: "machine-tries-for-ever", breaks: "no person is ever asked about a send that is limited again and again", file: limits,
			find: "return requeues < config.RateLimitRequeuesMax", replace: "return true", test: machine,
		},
		{
			name: "machine-is-refused-nothing", breaks: "a machine sends again what a person may not", file: "server/postgres/sweep.go",
			find: "if decide(facts) != nil {", replace: "if decide(facts) != nil && false {", test: machine,
		},
		{
			name: "sign-in-page-stops-nothing", breaks: "each queued message is tried against a page that asks to sign in", file: "server/send/report.go",
			find: "if unacted.Reason == rule.ReasonSignedOut {", replace: "if false {", test: goTest("SignInPage", "./server/send"),
		},
		{
			name: "breaker-never-trips", breaks: "a burst of server errors stops nothing", file: limits,
			find: "return recent >= b.After", replace: "return recent > b.After", test: bursts,
		},
		{
			name: "breaker-never-forgets", breaks: "errors of last week stop an account", file: limits,
			find: "if now.Sub(at) < b.Within {", replace: "if now.Sub(at) < b.Within || true {", test: goTest("BreakerCountsWhatIsRecent", "./server/send"),
		},
		{
			name: "cleared-troubles-count", breaks: "an account stops again at once after a person cleared it", file: "server/postgres/db/evidence.sql.go",
			find: "t.at > a.cleared_at", replace: "true", test: bursts,
		},
		{
			name: "troubles-are-counted-apart", breaks: "two reports at one moment miss the burst", file: "server/postgres/trouble.go",
			find: "if _, err := q.AccountLock(ctx, account); err != nil {", replace: "if err := error(nil); err != nil {", test: goTest("TroublesAtOneMoment", "./server/send"),
		},
	}
}
