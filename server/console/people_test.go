package console_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/command"
	"sendonce/server/message"
)

// proposeTo makes a message to somebody at that profile.
func (s *site) proposeTo(profile, body string) message.Message {
	s.t.Helper()
	var m message.Message
	ctx := s.t.Context()
	_, _, err := s.command.Run(ctx, s.who, nil, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		from, err := s.account(ctx, tx)
		if err != nil {
			return command.Answer{}, uuid.Nil, err
		}
		m, err = message.Propose(ctx, tx, s.who, message.Proposal{Account: from, LinkedIn: profile, Purpose: "reason " + uuid.NewString(), Body: body})
		return command.Answer{}, uuid.Nil, err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

// as signs another person in, in a browser of their own.
func (s *site) as(role access.Role) func(method, path string, form url.Values) page {
	s.t.Helper()
	link, err := s.access.CreateLink(s.t.Context(), role, "")
	if err != nil {
		s.t.Fatal(err)
	}
	browser := newBrowser(s.t)
	s.do(browser, "POST", "/sign-in", url.Values{"link": {link}})
	return func(method, path string, form url.Values) page { return s.do(browser, method, path, form) }
}

func TestPeopleAreFound(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	if p := s.get("/people"); p.Status != 200 || !strings.Contains(p.Body, "Nobody is known yet") || !strings.Contains(p.Body, `href="/people" aria-current="page"`) {
		t.Errorf("empty: %d %s", p.Status, p.Body)
	}
	m := s.propose("Hello Ada")
	link := `href="/people/` + m.Target.Person.String() + `"`
	for query, found := range map[string]bool{
		"": true, "?q=EXAMPLE": true, "?q=%3Cexam": true, "?q=https://de.linkedin.com/in/Ada-Example/": true, "?q=/in/ada-example": true,
		"?q=bea": false, "?q=/in/bea": false, "?q=ada@example.com": false,
	} {
		p := s.get("/people" + query)
		if p.Status != 200 || strings.Contains(p.Body, link) != found || strings.Contains(p.Body, "Ada <Example>") {
			t.Errorf("%s: %d %s, found %t", query, p.Status, p.Body, found)
		}
	}
	for _, bad := range []string{"?q=ada@", "?q=https://www.linkedin.com/company/x", "?q=%00", "?after=x"} {
		if p := s.get("/people" + bad); p.Status != 422 && p.Status != 400 {
			t.Errorf("%s: %d", bad, p.Status)
		}
	}
	one := s.get("/people/" + m.Target.Person.String())
	for _, want := range []string{"Ada &lt;Example&gt;", "ada-example", `href="/messages/` + m.ID.String() + `"`, "Nothing was done about this person yet.", "Nobody&#39;s"} {
		if !strings.Contains(one.Body, want) && !strings.Contains(one.Body, strings.ReplaceAll(want, "&#39;", "'")) {
			t.Errorf("their page lacks %q: %s", want, one.Body)
		}
	}
	if card := s.get("/messages/" + m.ID.String()); !strings.Contains(card.Body, link) {
		t.Errorf("their message does not lead to them: %s", card.Body)
	}
}

// Goal: one tap keeps a person from being contacted, and says what it met; it is lifted by an admin with a reason, and only so.
func TestWhomNotToContact(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	s.approved("Hello Ada")
	m := s.propose("Hello again")
	path := "/people/" + m.Target.Person.String()
	before := s.get(path)
	if !strings.Contains(before.Body, "What waits is called off; what has begun ends by itself.") {
		t.Errorf("it does not say what will happen: %s", before.Body)
	}
	form := before.form(t, path+"/suppression")
	form.Set("why", "they <said> no")
	for range 2 {
		p := s.post(path+"/suppression", form)
		if p.Status != 200 || p.Path != path || !strings.Contains(p.Body, "1 message that waited was called off.") || !strings.Contains(p.Body, "they &lt;said&gt; no") ||
			strings.Contains(p.Body, `action="`+path+`/suppression"`) {
			t.Fatalf("%d %s %s", p.Status, p.Path, p.Body)
		}
	}
	if n := s.count("SELECT count(*) FROM suppressions"); n != 1 {
		t.Errorf("%d suppressions, want 1", n)
	}
	if card := s.get("/messages/" + m.ID.String()); !strings.Contains(card.Body, "It cannot be approved.") || strings.Contains(card.Body, `/approval"`) {
		t.Errorf("a message to them: %s", card.Body)
	}
	for role, may := range map[access.Role]bool{access.Recruiter: false, access.Admin: true} {
		if p := s.as(role)("GET", "/suppressions", nil); strings.Contains(p.Body, "/lifting") != may {
			t.Errorf("%s may lift: %t, %s", role, !may, p.Body)
		}
	}
	list := s.get("/suppressions")
	_, lift, _ := strings.Cut(list.Body, `action="/suppressions/`)
	lift = "/suppressions/" + lift[:36] + "/lifting"
	form = list.form(t, lift)
	if p := s.post(lift, form); p.Status != 422 {
		t.Errorf("lifted without a reason: %d", p.Status)
	}
	form.Set("why", "they asked for a call")
	for range 2 {
		if p := s.post(lift, form); p.Status != 200 || p.Path != "/suppressions" || !strings.Contains(p.Body, "Nobody is kept from being contacted.") {
			t.Errorf("lifted: %d %s", p.Status, p.Body)
		}
	}
	if p := s.get("/suppressions?state=lifted"); !strings.Contains(p.Body, "they asked for a call") || strings.Contains(p.Body, "/lifting") {
		t.Errorf("lifted ones: %s", p.Body)
	}
	if p := s.get(path); !strings.Contains(p.Body, "May be contacted again") || !strings.Contains(p.Body, `action="`+path+`/suppression"`) {
		t.Errorf("the person: %s", p.Body)
	}

	form = s.get("/suppressions").form(t, "/suppressions")
	for of, c := range map[string]struct {
		whom   string
		status int
	}{"email_domain": {"@Example.COM", 200}, "company": {"Acme", 200}, "email": {"ada@x.example", 200}, "linkedin": {"/in/ada", 200}, "person": {"x", 422}, "": {"x", 422}} {
		form.Set("of", of)
		form.Set("whom", c.whom)
		form.Set("key", uuid.NewString())
		if p := s.post("/suppressions", form); p.Status != c.status {
			t.Errorf("%q: %d %s", of, p.Status, p.Body)
		}
	}
	if p := s.get("/suppressions"); !strings.Contains(p.Body, "Everybody with a mail address at example.com") || !strings.Contains(p.Body, "Everybody of the company acme") {
		t.Errorf("the list: %s", p.Body)
	}
}

// Goal: a merge is shown before it is done, does nothing when it is shown, and is not offered where it would be refused.
func TestMergePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	s.approved("Hello Ada")
	kept := s.propose("Hello again").Target.Person.String()
	other := s.proposeTo("/in/ada-other", "Good day")
	path := "/people/" + kept + "/merge"
	for _, typed := range []string{"/in/ada-other", "https://de.linkedin.com/in/ADA-other?x", other.Target.Person.String()} {
		p := s.get(path + "?other=" + url.QueryEscape(typed))
		for _, want := range []string{"are one person from then on, and that is for good.", "1 approved message that has not begun is taken back", "This cannot be undone."} {
			if p.Status != 200 || !strings.Contains(p.Body, want) {
				t.Errorf("%s: it lacks %q: %d %s", typed, want, p.Status, p.Body)
			}
		}
	}
	for typed, status := range map[string]int{"": 422, "Ada": 422, "/in/nobody": 404, uuid.NewString(): 404} {
		if p := s.get(path + "?other=" + url.QueryEscape(typed)); p.Status != status {
			t.Errorf("%q: %d %s", typed, p.Status, p.Body)
		}
	}
	if n := s.count("SELECT count(*) FROM people WHERE merged_into IS NOT NULL"); n != 0 {
		t.Fatal("a look merged them")
	}
	form := s.get(path+"?other=/in/ada-other").form(t, path)
	for range 2 {
		if p := s.post(path, form); p.Status != 200 || p.Path != "/people/"+kept || !strings.Contains(p.Body, "ada-other") || !strings.Contains(p.Body, "Merged into") {
			t.Fatalf("merge: %d %s %s", p.Status, p.Path, p.Body)
		}
	}
	if p := s.get(path + "?other=/in/ada-other"); p.Path != "/people/"+kept {
		t.Errorf("two that are one: %s", p.Path)
	}

	third := s.proposeTo("/in/ada-third", "Good morning")
	if _, err := s.admin.Exec(t.Context(), "ALTER TABLE messages DISABLE TRIGGER a_frozen; UPDATE messages SET purpose_key = 'one' WHERE id IN ('"+third.ID.String()+"', '"+other.ID.String()+"')"); err != nil {
		t.Fatal(err)
	}
	if p := s.get(path + "?other=/in/ada-third"); !strings.Contains(p.Body, "It cannot be done as things stand") || strings.Contains(p.Body, `method="post" action="`+path) ||
		!strings.Contains(p.Body, "/messages/"+third.ID.String()) {
		t.Errorf("where intents meet: %s", p.Body)
	}
	if p := s.as(access.Viewer)("GET", path+"?other=/in/ada-third", nil); p.Status != 403 {
		t.Errorf("a viewer: %d", p.Status)
	}
}

// Goal: a removal is for an admin, is shown before it is done, and leaves a page that names nobody.
func TestRemovalPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose("Hello Ada")
	path := "/people/" + m.Target.Person.String()
	if p := s.as(access.Recruiter)("GET", path, nil); p.Status != 200 || strings.Contains(p.Body, path+"/removal") {
		t.Errorf("a recruiter is offered it: %s", p.Body)
	}
	if p := s.as(access.Recruiter)("POST", path+"/removal", url.Values{"seen": {"x"}}); p.Status != 403 {
		t.Errorf("a recruiter does it: %d", p.Status)
	}
	shown := s.get(path + "/removal")
	if !strings.Contains(shown.Body, "This cannot be undone by anybody.") || !strings.Contains(shown.Body, "1 message that waits for approval is withdrawn.") {
		t.Errorf("shown: %s", shown.Body)
	}
	form := shown.form(t, path+"/removal")
	for range 2 {
		p := s.post(path+"/removal", form)
		if p.Status != 200 || p.Path != path || !strings.Contains(p.Body, "They asked to be forgotten, and were") || strings.Contains(p.Body, "Example") || strings.Count(p.Body, "<form") != 1 {
			t.Fatalf("removed: %d %s %s", p.Status, p.Path, p.Body)
		}
	}
	if p := s.get("/messages/" + m.ID.String()); strings.Contains(p.Body, "Hello Ada") || !strings.Contains(p.Body, "The text is gone since") {
		t.Errorf("their message: %s", p.Body)
	}
	if p := s.get("/messages/" + m.ID.String() + "/receipt"); strings.Contains(p.Body, "Hello Ada") || !strings.Contains(p.Body, "The digest is of what it was") {
		t.Errorf("its receipt: %s", p.Body)
	}
	if p := s.get("/people"); strings.Contains(p.Body, path+`"`) {
		t.Errorf("they are listed: %s", p.Body)
	}
}

