package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// withoutToken are the routes that are read without one, or whose request brings its own proof.
var withoutToken = append([]string{"GET /v1/openapi.json", "GET /v1/receipt-keys"}, ownProof...)

// Each route takes the right it is listed with: whoever lacks it gets 403, before anything is read or said.
func TestWhatEachRoleMay(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	none := uuid.NewString()
	before := s.rows()
	tried := map[string]bool{}
	for _, c := range []struct {
		method, path  string
		viewer, agent bool
	}{
		{"GET", "/v1/workspace", true, true},
		{"POST", "/v1/accounts", false, false},
		{"GET", "/v1/accounts", true, true},
		{"GET", "/v1/accounts/" + none, true, true},
		{"POST", "/v1/accounts/" + none + "/clear", false, false},
		{"GET", "/v1/accounts/" + none + "/hours", true, true},
		{"PUT", "/v1/accounts/" + none + "/hours", false, false},
		{"GET", "/v1/accounts/" + none + "/limits", true, true},
		{"PUT", "/v1/accounts/" + none + "/limits", false, false},
		{"POST", "/v1/accounts/" + none + "/pause", false, false},
		{"POST", "/v1/accounts/" + none + "/resume", false, false},
		{"PATCH", "/v1/workspace/policy", false, false},
		{"POST", "/v1/workspace/pause", false, false},
		{"POST", "/v1/workspace/resume", false, false},
		{"POST", "/v1/installs/" + none + "/pause", false, false},
		{"POST", "/v1/installs/" + none + "/resume", false, false},
		{"GET", "/v1/people", true, true},
		{"GET", "/v1/people/" + none, true, true},
		{"PATCH", "/v1/people/" + none, false, false},
		{"GET", "/v1/people/" + none + "/merge", false, false},
		{"POST", "/v1/people/" + none + "/merge", false, false},
		{"GET", "/v1/people/" + none + "/removal", false, false},
		{"POST", "/v1/people/" + none + "/removal", false, false},
		{"POST", "/v1/suppressions", false, true},
		{"GET", "/v1/suppressions", true, true},
		{"GET", "/v1/suppressions/" + none, true, true},
		{"POST", "/v1/suppressions/" + none + "/lifting", false, false},
		{"POST", "/v1/templates", false, false},
		{"GET", "/v1/templates", true, true},
		{"GET", "/v1/templates/" + none, true, true},
		{"PATCH", "/v1/templates/" + none, false, false},
		{"GET", "/v1/templates/" + none + "/preview", true, true},
		{"POST", "/v1/imports", false, false},
		{"GET", "/v1/imports", false, false},
		{"GET", "/v1/imports/" + none, false, false},
		{"PATCH", "/v1/imports/" + none, false, false},
		{"GET", "/v1/imports/" + none + "/rows", false, false},
		{"POST", "/v1/imports/" + none + "/start", false, false},
		{"GET", "/v1/imports/" + none + "/results", false, false},
		{"POST", "/v1/sequences", false, false},
		{"GET", "/v1/sequences", true, true},
		{"GET", "/v1/sequences/" + none, true, true},
		{"PUT", "/v1/sequences/" + none + "/steps", false, false},
		{"POST", "/v1/sequences/" + none + "/pause", false, false},
		{"POST", "/v1/sequences/" + none + "/resume", false, false},
		{"POST", "/v1/sequences/" + none + "/finish", false, false},
		{"POST", "/v1/sequences/" + none + "/stop", false, false},
		{"POST", "/v1/sequences/" + none + "/enrolments", false, true},
		{"POST", "/v1/enrolments", false, true},
		{"GET", "/v1/enrolments", true, true},
		{"GET", "/v1/enrolments/" + none, true, true},
		{"POST", "/v1/enrolments/" + none + "/pause", false, false},
		{"POST", "/v1/enrolments/" + none + "/resume", false, false},
		{"POST", "/v1/enrolments/" + none + "/stop", false, false},
		{"POST", "/v1/messages", false, true},
		{"GET", "/v1/messages", true, true},
		{"GET", "/v1/messages/" + none, true, true},
		{"GET", "/v1/messages/" + none + "/receipt", true, true},
		{"PATCH", "/v1/messages/" + none, false, true},
		{"POST", "/v1/messages/" + none + "/approval", false, false},
		{"POST", "/v1/messages/" + none + "/rejection", false, false},
		{"POST", "/v1/messages/" + none + "/revocation", false, false},
		{"POST", "/v1/messages/" + none + "/withdrawal", false, false},
		{"POST", "/v1/messages/" + none + "/closing", false, false},
		{"GET", "/v1/sends", true, true},
		{"GET", "/v1/sends/" + none, true, true},
		{"POST", "/v1/sends/" + none + "/retry", false, false},
		{"POST", "/v1/sends/" + none + "/resolution", false, false},
		{"POST", "/v1/sends/" + none + "/check", false, false},
		{"POST", "/v1/retries", false, false},
		{"GET", "/v1/retries/" + none, true, true},
		{"GET", "/v1/retries/" + none + "/items", true, true},
		{"POST", "/v1/retries/" + none + "/start", false, false},
		{"POST", "/v1/approvals", false, false},
		{"GET", "/v1/approvals/" + none, true, true},
		{"GET", "/v1/approvals/" + none + "/items", true, true},
		{"POST", "/v1/approvals/" + none + "/start", false, false},
		{"POST", "/v1/pairing-codes", false, false},
		{"GET", "/v1/installs", true, true},
		{"GET", "/v1/installs/" + none, true, true},
		{"DELETE", "/v1/installs/" + none, false, false},
		{"GET", "/v1/instance", true, true},
		{"POST", "/v1/instance/arming", false, false},
		{"GET", "/v1/incidents", true, true},
		{"GET", "/v1/incidents/" + none, true, true},
		{"POST", "/v1/incidents/" + none + "/closing", false, false},
		{"GET", "/v1/events", true, true},
	} {
		tried[c.method+" "+strings.Replace(c.path, none, ":id", 1)] = true
		for role, may := range map[string]bool{"viewer": c.viewer, "agent": c.agent} {
			a := s.ask(c.method, c.path, "", s.as(role))
			if forbidden := a.Status == 403 && a.text("code") == "forbidden"; forbidden == may {
				t.Errorf("%s %s as %s: %d %s, may %t", c.method, c.path, role, a.Status, a.Body, may)
			}
		}
	}
	for _, route := range s.routes {
		name := route.Method + " " + route.Path
		if strings.HasPrefix(route.Path, "/v1/") && !tried[name] && !slices.Contains(withoutToken, name) {
			t.Errorf("%s is served; say here who may", name)
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("the rows changed from %s to %s", before, after)
	}
}
