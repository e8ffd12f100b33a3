package console_test

import (
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/command"
	"sendonce/server/sequence"
	"sendonce/server/template"
)

// must runs a command in the name of who is signed in.
func (s *site) must(do func(command.Tx) error) {
	s.t.Helper()
	_, _, err := s.command.Run(s.t.Context(), s.who, nil, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		return command.Answer{}, uuid.Nil, do(tx)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// writing makes a template.
func (s *site) writing(name, body string) (id uuid.UUID) {
	s.t.Helper()
	s.must(func(tx command.Tx) error {
		made, err := template.Create(s.t.Context(), tx, s.who, template.Content{Name: name, Body: body})
		id = made.ID
		return err
	})
	return id
}

// steps are of a first one at once and a reminder three days later.
func (s *site) steps() []sequence.Step {
	s.t.Helper()
	return []sequence.Step{
		{Purpose: "first <contact>", Channel: "linkedin", Template: s.writing("One", "Hello there"), Delay: sequence.Delay{Unit: sequence.Days}},
		{Purpose: "reminder", Channel: "linkedin", Template: s.writing("Two", "Hello again"), Delay: sequence.Delay{Count: 3, Unit: sequence.Days}},
	}
}

// sequence makes one and returns its path.
func (s *site) sequence(name string) (path string) {
	s.t.Helper()
	steps := s.steps()
	s.must(func(tx command.Tx) error {
		made, err := sequence.Create(s.t.Context(), tx, s.who, name)
		if err == nil {
			_, err = sequence.SetSteps(s.t.Context(), tx, s.who, made.ID, 0, steps)
		}
		path = "/sequences/" + made.ID.String()
		return err
	})
	return path
}

// look looks at every enrolment that is due, as the server's worker does.
func (s *site) look() {
	s.t.Helper()
	if err := sequence.NewWorker(s.store, s.command.EnrolmentLook, slog.New(slog.DiscardHandler)).WorkOnce(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// enrolAda enrols Ada from her own page, and returns her page.
func (s *site) enrolAda(path string) (person string) {
	s.t.Helper()
	person = "/people/" + s.propose("Good day").Target.Person.String()
	form := s.get(person).form(s.t, "/enrolments")
	form.Set("sequence", strings.TrimPrefix(path, "/sequences/"))
	form.Set("account", s.accountID())
	for range 2 {
		if p := s.post("/enrolments", form); p.Status != 200 || p.Path != person || strings.Count(p.Body, "It begins in a moment.") != 1 {
			s.t.Fatalf("enrol: %d %s %s", p.Status, p.Path, p.Body)
		}
	}
	return person
}

func (s *site) accountID() (id string) {
	s.t.Helper()
	if err := s.admin.QueryRow(s.t.Context(), "SELECT id FROM accounts WHERE workspace_id = $1", s.who.Workspace).Scan(&id); err != nil {
		s.t.Fatal(err)
	}
	return id
}

// Goal: a sequence is made, gets its steps by a form that adds, moves and takes out without saving, and is saved once; what is wrong is said
// of its step, and nothing that was typed is lost.
func TestTheStepsOfASequenceAreTyped(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	s.get("/sequences").has(t, "There is none yet.", `href="/sequences" aria-current="page"`)
	form := s.get("/sequences").form(t, "/sequences")
	form.Set("name", "Engineers <spring>")
	steps := s.post("/sequences", form)
	if again := s.post("/sequences", form); again.Path != steps.Path || s.count("SELECT count(*) FROM sequences") != 1 {
		t.Fatalf("two taps: %s, %s", steps.Path, again.Path)
	}
	path := strings.TrimSuffix(steps.Path, "/steps")
	steps.has(t, "Steps of Engineers &lt;spring&gt;", "there is none yet")
	one, two := s.writing("One", "Hello there").String(), s.writing("Two", "Hello again").String()
	form = s.get(steps.Path).form(t, steps.Path)
	form["step"], form["purpose"], form["template"], form["days"], form["unit"] = []string{""}, []string{"reminder"}, []string{two}, []string{"3"}, []string{"business_days"}
	form.Set("do", "add")
	added := s.post(steps.Path, form)
	added.has(t, "Not saved yet.", `value="reminder"`, "Step 2", "autofocus")
	form["step"], form["purpose"], form["template"], form["days"], form["unit"] = []string{"", ""}, []string{"reminder", "first <contact>"}, []string{two, one}, []string{"3", "0"}, []string{"business_days", "days"}
	form.Set("do", "up 2")
	moved := s.post(steps.Path, form)
	moved.has(t, "Not saved yet.", `id="purpose-1" name="purpose" type="text" required maxlength="200" autocomplete="off" value="first &lt;contact&gt;"`)
	form.Set("do", "out 1")
	if p := s.post(steps.Path, form); strings.Contains(p.Body, `value="reminder"`) || !strings.Contains(p.Body, "first &lt;contact&gt;") || strings.Contains(p.Body, "Step 2") {
		t.Errorf("taken out: %s", p.Body)
	}
	if n := s.count("SELECT count(*) FROM sequence_steps"); n != 0 {
		t.Errorf("%d steps were saved by buttons that only arrange", n)
	}
	form.Set("do", "save")
	for what, change := range map[string]func(url.Values){
		"Step 2, what it is for: another step has it": func(f url.Values) { f["purpose"] = []string{"reminder", "Reminder"} },
		"Step 1, what it is for: it is empty":         func(f url.Values) { f["purpose"] = []string{" ", "my words"} },
		"Step 2, the template: choose a template":     func(f url.Values) { f["template"] = []string{two, ""} },
		"Step 1, the days: it must be from 0 to 365":  func(f url.Values) { f["days"] = []string{"366", "0"} },
		"Step 2, the days: it must be a whole number": func(f url.Values) { f["days"] = []string{"3", "x"} },
	} {
		bad := url.Values{}
		for name, values := range form {
			bad[name] = values
		}
		change(bad)
		if p := s.post(steps.Path, bad); p.Status != 422 || !strings.Contains(p.Body, what) || strings.Count(p.Body, "<legend>Step") != 2 {
			t.Errorf("%q: %d %s", what, p.Status, p.Body)
		}
	}
	form["step"], form["purpose"], form["template"], form["days"], form["unit"] = []string{"", ""}, []string{"first <contact>", "reminder"}, []string{one, two}, []string{"0", "1"}, []string{"days", "business_days"}
	form.Set("key", uuid.NewString())
	for range 2 {
		p := s.post(steps.Path, form)
		p.has(t, "first &lt;contact&gt;", "At once after the enrolment", "1 working day after the step before it was sent", ">Two</a>", "Version 2")
		if p.Path != path {
			t.Errorf("saved: %d %s", p.Status, p.Path)
		}
	}
	s.propose("Hello Ada")
	s.get(path+"/preview?q=ada").has(t, "Ada &lt;Example&gt;", ">Hello there</pre>", ">Hello again</pre>")
	s.get(path+"/preview?q=nobody").has(t, "Nobody like that is known.")
}

// Goal: who saves what they read of an earlier version is told whose change stands and what it is, loses nothing that they typed, and may put
// it in its place; a step that was taken out meanwhile is a new one then.
func TestAnothersChangeOfStepsLosesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	path := s.sequence("Engineers")
	page := s.get(path + "/steps")
	form := page.form(t, path+"/steps")
	var ids, templates []string
	read, err := s.store.SequenceRead(t.Context(), s.who.Workspace, uuid.MustParse(strings.TrimPrefix(path, "/sequences/")))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range read.Steps {
		ids, templates = append(ids, one.ID.String()), append(templates, one.Template.String())
	}
	page.has(t, `name="step" value="`+ids[1]+`"`, `value="`+templates[1]+`" selected`)
	s.must(func(tx command.Tx) error {
		_, err := sequence.SetSteps(t.Context(), tx, s.who, read.ID, 0, read.Steps[:1])
		return err
	})
	form["step"], form["purpose"], form["template"], form["days"], form["unit"] = ids, []string{"first <contact>", "typed for long"}, templates, []string{"0", "9"}, []string{"days", "days"}
	form.Set("do", "save")
	late := s.post(path+"/steps", form)
	late.has(t, "admin changed the steps meanwhile.", "Theirs: 1. first &lt;contact&gt; (0 days).", `value="typed for long"`, `value="9"`, `name="step" value="`+ids[0]+`"`)
	if late.Status != 409 || strings.Contains(late.Body, ids[1]) || s.count("SELECT count(*) FROM sequence_steps WHERE removed_at IS NULL") != 1 {
		t.Errorf("%d %s", late.Status, late.Body)
	}
	again := late.form(t, path+"/steps")
	form.Set("key", again.Get("key"))
	form.Set("version", again.Get("version"))
	form["step"] = []string{ids[0], ""}
	s.post(path+"/steps", form).has(t, "typed for long", "9 days after the step before it was sent")
}

// Goal: what waits of a step is approved as a batch whose whole texts are shown first; what of it is approved stands on its message's page
// and receipt with the sequence's name.
func TestAStepIsApprovedAsABatch(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	path := s.sequence("Engineers <spring>")
	s.enrolAda(path)
	s.look()
	page := s.get(path)
	page.has(t, "Messages of this step that wait for approval: 1.", "Its message waits for approval.", "Ada &lt;Example&gt;", "Running <b>1</b>")
	form := page.form(t, "/approvals")
	if form.Get("step") == "" || form.Get("sequence") == "" {
		t.Fatalf("%v", form)
	}
	preview := s.post("/approvals", form)
	preview.has(t, "Only messages of the step “first &lt;contact&gt;” of the sequence", "1 messages that wait for approval", ">Hello there</pre>", "<button>Approve 1</button>",
		`a step of <a href="`+path+`">Engineers &lt;spring&gt;</a>`, `<a href="`+path+`">Back to`)
	if strings.Contains(preview.Body, "Good day") {
		t.Errorf("it is about more than the step: %s", preview.Body)
	}
	if n := s.count("SELECT count(*) FROM approvals"); n != 0 {
		t.Errorf("%d approvals by a look", n)
	}
	s.post(preview.Path+"/start", preview.form(t, preview.Path+"/start"))
	s.carryOut(preview.Path, "Done: 1 of 1 were approved and queued.")
	s.look()
	message := s.message("Hello there")
	s.get("/messages/"+message).has(t, "Engineers &lt;spring&gt;")
	s.get("/messages/"+message+"/receipt").has(t, `<a href="`+path+`">Engineers &lt;spring&gt;</a>`)
	for field, value := range map[string]string{"sequence": uuid.NewString(), "step": uuid.NewString()} {
		if p := s.post("/approvals", url.Values{"key": {uuid.NewString()}, field: {value}}); p.Status != 404 {
			t.Errorf("%s of nobody: %d", field, p.Status)
		}
		if p := s.post("/approvals", url.Values{"key": {uuid.NewString()}, field: {"x"}}); p.Status != 422 {
			t.Errorf("%s that is none: %d", field, p.Status)
		}
	}
}

// Goal: a sequence and an enrolment are paused, resumed, finished and stopped by buttons that say before what they do, and a page offers only
// what would do something.
func TestSequencesAndEnrolmentsAreMoved(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	path := s.sequence("Engineers")
	person := s.enrolAda(path)
	s.look()
	var enrolment string
	if err := s.admin.QueryRow(t.Context(), "SELECT '/enrolments/' || id FROM enrolments").Scan(&enrolment); err != nil {
		t.Fatal(err)
	}
	tap := func(from, to string, says ...string) {
		t.Helper()
		form := s.get(from).form(t, to)
		for range 2 {
			p := s.post(to, form)
			p.has(t, says...)
			if p.Path != from {
				t.Errorf("%s leads to %s", to, p.Path)
			}
		}
	}
	s.get(person).has(t, "Pausing keeps every further step back", "Stopping is for good", `href="`+path+`"`)
	tap(person, enrolment+"/pause", `<span class="label">Paused</span>`, "A person said so.", enrolment+"/resume")
	tap(person, enrolment+"/resume", `<span class="label">Running</span>`, "It goes on in a moment.")
	s.look()
	tap(path, path+"/pause", "It is paused: nothing further is proposed", "Resuming has it go on for whoever is in it")
	s.look()
	s.get(enrolment).has(t, "The sequence is paused.", "History")
	tap(path, path+"/resume", `<span class="label">Running</span>`, "None of its messages can be approved meanwhile")
	tap(path, path+"/finish", "It takes nobody new", "Resuming lets it take people again")
	if p := s.get(path); strings.Contains(p.Body, "/enrolling") {
		t.Errorf("a finished one takes people: %s", p.Body)
	}
	tap(enrolment, enrolment+"/stop", `<span class="label">Stopped</span>`)
	if p := s.get(enrolment); strings.Contains(p.Body, "/resume") || s.count("SELECT count(*) FROM messages WHERE authority = 'withdrawn'") != 1 {
		t.Errorf("what is stopped is offered to go on: %s", p.Body)
	}
	s.get(path).has(t, "not at its end (now 0)", "I know that this cannot be undone.")
	tap(path, path+"/stop", "It is stopped, which is for good.")
	if p := s.get(path); strings.Contains(p.Body, `method="post" action="`+path) || strings.Contains(p.Body, path+"/steps") {
		t.Errorf("what is stopped is offered to change: %s", p.Body)
	}
	if p := s.post(path+"/resume", url.Values{"key": {uuid.NewString()}}); p.Status != 409 {
		t.Errorf("resumed: %d %s", p.Status, p.Body)
	}
	s.get(path+"?state=stopped").has(t, "Ada &lt;Example&gt;")
	s.get(path+"?state=running").has(t, "None.")
	if p := s.get(path + "?state=x"); p.Status != 422 {
		t.Errorf("a state that is none: %d", p.Status)
	}
}

// Goal: a viewer sees sequences and who is in them, and changes nothing; another workspace's are not there; another site's page does nothing.
func TestWhoSeesAndMovesSequences(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	path := s.sequence("Engineers")
	person := s.enrolAda(path)
	s.look()
	_, id, _ := strings.Cut(s.get(path).Body, `href="/enrolments/`)
	enrolment := "/enrolments/" + id[:36]
	viewer := s.as(access.Viewer)
	for _, at := range []string{"/sequences", path, enrolment, person, path + "/preview?q=ada"} {
		if p := viewer("GET", at, nil); p.Status != 200 || strings.Contains(p.Body, `method="post" action="/seq`) || strings.Contains(p.Body, `method="post" action="/enr`) ||
			strings.Contains(p.Body, `method="post" action="/app`) {
			t.Errorf("a viewer at %s: %d %s", at, p.Status, p.Body)
		}
	}
	gets := []string{path, enrolment, path + "/preview?q=ada", path + "/steps", "/enrolling?sequence=" + strings.TrimPrefix(path, "/sequences/")}
	posts := []string{"/sequences", path + "/steps", path + "/pause", path + "/resume", path + "/finish", path + "/stop", path + "/enrolments", "/enrolments", enrolment + "/pause", enrolment + "/resume", enrolment + "/stop"}
	for _, at := range posts {
		if p := viewer("POST", at, url.Values{"key": {uuid.NewString()}}); p.Status != 403 {
			t.Errorf("a viewer posts to %s: %d", at, p.Status)
		}
		if p := s.post(at, url.Values{"key": {uuid.NewString()}}, "Sec-Fetch-Site: cross-site"); p.Status != 403 {
			t.Errorf("another site posts to %s: %d", at, p.Status)
		}
	}
	for _, at := range gets[3:] {
		if p := viewer("GET", at, nil); p.Status != 403 {
			t.Errorf("a viewer at %s: %d", at, p.Status)
		}
	}
	form := url.Values{"key": {uuid.NewString()}, "version": {"1"}, "do": {"add"}, "account": {s.accountID()}, "people": {strings.TrimPrefix(person, "/people/")}}
	s.exec(`WITH w AS (INSERT INTO workspaces (name) VALUES ('theirs') RETURNING id)
		INSERT INTO principals (workspace_id, role, name) SELECT id, 'admin', 'stranger' FROM w`,
		`UPDATE console_sessions SET principal_id = (SELECT id FROM principals WHERE name = 'stranger') WHERE principal_id = '`+s.who.ID.String()+`'`)
	for _, at := range gets {
		if p := s.get(at); p.Status != 404 {
			t.Errorf("a stranger at %s: %d", at, p.Status)
		}
	}
	for _, at := range posts[1:] {
		want := 404
		if at == "/enrolments" { // which names what it is about in its fields
			want = 422
		}
		if p := s.post(at, form); p.Status != want {
			t.Errorf("a stranger posts to %s: %d %s", at, p.Status, p.Body)
		}
	}
}
