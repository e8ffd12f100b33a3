package main

// openapiMutants break the agreement between what the API answers and what it says of itself.
func openapiMutants() []mutant {
	const routes = "server/api/routes.go"
	held := goTest("TestEditOfNothing$", "./server/api")
	listed := goTest("TestEveryRouteIsDocumented$", "./server/api")
	return []mutant{
		{
			name: "undocumented-field", breaks: "a field is called otherwise than the document says", file: "server/api/message_view.go",
			find: `json:"tab_gone"`, replace: `json:"tab_is_gone"`, test: held,
		},
		{
			name: "undocumented-status", breaks: "an edit is answered with a status that is not documented", file: "server/api/message.go",
			find: "a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {\n\t\tm, err := message.Amend", replace: "a.run(c, http.StatusAccepted, once, func(tx command.Tx) (result, error) {\n\t\tm, err := message.Amend",
			test: held,
		},
		{
			name: "undocumented-right", breaks: "a route takes another right than the document says", file: routes,
			find: `{get, "/v1/sends", access.Read`, replace: `{get, "/v1/sends", access.Decide`, test: listed,
		},
		{
			name: "undocumented-route", breaks: "a route is there that the document does not know", file: routes,
			find: `{get, "/v1/sends/:id", access.Read`, replace: `{get, "/v1/sendings/:id", access.Read`, test: listed,
		},
		{
			name: "other-limit", breaks: "the server takes another length than the document says", file: "server/config/limits.go",
			find: "SubjectRunesMax           = 300", replace: "SubjectRunesMax           = 301", test: goTest("TestLimits", "./server/api/openapi"),
		},
		{
			name: "other-word", breaks: "a refusal of the table is missing in the document", file: "server/api/openapi/send.json",
			find: `"check_first", `, replace: "", test: goTest("TestWords", "./server/api/openapi"),
		},
		{
			name: "a-standard-member-is-taken", breaks: "what a refusal says of a send is lost behind its HTTP status", file: "server/problem/problem.go",
			find: "if slices.Contains(standard, name) {", replace: "if slices.Contains(standard, name) && false {", test: goTest("TestWithLeaves", "./server/problem"),
		},
	}
}
