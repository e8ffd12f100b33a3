package console_test

import (
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
)

// moveTo drives the only send to where its sender would have brought it.
func (s *site) moveTo(statements ...string) (send string) {
	s.t.Helper()
	if err := s.admin.QueryRow(s.t.Context(), "SELECT id FROM sends").Scan(&send); err != nil {
		s.t.Fatal(err)
	}
	for _, statement := range statements {
		if _, err := s.admin.Exec(s.t.Context(), statement); err != nil {
			s.t.Fatalf("%s: %v", statement, err)
		}
	}
	return send
}

var begun = []string{
	`INSERT INTO installs (workspace_id, principal_id, secret_hash) SELECT workspace_id, id, 'x' FROM principals LIMIT 1`,
	`UPDATE sends SET status = 'leased', lease_token = gen_random_uuid(), lease_expires_at = sendonce_now() + interval '1 minute',
		lease_holder = (SELECT id FROM installs LIMIT 1)`,
	`UPDATE sends SET status = 'started', attempt = 'attempt-0123456789', deadline_at = sendonce_now() + interval '6 minutes'`,
}

func (s *site) approved(body string) uuid.UUID {
	s.t.Helper()
	m := s.propose(body)
	path := "/messages/" + m.ID.String() + "/approval"
	if p := s.post(path, s.get("/").form(s.t, path)); p.Status != 200 {
		s.t.Fatalf("approve: %d %s", p.Status, p.Body)
	}
	return m.ID
}

func TestDoubleClickOnRetryIsOneRetry(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	id := s.approved("Hello Ada")
	send := s.moveTo(append(begun,
		`INSERT INTO evidence (workspace_id, send_id, kind, attempt, outcome) SELECT workspace_id, id, 'proof', attempt, 'not_attempted' FROM sends`,
		`UPDATE sends SET status = 'failed', code = 'not_attempted', reason = 'no_composer'`)...)
	all := s.post("/retries", s.get("/messages?section=not_sent").form(t, "/retries"))
	begin := all.Path + "/start"
	retryAll := all.form(t, begin)
	all.has(t, "<strong>1</strong> would be sent again", "<button>Retry 1</button>")
	path := "/sends/" + send + "/retry"
	form := s.get("/messages/"+id.String()).form(t, path)
	var taps sync.WaitGroup
	for range 3 {
		taps.Go(func() {
			if p := s.post(path, form); p.Status != 200 || p.Path != "/" {
				t.Errorf("tap: %d %s %s", p.Status, p.Path, p.Body)
			}
		})
	}
	taps.Wait()
	if n := s.count("SELECT count(*) FROM sends"); n != 2 {
		t.Errorf("%d sends, want 2", n)
	}
	if p := s.post(path, url.Values{"key": {uuid.NewString()}}); p.Status != 409 || !strings.Contains(p.Body, "retried before") {
		t.Errorf("another tap, later: %d %s", p.Status, p.Body)
	}
	if p := s.post(begin, retryAll); p.Status != 409 || !strings.Contains(p.Body, "1 of 1 would come out otherwise now") {
		t.Errorf("\"retry all\" of what was retried since: %d %s", p.Status, p.Body)
	}
}

