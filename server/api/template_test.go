package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// template makes a template of a body; every variable is required.
func (s *server) template(body string) answer {
	s.t.Helper()
	return s.templateOf(fmt.Sprintf(`{"name":"First contact","body":%q}`, body))
}

func (s *server) templateOf(whole string) answer {
	s.t.Helper()
	a := s.ask("POST", "/v1/templates", whole)
	if a.Status != 201 {
		s.t.Fatalf("template: %d %s", a.Status, a.Body)
	}
	return a
}

// proposalFrom is a proposal whose text a template writes, for a purpose of its own.
func (s *server) proposalFrom(slug, template, variables string) string {
	return fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"/in/%s"},"purpose":"reason %s","template":{"id":%q,"variables":%s}}`,
		s.account, slug, uuid.NewString(), template, variables)
}

// know sets what is known of a person.
func (s *server) know(person, fields string) {
	s.t.Helper()
	if a := s.ask("PATCH", "/v1/people/"+person, `{"fields":`+fields+`}`); a.Status != 200 {
		s.t.Fatalf("know: %d %s", a.Status, a.Body)
	}
}

// Goal: a template is written, read, listed and changed; each version is kept, a change of nothing makes none, and one that was not read
// is refused. Agents and viewers read it alone.
func TestTemplatesAreKept(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	made := s.templateOf(`{"name":"  First contact ","subject":"For {{first_name}}","body":"Hi {{ first_name }},\r\n{{reason}}\n\n","variables":[{"name":"reason","required":false,"default":null},{"name":"first_name","default":"there"}]}`)
	wantMembers(t, made, map[string]string{
		"version": "1", "name": "First contact", "subject": "For {{first_name}}", "body": "Hi {{ first_name }},\n{{reason}}", "changed_by": "recruiter",
		"variables.0.name": "first_name", "variables.0.required": "false", "variables.0.default": "there", "variables.1.name": "reason", "variables.1.default": "",
	})
	path := "/v1/templates/" + made.text("id")
	if got := s.ask("GET", path, "", s.as("agent")); got.Body != made.Body || made.Header.Get("Location") != path {
		t.Errorf("read: %d %s", got.Status, got.Body)
	}
	for _, same := range []string{`{}`, `{"version":1}`, `{"name":"First contact","body":"Hi {{ first_name }},\n{{reason}}"}`} {
		if a := s.ask("PATCH", path, same); a.Status != 200 || a.text("version") != "1" {
			t.Errorf("%s: %d %s", same, a.Status, a.Body)
		}
	}
	next := s.ask("PATCH", path, `{"version":1,"body":"Hi {{first_name}}, {{other}}","subject":"To {{first_name}}"}`, s.as("admin"))
	wantMembers(t, next, map[string]string{
		"version": "2", "name": "First contact", "subject": "To {{first_name}}", "changed_by": "admin", "variables.0.default": "there", "variables.1.name": "other", "variables.1.required": "true",
	})
	if a := s.ask("PATCH", path, `{"version":1,"name":"x"}`); a.Status != 409 || a.text("code") != "version_not_current" || a.text("current_version") != "2" {
		t.Errorf("a version that was not read: %d %s", a.Status, a.Body)
	}
	if a := s.ask("PATCH", path, `{"variables":[{"name":"other","required":true}],"subject":null}`); a.text("subject") != "" || a.text("variables.0.default") != "" {
		t.Errorf("declared otherwise: %d %s", a.Status, a.Body)
	}
	if a := s.ask("PATCH", path, `{"variables":[{"name":"first_name","default":"you"}]}`); a.text("version") != "4" || a.text("variables.0.default") != "you" {
		t.Errorf("declared otherwise: %d %s", a.Status, a.Body)
	}
	if a := s.ask("PATCH", path, `{"variables":[]}`); a.text("version") != "5" || a.text("variables.0.required") != "true" || a.text("variables.0.default") != "" {
		t.Errorf("declared anew: %d %s", a.Status, a.Body)
	}
	if n := s.count("SELECT count(*) FROM template_versions"); n != 5 {
		t.Errorf("%d versions are kept, want 5", n)
	}
	second := s.template("Hello")
	first := s.ask("GET", "/v1/templates?limit=1", "", s.as("viewer"))
	rest := s.ask("GET", "/v1/templates?limit=1&cursor="+first.text("next_cursor"), "")
	if first.text("items.0.id") != made.text("id") || rest.text("items.0.id") != second.text("id") || rest.text("next_cursor") != "" {
		t.Errorf("listed: %s %s", first.Body, rest.Body)
	}
	for _, a := range []answer{s.ask("GET", path, "", s.as("stranger")), s.ask("PATCH", path, `{}`, s.as("stranger")), s.ask("GET", path+"/preview?person="+uuid.NewString(), "", s.as("stranger"))} {
		if a.Status != 404 {
			t.Errorf("a stranger: %d %s", a.Status, a.Body)
		}
	}
	for _, query := range []string{"?limit=0", "?cursor=x"} {
		if a := s.ask("GET", "/v1/templates"+query, ""); a.Status != 422 && a.Status != 400 {
			t.Errorf("%s: %d %s", query, a.Status, a.Body)
		}
	}
	for body, field := range map[string]string{
		`{"name":"x","body":"Hi {first_name}"}`:                                                        "body",
		`{"name":"x","body":"Hi {{a}}","variables":[{"name":"b"}]}`:                                    "variables",
		`{"name":"x","body":"Hi {{a}}","variables":[{"name":"a","required":true,"default":"x"}]}`:      "variables",
		`{"name":"x","body":"Hi {{a}}","variables":[{"name":"a","type":"text"}]}`:                      "variables.0.type",
		`{"name":"x","subject":"{{","body":"Hi"}`:                                                      "subject",
		fmt.Sprintf(`{"name":"x","body":%q}`, strings.Repeat("\U0001f44b", config.BodyRunesMax/2)+"x"): "body",
	} {
		if a := s.ask("POST", "/v1/templates", body); a.Status != 422 || a.text("field") != field {
			t.Errorf("%.80s: %d %s, want the field %s", body, a.Status, a.Body, field)
		}
	}
}

// Goal: what a preview shows, what a proposal stores and what an approval binds are one text, byte for byte; it remembers the template and
// its version; a later change of the template or of what is known changes nothing of it.
func TestAMessageIsWrittenOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	template := s.templateOf(`{"name":"x","subject":"For {{name}}","body":"Hi {{first_name}} of {{company}},\n<b>{{ps}}</b>","variables":[{"name":"ps","default":"&amp;"}]}`)
	person := s.to("ada-example", "first contact", "Hello").personOf()
	s.ask("PATCH", "/v1/people/"+person, `{"name":"Ada Example","company":"Acme & Söhne","fields":{"first_name":"Ada","city":"Berlin"}}`)
	shown := s.ask("GET", "/v1/templates/"+template.text("id")+"/preview?person="+person, "", s.as("viewer"))
	wantMembers(t, shown, map[string]string{
		"subject": "For Ada Example", "body": "Hi Ada of Acme & Söhne,\n<b>&amp;</b>", "length": "36", "length_max": "8000", "template_version": "1", "person_id": person,
		"values.0.name": "name", "values.0.from": "person", "values.3.value": "&amp;", "values.3.from": "default", "missing.0": "", "refused": "",
	})
	m := s.ask("POST", "/v1/messages", s.proposalFrom("ada-example", template.text("id"), `{"first_name":null}`), s.as("agent"))
	if m.Status != 201 || m.text("body") != shown.text("body") || m.text("subject") != shown.text("subject") ||
		m.text("template.id") != template.text("id") || m.text("template.version") != "1" {
		t.Fatalf("proposed: %d %s", m.Status, m.Body)
	}
	s.ask("PATCH", "/v1/templates/"+template.text("id"), `{"body":"Good day {{first_name}}"}`)
	s.know(person, `{"first_name":"Bea"}`)
	if got := s.ask("GET", "/v1/messages/"+m.text("id"), ""); got.text("body") != m.text("body") || got.text("digest") != m.text("digest") || got.text("template.version") != "1" {
		t.Errorf("after a change of the template: %s", got.Body)
	}
	if a := s.approve(m); a.text("status") != "queued" || a.text("body") != m.text("body") {
		t.Errorf("approved: %d %s", a.Status, a.Body)
	}
	if a := s.ask("PATCH", "/v1/messages/"+m.text("id"), `{"body":"By hand"}`); a.text("template") != "" {
		t.Errorf("a version that somebody wrote says that a template did: %s", a.Body)
	}
	next := s.ask("POST", "/v1/messages", s.proposalFrom("ada-example", template.text("id"), `{"first_name":"Ada","name":"A"}`))
	if next.Status != 201 || next.text("body") != "Good day Ada" || next.text("subject") != "For A" || next.text("template.version") != "2" {
		t.Errorf("from the next version: %d %s", next.Status, next.Body)
	}
}

// Goal: a message that needs a value which is not known is refused before anybody approves it, and names the variable; whoever has none
// of their own never gets another's.
func TestAMissingVariableRefusesTheMessage(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	template := s.templateOf(`{"name":"x","body":"Hi {{first_name}}, {{a}} {{b}}","variables":[{"name":"a"},{"name":"b","default":"B"}]}`).text("id")
	s.know(s.to("andrew-sample", "first contact", "Hello").personOf(), `{"first_name":"Andrew","a":"x"}`)
	nobody := s.to("noname-sample", "first contact", "Hello").personOf()
	before := s.rows()
	for _, variables := range []string{`{}`, `null`, `{"first_name":null}`, `{"first_name":" "}`, `{"first_name":"null"}`, `{"first_name":"undefined"}`} {
		for _, slug := range []string{"noname-sample", "somebody-new"} {
			a := s.ask("POST", "/v1/messages", s.proposalFrom(slug, template, variables))
			if a.Status != 422 || a.text("code") != "variable_missing" || a.text("field") != "template.variables.first_name" || a.text("missing.0") != "first_name" ||
				a.text("missing.1") != "" || a.text("template_id") != template || a.text("template_version") != "1" {
				t.Errorf("%s to %s: %d %s", variables, slug, a.Status, a.Body)
			}
		}
	}
	for field, variables := range map[string]string{
		"template.variables.frist_name": `{"frist_name":"Ada"}`, "template.variables.a": `{"first_name":"Ada","a":"{{b}}"}`, "body": `{"first_name":"A\tda"}`,
	} {
		if a := s.ask("POST", "/v1/messages", s.proposalFrom("noname-sample", template, variables)); a.Status != 422 || a.text("field") != field {
			t.Errorf("%s: %d %s, want the field %s", variables, a.Status, a.Body, field)
		}
	}
	for field, body := range map[string]string{
		"template.id": s.proposalFrom("noname-sample", uuid.NewString(), `{}`),
		"body":        strings.Replace(s.proposalFrom("noname-sample", template, `{}`), `"purpose"`, `"body":"Hello","purpose"`, 1),
		"subject":     strings.Replace(s.proposalFrom("noname-sample", template, `{}`), `"purpose"`, `"subject":"Hello","purpose"`, 1),
	} {
		if a := s.ask("POST", "/v1/messages", body); a.Status != 422 || a.text("field") != field {
			t.Errorf("%s: %d %s, want the field %s", body, a.Status, a.Body, field)
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("a refusal changed the rows from %s to %s", before, after)
	}
	shown := s.ask("GET", "/v1/templates/"+template+"/preview?person="+nobody, "")
	if shown.text("body") != "" || shown.text("missing.0") != "first_name" || shown.text("refused.code") != "variable_missing" || shown.text("values.0.from") != "nothing" {
		t.Errorf("shown: %s", shown.Body)
	}
	for _, person := range []string{"", "x", uuid.NewString()} {
		if a := s.ask("GET", "/v1/templates/"+template+"/preview?person="+person, ""); a.Status != 422 && a.Status != 404 {
			t.Errorf("person %q: %d %s", person, a.Status, a.Body)
		}
	}
	for slug, want := range map[string]string{"andrew-sample": "Hi Andrew, x B", "noname-sample": "Hi Miha,  B"} {
		variables := map[bool]string{true: `{}`, false: `{"first_name":"Miha"}`}[slug == "andrew-sample"]
		if a := s.ask("POST", "/v1/messages", s.proposalFrom(slug, template, variables)); a.Status != 201 || a.text("body") != want {
			t.Errorf("%s: %d %s, want %q", slug, a.Status, a.Body, want)
		}
	}
}

// Goal: what is known of a person is set name by name, kept when two prove to be one, and read strictly.
func TestWhatIsKnownOfAPerson(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	kept, gone := s.to("ada-one", "first contact", "Hello").personOf(), s.to("ada-two", "second contact", "Good day").personOf()
	s.know(kept, `{"first_name":" Ada ","city":"Berlin"}`)
	s.know(kept, `{"city":null,"title":"Engineer"}`)
	s.know(gone, `{"title":"Other","team":"Compilers"}`)
	if got := s.person(kept); got.text("fields.first_name") != "Ada" || got.text("fields.city") != "" || got.text("fields.title") != "Engineer" {
		t.Errorf("known: %s", got.Body)
	}
	for _, fields := range []string{`{"First":"x"}`, `{"name":"x"}`, `{"email":"x"}`, `{"a b":"x"}`, `{"a":"x\ny"}`, `{"a":"` + strings.Repeat("x", config.PersonFieldRunesMax+1) + `"}`, many(config.PersonFieldsMax + 1)} {
		if a := s.ask("PATCH", "/v1/people/"+kept, `{"fields":`+fields+`}`); a.Status != 422 || a.text("field") != "fields" {
			t.Errorf("%.60s: %d %s", fields, a.Status, a.Body)
		}
	}
	if a := s.merge(s.preview(kept, gone)); a.Status != 200 || a.text("fields.title") != "Engineer" || a.text("fields.team") != "Compilers" {
		t.Errorf("merged: %d %s", a.Status, a.Body)
	}
}

func many(fields int) string {
	var all []string
	for i := range fields {
		all = append(all, fmt.Sprintf(`"a%d":"x"`, i))
	}
	return "{" + strings.Join(all, ",") + "}"
}
