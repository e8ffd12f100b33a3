package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sendonce/server/config"
)

// comesWithin bounds one wait of these tests, with a busy machine in mind.
const comesWithin = 20 * time.Second

// types lists the types of a page's events.
func types(a answer) []string {
	a.t.Helper()
	var types []string
	for i := 0; a.text(fmt.Sprintf("items.%d.id", i)) != ""; i++ {
		types = append(types, a.text(fmt.Sprintf("items.%d.type", i)))
	}
	return types
}

// rest makes two events: account_paused and account_resumed.
func (s *server) rest() {
	s.t.Helper()
	for _, doing := range []string{"pause", "resume"} {
		if a := s.ask("POST", "/v1/accounts/"+s.account+"/"+doing, "{}"); a.Status != 200 {
			s.t.Fatalf("%s: %d %s", doing, a.Status, a.Body)
		}
	}
}

// latest is the cursor of the last event, once it can be read.
func (s *server) latest() string {
	s.t.Helper()
	a := s.ask("GET", "/v1/events?after=latest", "")
	if a.Status != 200 || len(types(a)) > 0 {
		s.t.Fatalf("latest: %d %s", a.Status, a.Body)
	}
	return a.text("next_cursor")
}

// await asks for events as a reader that waits.
func (s *server) await(query string, headers ...string) answer {
	s.t.Helper()
	return s.ask("GET", "/v1/events?wait=20&"+query, "", headers...)
}

// eventually calls again and again, up to the bound.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(comesWithin); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", comesWithin, what)
		}
	}
}

// Goal: whoever may read follows a message from its proposal on, page by page, and learns that a person is asked; another
// workspace sees nothing of it.
func TestFollowingAMessage(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	from := s.latest()
	m := s.approve(s.propose("A text that no event holds"))
	want := []string{"authority", "approval_requested", "approved", "authority", "send"}
	for _, role := range []string{"admin", "recruiter", "viewer", "agent"} {
		var got []string
		after := from
		for len(got) < len(want) {
			page := s.await("limit=2&after="+after, s.as(role))
			if page.Status != 200 || len(types(page)) == 0 {
				t.Fatalf("as %s: %d %s", role, page.Status, page.Body)
			}
			if strings.Contains(page.Body, "no event holds") || page.text("items.0.message_id") != m.text("id") || page.text("items.0.account_id") != s.account {
				t.Errorf("as %s: %s", role, page.Body)
			}
			got, after = append(got, types(page)...), page.text("next_cursor")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("as %s: %s", role, diff)
		}
	}
	if a := s.ask("GET", "/v1/events", "", s.as("stranger")); a.Status != 200 || len(types(a)) > 0 {
		t.Errorf("another workspace: %d %s", a.Status, a.Body)
	}
	first := s.await("limit=1&after=" + from)
	if again := s.await("limit=1&after=" + from); again.Body != first.Body {
		t.Errorf("read again: %s, then %s", first.Body, again.Body)
	}
	if a := s.await("limit=1&after=" + first.text("items.0.cursor")); a.text("items.0.type") != "approval_requested" ||
		a.text("items.0.version") != "1" || a.text("items.0.principal") != "recruiter" || a.text("items.0.person_id") == "" {
		t.Errorf("what is asked of a person: %s", a.Body)
	}
}

// Goal: what is no good is refused by name, and a cursor from which the feed cannot go on with 410 and what to do.
func TestRefusalsOfTheFeed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.rest()
	mine := s.await("limit=1").text("next_cursor")
	const stream = "Accept: text/event-stream"
	for _, c := range []struct {
		query, header string
		status        int
		code, field   string
	}{
		{"after=x", "", 400, "invalid_cursor", ""},
		{"after=" + mine + "A", "", 400, "invalid_cursor", ""},
		{"after=" + mine[1:], "", 400, "invalid_cursor", ""},
		{"after=Latest", "", 400, "invalid_cursor", ""},
		{"after=" + mine, s.as("stranger"), 410, "cursor_of_another_history", ""},
		{"limit=0", "", 422, "invalid_field", "limit"},
		{"limit=201", "", 422, "invalid_field", "limit"},
		{"limit=ten", "", 422, "invalid_field", "limit"},
		{"wait=31", "", 422, "invalid_field", "wait"},
		{"wait=-1", "", 422, "invalid_field", "wait"},
		{"wait=1.5", "", 422, "invalid_field", "wait"},
		{"wait=5", stream, 422, "invalid_field", "wait"},
		{"limit=5", stream, 422, "invalid_field", "limit"},
		{"after=x", stream, 400, "invalid_cursor", ""},
		{"", "Authorization: ", 401, "unauthenticated", ""},
		{"", "Authorization: Bearer so_unknown", 401, "unauthenticated", ""},
	} {
		a := s.ask("GET", "/v1/events?"+c.query, "", c.header)
		if a.Status != c.status || a.text("code") != c.code || a.text("field") != c.field {
			t.Errorf("%s %s: %d %s", c.query, c.header, a.Status, a.Body)
		}
	}
	if a := s.ask("POST", "/v1/events", "{}"); a.Status != 405 {
		t.Errorf("POST: %d %s", a.Status, a.Body)
	}
	s.disarm()
	s.arm(`{"epoch":1,"accept_unseen":true}`)
	if a := s.ask("GET", "/v1/events?after="+mine, ""); a.Status != 410 || a.text("code") != "cursor_of_another_history" || !strings.Contains(a.Body, "after=latest") {
		t.Errorf("after an arming: %d %s", a.Status, a.Body)
	}
}

