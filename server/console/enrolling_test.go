package console_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// imported takes a list in, and returns its page.
func (s *site) imported(file string) (path string) {
	s.t.Helper()
	path = s.upload(uuid.NewString(), "my <list>.csv", file).Path
	s.work()
	s.post(path+"/start", s.get(path).form(s.t, path+"/start"))
	s.work()
	return path
}

// Goal: people are chosen and enrolled from the page of a sequence, and those who are left out are listed with the reason; a second tap shows
// what the first one did.
func TestPeopleAreEnrolledFromASequence(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	path := s.sequence("Engineers")
	id := strings.TrimPrefix(path, "/sequences/")
	ada := s.enrolAda(path)
	bob, carl := s.proposeTo("/in/bob-example", "Good day").Target.Person.String(), s.proposeTo("/in/carl-example", "Good day").Target.Person.String()
	s.exec(`UPDATE people SET name = 'Bob <Example>' WHERE id = '` + bob + `'`)
	form := s.get("/people/"+carl).form(t, "/people/"+carl+"/suppression")
	s.post("/people/"+carl+"/suppression", form)

	s.get(path).has(t, "/enrolling?sequence="+id)
	page := s.get("/enrolling?sequence=" + id)
	page.has(t, "Bob &lt;Example&gt;", "carl-example", "Nothing is sent by it", `value="`+s.accountID()+`"`)
	if p := s.get("/enrolling?sequence=" + id + "&q=bob"); strings.Contains(p.Body, "carl-example") {
		t.Errorf("found: %s", p.Body)
	}
	form = page.form(t, path+"/enrolments")
	form.Set("account", s.accountID())
	form.Del("people")
	if p := s.post(path+"/enrolments", form); p.Status != 422 || !strings.Contains(p.Body, "choose somebody first") {
		t.Errorf("nobody was chosen: %d %s", p.Status, p.Body)
	}
	form["people"] = []string{strings.TrimPrefix(ada, "/people/"), bob, carl}
	for range 2 {
		p := s.post(path+"/enrolments", form)
		p.has(t, "<strong>1</strong> enrolled, <strong>2</strong> left out.", "The person is in the sequence.", "carl-example", "Ada &lt;Example&gt;", `href="/enrolments/`)
		if strings.Contains(p.Body, "hx-post") || strings.Contains(p.Body, "<progress") {
			t.Errorf("%d %s", p.Status, p.Body)
		}
	}
	if n := s.count("SELECT count(*) FROM enrolments"); n != 2 {
		t.Errorf("%d enrolments, want 2", n)
	}
}

// Goal: the people of a file are enrolled part after part, each once, with how far it is and with who was left out and why; the page goes on by
// itself, a second tap on a part is not a second part, and the file once more enrols nobody.
func TestTheDoneImportIsEnrolled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	path := s.sequence("Engineers")
	id := strings.TrimPrefix(path, "/sequences/")
	s.enrolAda(path)
	var file strings.Builder
	file.WriteString("linkedin,name\n/in/ada-example,Ada\n")
	const others = config.EnrolAtOnceMax + 10
	for i := range others {
		fmt.Fprintf(&file, "/in/someone-%d,Some One %d\n", i, i)
	}
	list := s.imported(file.String())
	s.get(list).has(t, "Enrol the people of this file", `value="`+id+`"`, "Nobody is enrolled by it.")
	of := strings.TrimPrefix(list, "/imports/")
	asks := s.get("/enrolling?sequence=" + id + "&import=" + of)
	asks.has(t, "my &lt;list&gt;.csv", "Once more with the same file enrols nobody twice.")
	form := asks.form(t, path+"/enrolments")
	form.Set("account", s.accountID())
	var first page
	for range 2 {
		first = s.post(path+"/enrolments", form)
		first.has(t, "Gone through so far: to row 201 of 212.", "<strong>199</strong> enrolled, <strong>1</strong> left out so far", "Row 2: ", "The person is in the sequence.",
			`hx-post="`+path+`/enrolments"`, "as long as this page is open", "Go on after row 201")
	}
	next := first.form(t, path+"/enrolments")
	for range 2 {
		p := s.post(path+"/enrolments", next)
		p.has(t, "Done: all rows were gone through.", "<strong>210</strong> enrolled, <strong>1</strong> left out.")
		if strings.Contains(p.Body, "hx-post") {
			t.Errorf("it never ends: %s", p.Body)
		}
	}
	if n := s.count("SELECT count(*) FROM enrolments"); n != others+1 {
		t.Errorf("%d enrolments, want %d", n, others+1)
	}
	again := s.get("/enrolling?sequence="+id+"&import="+of).form(t, path+"/enrolments")
	again.Set("account", s.accountID())
	s.post(path+"/enrolments", again).has(t, "<strong>0</strong> enrolled, <strong>200</strong> left out so far")
	for what, change := range map[string]url.Values{"import": {"import": {uuid.NewString()}}, "no import": {"import": {"x"}}, "account": {"account": {"x"}}} {
		bad := url.Values{}
		for name, values := range again {
			bad[name] = values
		}
		for name, values := range change {
			bad[name] = values
		}
		bad.Set("key", uuid.NewString())
		if p := s.post(path+"/enrolments", bad); p.Status != 404 && p.Status != 422 {
			t.Errorf("%s: %d %s", what, p.Status, p.Body)
		}
	}
	s.look()
	s.get(path).has(t, "Messages of this step that wait for approval: 211.", `<a href="/sequences/`+id+`?after=`)
}
