package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"sendonce/server/api"
	"sendonce/server/api/openapi"
	"sendonce/server/problem"
)

// Every route is documented with the right that it takes, and every documented operation has a route.
func TestEveryRouteIsDocumented(t *testing.T) {
	t.Parallel()
	var routes, documented []string
	for _, r := range api.ListedRoutes() {
		security := "[]"
		if r.Right != "" {
			security = fmt.Sprintf("[map[token:[%s]]]", r.Right)
		}
		routes = append(routes, r.Method+" "+strings.ReplaceAll(r.Path, ":id", "{id}")+" "+security)
	}
	for _, o := range theContract.operations {
		security, _ := theContract.place(join(o.at, "security"))
		documented = append(documented, fmt.Sprint(o, " ", security))
	}
	for _, route := range routes {
		if !slices.Contains(documented, route) {
			t.Errorf("the route %s is not documented so", route)
		}
	}
	for _, one := range documented {
		if !slices.Contains(routes, one) {
			t.Errorf("there is no route %s", one)
		}
	}
}

// A code stands under the status that it is answered with, and every code that the API may answer stands somewhere.
func TestEveryCodeIsDocumented(t *testing.T) {
	t.Parallel()
	documented := map[problem.Code]bool{}
	for _, o := range theContract.operations {
		for _, status := range theContract.names(join(o.at, "responses")) {
			_, at := theContract.place(join(o.at, "responses", status))
			for _, code := range theContract.codes(at) {
				documented[problem.Code(code)] = true
				if want := fmt.Sprint(problem.Code(code).HTTPStatus()); status != want {
					t.Errorf("%s: %s stands under %s and is answered with %s", o, code, status, want)
				}
			}
		}
	}
	// Of no operation: the path has none with that method; the console alone; and what is done where the server runs.
	elsewhere := []problem.Code{
		problem.MethodNotAllowed, problem.CrossOrigin, problem.SourceExists,
	}
	for _, code := range problem.Codes() {
		if !documented[code] && !slices.Contains(elsewhere, code) && !onlyOfStarts[code] {
			t.Errorf("%s stands in no operation", code)
		}
	}
}

// onlyOfStarts are refusals that a sender hears, and a program only reads as what a send waits for.
var onlyOfStarts = map[problem.Code]bool{
	"account_busy": true, "account_cooling_down": true, "account_paused": true, "already_started": true, "check_first": true,
	"day_limit": true, "hour_limit": true, "minimum_gap": true, "outside_hours": true,
	"everything_paused": true, "install_paused": true, "lease_expired": true, "not_armed": true, "not_granted": true, "person_limit": true,
	"released_too_often": true, "stale_lease": true, "start_unrecorded": true, "superseded": true, "unknown_lease": true,
	"workspace_paused": true,
}

// The document is what is served, to whoever asks.
func TestOpenAPIIsServed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	a := s.ask("GET", "/v1/openapi.json", "", "Authorization: ")
	if a.Status != http.StatusOK || a.text("openapi") != "3.1.0" || a.Body != string(openapi.Document()) {
		t.Errorf("%d %.200s", a.Status, a.Body)
	}
}

// Goal: the examples are as the schemas beside them have it.
func TestExamplesAreValid(t *testing.T) {
	t.Parallel()
	count := 0
	var look func(at string, value any)
	look = func(at string, value any) {
		switch value := value.(type) {
		case map[string]any:
			if example, ok := value["example"]; ok && value["schema"] != nil {
				count++
				if err := theContract.valid(join(at, "schema"), example); err != nil {
					t.Errorf("the example at %s: %v", at, err)
				}
			}
			for name, one := range value {
				look(join(at, name), one)
			}
		case []any:
			for i, one := range value {
				look(join(at, fmt.Sprint(i)), one)
			}
		}
	}
	look("", theContract.root)
	if count < 20 {
		t.Errorf("%d examples were found", count)
	}
}
