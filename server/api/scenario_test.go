package api_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// The life of a message as the first page of the documentation tells it.
func TestFirstCalls(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.propose("Hello Ada  \r\n\r\n")
	if m.text("version") != "1" || m.text("authority") != "proposed" || m.text("status") != "" || m.text("body") != "Hello Ada" ||
		!strings.HasPrefix(m.text("digest"), "sha256:") {
		t.Fatalf("proposed: %s", m.Body)
	}
	path := "/v1/messages/" + m.text("id")
	edited := s.ask("PATCH", path, `{"body":"Hello Ada!"}`)
	if edited.Status != 200 || edited.text("version") != "2" || edited.text("authority") != "proposed" {
		t.Fatalf("edited: %d %s", edited.Status, edited.Body)
	}
	stale := s.approve(m)
	if stale.Status != 409 || stale.text("code") != "version_not_current" || stale.text("current_version") != "2" {
		t.Fatalf("stale approval: %d %s", stale.Status, stale.Body)
	}
	approved := s.approve(edited)
	if approved.Status != 200 || approved.text("authority") != "approved" || approved.text("status") != "queued" {
		t.Fatalf("approved: %d %s", approved.Status, approved.Body)
	}
	if s.woken.count() != 1 {
		t.Errorf("the account was woken %d times, want once", s.woken.count())
	}
	s.addInstall()
	send := approved.text("sends.0.id")
	s.move(send, lease, start, unconfirm)
	got := s.ask("GET", path, "")
	if got.text("status") != "unconfirmed" || !strings.Contains(got.text("instruction"), "Check LinkedIn") {
		t.Errorf("unconfirmed: %s", got.Body)
	}
	s.move(send, confirm, sent)
	got = s.ask("GET", path, "")
	if got.text("status") != "sent" || got.text("sends.0.code") != "confirmed" || got.text("instruction") != "" ||
		got.text("sends.0.started_at") == "" || got.text("sends.0.evidence.said.0.kind") != "confirmation" {
		t.Errorf("sent: %s", got.Body)
	}
	var story []string
	for i := range 20 {
		at := "history." + string(rune('0'+i))
		if i > 9 || got.text(at+".what") == "" {
			break
		}
		story = append(story, got.text(at+".what")+" "+got.text(at+".to"))
	}
	want := "proposed |edited |approved |send queued|send leased|send started|send unconfirmed|send sent"
	if strings.Join(story, "|") != want {
		t.Errorf("history %q, want %q", strings.Join(story, "|"), want)
	}
	if one := s.ask("GET", "/v1/sends/"+send, ""); one.text("message_id") != m.text("id") || one.text("status") != "sent" {
		t.Errorf("the send: %s", one.Body)
	}
}

// scenario is one request and what must come of it.
type scenario struct {
	name, method, path, body string
	headers                  []string
	status                   int
	code, field              string
}