func TestAPersonSettlesWhatNeedsALook(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	id := s.approved("Hello Ada")
	send := s.moveTo(append(begun, `UPDATE sends SET status = 'unconfirmed', code = 'deadline_passed'`,
		`INSERT INTO evidence (workspace_id, send_id, kind, outcome, asked_at, body) SELECT workspace_id, id, 'check', 'absent', sendonce_now(),
			'{"messages":14,"oldest_at_ms":1795900000000,"conversation":"2-<abc>"}' FROM sends`)...)
	path := "/sends/" + send + "/resolution"
	page := s.get("/")
	for _, body := range []string{page.Body, s.get("/messages/" + id.String()).Body} {
		for _, want := range []string{
			"the message was not in the conversation. That does not count", "It saw 14 messages, back to <time",
			"in the conversation 2-&lt;abc&gt;.", "Asked <time", "answered <time",
		} {
			if !strings.Contains(body, want) {
				t.Errorf("a page lacks %q: %s", want, body)
			}
		}
	}
	form := page.form(t, path)
	if !strings.Contains(page.Body, "It was delivered” is final") || !strings.Contains(page.Body, `href="https://www.linkedin.com/in/ada-example" target="_blank" rel="noreferrer">Open the conversation`) {
		t.Errorf("the page does not say what will happen and where to look: %s", page.Body)
	}
	if !strings.Contains(page.Body, "Its browser has not been seen since, and") {
		t.Error("the page asks for no yes, though the tab may be there")
	}
	s.moveTo(`UPDATE sends SET gone_at = sendonce_now()`)
	if strings.Contains(s.get("/").Body, "accept_unseen") {
		t.Error("the page asks for a yes, though the tab was gone in time")
	}
	if !strings.Contains(page.Body, `maxlength="2000"></textarea>`) {
		t.Error("a look that does not count is put into a person's mouth")
	}
	s.moveTo(`INSERT INTO evidence (workspace_id, send_id, kind, outcome, asked_at, body)
		SELECT workspace_id, id, 'check', 'absent', sendonce_now() + interval '1 hour', '{"messages":14}' FROM sends`)
	if !strings.Contains(s.get("/").Body, `maxlength="2000">A browser looked, and the message was not in the conversation. Asked `) {
		t.Error("the finding of a look that counts is not filled in")
	}
	form.Set("outcome", "not_delivered")
	form.Set("note", "The thread is empty")
	if p := s.post(path, form); p.Status != 409 || !strings.Contains(p.Body, "look again after") {
		t.Errorf("too early: %d %s", p.Status, p.Body)
	}
	form.Set("outcome", "delivered")
	form.Set("note", "It stands there")
	if p := s.post(path, form); p.Status != 200 || p.Path != "/" {
		t.Errorf("delivered: %d %s", p.Status, p.Body)
	}
	if n := s.count("SELECT count(*) FROM sends WHERE status = 'sent' AND code = 'resolved_delivered'"); n != 1 {
		t.Errorf("%d sends are settled as delivered", n)
	}
}

// A tab that closed only lately may have let a message go: the page says so, and goes on only with a yes to that.
func TestATabThatClosedOnlyLatelyNeedsAYes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	s.approved("Hello Ada")
	// Its deadline is in 6 minutes; a day after that anyone may say "not delivered", and the tab closes then.
	send := s.moveTo(append(begun, `UPDATE sends SET status = 'unconfirmed', code = 'deadline_passed'`,
		`UPDATE console_sessions SET expires_at = expires_at + interval '1 day'`,
		`UPDATE clock_offset SET ahead = interval '24 hours 7 minutes'`, `UPDATE sends SET gone_at = sendonce_now()`)...)
	path := "/sends/" + send + "/resolution"
	page := s.get("/")
	if !strings.Contains(page.Body, "Its tab was closed only lately, and the message may still go out. I take that on me.") {
		t.Errorf("the page does not say why it asks for a yes: %s", page.Body)
	}
	form := page.form(t, path)
	form.Del("accept_unseen")
	form.Set("outcome", "not_delivered")
	form.Set("note", "The thread is empty")
	if p := s.post(path, form); p.Status != 409 || !strings.Contains(p.Body, "its tab was closed only lately") {
		t.Errorf("without the yes: %d %s", p.Status, p.Body)
	}
	form.Set("accept_unseen", "yes")
	if p := s.post(path, form); p.Status != 200 || p.Path != "/" {
		t.Errorf("with the yes: %d %s", p.Status, p.Body)
	}
	if n := s.count("SELECT count(*) FROM sends WHERE status = 'failed'"); n != 1 {
		t.Errorf("%d sends are settled as not delivered", n)
	}
}

// A page that could not do what it was asked for says so: an empty page would be taken for done.
func TestAFailureIsNoEmptyPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose("Hello Ada")
	path := "/messages/" + m.ID.String() + "/approval"
	form := s.get("/").form(t, path)
	for _, sql := range []string{
		`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not now''; END'`,
		`CREATE CONSTRAINT TRIGGER z_refuse AFTER INSERT ON sends DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`,
	} {
		if _, err := s.admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if p := s.post(path, form); p.Status != 500 || !strings.Contains(p.Body, "nothing of the request may have been done") {
		t.Errorf("%d %q", p.Status, p.Body)
	}
}
