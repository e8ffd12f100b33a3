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

	"github.com/google/go-cmp/cmp"
)

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
	for ends := false; !ends; { // an older transaction may have held events back until now
		_, _, more := other.next()
		ends = !more
	}
	if err := other.lines.Err(); err != nil {
		t.Errorf("the server did not end it: %v", err)
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
