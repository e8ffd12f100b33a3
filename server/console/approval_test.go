package console_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/message"
)

func TestRejectAndRevoke(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	id := s.approved("Hello Ada").String()
	revoke, reject := "/messages/"+id+"/revocation", "/messages/"+id+"/rejection"
	if p := s.get("/messages/" + id); strings.Contains(p.Body, `action="`+reject) {
		t.Errorf("what is approved can be rejected: %s", p.Body)
	}
	form := s.get("/messages/"+id).form(t, revoke)
	for range 2 {
		if p := s.post(revoke, form); p.Status != 200 || p.Path != "/" {
			t.Fatalf("revoke: %d %s", p.Status, p.Body)
		}
	}
	page := s.get("/messages/" + id)
	if !strings.Contains(page.Body, "Waiting for approval") || !strings.Contains(page.Body, "no longer stands: revoked — admin") {
		t.Errorf("revoked: %s", page.Body)
	}
	form = page.form(t, reject)
	form.Set("why", "too <pushy>")
	if p := s.post(reject, form); p.Status != 200 || p.Path != "/" {
		t.Fatalf("reject: %d %s", p.Status, p.Body)
	}
	page = s.get("/messages/" + id)
	if !strings.Contains(page.Body, "Rejected by admin") || !strings.Contains(page.Body, "too &lt;pushy&gt;") ||
		strings.Contains(page.Body, `action="/messages/`+id+`/approval`) || strings.Contains(page.Body, `action="`+reject) {
		t.Errorf("rejected: %s", page.Body)
	}
	if n := s.count("SELECT count(*) FROM sends WHERE status <> 'canceled'"); n != 0 {
		t.Errorf("%d sends are left", n)
	}
}

// The second message to a person shows the first, and goes only with the yes.
func TestSecondMessageIsShownTheFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	first := s.approved("Hello Ada").String()
	s.moveTo(begun...)
	second := s.propose("hello ada")
	path := "/messages/" + second.ID.String() + "/approval"
	page := s.get("/")
	if !strings.Contains(page.Body, "The same text to this person") || !strings.Contains(page.Body, `href="/messages/`+first+`"`) {
		t.Errorf("the card: %s", page.Body)
	}
	form := page.form(t, path)
	if form.Get("yes_to") != first {
		t.Errorf("the checkbox names %q, want %s", form.Get("yes_to"), first)
	}
	form.Del("yes_to")
	if p := s.post(path, form); p.Status != 409 || !strings.Contains(p.Body, first) {
		t.Errorf("without the yes: %d %s", p.Status, p.Body)
	}
	form.Set("yes_to", first)
	if p := s.post(path, form); p.Status != 200 || p.Path != "/" {
		t.Errorf("with the yes: %d %s", p.Status, p.Body)
	}
	if n := s.count("SELECT count(*) FROM approvals WHERE yes_to = ARRAY[$1::uuid]", first); n != 1 {
		t.Errorf("%d approvals hold the yes, want 1", n)
	}
}

// What a person says yes to is shown whole: the profile that it goes to, whatever somebody called them, and all that the digest
// binds.
func TestAnApprovalIsShownWhatItBinds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	first := s.approved("Hello Ada")
	earlier := s.moveTo(append(begun,
		`INSERT INTO evidence (workspace_id, send_id, kind, attempt, outcome) SELECT workspace_id, id, 'proof', attempt, 'not_attempted' FROM sends`,
		`UPDATE sends SET status = 'failed', code = 'not_attempted', reason = 'no_composer'`)...)
	m := s.proposeWhole(message.Proposal{
		LinkedIn: "/in/ada-example", Email: "ada@example.com", Purpose: "a reminder", Task: "place <7>", Subject: "Your <place>", Body: "Hello again",
		Follows: &message.Follows{Send: uuid.MustParse(earlier), Why: "they <asked>"},
	})
	for _, path := range []string{"/", "/messages/" + m.ID.String()} {
		_, after, _ := strings.Cut(s.get(path).Body, `id="m-`+m.ID.String()+`"`)
		card, _, _ := strings.Cut(after, `<details`)
		for _, shown := range []string{
			`href="https://www.linkedin.com/in/ada-example"`, "ada@example.com", "Ada &lt;Example&gt;", "from rita-recruiter on linkedin", "a reminder",
			"place &lt;7&gt;", "Subject: Your &lt;place&gt;", "Hello again", `href="/messages/` + first.String() + `"`, "they &lt;asked&gt;",
		} {
			if !strings.Contains(card, shown) {
				t.Errorf("%s does not show %s:\n%s", path, shown, card)
			}
		}
	}
}
