package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// field is one member of a route's body. needed says that it must be there; given, that it must say something where it is.
type field struct {
	route, path   string
	kind          kind
	needed, given bool
	runesMax      int // of a text
}

type kind int

const (
	aText    kind = iota
	aWord         // one of a few
	anOpaque      // a text that is compared, not stored
	anID
	aFlag
	aNumber
	aCount // a number that may be 0
	aMoment
	anObject
	aList
	aMap // of texts, by names of its own
)

// wrong are the values of a wrong type or form, by kind.
var wrong = map[kind][]string{
	aText:    {`7`, `true`, `{}`, `["a"]`},
	aWord:    {`7`, `{}`, `"maybe"`, `""`, `"\u200b"`},
	anOpaque: {`7`, `true`, `{}`, `[]`},
	anID:     {`7`, `{}`, `"x"`, `"` + strings.Repeat("1", 36) + `"`},
	aFlag:    {`1`, `"true"`, `{}`},
	aNumber:  {`"1"`, `1.5`, `true`, `1e400`, `99999999999999999999`, `{}`},
	aCount:   {`"1"`, `1.5`, `true`, `1e400`, `99999999999999999999`, `{}`, `-1`},
	aMoment:  {`7`, `"tomorrow"`, `"2026-13-01T00:00:00Z"`, `{}`},
	anObject: {`7`, `"x"`, `[]`, `true`},
	aMap:     {`7`, `"x"`, `[]`, `true`, `{"a":7}`, `{"a":["x"]}`},
	aList:    {`7`, `"x"`, `{}`, `true`, `[7]`, `[["x"]]`},
}

