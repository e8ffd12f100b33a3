package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/receipt"
)

// Goal: a person opens the receipt of a message from its page, reads all of it as text, and saves a signed file that holds.
func TestReceiptPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose("Hello <b>Ada</b>")
	path := "/messages/" + m.ID.String()
	if p := s.get(path + "/receipt"); p.Status != 200 || !strings.Contains(p.Body, "It waits for a person&#39;s approval") {
		t.Errorf("before the approval: %d %s", p.Status, p.Body)
	}
	s.post(path+"/approval", s.get(path).form(t, path+"/approval"))
	s.leaveUnconfirmed()
	link := `href="` + path + `/receipt"`
	if p := s.get(path); !strings.Contains(p.Body, link) {
		t.Errorf("the message's page does not lead to it: %s", p.Body)
	}
	p := s.get(path + "/receipt")
	for _, part := range []string{
		"<h1>Receipt of the message to Ada &lt;Example&gt;</h1>", "Hello &lt;b&gt;Ada&lt;/b&gt;", m.Digest, "admin approved version 1", "attempt-0123456789",
		"extension 1.0.0", "Check LinkedIn before re-sending", "A browser was to look, but is paused there.", "paired by admin", "The furthest that was seen: read", "Seen after it had left: read",
	} {
		if !strings.Contains(p.Body, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	if p.Status != 200 || strings.Contains(p.Body, "<b>Ada") || strings.Count(p.Body, "<form") != 1 { // signing out
		t.Errorf("%d %s", p.Status, p.Body)
	}
	file := s.get(path + "/receipt.json")
	if !strings.Contains(file.Header.Get("Content-Disposition"), "receipt-"+m.ID.String()+".json") {
		t.Errorf("saved as %q", file.Header.Get("Content-Disposition"))
	}
	if _, err := receipt.Verify([]byte(file.Body), s.receiptKeys); err != nil {
		t.Errorf("the saved file: %v", err)
	}
}

// Goal: who may read messages may read receipts, of their own workspace alone.
func TestReceiptPageIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	path := "/messages/" + s.propose("Hello Ada").ID.String()
	link, err := s.access.CreateLink(t.Context(), access.Viewer, "")
	if err != nil {
		t.Fatal(err)
	}
	viewer := newBrowser(t)
	s.do(viewer, "POST", "/sign-in", url.Values{"link": {link}})
	nobody := newBrowser(t)
	for _, c := range []struct {
		browser *http.Client
		path    string
		status  int
		says    string
	}{
		{viewer, path + "/receipt", 200, "Hello Ada"},
		{viewer, path + "/receipt.json", 200, "Hello Ada"},
		{nobody, path + "/receipt", 200, "Sign in"},
		{nobody, path + "/receipt.json", 200, "Sign in"},
		{viewer, "/messages/" + uuid.NewString() + "/receipt", 404, ""},
		{viewer, "/messages/7/receipt.json", 404, ""},
	} {
		if p := s.do(c.browser, "GET", c.path, nil); p.Status != c.status || !strings.Contains(p.Body, c.says) {
			t.Errorf("%s: %d %s", c.path, p.Status, p.Body)
		}
	}
	s.exec(`WITH w AS (INSERT INTO workspaces (name) VALUES ('Others') RETURNING id)
		INSERT INTO principals (workspace_id, role, name) SELECT id, 'admin', 'stranger' FROM w`,
		`UPDATE console_sessions SET principal_id = (SELECT id FROM principals WHERE name = 'stranger')`)
	for _, kind := range []string{"/receipt", "/receipt.json"} {
		if p := s.get(path + kind); p.Status != 404 || strings.Contains(p.Body, "Hello Ada") {
			t.Errorf("a stranger reads %s: %d", kind, p.Status)
		}
	}
}

// leaveUnconfirmed drives the one send by hand until a person must look, with a look that could not be taken.
func (s *site) leaveUnconfirmed() {
	s.t.Helper()
	s.exec(`INSERT INTO installs (workspace_id, principal_id, secret_hash) SELECT workspace_id, id, 'x' FROM principals`,
		`UPDATE sends SET status = 'leased', lease_token = gen_random_uuid(), lease_holder = (SELECT id FROM installs),
			lease_expires_at = sendonce_now() + interval '1 minute'`,
		`UPDATE sends SET status = 'started', attempt = 'attempt-0123456789', sender_version = '1.0.0',
			deadline_at = sendonce_now() + interval '6 minutes'`,
		`UPDATE sends SET status = 'unconfirmed', code = 'deadline_passed'`,
		`INSERT INTO evidence (workspace_id, send_id, kind, install_id, outcome, asked_at, body) SELECT workspace_id, id, 'check', lease_holder,
			'could_not_check', sendonce_now(), '{"reason":"paused","copies":[],"conversation":null,"messages":0,"oldest_at_ms":null}' FROM sends`,
		`INSERT INTO delivery_observations (workspace_id, install_id, kind, at, said_hash, message_id) SELECT workspace_id, lease_holder, 'read',
			sendonce_now(), 'x', message_id FROM sends`)
}

func (s *site) exec(statements ...string) {
	s.t.Helper()
	for _, statement := range statements {
		if _, err := s.admin.Exec(s.t.Context(), statement); err != nil {
			s.t.Fatalf("%s: %v", statement, err)
		}
	}
}

// Goal: on paper a receipt is its story alone, and all of it: what leads elsewhere or can be pressed is hidden, and a long text is
// not cut off where it would be scrolled.
func TestAPrintedReceiptIsItsStoryAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	page := s.get("/messages/" + s.propose("Hello Ada").ID.String() + "/receipt").Body
	before, story, found := strings.Cut(page, `<main id="main">`)
	if !found || !strings.Contains(before, `<link rel="stylesheet" href="/static/style.css">`) {
		t.Fatalf("the page: %s", page)
	}
	if head := strings.Index(before, "<header>"); head < 0 || strings.Index(before, "<nav") < head || !strings.Contains(before, `<a class="skip"`) {
		t.Errorf("what stands around the story is not all in the header: %s", before)
	}
	onPaper := regexp.MustCompile(`(?s)<p class="screen">.*?</p>`).ReplaceAllString(story, "")
	for _, control := range []string{"<nav", "<form", "<button", "<a ", "<input", "<textarea"} {
		if strings.Contains(onPaper, control) {
			t.Errorf("%s is printed: %s", control, onPaper)
		}
	}
	if len(onPaper) == len(story) {
		t.Error("nothing on the page is for the screen alone")
	}
	rules := printRules(t, s.get("/static/style.css").Body)
	for selector, declaration := range map[string]string{
		"header": "display: none", ".skip": "display: none", ".screen": "display: none", ".body": "max-height: none; overflow: visible",
	} {
		if !strings.Contains(rules[selector], declaration) {
			t.Errorf("on paper %s has %q, want %q", selector, rules[selector], declaration)
		}
	}
}

// printRules are the declarations for paper by selector, of a style sheet with one rule to a line.
func printRules(t *testing.T, css string) map[string]string {
	t.Helper()
	_, block, found := strings.Cut(css, "@media print {\n")
	if !found {
		t.Fatal("the style sheet has no rules for paper")
	}
	block, _, _ = strings.Cut(block, "\n}")
	rules := map[string]string{}
	for line := range strings.Lines(block) {
		selectors, declarations, _ := strings.Cut(strings.TrimSpace(line), "{")
		for _, selector := range strings.Split(selectors, ",") {
			rules[strings.TrimSpace(selector)] += declarations
		}
	}
	return rules
}
