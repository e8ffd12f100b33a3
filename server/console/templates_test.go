package console_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/command"
	"sendonce/server/person"
)

// know sets what is known of a person.
func (s *site) know(id uuid.UUID, fields map[string]string) {
	s.t.Helper()
	_, _, err := s.command.Run(s.t.Context(), s.who, nil, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		_, err := person.Amend(s.t.Context(), tx, s.who, id, person.Change{Fields: fields})
		return command.Answer{}, uuid.Nil, err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// Goal: a template is made, shown, previewed to a person as a message would say it, and changed, and a second tap is not a second one;
// where a value is missing the page says which; text stays text; a viewer only reads.
func TestTemplatePages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	if p := s.get("/templates"); p.Status != 200 || !strings.Contains(p.Body, "There is none yet.") || !strings.Contains(p.Body, `href="/templates" aria-current="page"`) ||
		!strings.Contains(p.Body, "{{first_name}}") {
		t.Errorf("empty: %d %s", p.Status, p.Body)
	}
	form := s.get("/templates").form(t, "/templates")
	form.Set("name", "First <contact>")
	form.Set("body", "Hi {{first_name}},\n<b>{{ps}}</b>")
	var path string
	for range 2 {
		p := s.post("/templates", form)
		if path = p.Path; p.Status != 200 || !strings.HasPrefix(path, "/templates/") || !strings.Contains(p.Body, "First &lt;contact&gt;") || !strings.Contains(p.Body, "is needed: no message without it") {
			t.Fatalf("made: %d %s %s", p.Status, p.Path, p.Body)
		}
	}
	if n := s.count("SELECT count(*) FROM templates"); n != 1 {
		t.Errorf("%d templates, want 1", n)
	}
	m := s.propose("Hello Ada")
	for query, want := range map[string]string{"?q=ada": "the template needs first_name, ps, and nothing is known", "?q=nobody": "Nobody like that is known.", "?q=/in/ada-example": "Ada &lt;Example&gt;"} {
		if p := s.get(path + query); p.Status != 200 || !strings.Contains(p.Body, want) {
			t.Errorf("%s lacks %q: %d %s", query, want, p.Status, p.Body)
		}
	}
	page := s.get(path)
	form = page.form(t, path+"/change")
	form.Set("name", "First contact")
	form.Set("body", "Hi {{first_name}}, {{ps}} {{more}}")
	form["variable"] = []string{"first_name", "ps"}
	form.Set("need-first_name", "required")
	form.Set("need-ps", "default")
	form.Set("default-ps", "Best & <regards>")
	for range 2 {
		if p := s.post(path+"/change", form); p.Status != 200 || p.Path != path || !strings.Contains(p.Body, "Version 2") || !strings.Contains(p.Body, "“Best &amp; &lt;regards&gt;” where nothing is known") {
			t.Fatalf("changed: %d %s", p.Status, p.Body)
		}
	}
	form.Set("key", uuid.NewString())
	if p := s.post(path+"/change", form); p.Status != 409 {
		t.Errorf("a version that was not read: %d %s", p.Status, p.Body)
	}
	s.know(m.Target.Person, map[string]string{"first_name": "Ada", "more": "👋"})
	if p := s.get(path + "?q=ada"); !strings.Contains(p.Body, ">Hi Ada, Best &amp; &lt;regards&gt; 👋</pre>") || !strings.Contains(p.Body, "27 characters, as LinkedIn counts them") {
		t.Errorf("previewed: %s", p.Body)
	}
	form = s.get(path).form(t, path+"/change")
	form.Set("name", "First contact")
	form.Set("body", "Hi {first_name}")
	if p := s.post(path+"/change", form); p.Status != 422 || !strings.Contains(p.Body, "a brace stands outside of a variable") {
		t.Errorf("a stray brace: %d %s", p.Status, p.Body)
	}
	viewer := s.as(access.Viewer)
	for at, to := range map[string]string{"/templates": "/templates", path: path + "/change"} {
		if p := viewer("GET", at, nil); p.Status != 200 || strings.Contains(p.Body, `method="post" action="/templates`) {
			t.Errorf("a viewer at %s: %d %s", at, p.Status, p.Body)
		}
		if p := viewer("POST", to, url.Values{"name": {"x"}, "body": {"x"}}); p.Status != 403 {
			t.Errorf("a viewer posts to %s: %d", at, p.Status)
		}
	}
	if p := s.get("/templates/" + uuid.NewString()); p.Status != 404 {
		t.Errorf("no such template: %d", p.Status)
	}
}