// fields is every member of every body.
var fields = []field{
	{route: "POST /v1/accounts", path: "channel", kind: aWord, needed: true},
	{route: "POST /v1/accounts", path: "handle", kind: aText, needed: true, runesMax: config.ProfileURLRunesMax},
	{route: "PUT /v1/accounts/:id/hours", path: "zone", kind: aWord, needed: true},
	{route: "PUT /v1/accounts/:id/hours", path: "opens", kind: aWord, needed: true},
	{route: "PUT /v1/accounts/:id/hours", path: "closes", kind: aWord, needed: true},
	{route: "PUT /v1/accounts/:id/hours", path: "days", kind: aList, needed: true},
	{route: "PUT /v1/accounts/:id/hours", path: "holidays", kind: aList},
	{route: "PUT /v1/accounts/:id/hours", path: "late_days", kind: aNumber},
	{route: "PUT /v1/accounts/:id/limits", path: "per_day", kind: aNumber, needed: true},
	{route: "PUT /v1/accounts/:id/limits", path: "per_hour", kind: aNumber, needed: true},
	{route: "PUT /v1/accounts/:id/limits", path: "gap_seconds", kind: aCount, needed: true},
	{route: "PUT /v1/accounts/:id/limits", path: "jitter_seconds", kind: aCount, needed: true},
	{route: "PUT /v1/accounts/:id/limits", path: "warm_up_from", kind: aNumber, needed: true},
	{route: "PUT /v1/accounts/:id/limits", path: "warm_up_days", kind: aCount, needed: true},
	{route: "PUT /v1/accounts/:id/limits", path: "why", kind: aText, runesMax: config.WhyRunesMax},
	{route: "POST /v1/accounts/:id/pause", path: "note", kind: aText, runesMax: config.PauseNoteRunesMax},
	{route: "POST /v1/installs/:id/pause", path: "note", kind: aText, runesMax: config.PauseNoteRunesMax},
	{route: "POST /v1/workspace/pause", path: "note", kind: aText, runesMax: config.PauseNoteRunesMax},
	{route: "PATCH /v1/people/:id", path: "name", kind: aText, runesMax: config.PersonNameRunesMax},
	{route: "PATCH /v1/people/:id", path: "company", kind: aText, runesMax: config.CompanyRunesMax},
	{route: "PATCH /v1/people/:id", path: "owner_id", kind: anID},
	{route: "PATCH /v1/people/:id", path: "fields", kind: aMap},
	{route: "POST /v1/people/:id/merge", path: "other", kind: anID, needed: true},
	{route: "POST /v1/people/:id/merge", path: "seen", kind: anOpaque, needed: true},
	{route: "POST /v1/people/:id/removal", path: "seen", kind: anOpaque, needed: true},
	{route: "POST /v1/suppressions", path: "person_id", kind: anID},
	{route: "POST /v1/suppressions", path: "linkedin", kind: aText, runesMax: config.ProfileURLRunesMax},
	{route: "POST /v1/suppressions", path: "email", kind: aText, runesMax: config.EmailBytesMax},
	{route: "POST /v1/suppressions", path: "email_domain", kind: aText, runesMax: config.EmailBytesMax},
	{route: "POST /v1/suppressions", path: "company", kind: aText, runesMax: config.CompanyRunesMax},
	{route: "POST /v1/suppressions", path: "why", kind: aText, runesMax: config.WhyRunesMax},
	{route: "POST /v1/suppressions/:id/lifting", path: "why", kind: aText, needed: true, runesMax: config.WhyRunesMax},
	{route: "POST /v1/messages", path: "account_id", kind: anID, needed: true},
	{route: "POST /v1/messages", path: "person", kind: anObject},
	{route: "POST /v1/messages", path: "person.linkedin", kind: aText, needed: true, runesMax: config.ProfileURLRunesMax},
	{route: "POST /v1/messages", path: "person.email", kind: aText, runesMax: config.EmailBytesMax},
	{route: "POST /v1/messages", path: "person.name", kind: aText, runesMax: config.PersonNameRunesMax},
	{route: "POST /v1/messages", path: "purpose", kind: aText, needed: true, runesMax: config.PurposeRunesMax},
	{route: "POST /v1/messages", path: "task", kind: aText, runesMax: config.TaskRunesMax},
	{route: "POST /v1/messages", path: "subject", kind: aText, runesMax: config.SubjectRunesMax},
	{route: "POST /v1/messages", path: "body", kind: aText, needed: true, runesMax: config.BodyRunesMax},
	{route: "POST /v1/messages", path: "send_after", kind: aMoment},
	{route: "POST /v1/messages", path: "send_before", kind: aMoment},
	{route: "POST /v1/messages", path: "client_release", kind: aText, runesMax: config.ClientReleaseRunes},
	{route: "POST /v1/messages", path: "follows", kind: anObject},
	{route: "POST /v1/messages", path: "follows.send", kind: anID, needed: true},
	{route: "POST /v1/messages", path: "follows.why", kind: aText, needed: true, runesMax: config.WhyRunesMax},
	{route: "PATCH /v1/imports/:id", path: "mapping", kind: aList, needed: true},
	{route: fromTemplate, path: "template", kind: anObject},
	{route: fromTemplate, path: "template.id", kind: anID, needed: true},
	{route: fromTemplate, path: "template.variables", kind: aMap},
	{route: "POST /v1/templates", path: "name", kind: aText, needed: true, runesMax: config.TemplateNameRunesMax},
	{route: "POST /v1/templates", path: "subject", kind: aText, runesMax: config.SubjectRunesMax},
	{route: "POST /v1/templates", path: "body", kind: aText, needed: true, runesMax: config.BodyRunesMax},
	{route: "POST /v1/templates", path: "variables", kind: aList},
	{route: "POST /v1/sequences", path: "name", kind: aText, needed: true, runesMax: config.SequenceNameRunesMax},
	{route: "PUT /v1/sequences/:id/steps", path: "version", kind: aNumber, given: true},
	{route: "PUT /v1/sequences/:id/steps", path: "steps", kind: aList},
	{route: "POST /v1/sequences/:id/enrolments", path: "account_id", kind: anID, needed: true},
	{route: "POST /v1/sequences/:id/enrolments", path: "people", kind: aList, needed: true},
	{route: "POST /v1/sequences/:id/enrolments", path: "import_id", kind: anID},
	{route: "POST /v1/sequences/:id/enrolments", path: "after_row", kind: aCount},
	{route: "POST /v1/enrolments", path: "sequence_id", kind: anID, needed: true},
	{route: "POST /v1/enrolments", path: "person_id", kind: anID, needed: true},
	{route: "POST /v1/enrolments", path: "account_id", kind: anID, needed: true},
	{route: "PATCH /v1/templates/:id", path: "version", kind: aNumber, given: true},
	{route: "PATCH /v1/templates/:id", path: "name", kind: aText, given: true, runesMax: config.TemplateNameRunesMax},
	{route: "PATCH /v1/templates/:id", path: "subject", kind: aText, runesMax: config.SubjectRunesMax},
	{route: "PATCH /v1/templates/:id", path: "body", kind: aText, given: true, runesMax: config.BodyRunesMax},
	{route: "PATCH /v1/templates/:id", path: "variables", kind: aList},
	{route: "POST /v1/messages/:id/closing", path: "why", kind: aText, needed: true, runesMax: config.WhyRunesMax},
	{route: "PATCH /v1/messages/:id", path: "version", kind: aNumber, given: true},
	{route: "PATCH /v1/messages/:id", path: "subject", kind: aText, runesMax: config.SubjectRunesMax},
	{route: "PATCH /v1/messages/:id", path: "body", kind: aText, given: true, runesMax: config.BodyRunesMax},
	{route: "PATCH /v1/messages/:id", path: "send_after", kind: aMoment},
	{route: "PATCH /v1/messages/:id", path: "send_before", kind: aMoment},
	{route: "PATCH /v1/messages/:id", path: "client_release", kind: aText, runesMax: config.ClientReleaseRunes},
	{route: "POST /v1/messages/:id/approval", path: "version", kind: aNumber, needed: true},
	{route: "POST /v1/messages/:id/approval", path: "digest", kind: anOpaque, needed: true},
	{route: "POST /v1/messages/:id/approval", path: "repeat_approved", kind: aFlag},
	{route: "POST /v1/messages/:id/approval", path: "yes_to", kind: aList},
	{route: "POST /v1/messages/:id/approval", path: "override", kind: anObject},
	{route: "POST /v1/messages/:id/approval", path: "override.owner_id", kind: anID, needed: true},
	{route: "POST /v1/messages/:id/approval", path: "override.why", kind: aText, needed: true, runesMax: config.WhyRunesMax},
	{route: "POST /v1/messages/:id/rejection", path: "version", kind: aNumber, needed: true},
	{route: "POST /v1/messages/:id/rejection", path: "digest", kind: anOpaque, needed: true},
	{route: "POST /v1/messages/:id/rejection", path: "why", kind: aText, runesMax: config.NoteRunesMax},
	{route: "PATCH /v1/workspace/policy", path: "approvers", kind: aWord, given: true},
	{route: "PATCH /v1/workspace/policy", path: "approval_lasts_seconds", kind: aNumber, given: true},
	{route: "PATCH /v1/workspace/policy", path: "cool_off_days", kind: aNumber, given: true},
	{route: "PATCH /v1/workspace/policy", path: "auto_approve", kind: aList, given: true},
	{route: "PATCH /v1/workspace/policy", path: "colleague_days", kind: aNumber, given: true},
	{route: "PATCH /v1/workspace/policy", path: "person_most", kind: aNumber, given: true},
	{route: "PATCH /v1/workspace/policy", path: "person_days", kind: aNumber, given: true},
	{route: "PATCH /v1/workspace/policy", path: "content_days", kind: aNumber, given: true},
	{route: "POST /v1/approvals", path: "account_id", kind: anID},
	{route: "POST /v1/approvals", path: "sequence_id", kind: anID},
	{route: "POST /v1/approvals", path: "step_id", kind: anID},
	{route: "POST /v1/approvals", path: "enrolment_ids", kind: aList},
	{route: "POST /v1/approvals", path: "purpose", kind: aText, runesMax: config.PurposeRunesMax},
	{route: "POST /v1/sends/:id/resolution", path: "outcome", kind: aWord, needed: true},
	{route: "POST /v1/sends/:id/resolution", path: "note", kind: aText, runesMax: config.NoteRunesMax},
	{route: "POST /v1/sends/:id/resolution", path: "accept_unseen", kind: aFlag},
	{route: "POST /v1/retries", path: "account_id", kind: anID},
	{route: "POST /v1/retries", path: "sequence_id", kind: anID},
	{route: "POST /v1/retries", path: "step_id", kind: anID},
	{route: "POST /v1/retries", path: "enrolment_ids", kind: aList},
	{route: "POST /v1/retries", path: "code", kind: aText, runesMax: config.TypedCodeRunesMax},
	{route: "POST /v1/instance/arming", path: "epoch", kind: aNumber, needed: true},
	{route: "POST /v1/instance/arming", path: "accept_unseen", kind: aFlag},
	{route: "POST /v1/incidents/:id/closing", path: "note", kind: aText, runesMax: config.NoteRunesMax},
	{route: "POST /v1/installs", path: "code", kind: anOpaque, needed: true},
	{route: "POST /v1/installs", path: "extension_version", kind: aText, runesMax: config.ClientReleaseRunes},
	{route: "POST /v1/installs/token", path: "install_id", kind: anID},
	{route: "POST /v1/installs/token", path: "refresh_secret", kind: anOpaque, needed: true},
}

