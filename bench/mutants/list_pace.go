package main

// paceSchema holds when an account may begin something.
const paceSchema = "server/postgres/migrations/00036_pace.sql"

// limitsMutants break what keeps an account to its limits.
func limitsMutants() []mutant {
	until, last := goTest("LimitsSayUntilWhen", "./server/postgres"), goTest("TheLastPlace", "./server/postgres")
	held := goTest("AStartIsHeldByThePace|TwentyAsk", "./server/send")
	return []mutant{
		{
			name: "pace-is-not-heard-by-a-start", breaks: "what was leased before the hours closed goes out in the night", file: "server/send/facts.go",
			find: "case f.Pace.Because != rule.Allow:\n\t\treturn f.Pace.Because", replace: "case f.Pace.Because != rule.Allow && false:\n\t\treturn f.Pace.Because", test: held,
		},
		{
			name: "pace-halts-what-has-begun", breaks: "each attempt that took a place of the day is halted for having taken it", file: "server/send/resolve.go",
			find: "paces(refusal) || ", replace: "", test: goTest("ThePaceHaltsNothing", "./server/send"),
		},
		{
			name: "pace-is-not-asked-before-a-lease", breaks: "a browser is given what cannot start", file: "server/postgres/db/send.sql.go",
			find: "AND (SELECT p.because FROM account_pace($1, sendonce_now()) AS p (free_at, because, open_until, day_begun, day_most)) = ''", replace: "AND true",
			test: goTest("IsLeasedNothingUntil", "./server/send"),
		},
		{
			name: "last-place-without-the-slot", breaks: "twenty that ask at one moment for the last place all get it", file: paceSchema,
			find: "PERFORM FROM public.account_slots WHERE account_id = NEW.account_id FOR NO KEY UPDATE;", replace: "", test: last,
		},
		{
			name: "trigger-lets-any-start-pass", breaks: "a hand at a prompt begins more than the account may", file: paceSchema,
			find: "IF pace.because <> '' THEN", replace: "IF false THEN", test: last,
		},
		{
			name: "older-snapshot-may-start", breaks: "a start counts without those that began beside it", file: paceSchema,
			find: "IF current_setting('transaction_isolation') <> 'read committed' THEN", replace: "IF false THEN", test: goTest("Attacks", "./server/postgres"),
		},
		{
			name: "day-limit-is-one-more", breaks: "one message more than the limit goes out each day", file: paceSchema,
			find: "IF day_begun >= day_most THEN", replace: "IF day_begun > day_most THEN", test: until,
		},
		{
			name: "hour-limit-is-one-more", breaks: "one message more than the limit goes out within an hour", file: paceSchema,
			find: "OFFSET limits.per_hour - 1 LIMIT 1", replace: "OFFSET limits.per_hour LIMIT 1", test: until,
		},
		{
			name: "gap-counts-for-nothing", breaks: "a day's messages go out within a minute", file: paceSchema,
			find: "IF again > free_at THEN\n        free_at := again;\n        because := 'minimum_gap';", replace: "IF false THEN\n        free_at := again;\n        because := 'minimum_gap';", test: until,
		},
		{
			name: "day-of-another-zone", breaks: "a day's messages go out in the evening, and once more after the server's midnight", file: paceSchema,
			find: "day := (of_moment AT TIME ZONE hours.zone)::date;\n    day_most", replace: "day := (of_moment AT TIME ZONE 'UTC')::date;\n    day_most", test: until,
		},
		{
			name: "jitter-is-thrown-at-each-look", breaks: "whoever looks often enough waits for no jitter", file: paceSchema,
			find: "s.spread * limits.jitter_seconds", replace: "random() * limits.jitter_seconds", test: goTest("JitterIsThrownOnce", "./server/postgres"),
		},
	}
}