// Bad inputs are each refused with the code and the field that a program can act on, and change nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.propose("Hello Ada")
	id := m.text("id")
	with := func(old, new string) string { return strings.Replace(s.proposal("Hello Ada"), old, new, 1) }
	long := strings.Repeat("x", 8001)
	huge := strings.Repeat("x", 300<<10)
	none := uuid.NewString()
	scenarios := []scenario{
		{"no token", "GET", "/v1/messages", "", []string{"Authorization: "}, 401, "unauthenticated", ""},
		{"wrong token", "GET", "/v1/messages", "", []string{"Authorization: Bearer so_wrong"}, 401, "unauthenticated", ""},
		{"other scheme", "GET", "/v1/messages", "", []string{"Authorization: Basic eDp5"}, 401, "unauthenticated", ""},
		{"other host", "GET", "/v1/messages", "", []string{"Host: evil.example"}, 421, "wrong_host", ""},
		{"no route", "GET", "/v1/nothing", "", nil, 404, "not_found", ""},
		{"wrong method", "PUT", "/v1/messages", "{}", nil, 405, "method_not_allowed", ""},
		{"panic", "GET", "/v1/panic", "", nil, 500, "internal", ""},
		{"viewer proposes", "POST", "/v1/messages", s.proposal("x"), []string{s.as("viewer")}, 403, "forbidden", ""},
		{"agent approves", "POST", "/v1/messages/" + id + "/approval", yes(m), []string{s.as("agent")}, 403, "forbidden", ""},
		{"agent withdraws", "POST", "/v1/messages/" + id + "/withdrawal", "{}", []string{s.as("agent")}, 403, "forbidden", ""},
		{"agent adds an account", "POST", "/v1/accounts", "{}", []string{s.as("agent")}, 403, "forbidden", ""},
		{"no key", "POST", "/v1/messages", s.proposal("x"), []string{"Idempotency-Key: "}, 400, "idempotency_key_missing", ""},
		{"long key", "POST", "/v1/messages", s.proposal("x"), []string{"Idempotency-Key: " + strings.Repeat("k", 201)}, 400, "idempotency_key_invalid", ""},
		{"empty key", "POST", "/v1/messages", s.proposal("x"), []string{`Idempotency-Key: ""`}, 400, "idempotency_key_invalid", ""},
		{"form", "POST", "/v1/messages", "a=b", []string{"Content-Type: application/x-www-form-urlencoded"}, 415, "unsupported_media_type", ""},
		{"huge", "POST", "/v1/messages", s.proposal(huge), nil, 413, "body_too_large", ""},
		{"no JSON", "POST", "/v1/messages", "{", nil, 400, "invalid_json", ""},
		{"an array", "POST", "/v1/messages", "[]", nil, 400, "invalid_json", ""},
		{"two values", "POST", "/v1/messages", s.proposal("x") + "{}", nil, 400, "invalid_json", ""},
		{"a member twice", "POST", "/v1/messages", with(`"body":"Hello Ada"`, `"body":"a","body":"b"`), nil, 400, "invalid_json", "body"},
		{"bad UTF-8", "POST", "/v1/messages", with("Hello Ada", "Hello \xff"), nil, 400, "invalid_json", "body"},
		{"unknown field", "POST", "/v1/messages", with(`"purpose"`, `"urgent":true,"purpose"`), nil, 422, "unknown_field", "urgent"},
		{"unknown inner field", "POST", "/v1/messages", with(`{"linkedin"`, `{"xing":"x","linkedin"`), nil, 422, "unknown_field", "person.xing"},
		{"other case", "POST", "/v1/messages", with(`"body"`, `"Body"`), nil, 422, "unknown_field", "Body"},
		{"body no text", "POST", "/v1/messages", with(`"Hello Ada"`, "7"), nil, 422, "invalid_field", "body"},
		{"no body", "POST", "/v1/messages", with(`"body":"Hello Ada",`, ""), nil, 422, "invalid_field", "body"},
		{"blank body", "POST", "/v1/messages", with("Hello Ada", ` \n\t \r\n`), nil, 422, "invalid_field", "body"},
		{"long body", "POST", "/v1/messages", with("Hello Ada", long), nil, 422, "invalid_field", "body"},
		{"control character", "POST", "/v1/messages", with("Hello Ada", `a\u0000b`), nil, 422, "invalid_field", "body"},
		{"no purpose", "POST", "/v1/messages", with("first contact", " "), nil, 422, "invalid_field", "purpose"},
		{"two lines of purpose", "POST", "/v1/messages", with("first contact", `a\nb`), nil, 422, "invalid_field", "purpose"},
		{"no person", "POST", "/v1/messages", with(`{"linkedin":"https://www.linkedin.com/in/ada-example"}`, "{}"), nil, 422, "invalid_field", "person.linkedin"},
		{"a company", "POST", "/v1/messages", with("/in/ada-example", "/company/acme"), nil, 422, "invalid_field", "person.linkedin"},
		{"bad mail", "POST", "/v1/messages", with(`{"linkedin"`, `{"email":"ada","linkedin"`), nil, 422, "invalid_field", "person.email"},
		{"account no id", "POST", "/v1/messages", with(s.account, "x"), nil, 422, "invalid_field", "account_id"},
		{"no such account", "POST", "/v1/messages", with(s.account, none), nil, 422, "invalid_field", "account_id"},
		{"other's account", "POST", "/v1/messages", s.proposal("x"), []string{s.as("stranger")}, 422, "invalid_field", "account_id"},
		{"no time", "POST", "/v1/messages", with(`"send_after":null`, `"send_after":"tomorrow"`), nil, 422, "invalid_field", "send_after"},
		{"a year that cannot be written", "POST", "/v1/messages", with(`"send_after":null`, `"send_after":"9999-12-31T23:59:59-12:00"`), nil, 422, "invalid_field", "send_after"},
		{"bad release", "POST", "/v1/messages", s.proposal("x"), []string{"X-Client-Release: \xff"}, 422, "invalid_field", "client_release"},
		{"passed", "POST", "/v1/messages", with(`"send_before":null`, `"send_before":"2001-01-01T00:00:00Z"`), nil, 422, "invalid_field", "send_before"},
		{
			"closes before it opens", "POST", "/v1/messages",
			with(`"send_after":null,"send_before":null`, `"send_after":"2999-01-02T00:00:00Z","send_before":"2999-01-01T00:00:00Z"`), nil, 422, "invalid_field", "send_before",
		},
		{"edit of the person", "PATCH", "/v1/messages/" + id, `{"person":{}}`, nil, 422, "unknown_field", "person"},
		{"edit to nothing", "PATCH", "/v1/messages/" + id, `{"body":null}`, nil, 422, "invalid_field", "body"},
		{"approve nothing", "POST", "/v1/messages/" + id + "/approval", "{}", nil, 422, "invalid_field", "version"},
		{"approve without digest", "POST", "/v1/messages/" + id + "/approval", `{"version":1}`, nil, 422, "invalid_field", "digest"},
		{"approve another digest", "POST", "/v1/messages/" + id + "/approval", `{"version":1,"digest":"sha256:0"}`, nil, 409, "version_not_current", ""},
		{"approve half a version", "POST", "/v1/messages/" + id + "/approval", `{"version":1.5,"digest":"x"}`, nil, 422, "invalid_field", "version"},
		{"approve with a yes to no id", "POST", "/v1/messages/" + id + "/approval", `{"version":1,"digest":"x","yes_to":["7"]}`, nil, 422, "invalid_field", "yes_to.0"},
		{"approve with a yes that is no list", "POST", "/v1/messages/" + id + "/approval", `{"version":1,"digest":"x","yes_to":{}}`, nil, 422, "invalid_field", "yes_to"},
		{
			"approve with too many yeses", "POST", "/v1/messages/" + id + "/approval",
			`{"version":1,"digest":"x","yes_to":["` + strings.Repeat(none+`","`, config.YesesMax) + none + `"]}`, nil, 422, "invalid_field", "yes_to",
		},
		{"agent rejects", "POST", "/v1/messages/" + id + "/rejection", no(m, ""), []string{s.as("agent")}, 403, "forbidden", ""},
		{"reject nothing", "POST", "/v1/messages/" + id + "/rejection", "{}", nil, 422, "invalid_field", "version"},
		{"reject without digest", "POST", "/v1/messages/" + id + "/rejection", `{"version":1}`, nil, 422, "invalid_field", "digest"},
		{"reject another digest", "POST", "/v1/messages/" + id + "/rejection", `{"version":1,"digest":"sha256:0"}`, nil, 409, "version_not_current", ""},
		{"reject for no text", "POST", "/v1/messages/" + id + "/rejection", `{"version":1,"digest":"x","why":7}`, nil, 422, "invalid_field", "why"},
		{"reject for a control character", "POST", "/v1/messages/" + id + "/rejection", `{"version":1,"digest":"x","why":"a\u0000"}`, nil, 422, "invalid_field", "why"},
		{"reject at length", "POST", "/v1/messages/" + id + "/rejection", no(m, strings.Repeat("x", 2001)), nil, 422, "invalid_field", "why"},
		{"agent revokes", "POST", "/v1/messages/" + id + "/revocation", "{}", []string{s.as("agent")}, 403, "forbidden", ""},
		{"revoke with a field", "POST", "/v1/messages/" + id + "/revocation", `{"why":"x"}`, nil, 422, "unknown_field", "why"},
		{"withdraw with a field", "POST", "/v1/messages/" + id + "/withdrawal", `{"why":"x"}`, nil, 422, "unknown_field", "why"},
		{"no id", "GET", "/v1/messages/7", "", nil, 404, "not_found", ""},
		{"no message", "GET", "/v1/messages/" + none, "", nil, 404, "not_found", ""},
		{"unknown status", "GET", "/v1/messages?status=gone", "", nil, 422, "invalid_field", "status"},
		{"unknown authority", "GET", "/v1/messages?authority=x", "", nil, 422, "invalid_field", "authority"},
		{"limit", "GET", "/v1/messages?limit=0", "", nil, 422, "invalid_field", "limit"},
		{"cursor", "GET", "/v1/messages?cursor=x", "", nil, 400, "invalid_cursor", ""},
		{"other channel", "POST", "/v1/accounts", `{"channel":"fax","handle":"x"}`, nil, 422, "invalid_field", "channel"},
		{"account no profile", "POST", "/v1/accounts", `{"channel":"linkedin","handle":"rita"}`, nil, 422, "invalid_field", "handle"},
		{"account again", "POST", "/v1/accounts", `{"channel":"linkedin","handle":"/in/RITA-recruiter/"}`, nil, 409, "account_exists", ""},
		{"wrong code", "POST", "/v1/installs", `{"code":"ABCD-EFGH"}`, nil, 401, "bad_code", ""},
		{"no code", "POST", "/v1/installs", `{}`, nil, 422, "invalid_field", "code"},
		{"wrong secret", "POST", "/v1/installs/token", `{"install_id":"` + none + `","refresh_secret":"x"}`, nil, 401, "bad_secret", ""},
		{"no incident", "GET", "/v1/incidents/" + none, "", nil, 404, "not_found", ""},
		{"close no incident", "POST", "/v1/incidents/" + none + "/closing", "{}", nil, 404, "not_found", ""},
		{"close with a field", "POST", "/v1/incidents/" + none + "/closing", `{"why":"x"}`, nil, 422, "unknown_field", "why"},
		{"incident state", "GET", "/v1/incidents?state=x", "", nil, 422, "invalid_field", "state"},
	}
	before := s.rows()
	for _, sc := range scenarios {
		a := s.ask(sc.method, sc.path, sc.body, sc.headers...)
		if a.Status != sc.status || a.text("code") != sc.code || a.text("field") != sc.field {
			t.Errorf("%s: %d %s, want %d %s %s", sc.name, a.Status, a.Body, sc.status, sc.code, sc.field)
		}
		if a.Header.Get("Content-Type") != "application/problem+json" || strings.Contains(a.Body, "secret\"") && sc.name == "panic" {
			t.Errorf("%s: %s %s", sc.name, a.Header.Get("Content-Type"), a.Body)
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("refused requests changed the rows from %s to %s", before, after)
	}
}