// Goal: a reader that waits is answered as soon as something is there, not when its time is over; only so many may wait, and a
// token that was revoked meanwhile is told nothing.
func TestWaitingForEvents(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	after := s.latest()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	answers := make(chan answer, config.EventReadersPerPrincipal)
	wait := func(headers ...string) {
		path := "/v1/events?wait=30&after=" + after
		go func() {
			if a, err := s.try(ctx, "GET", path, "", headers...); err == nil {
				answers <- a
			}
		}()
	}
	for range config.EventReadersPerPrincipal {
		wait(s.as("agent"))
	}
	eventually(t, "all wait", func() bool { return s.feed.Readers() == config.EventReadersPerPrincipal })
	if a := s.await("after="+after, s.as("agent")); a.Status != 429 || a.text("code") != "too_many_readers" {
		t.Errorf("one too many: %d %s", a.Status, a.Body)
	}
	if a := s.ask("GET", "/v1/events?after="+after, "", s.as("agent")); a.Status != 200 {
		t.Errorf("one that does not wait: %d %s", a.Status, a.Body)
	}
	begun := time.Now()
	s.rest()
	for range config.EventReadersPerPrincipal {
		if a := <-answers; a.Status != 200 || a.text("items.0.type") != "account_paused" {
			t.Errorf("who waited: %d %s", a.Status, a.Body)
		}
	}
	if took := time.Since(begun); took > comesWithin {
		t.Errorf("it took %s", took)
	}
	after = s.latest()
	wait(s.as("viewer"))
	eventually(t, "the viewer waits", func() bool { return s.feed.Readers() == 1 })
	if _, err := s.admin.Exec(ctx, "UPDATE api_tokens SET revoked_at = sendonce_now() WHERE principal_id = (SELECT id FROM principals WHERE role = 'viewer')"); err != nil {
		t.Fatal(err)
	}
	s.rest()
	if a := <-answers; a.Status != 401 || strings.Contains(a.Body, "account_paused") {
		t.Errorf("a revoked token: %d %s", a.Status, a.Body)
	}
	after = s.latest()
	wait()
	eventually(t, "one waits", func() bool { return s.feed.Readers() == 1 })
	s.feed.End()
	if a := <-answers; a.Status != 200 || a.text("next_cursor") != after {
		t.Errorf("when the server stops: %d %s", a.Status, a.Body)
	}
}

// Goal: a completion notice that is lost on its way changes nothing of its message, and is there again, the same, for whoever goes
// on from the cursor before it; one that arrives twice is known by its id.
func TestDroppedCompletionNotice(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	m := s.approve(s.propose("Hello Ada"))
	before := s.await("limit=200").text("next_cursor")
	s.move(m.text("sends.0.id"), lease, start, confirm, sent)
	receipt := func() string { return s.ask("GET", "/v1/messages/"+m.text("id"), "").Body }
	rows := func() string {
		return s.rows() + fmt.Sprint(s.count("SELECT count(*) FROM events"), s.count("SELECT count(*) FROM send_events"))
	}
	had, then := receipt(), rows()

	// The notice is on its way when the reader's connection breaks: it never learns of it.
	var lost map[string]any
	for dropped := s.stream("after=" + before); lost["type"] != "completed"; {
		if _, lost, _ = dropped.next(); lost == nil {
			t.Fatal("no completion notice came")
		}
	}
	if now := receipt(); now != had {
		t.Errorf("the message was %s, is %s", had, now)
	}
	for range 2 {
		var got map[string]any
		for again := s.stream("after=" + before); got["type"] != "completed"; {
			if _, got, _ = again.next(); got == nil {
				t.Fatal("the notice did not come again")
			}
		}
		if diff := cmp.Diff(lost, got); diff != "" {
			t.Errorf("the notice came back as another: %s", diff)
		}
	}
	if lost["to"] != "sent" || lost["message_id"] != m.text("id") || lost["send_id"] != m.text("sends.0.id") {
		t.Errorf("the notice: %v", lost)
	}
	if now := receipt(); now != had || rows() != then {
		t.Errorf("reading it changed something: %s, then %s", then, rows())
	}
	if _, err := s.admin.Exec(t.Context(), "DELETE FROM events"); err != nil {
		t.Fatal(err)
	}
	if now := receipt(); now != had {
		t.Errorf("without the notice the message was %s, is %s", had, now)
	}
}