// Goal: whose person it is stands on the card, and an approval over that claim takes a reason.
func TestAColleaguesPersonOnTheCard(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose("Hello Ada")
	_, err := s.admin.Exec(t.Context(), `WITH carl AS (INSERT INTO principals (workspace_id, role, name) SELECT id, 'recruiter', 'Carl <Colleague>' FROM workspaces WHERE id = $1 RETURNING id)
		UPDATE people SET owner_id = (SELECT id FROM carl)`, s.who.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	path := "/messages/" + m.ID.String() + "/approval"
	page := s.get("/")
	if !strings.Contains(page.Body, "Carl &lt;Colleague&gt; owns this person.") {
		t.Errorf("the card: %s", page.Body)
	}
	form := page.form(t, path)
	if p := s.post(path, form); p.Status != 422 {
		t.Errorf("without a reason: %d %s", p.Status, p.Body)
	}
	form.Set("override_why", "she asked me")
	if p := s.post(path, form); p.Status != 200 || p.Path != "/" {
		t.Errorf("with a reason: %d %s", p.Status, p.Body)
	}
	if p := s.get("/messages/" + m.ID.String() + "/receipt"); !strings.Contains(p.Body, "although Carl &lt;Colleague&gt; has a claim on the person: she asked me") {
		t.Errorf("the receipt: %s", p.Body)
	}
	person := "/people/" + m.Target.Person.String()
	if p := s.post(person+"/owner", s.get(person).form(t, person+"/owner")); p.Status != 200 || !strings.Contains(p.Body, "Let them go") {
		t.Errorf("an admin takes them: %d %s", p.Status, p.Body)
	}
	form = s.get(person).form(t, person+"/change")
	form.Set("name", "Ada Lovelace")
	form.Set("company", "Analytical Engines")
	if p := s.post(person+"/change", form); p.Status != 200 || !strings.Contains(p.Body, "<h1>Ada Lovelace</h1>") || !strings.Contains(p.Body, "Analytical Engines") {
		t.Errorf("named: %d %s", p.Status, p.Body)
	}
}

// Goal: what templates know of a person is added, changed and taken away on their page, each by its name, and the rest stays.
func TestFieldsOnThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	path := "/people/" + s.propose("Hello Ada").Target.Person.String()
	change := func(set map[string]string) page {
		form := s.get(path).form(t, path+"/change")
		for name, value := range set {
			form.Set(name, value)
		}
		return s.post(path+"/change", form)
	}
	for _, c := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"new_field": "first_name", "new_value": "Ada <x>"}, "<dt>first_name</dt><dd>Ada &lt;x&gt;</dd>"},
		{map[string]string{"new_field": "city", "new_value": "Berlin"}, "<dt>first_name</dt><dd>Ada &lt;x&gt;</dd>"},
		{map[string]string{"value-first_name": "Ada"}, "<dt>first_name</dt><dd>Ada</dd>"},
		{map[string]string{"value-first_name": ""}, "<dt>city</dt><dd>Berlin</dd>"},
	} {
		if p := change(c.set); p.Status != 200 || !strings.Contains(p.Body, c.want) {
			t.Errorf("%v: %d %s", c.set, p.Status, p.Body)
		}
	}
	if p := s.get(path); strings.Contains(p.Body, "first_name</dt>") {
		t.Errorf("taken away: %s", p.Body)
	}
	for _, name := range []string{"", "First Name", "email"} {
		if p := change(map[string]string{"new_field": name, "new_value": "x"}); p.Status != 422 || !strings.Contains(p.Body, "a field has the name of a variable") {
			t.Errorf("%q: %d %s", name, p.Status, p.Body)
		}
	}
}

func TestAViewerOnlyReadsOfPeople(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	person := s.propose("Hello Ada").Target.Person.String()
	viewer := s.as(access.Viewer)
	for path, forms := range map[string]int{"/people": 2, "/people/" + person: 1, "/suppressions": 1} { // signing out, and finding
		if p := viewer("GET", path, nil); p.Status != 200 || strings.Count(p.Body, "<form") != forms {
			t.Errorf("%s: %d %s", path, p.Status, p.Body)
		}
	}
	for _, path := range []string{"/people/" + person + "/suppression", "/people/" + person + "/owner", "/people/" + person + "/change", "/people/" + person + "/merge", "/people/" + person + "/removal", "/suppressions"} {
		if p := viewer("POST", path, url.Values{"why": {"x"}}); p.Status != 403 {
			t.Errorf("a viewer posts to %s: %d", path, p.Status)
		}
	}
}
