package app_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
)

// follow streams the feed of events from where it is now.
func (s *server) follow() *bufio.Scanner {
	s.Helper()
	ctx, stop := context.WithTimeout(s.Context(), heardWithin)
	s.Cleanup(stop)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/events?after=latest", nil)
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Accept", "text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = response.Body.Close() })
	lines := bufio.NewScanner(response.Body)
	if response.StatusCode != http.StatusOK || !lines.Scan() {
		s.Fatalf("follow: %s %v", response.Status, lines.Err())
	}
	return lines
}

// Goal: a stream at one server shows what another one wrote; a server that stops ends its streams in order, and waits for none.
func TestAStreamHearsOtherServersAndEndsWithItsOwn(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	one := m.serve(nil)
	one.enroll()
	two := m.serve(nil)
	lines := one.follow()
	two.ask("POST", "/v1/accounts/"+m.account+"/pause", map[string]any{})
	for !strings.Contains(lines.Text(), `"type":"account_paused"`) {
		if !lines.Scan() {
			t.Fatalf("the stream ended: %v", lines.Err())
		}
	}
	one.stop()
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream was cut off: %v", err)
	}
}