// countMutants break what counts, and who decides how much.
func countMutants() []mutant {
	counts := goTest("WhatCounts", "./server/postgres")
	return []mutant{
		{
			name: "what-touched-nothing-counts", breaks: "tries that never reached anybody use up the day", file: paceSchema,
			find: "SET counts = NEW.code IS DISTINCT FROM 'not_attempted'", replace: "SET counts = true", test: counts,
		},
		{
			name: "unknown-delivery-counts-for-nothing", breaks: "what proved delivered is no part of the day", file: "server/postgres/rules.sql.tmpl",
			find: "(NEW.started_at IS NOT NULL OR OLD.status <> NEW.status AND NEW.status = 'sent')", replace: "NEW.started_at IS NOT NULL", test: counts,
		},
		{
			name: "no-warm-up", breaks: "an account that never sent sends a whole day's messages on its first", file: paceSchema,
			find: "IF limits.warm_up_days > 0 THEN", replace: "IF false THEN", test: goTest("WarmUp", "./server/postgres"),
		},
		{
			name: "old-starts-are-forgotten", breaks: "a database in use begins with cold accounts and an unspent day", file: paceSchema,
			find: "WHERE coalesce(started_at, confirmed_at) IS NOT NULL;", replace: "WHERE false;", test: goTest("OldStarts", "./server/postgres"),
		},
		{
			name: "anybody-raises-limits", breaks: "a recruiter has LinkedIn restrict the team's account", file: "server/pace/limits.go",
			find: "if !who.May(access.Raise) {", replace: "if false {", test: goTest("WhoRaises", "./server/api"),
		},
		{
			name: "raised-without-a-reason", breaks: "nobody knows why an account sends so much", file: paceSchema,
			find: "IF NEW.why = '' AND (", replace: "IF false AND (", test: goTest("Attacks", "./server/postgres"),
		},
		{
			name: "other-limits-wake-nobody", breaks: "what was held waits for the slow poll after its limits were raised", file: "server/api/pace.go",
			find: "return result{object: id, view: view, wake: id}, err", replace: "return result{object: id, view: view}, err", test: goTest("HoursAreShown", "./server/api"),
		},
	}
}

// hoursMutants break when an account works, and what becomes of what was scheduled.
func hoursMutants() []mutant {
	windows, stale := goTest("FirstShown|WindowsAcross", "./server/postgres"), goTest("WentStale", "./server/send")
	return []mutant{
		{
			name: "hours-count-for-nothing", breaks: "messages go out at night", file: paceSchema,
			find: "IF again > free_at THEN\n        free_at := again;\n        because := 'outside_hours';", replace: "IF false THEN\n        free_at := again;\n        because := 'outside_hours';",
			test: goTest("HoursSayUntilWhen", "./server/postgres"),
		},
		{
			name: "holidays-count-for-nothing", breaks: "messages go out on a holiday", file: paceSchema,
			find: "AND day <> ALL (hours.holidays) THEN", replace: "THEN", test: goTest("HoursSayUntilWhen", "./server/postgres"),
		},
		{
			name: "twice-shown-is-the-second", breaks: "in autumn a window opens an hour late", file: paceSchema,
			find: "IF by_before AT TIME ZONE zone = shows THEN", replace: "IF false THEN", test: windows,
		},
		{
			name: "never-shown-is-an-hour-late", breaks: "in spring a window opens an hour late", file: paceSchema,
			find: "WHILE by_before - by_after > interval '1 second' LOOP", replace: "WHILE false LOOP", test: windows,
		},
		{
			name: "skipped-window-is-open", breaks: "a window that the clocks skip is given another hour of the day", file: paceSchema,
			find: "IF opens_at < closes_at THEN", replace: "IF true THEN", test: windows,
		},
		{
			name: "abbreviation-is-a-zone", breaks: "an account in CET sends an hour late all summer", file: paceSchema,
			find: "RETURN zone = 'UTC' OR zone LIKE '%/%'", replace: "RETURN zone = 'UTC' OR true", test: goTest("Attacks|HoursThatAreNone", "./server/postgres", "./server/api"),
		},
		{
			name: "stale-schedule-goes-out", breaks: "Monday's messages go out on Friday, after the server was down", file: "server/send/facts.go",
			find: "case !f.ScheduleEnds.IsZero() && !f.Now.Before(f.ScheduleEnds):", replace: "case false:", test: stale,
		},
		{
			name: "stale-schedule-is-for-nobody", breaks: "what is too late is neither sent nor in any list", file: "server/send/lapse.go",
			find: "case f.ScheduleEnds != nil && !f.ScheduleEnds.After(f.Now):", replace: "case false:", test: stale,
		},
		{
			name: "late-yes-is-stale", breaks: "a message that was approved late expires at once, again and again", file: "server/postgres/db/send.sql.go",
			find: "schedule_ends(s.account_id, greatest(v.send_after, ap.approved_at))", replace: "schedule_ends(s.account_id, v.send_after)", test: goTest("ALateYes", "./server/send"),
		},
		{
			name: "waits-without-an-end", breaks: "nobody is told until when a message waits", file: "server/postgres/receipt.go",
			find: "Pace: send.Pace{Because: rule.Refusal(row.PaceBecause), FreeAt: row.PaceFreeAt},", replace: "", test: goTest("QueuedRowsSayUntilWhen", "./server/api"),
		},
		{
			name: "gap-raises-an-alarm", breaks: "an account that only waits its time is said not to move", file: "server/postgres/db/incident.sql.go",
			find:    "account_pace(a.id, moment.now_at - $2::interval) AS p (free_at, because, open_until, day_begun, day_most)) = '')",
			replace: "account_pace(a.id, moment.now_at - $2::interval) AS p (free_at, because, open_until, day_begun, day_most)) IS NOT NULL)", test: goTest("NoAlarmWhileItWaits", "./server/postgres"),
		},
	}
}