// Goal: fields leaves out no member of a body that the document knows, so that each is tried in each way in which it can be wrong.
func TestEveryDocumentedFieldIsTried(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, f := range fields {
		route := f.route
		if route == fromTemplate {
			route = "POST /v1/messages"
		}
		tried[route+" "+f.path] = true
	}
	asParameter := strings.NewReplacer("{", ":", "}", "")
	for _, o := range theContract.operations {
		route := asParameter.Replace(o.String())
		if route == "POST /v1/callbacks/:id" {
			continue // its signature is of the whole body, and its own tests send bad ones
		}
		_, at := theContract.place(join(o.at, "requestBody"))
		_, at = theContract.place(join(at, "content", plainJSON, "schema"))
		for _, path := range theContract.members(at, "") {
			if !tried[route+" "+path] {
				t.Errorf("%s takes %s; say in fields how it can be wrong", route, path)
			}
		}
	}
}

// members are the paths of an object's members, and of theirs.
func (c *contract) members(at, prefix string) (paths []string) {
	for _, name := range c.names(join(at, "properties")) {
		_, member := c.place(join(at, "properties", name))
		paths = append(paths, prefix+name)
		paths = append(paths, c.members(member, prefix+name+".")...)
	}
	return paths
}

// fromTemplate is POST /v1/messages with a template in place of a text.
const fromTemplate = "POST /v1/messages from a template"

