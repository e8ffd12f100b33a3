package console_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"sendonce/server/access"
)

func TestDoubleClickOnApproveIsOneApproval(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose("Hello Ada")
	path := "/messages/" + m.ID.String() + "/approval"
	form, otherTab := s.get("/").form(t, path), s.get("/messages/"+m.ID.String()).form(t, path)
	if form.Get("key") == otherTab.Get("key") {
		t.Error("two pages share a key")
	}
	var taps sync.WaitGroup
	for _, values := range []url.Values{form, form, form, otherTab} {
		taps.Go(func() {
			if p := s.post(path, values); p.Status != 200 || p.Path != "/" {
				t.Errorf("tap: %d %s %s", p.Status, p.Path, p.Body)
			}
		})
	}
	taps.Wait()
	if n := s.count("SELECT count(*) FROM sends"); n != 1 {
		t.Errorf("%d sends, want 1", n)
	}
	if n := s.count("SELECT count(*) FROM approvals"); n != 1 {
		t.Errorf("%d approvals, want 1", n)
	}
	if p := s.get("/"); strings.Contains(p.Body, ">Approve<") || !strings.Contains(p.Body, "Version 1 approved") {
		t.Errorf("after the approval: %s", p.Body)
	}
	if _, moving, found := strings.Cut(s.get("/").Body, `id="moving"`); !found || strings.Contains(moving, "<button") {
		t.Error("a part that moves by itself has a button that a finger may miss")
	}
	withdraw := "/messages/" + m.ID.String() + "/withdrawal"
	if p := s.post(withdraw, s.get("/messages/"+m.ID.String()).form(t, withdraw)); p.Status != 200 || !strings.Contains(p.Body, "Withdrawn") {
		t.Errorf("withdraw: %d %s", p.Status, p.Body)
	}
}

func TestPagesShowTextAsText(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose(`<script>alert("x")</script> & "Ada"`)
	for _, path := range []string{"/", "/messages/" + m.ID.String(), "/messages?section=waiting"} {
		p := s.get(path)
		if p.Status != 200 || strings.Contains(p.Body, "<script>alert") || !strings.Contains(p.Body, "&lt;script&gt;alert") ||
			strings.Contains(p.Body, "Ada <Example>") {
			t.Errorf("%s: %d %s", path, p.Status, p.Body)
		}
	}
}

func TestUnconfirmedComesFirstWithItsInstruction(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose("Hello Ada")
	path := "/messages/" + m.ID.String() + "/approval"
	s.post(path, s.get("/").form(t, path))
	s.propose("Hello again")
	p := s.post("/installs/code", nil)
	if p.Status != 200 || !regexp.MustCompile(`class="code">[A-Z0-9]+-[A-Z0-9]+<`).MatchString(p.Body) {
		t.Fatalf("pair: %d %s", p.Status, p.Body)
	}
	for _, sql := range []string{
		`INSERT INTO installs (workspace_id, principal_id, secret_hash) SELECT workspace_id, id, 'x' FROM principals`,
		`UPDATE sends SET status = 'leased', lease_token = gen_random_uuid(), lease_holder = (SELECT id FROM installs),
			lease_expires_at = sendonce_now() + interval '1 minute'`,
		`UPDATE sends SET status = 'started', attempt = 'attempt-0123456789', deadline_at = sendonce_now() + interval '6 minutes'`,
		`UPDATE sends SET status = 'unconfirmed', code = 'deadline_passed'`,
	} {
		if _, err := s.admin.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	body := s.get("/").Body
	instruction := strings.Index(body, "Check LinkedIn before re-sending")
	waiting := strings.Index(body, `id="h-waiting"`)
	if instruction < 0 || waiting < 0 || instruction > waiting || !strings.Contains(body, `class="alarm">Needs a look <b>1</b>`) {
		t.Errorf("instruction at %d, waiting at %d: %s", instruction, waiting, body)
	}
	if strings.Contains(body[:waiting], ">Approve<") || strings.Contains(body[:waiting], ">Withdraw<") {
		t.Error("an unconfirmed message has a button that would change it")
	}
}

// A parked message says why, first of all, and approving it again sets it free.
func TestParkedMessage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose("Hello Ada")
	path := "/messages/" + m.ID.String() + "/approval"
	s.post(path, s.get("/").form(t, path))
	_, err := s.admin.Exec(t.Context(), "UPDATE sends SET parked_at = sendonce_now(), waiting_for = 'released_too_often'")
	if err != nil {
		t.Fatal(err)
	}
	parked := s.get("/messages?section=needs_a_look")
	if !strings.Contains(parked.Body, "Parked: five browsers") || !strings.Contains(parked.Body, "you have looked") {
		t.Errorf("parked: %s", parked.Body)
	}
	s.post(path, parked.form(t, path))
	if n := s.count("SELECT count(*) FROM sends WHERE status = 'queued' AND parked_at IS NULL AND ordinal = 2"); n != 1 {
		t.Errorf("%d free sends, want 1", n)
	}
}

func TestAccountsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	empty := s.get("/accounts")
	if !strings.Contains(empty.Body, "There is no account yet") {
		t.Errorf("empty: %s", empty.Body)
	}
	form := empty.form(t, "/accounts")
	form.Set("handle", "https://www.linkedin.com/in/rita-recruiter/")
	for range 2 { // a second tap with the same key
		if p := s.post("/accounts", form); p.Status != 200 || strings.Count(p.Body, "<h2>rita-recruiter") != 1 {
			t.Fatalf("add: %d %s", p.Status, p.Body)
		}
	}
	if _, err := s.admin.Exec(t.Context(), "UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'status_403'"); err != nil {
		t.Fatal(err)
	}
	stopped := s.get("/accounts")
	id := regexp.MustCompile(`/accounts/([0-9a-f-]{36})/clear`).FindStringSubmatch(stopped.Body)
	if id == nil {
		t.Fatalf("a stopped account has no Clear button: %s", stopped.Body)
	}
	if p := s.post("/accounts/"+id[1]+"/clear", stopped.form(t, "/accounts/"+id[1]+"/clear")); p.Status != 200 || strings.Contains(p.Body, "/clear") {
		t.Errorf("clear: %d %s", p.Status, p.Body)
	}
}

func TestViewerHasNoButtons(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose("Hello Ada")
	link, err := s.access.CreateLink(t.Context(), access.Viewer, "")
	if err != nil {
		t.Fatal(err)
	}
	viewer := newBrowser(t)
	s.do(viewer, "POST", "/sign-in", url.Values{"link": {link}})
	for _, path := range []string{"/", "/accounts", "/installs"} {
		p := s.do(viewer, "GET", path, nil)
		if p.Status != 200 || strings.Count(p.Body, "<form") != 1 { // signing out
			t.Errorf("%s: %d %s", path, p.Status, p.Body)
		}
	}
	form := url.Values{"version": {"1"}, "digest": {m.Digest}, "key": {"k"}}
	if p := s.do(viewer, "POST", fmt.Sprintf("/messages/%s/approval", m.ID), form); p.Status != 403 {
		t.Errorf("a viewer approves: %d", p.Status)
	}
	for _, path := range []string{"/accounts", "/installs/code"} {
		if p := s.do(viewer, "POST", path, url.Values{"handle": {"/in/olga-other"}}); p.Status != 403 {
			t.Errorf("a viewer posts to %s: %d", path, p.Status)
		}
	}
}

func TestStaticFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for path, status := range map[string]int{
		"/static/htmx.min.js": 200, "/static/style.css": 200, "/static/icon.svg": 200,
		"/static/..%2fconsole.go": 404, "/static/none.css": 404, "/nothing": 404,
	} {
		if p := s.get(path); p.Status != status {
			t.Errorf("%s: %d", path, p.Status)
		}
	}
}
