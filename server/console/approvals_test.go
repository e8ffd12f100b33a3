package console_test

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/bulk"
	"sendonce/server/message"
)

// carryOut works on what was begun until the page says so.
func (s *site) carryOut(path, says string) page {
	s.t.Helper()
	ctx, stop := context.WithCancel(s.t.Context())
	var working sync.WaitGroup
	working.Go(func() { bulk.NewWorker(s.store, s.command.BulkOne, slog.New(slog.DiscardHandler)).Work(ctx) })
	defer working.Wait()
	defer stop()
	for until := time.Now().Add(20 * time.Second); ; {
		p := s.get(path)
		if strings.Contains(p.Body, says) {
			return p
		}
		if time.Now().After(until) {
			s.t.Fatalf("the page never says %q: %s", says, p.Body)
		}
	}
}

func (p page) has(t *testing.T, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(p.Body, part) {
			t.Errorf("%s lacks %q: %s", p.Path, part, p.Body)
		}
	}
}

// Goal: a person reads every text that "approve all" would approve, and why others are left out, before one button does exactly
// that, once; then the page says how far it is and what became of each.
func TestApproveAllPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	s.approved("Hello Ada")
	s.moveTo(begun...)
	s.propose("Hello <b>one</b>")
	s.proposeWhole(message.Proposal{LinkedIn: "/in/bob-example", Email: "bob@example.com", Name: "Ada <Example>", Purpose: "a role", Task: "place <7>", Subject: "Your <place>", Body: "Hello two"})
	again := s.propose("hello ada")
	closes := time.Now().Add(time.Hour)
	s.proposeWhole(message.Proposal{LinkedIn: "/in/ada-example", Purpose: "late", Body: "Hello late", SendBefore: &closes})
	s.exec("UPDATE clock_offset SET ahead = interval '2 hours'")

	form := s.get("/messages?section=waiting").form(t, "/approvals")
	preview := s.post("/approvals", form)
	if twice := s.post("/approvals", form); twice.Path != preview.Path || !strings.HasPrefix(preview.Path, "/approvals/") || s.count("SELECT count(*) FROM bulk_runs") != 1 {
		t.Fatalf("two taps show %s and %s", preview.Path, twice.Path)
	}
	preview.has(t, "4 messages that wait for approval were looked at", "<strong>2</strong> would be approved", "Hello &lt;b&gt;one&lt;/b&gt;", "Hello two",
		"each needs a yes of its own", "1: This person has had the same text before.", `href="/messages/`+again.ID.String()+`"`,
		"Cannot be approved", "1: The send window has closed.", "<button>Approve 2</button>")
	// Two people are called the same: what tells them apart is all that a yes binds.
	preview.has(t, `href="https://www.linkedin.com/in/ada-example"`, `href="https://www.linkedin.com/in/bob-example"`, "bob@example.com",
		"from rita-recruiter on linkedin", "a role", "task place &lt;7&gt;", "Subject: Your &lt;place&gt;")
	if n := s.count("SELECT count(*) FROM approvals"); n != 1 || strings.Count(preview.Body, `<span class="label">Would be approved</span>`) != 2 {
		t.Errorf("%d approvals: %s", n, preview.Body)
	}
	s.onlyShownToViewers(preview)
	s.wantParts(preview)

	start := preview.Path + "/start"
	form = preview.form(t, start)
	for range 2 {
		p := s.post(start, form)
		p.has(t, "Approved so far: 0 of 2", `hx-get="`+preview.Path+`"`, "Is approved in its turn")
		if p.Status != 200 || p.Path != preview.Path || strings.Contains(p.Body, "<button>Approve") {
			t.Errorf("begun: %d %s %s", p.Status, p.Path, p.Body)
		}
	}
	done := s.carryOut(preview.Path, "Done: 2 of 2 were approved and queued.")
	if strings.Count(done.Body, "Approved, and queued") != 2 || strings.Contains(done.Body, "hx-get") {
		t.Errorf("done: %s", done.Body)
	}
	if n := s.count("SELECT count(*) FROM sends WHERE status = 'queued'"); n != 2 {
		t.Errorf("%d sends are queued, want 2", n)
	}
}

// onlyShownToViewers: who may not decide reads the texts and has no button.
func (s *site) onlyShownToViewers(preview page) {
	s.t.Helper()
	link, err := s.access.CreateLink(s.t.Context(), access.Viewer, "")
	if err != nil {
		s.t.Fatal(err)
	}
	viewer := newBrowser(s.t)
	s.do(viewer, "POST", "/sign-in", url.Values{"link": {link}})
	p := s.do(viewer, "GET", preview.Path, nil)
	p.has(s.t, "Hello two")
	if strings.Count(p.Body, "<form") != 1 { // signing out
		s.t.Errorf("a viewer has a button: %s", p.Body)
	}
	for _, path := range []string{"/approvals", preview.Path + "/start"} {
		if p := s.do(viewer, "POST", path, preview.form(s.t, preview.Path+"/start")); p.Status != 403 {
			s.t.Errorf("a viewer posts to %s: %d", path, p.Status)
		}
	}
}

// wantParts: a long list goes on where its first part ended, alone.
func (s *site) wantParts(preview page) {
	s.t.Helper()
	first := s.message("Hello <b>one</b>")
	rest := s.get(preview.Path + "?list=allowed&after=" + first)
	rest.has(s.t, "Hello two", "<button>Approve 2</button>")
	if strings.Contains(rest.Body, "Hello &lt;b&gt;one") || strings.Contains(rest.Body, "What is left out") {
		s.t.Errorf("the second part: %s", rest.Body)
	}
	left := s.get(preview.Path + "?list=left&after=" + uuid.Nil.String())
	left.has(s.t, "hello ada", "Hello late")
	if strings.Contains(left.Body, "Hello two") {
		s.t.Errorf("what is left out: %s", left.Body)
	}
	if p := s.get(preview.Path + "?list=left&after=7"); p.Status != 400 {
		s.t.Errorf("a place that nobody made: %d", p.Status)
	}
	if p := s.get("/approvals/" + uuid.NewString()); p.Status != 404 {
		s.t.Errorf("a run that nobody made: %d", p.Status)
	}
}

// message is the id of the one with that text.
func (s *site) message(body string) (id string) {
	s.t.Helper()
	if err := s.admin.QueryRow(s.t.Context(), "SELECT message_id FROM message_versions WHERE body = $1", body).Scan(&id); err != nil {
		s.t.Fatal(err)
	}
	return id
}

// Goal: a text that was edited since the preview is not approved, and the person is told.
func TestApproveAllOfAWorldThatMovedIsTold(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	s.propose("Hello one")
	gone := "/messages/" + s.propose("Hello two").ID.String() + "/withdrawal"
	preview := s.post("/approvals", s.get("/messages?section=waiting").form(t, "/approvals"))
	s.post(gone, s.get("/messages?section=waiting").form(t, gone))
	p := s.post(preview.Path+"/start", preview.form(t, preview.Path+"/start"))
	if p.Status != 409 || !strings.Contains(p.Body, "1 of 2 would come out otherwise now") || s.count("SELECT count(*) FROM approvals") != 0 {
		t.Errorf("%d %s", p.Status, p.Body)
	}
}
