package main

// retryMutants break what a person may do about a send that has ended, or of which nobody knows.
func retryMutants() []mutant {
	const retry, resolution = "server/send/retry.go", "server/send/resolution.go"
	retries, resolutions := goTest("Retr", "./server/api"), goTest("Resol", "./server/api")
	return []mutant{
		{
			name: "unconfirmed-is-retried", breaks: "what may have arrived is sent again", file: retry,
			find: "case row.Status == rule.Unconfirmed:", replace: "case false:", test: retries,
		},
		{
			name: "retried-twice", breaks: "the second of two taps is no refusal but a defect", file: retry,
			find: "case f.Latest.ID != row.ID:", replace: "case false:", test: retries,
		},
		{
			name: "edited-message-is-retried", breaks: "a retry sends what is no longer current", file: retry,
			find: "case f.Edited:", replace: "case false:", test: retries,
		},
		{
			name: "identical-text-waits", breaks: "a retry queues a text that already waits to go to this person", file: retry,
			find: "if f.IdenticalWaits && !f.RepeatApproved {", replace: "if false {", test: retries,
		},
		{
			name: "retry-ignores-the-facts", breaks: "a retry goes to whom a start would be refused", file: retry,
			find: "refusal.Disposition() != rule.Wait && refusal != rule.Allow {", replace: "refusal != refusal {", test: retries,
		},
		{
			name: "resolved-before-quiet-time", breaks: "not delivered is believed while the message may still arrive", file: resolution,
			find: "if f.Now.Before(from) {", replace: "if false {", test: resolutions,
		},
		{
			name: "grace-without-a-closed-tab", breaks: "the short quiet time is given to a browser that may still send", file: resolution,
			find: "if gone == nil {\n\t\treturn unseen", replace: "if gone == nil {\n\t\treturn deadline.Add(q.Grace)", test: resolutions,
		},
		{
			name: "a-late-tab-had-nothing-to-send", breaks: "\"not delivered\" and an absence count at once when a machine that slept has just sent", file: resolution,
			find: "if gone.After(deadline) {", replace: "if false {", test: goTest("QuietTime", "./server/send"),
		},
		{
			name: "unseen-browser-is-forgotten", breaks: "nobody is told that the message may still go out", file: resolution,
			find: "if !r.AcceptUnseen && f.Quiet.NeedsYes(f.Row.DeadlineAt, f.GoneAt, f.Now) {", replace: "if false {", test: resolutions,
		},
		{
			name: "world-moved-is-ignored", breaks: "a yes to a preview sends what the preview did not show", file: "server/bulk/preview.go",
			find: "if moved > 0 {", replace: "if false {", test: retries,
		},
		{
			name: "preview-forgets-itself", breaks: "a preview promises one text twice to one person", file: "server/bulk/retry.go",
			find: "j.allowed[same] = true", replace: "_ = same", test: retries,
		},
	}
}
