package console_test

import (
	"strings"
	"testing"

	"sendonce/server/access"
)

// addIncident opens one about the newest message, as the database would.
func (s *site) addIncident(kind string) string {
	s.t.Helper()
	var id string
	err := s.admin.QueryRow(s.t.Context(), `INSERT INTO incidents (workspace_id, kind, subject_id, message_id)
		SELECT workspace_id, $1, id, id FROM messages ORDER BY created_at DESC LIMIT 1 RETURNING id::text`, kind).Scan(&id)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// The page says what has happened and what to do; a fact is closed by one tap with its note, a condition has no button.
func TestIncidentsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	if empty := s.get("/incidents"); !strings.Contains(empty.Body, "Nothing needs you.") || !strings.Contains(empty.Body, ">Incidents</a>") {
		t.Errorf("empty: %s", empty.Body)
	}
	m := s.propose("Hello Ada")
	for _, statement := range []string{
		"UPDATE accounts SET stopped_at = now(), stopped_code = 'burst_server_error'",
		"INSERT INTO incidents (workspace_id, kind, subject_id, account_id) SELECT workspace_id, 'account_stopped', id, id FROM accounts",
	} {
		if _, err := s.admin.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	fact, condition := s.addIncident("delivered_twice"), s.addIncident("parked")
	list := s.get("/incidents")
	for _, want := range []string{"Incidents (3 open)", "server errors again and again", "Two attempts of one message", "What to do:", "/messages/" + m.ID.String(), "It ends by itself with"} {
		if !strings.Contains(list.Body, want) {
			t.Errorf("the page lacks %q: %s", want, list.Body)
		}
	}
	if strings.Contains(list.Body, "/incidents/"+condition+"/closing") {
		t.Error("a condition has a button")
	}
	path := "/incidents/" + fact + "/closing"
	form := list.form(t, path)
	form.Set("note", "Both <copies> were read")
	for range 2 { // the second tap of the same button changes nothing
		if p := s.post(path, form); p.Status != 200 || p.Path != "/incidents" {
			t.Fatalf("close: %d %s %s", p.Status, p.Path, p.Body)
		}
	}
	one := s.get("/incidents/" + fact)
	for _, want := range []string{"closed by " + s.who.Name + ": Both &lt;copies&gt; were read", "opened", `class="label">closed<`} {
		if !strings.Contains(one.Body, want) {
			t.Errorf("the incident lacks %q: %s", want, one.Body)
		}
	}
	if p := s.get("/incidents?state=closed"); !strings.Contains(p.Body, "i-"+fact) || strings.Contains(p.Body, "i-"+condition) {
		t.Errorf("closed ones: %s", p.Body)
	}
	if n := s.count("SELECT count(*) FROM incident_events WHERE what = 'closed'"); n != 1 {
		t.Errorf("%d closings", n)
	}
}

// Whoever may only read sees no button, and what they post is refused.
func TestViewerClosesNoIncident(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	s.propose("Hello Ada")
	id := s.addIncident("delivered_twice")
	if _, err := s.admin.Exec(t.Context(), "UPDATE principals SET role = $1 WHERE id = $2", access.Viewer, s.who.ID); err != nil {
		t.Fatal(err)
	}
	if p := s.get("/incidents/" + id); p.Status != 200 || strings.Contains(p.Body, "I have seen it") {
		t.Errorf("a viewer's page: %d %s", p.Status, p.Body)
	}
	if p := s.post("/incidents/"+id+"/closing", nil); p.Status != 403 {
		t.Errorf("a viewer's post: %d", p.Status)
	}
}
