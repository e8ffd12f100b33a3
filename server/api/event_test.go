package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
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

// reader is one stream of events.
type reader struct {
	t     *testing.T
	lines *bufio.Scanner
	close func()
}

func (s *server) stream(query string, headers ...string) *reader {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), comesWithin)
	s.t.Cleanup(stop)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/events?"+query, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Accept", "text/html;q=0.1, text/event-stream")
	request.Header.Set("Authorization", "Bearer "+s.tokens["agent"])
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); response.StatusCode != 200 || kind != "text/event-stream" {
		s.t.Fatalf("a stream: %d %s", response.StatusCode, kind)
	}
	return &reader{s.t, bufio.NewScanner(response.Body), func() { _ = response.Body.Close() }}
}

// next is the next event of the stream and its id; false at its end.
func (r *reader) next() (id string, event map[string]any, ok bool) {
	r.t.Helper()
	for r.lines.Scan() {
		name, value, _ := strings.Cut(r.lines.Text(), ": ")
		switch name {
		case "id":
			id = value
		case "data":
			if err := json.Unmarshal([]byte(value), &event); err != nil {
				r.t.Fatalf("%s: %v", value, err)
			}
			return id, event, true
		}
	}
	return "", nil, false
}

// place is where the stream says that its reader stands.
func (r *reader) place() string {
	r.t.Helper()
	for r.lines.Scan() {
		if name, value, _ := strings.Cut(r.lines.Text(), ": "); name == "id" {
			return value
		}
	}
	r.t.Fatal("the stream ended before it said where its reader stands")
	return ""
}

// Goal: a stream that began at the latest event and broke before the next is taken up where it began, not at a later one. Only a cursor
// counts as the last id.
func TestStreamThatBrokeBeforeItsFirstEvent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	quiet := s.stream("after=latest")
	place := quiet.place()
	quiet.close()
	s.rest()
	again := s.stream("after=latest", "Last-Event-ID: "+place)
	for _, want := range []string{"account_paused", "account_resumed"} {
		if _, event, ok := again.next(); !ok || event["type"] != want {
			t.Errorf("%v, want %s", event, want)
		}
	}
	for _, last := range []string{"latest", "7"} {
		a := s.ask("GET", "/v1/events", "", "Accept: text/event-stream", "Last-Event-ID: "+last)
		if a.Status != 400 || a.text("code") != "invalid_cursor" {
			t.Errorf("Last-Event-ID %s: %d %s", last, a.Status, a.Body)
		}
	}
}

// Goal: a stream shows what is there and what comes, shows that it lives, and is taken up again by its last cursor with nothing lost
// and nothing twice; it ends when the token is revoked and when the server stops.
func TestStreamOfEvents(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	from := s.latest()
	s.rest()
	first := s.stream("after=" + from)
	last, event, ok := first.next()
	if !ok || event["type"] != "account_paused" || event["cursor"] != last {
		t.Fatalf("what was there: %v", event)
	}
	first.close() // the connection drops
	s.rest()
	again := s.stream("after="+from, "Last-Event-ID: "+last)
	var got []string
	for range 3 {
		id, event, ok := again.next()
		if !ok || id == last {
			t.Fatalf("taken up again: %v", event)
		}
		got = append(got, fmt.Sprint(event["type"]))
	}
	if diff := cmp.Diff([]string{"account_resumed", "account_paused", "account_resumed"}, got); diff != "" {
		t.Error(diff)
	}
	beats := 0
	for beats < 2 && again.lines.Scan() {
		if strings.HasPrefix(again.lines.Text(), ":") {
			beats++
		}
	}
	if beats < 2 {
		t.Error("a quiet stream shows no sign of life")
	}
	s.rest()
	if _, event, ok := again.next(); !ok || event["type"] != "account_paused" {
		t.Errorf("what came: %v", event)
	}
	again.next()
	if _, err := s.admin.Exec(t.Context(), "UPDATE api_tokens SET revoked_at = sendonce_now() WHERE principal_id = (SELECT id FROM principals WHERE role = 'agent')"); err != nil {
		t.Fatal(err)
	}
	s.rest()
	if _, event, ok := again.next(); ok {
		t.Errorf("a revoked token is shown %v", event)
	}
	other := s.stream("after=latest", s.as("viewer"))
	eventually(t, "only one reads", func() bool { return s.feed.Readers() == 1 })
	s.feed.End()
	if _, event, ok := other.next(); ok {
		t.Errorf("after the end: %v", event)
	}
	eventually(t, "nobody reads", func() bool { return s.feed.Readers() == 0 })
}

// Goal: a reader that does not take in what it is sent is dropped, and its place is free.
func TestSlowReaderIsDropped(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const buffer, events = 4 << 10, 2000 // far more than the buffers between the two take in
	if _, err := s.admin.Exec(t.Context(), `INSERT INTO events (workspace_id, type, account_id)
		SELECT workspace_id, 'account_paused', id FROM accounts, generate_series(1, $1)`, events); err != nil {
		t.Fatal(err)
	}
	narrow := httptest.NewUnstartedServer(s.handler)
	narrow.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if err := c.(*net.TCPConn).SetWriteBuffer(buffer); err != nil {
			t.Error(err)
		}
		return ctx
	}
	narrow.Start()
	t.Cleanup(narrow.Close)
	conn, err := net.Dial("tcp", narrow.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.(*net.TCPConn).SetReadBuffer(buffer); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer %s\r\n\r\n", s.tokens["agent"])
	eventually(t, "it reads", func() bool { return s.feed.Readers() == 1 })
	eventually(t, "it was dropped", func() bool { return s.feed.Readers() == 0 })
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