// bad is a body in which the field is wrong, and the code it is refused with.
type bad struct{ what, body, code string }

// variants are all the ways in which the field of a good body can be wrong.
func (f field) variants(t *testing.T, good string) []bad {
	t.Helper()
	refused, unread := "invalid_field", "invalid_json"
	with := func(what, value, code string) bad {
		return bad{what + " " + value[:min(len(value), 20)], f.with(t, good, value), code}
	}
	var all []bad
	for _, value := range wrong[f.kind] {
		all = append(all, with("wrong", value, refused))
	}
	if f.needed {
		all = append(all, bad{"missing", f.with(t, good, ""), refused}, with("null", "null", refused))
	}
	if f.given {
		all = append(all, with("null", "null", refused))
	}
	if f.needed && f.kind == aNumber {
		all = append(all, with("too small", "0", refused), with("too small", "-1", refused))
	}
	if f.needed && f.kind == anOpaque {
		all = append(all, with("empty", `""`, refused))
	}
	if f.kind == aText {
		all = append(all, with("too long", `"`+strings.Repeat("x", f.runesMax+1)+`"`, refused), with("control", `"a\u0007b"`, refused),
			with("NUL", `"a\u0000b"`, refused), with("unseen", `"\u200b\u2060\ufeff"`, refused))
	}
	if f.kind == aText || f.kind == anOpaque || f.kind == aWord {
		all = append(all, with("half a character", `"\ud800"`, unread), with("no UTF-8", "\"\xff\"", unread))
	}
	if f.kind == aMoment {
		all = append(all, with("no year", `"0000-01-01T00:00:00Z"`, refused))
	}
	deep := refused
	if f.kind == anObject {
		deep = "unknown_field"
	}
	name := f.path[strings.LastIndex(f.path, ".")+1:]
	twice := f.with(t, good, "null")
	twice = strings.Replace(twice, fmt.Sprintf(`%q:null`, name), fmt.Sprintf(`%q:null,%[1]q:null`, name), 1)
	return append(all, bad{"twice", twice, unread}, with("deep", strings.Repeat(`{"a":`, 4000)+"1"+strings.Repeat("}", 4000), deep))
}