// Every route that names something answers 404 to another workspace, and lists show it nothing.
func TestOtherWorkspace(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.approve(s.propose("Hello Ada"))
	id, send, install := m.text("id"), m.text("sends.0.id"), s.addInstall()
	incident := s.addIncident("delivered_twice", id)
	before := s.rows()
	for path, method := range map[string]string{
		"/v1/messages/" + id:                     "GET",
		"/v1/messages/" + id + "/receipt":        "GET",
		"/v1/messages/" + id + "/approval":       "POST " + yes(m),
		"/v1/messages/" + id + "/approval?":      `POST {"version":9,"digest":"x"}`, // a 409 would tell the digest
		"/v1/messages/" + id + "/rejection":      "POST " + no(m, ""),
		"/v1/messages/" + id + "/revocation":     "POST {}",
		"/v1/messages/" + id + "/withdrawal":     "POST {}",
		"/v1/messages/" + id + "/closing":        "POST " + done,
		"/v1/messages/" + id + "?":               `PATCH {"body":"x"}`,
		"/v1/sends/" + send:                      "GET",
		"/v1/accounts/" + s.account:              "GET",
		"/v1/accounts/" + s.account + "/clear":   "POST {}",
		"/v1/installs/" + install:                "DELETE",
		"/v1/installs/" + install + "?":          "GET",
		"/v1/incidents/" + incident:              "GET",
		"/v1/incidents/" + incident + "/closing": "POST {}",
		"/v1/installs/" + install + "/pause":     "POST {}",
		"/v1/installs/" + install + "/resume":    "POST {}",
		"/v1/accounts/" + s.account + "/pause":   "POST {}",
		"/v1/accounts/" + s.account + "/resume":  "POST {}",
	} {
		method, body, _ := strings.Cut(method, " ")
		if a := s.ask(method, path, body, s.as("stranger")); a.Status != 404 || a.text("code") != "not_found" {
			t.Errorf("%s %s: %d %s", method, path, a.Status, a.Body)
		}
	}
	for _, path := range []string{"/v1/messages", "/v1/sends", "/v1/accounts", "/v1/installs", "/v1/incidents?state=all"} {
		if a := s.ask("GET", path, "", s.as("stranger")); a.Status != 200 || a.text("items.0.id") != "" {
			t.Errorf("GET %s shows another workspace %s", path, a.Body)
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("a stranger changed the rows from %s to %s", before, after)
	}
}
