package main

// incidentMutants break what a person is told about.
func incidentMutants() []mutant {
	const (
		look    = "server/incident/look.go"
		queries = "server/postgres/db/incident.sql.go"
	)
	decides := goTest("Decide", "./server/incident")
	stored := goTest("Condition|Logged|Moving|Second|Meanwhile", "./server/postgres")
	return []mutant{
		{
			name: "incident-never-ends", breaks: "a condition's incident stays open after it has ended", file: look,
			find: "changes.Close = append(changes.Close, one)", replace: "_ = one", test: decides,
		},
		{
			name: "unread-means-ended", breaks: "a look that could not read everything closes what it has not seen", file: look,
			find: "if !s.All {", replace: "if false {", test: decides,
		},
		{
			name: "timeline-fills-up", breaks: "a growing queue writes an entry with every look", file: look,
			find: " && !s.Now.Before(one.LastAt.Add(config.IncidentCountEvery))", replace: "", test: decides,
		},
		{
			name: "condition-is-closed-by-hand", breaks: "nobody is told what ends a condition", file: "server/incident/close.go",
			find: "case i.Kind.IsCondition():", replace: "case false:", test: goTest("Incident|Condition", "./server/api"),
		},
		{
			name: "comes-back-while-it-is-closed", breaks: "an incident is closed over what happened meanwhile", file: queries,
			find: "AND closed_at IS NULL AND last_at = $2", replace: "AND closed_at IS NULL AND $2::timestamptz IS NOT NULL", test: stored,
		},
		{
			name: "logged-by-every-server", breaks: "each server and each restart repeats every incident in its log", file: queries,
			find: "WHERE i.opening_logged_at IS NULL ORDER", replace: "WHERE true ORDER", test: stored,
		},
		{
			name: "closing-leaves-no-trace", breaks: "the timeline does not say who closed it", file: rules,
			find: "c_timeline AFTER INSERT OR UPDATE ON incidents", replace: "c_timeline AFTER INSERT ON incidents", test: stored,
		},
		{
			name: "closed-incident-is-rewritten", breaks: "what a person found is changed afterwards", file: rules,
			find: "OR OLD.closed_at IS NOT NULL AND (OLD.closed_at,", replace: "OR false AND (OLD.closed_at,", test: attackTests(),
		},
		{
			name: "given-back-counts-as-moving", breaks: "leases that come back for ever look like work", file: queries,
			find: "(last.started_at > moment.now_at - $2::interval) IS NOT TRUE", replace: "last.id IS NULL", test: stored,
		},
		{
			name: "approved-repeat-alarms", breaks: "a person is warned of what they approved", file: peopleSchema,
			find: "WHERE s.id = NEW.send_id AND a.repeat_approved)", replace: "WHERE false)", test: stored,
		},
		{
			name: "tripped-breaker-has-no-reason", breaks: "a person is told that LinkedIn refused an account that its breaker stopped", file: "server/incident/incident.go",
			find: "why != \"\" {", replace: "why != \"\" && false {", test: goTest("ConditionIsNotClosed", "./server/api"),
		},
		{
			name: "metrics-through-a-proxy", breaks: "the whole world reads the numbers of all workspaces", file: "server/metrics/handler.go",
			find: "&& !a.BehindProxy", replace: "", test: goTest("Read", "./server/metrics"),
		},
	}
}
