package console_test

import (
	"net/url"
	"strings"
	"testing"
)

// A database that holds fire says so where people look first; an admin arms it, knowing what is not known.
func TestAPersonArmsTheDatabase(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	if p := s.get("/"); strings.Contains(p.Body, "Nothing is sent") {
		t.Error("an armed database is said to hold fire")
	}
	exec := func(sql string) {
		t.Helper()
		if _, err := s.admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec("INSERT INTO installs (workspace_id, principal_id, secret_hash) SELECT workspace_id, id, 'x' FROM principals LIMIT 1")
	exec("INSERT INTO instance_events (what, code) VALUES ('disarmed', 'history_lost')")
	if p := s.get("/"); !strings.Contains(p.Body, "Nothing is sent") || !strings.Contains(p.Body, `href="/instance"`) {
		t.Errorf("the first page does not say that nothing is sent: %s", p.Body)
	}
	p := s.get("/instance")
	for _, want := range []string{"put back to an earlier time", "0 of 1 browsers have said", "lets every queued message go out", "I take that on me"} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	form := p.form(t, "/instance/arming")
	form.Del("accept_unseen")
	if refused := s.post("/instance/arming", form); refused.Status != 409 || s.count("SELECT count(*) FROM instance WHERE armed_at IS NULL") != 1 {
		t.Errorf("without the yes to what is not known: %d", refused.Status)
	}
	form.Set("accept_unseen", "yes")
	for range 2 { // two taps
		if armed := s.post("/instance/arming", form); armed.Status != 200 || armed.Path != "/instance" || !strings.Contains(armed.Body, "It is armed") {
			t.Errorf("armed: %d %s %s", armed.Status, armed.Path, armed.Body)
		}
	}
	if n := s.count("SELECT count(*) FROM instance_events WHERE what = 'armed'"); n != 1 {
		t.Errorf("it was armed %d times", n)
	}
	if p := s.post("/instance/arming", url.Values{"epoch": {"one"}}); p.Status != 422 {
		t.Errorf("no epoch: %d", p.Status)
	}
}