// with is the body with another value for the field, or without it when that is "".
func (f field) with(t *testing.T, good, value string) string {
	t.Helper()
	var whole map[string]any
	if err := json.Unmarshal([]byte(good), &whole); err != nil {
		t.Fatal(err)
	}
	const placeholder = "the value"
	at, path := whole, strings.Split(f.path, ".")
	for _, name := range path[:len(path)-1] {
		at = at[name].(map[string]any)
	}
	name := path[len(path)-1]
	if at[name] = placeholder; value == "" {
		delete(at, name)
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(raw), `"`+placeholder+`"`, value, 1)
}

// Goal: each field of each body, wrong in each way there is, is refused by the stranger's fault and by its own name, and
// nothing is stored.
func TestEveryFieldIsRefusedByName(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	follows := `"follows":{"send":"` + uuid.NewString() + `","why":"They asked"},"purpose"`
	m := s.proposeTo("ada-claimed")
	goods := map[string]request{
		"POST /v1/messages/:id/approval": {path: "/v1/messages/" + m.text("id") + "/approval", body: overriding(m, s.me("admin"), "They asked me")},
		"POST /v1/messages":              {path: "/v1/messages", body: strings.Replace(s.proposalTo("ada-example", "Hello Ada"), `"purpose"`, follows, 1)},
		fromTemplate:                     {path: "/v1/messages", body: s.proposalFrom("ada-templated", s.template("Hello").text("id"), `{}`)},
		"POST /v1/installs":              {path: "/v1/installs", body: `{"code":"ABCDE-FGHJK"}`},
		"POST /v1/installs/token":        {path: "/v1/installs/token", body: `{"install_id":"` + uuid.NewString() + `","refresh_secret":"s"}`},
	}
	for i, f := range fields {
		if _, made := goods[f.route]; !made {
			goods[f.route] = writingRoutes[f.route](s, fmt.Sprintf("ada-%d", i))
		}
	}
	before := s.rows()
	for _, f := range fields {
		method, _, _ := strings.Cut(f.route, " ")
		good := goods[f.route]
		for _, b := range f.variants(t, good.body) {
			a := s.ask(method, good.path, b.body, s.as("admin"), "Idempotency-Key: k")
			named := a.text("field")
			// What is wrong inside an object is named by its own path.
			if a.text("code") != b.code || named != f.path && !strings.HasPrefix(named, f.path+".") || a.Status < 400 || a.Status > 499 {
				t.Errorf("%s: %s is %s: %d %s, want %s", f.route, f.path, b.what, a.Status, a.Body, b.code)
			}
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("refused requests changed the rows from %s to %s", before, after)
	}
}
