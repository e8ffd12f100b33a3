package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/postgres"
	"sendonce/server/send"
)

// sweep settles what time has overtaken of the messages, and returns how many have expired.
func (s *server) sweep() int {
	s.t.Helper()
	store, err := postgres.Open(s.t.Context(), s.database.ServerURL)
	if err != nil {
		s.t.Fatal(err)
	}
	defer store.Close()
	ids, err := store.LapsedMessages(s.t.Context(), 100)
	if err != nil {
		s.t.Fatal(err)
	}
	count := 0
	for _, id := range ids {
		expired, err := store.Lapse(s.t.Context(), id, send.DecideLapse)
		if err != nil {
			s.t.Fatal(err)
		}
		if expired {
			count++
		}
	}
	return count
}

func (s *server) proposeUntil(body string, before time.Duration) answer {
	s.t.Helper()
	var now time.Time
	if err := s.admin.QueryRow(s.t.Context(), "SELECT sendonce_now()").Scan(&now); err != nil {
		s.t.Fatal(err)
	}
	m := s.propose(body)
	a := s.ask("PATCH", "/v1/messages/"+m.text("id"), fmt.Sprintf(`{"send_before":%q}`, now.Add(before).Format(time.RFC3339Nano)))
	if a.Status != 200 {
		s.t.Fatalf("a window: %d %s", a.Status, a.Body)
	}
	return a
}

// Goal: a message whose approval ran out, or whose window closed, before anything began is expired, says why, and can be
// approved anew as far as its window lets it; what began, was closed or was sent is not touched.
func TestMessagesExpire(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	const week = 7 * 24 * time.Hour
	approvalEnds := s.approve(s.propose("approved, and nobody took it"))
	windowCloses := s.approve(s.proposeUntil("approved, with a window", time.Hour))
	neverApproved := s.proposeUntil("never approved, with a window", time.Hour)
	leased := s.approve(s.proposeUntil("leased, with a window", time.Hour))
	unconfirmed := s.approve(s.proposeUntil("unconfirmed, with a window", time.Hour))
	reached := s.approve(s.proposeUntil("sent, with a window", time.Hour))
	closed := s.proposeUntil("closed, with a window", time.Hour)
	noWindow := s.propose("never approved, without a window")
	s.move(leased.text("sends.0.id"), lease)
	s.move(unconfirmed.text("sends.0.id"), lease, start, unconfirm)
	s.move(reached.text("sends.0.id"), lease, start, confirm, sent)
	s.ask("POST", "/v1/messages/"+closed.text("id")+"/closing", done)

	s.advance(time.Hour - time.Minute)
	if n := s.sweep(); n != 0 {
		t.Errorf("%d expired before their time", n)
	}
	s.advance(2 * time.Minute)
	if n := s.sweep(); n != 3 {
		t.Errorf("%d expired at the end of their window, want 3", n)
	}
	now := func(m answer) answer { return s.ask("GET", "/v1/messages/"+m.text("id"), "") }
	for name, m := range map[string]answer{"approved": windowCloses, "leased": leased, "never approved": neverApproved} {
		if a := now(m); a.text("authority") != "expired" || a.text("approval") != "" || m.text("sends.0.id") != "" &&
			(a.text("sends.0.status") != "canceled" || a.text("sends.0.code") != "window_closed" || !strings.Contains(a.Body, `"reason":"window_closed"`)) {
			t.Errorf("%s: %s", name, a.Body)
		}
	}
	if a := s.approve(now(windowCloses)); a.Status != 409 || a.text("code") != "window_closed" {
		t.Errorf("approved after its window: %d %s", a.Status, a.Body)
	}
	wider := s.ask("PATCH", "/v1/messages/"+windowCloses.text("id"), `{"send_before":null}`)
	if a := s.approve(wider); wider.text("authority") != "proposed" || a.text("authority") != "approved" || a.text("status") != "queued" {
		t.Errorf("with another window: %d %s", a.Status, a.Body)
	}
	for want, m := range map[string]answer{"unconfirmed": unconfirmed, "sent": reached} {
		if a := now(m); a.text("authority") != "approved" || a.text("status") != want || a.text("approval") == "" {
			t.Errorf("%s: %s", want, a.Body)
		}
	}
	if a := now(closed); a.text("authority") != "proposed" {
		t.Errorf("closed: %s", a.Body)
	}
	s.requireApprovalLapses(week, approvalEnds, noWindow)
	// What was unconfirmed at its end and has failed since waits for a person as the others do.
	s.move(unconfirmed.text("sends.0.id"), prove, fail)
	s.advance(2 * time.Hour)
	s.sweep()
	if a := now(unconfirmed); a.text("authority") != "expired" || a.text("status") != "failed" {
		t.Errorf("failed after its end: %s", a.Body)
	}
}

// requireApprovalLapses lets an approval run out and gives it anew.
func (s *server) requireApprovalLapses(after time.Duration, m, untouched answer) {
	s.t.Helper()
	s.advance(after)
	s.sweep()
	expired := s.ask("GET", "/v1/messages?authority=expired&limit=200", "").Body
	if !strings.Contains(expired, m.text("id")) || strings.Contains(expired, untouched.text("id")) {
		s.t.Errorf("the list of expired messages: %s", expired)
	}
	again := s.approve(m)
	if again.text("authority") != "approved" || again.text("sends.0.code") != "approval_expired" || again.text("sends.1.status") != "queued" {
		s.t.Errorf("approved anew: %d %s", again.Status, again.Body)
	}
	if n := s.sweep(); n != 0 {
		s.t.Errorf("%d expired though they were approved anew", n)
	}
}

// Goal: of a sweep and a person who approves at one moment one comes first, and nothing goes out on an approval that ended.
func TestExpiryMeetsApproval(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.approve(s.proposeUntil("Hello Ada", time.Hour))
	s.advance(2 * time.Hour)
	if a := s.approve(m); a.Status != 200 || a.text("status") != "queued" || a.text("sends.1.id") != "" {
		t.Errorf("before the sweep has come: %d %s", a.Status, a.Body)
	}
	if n := s.sweep(); n != 1 {
		t.Errorf("%d expired, want 1", n)
	}
	if n := s.count("SELECT count(*) FROM messages WHERE lapses_at IS NOT NULL AND id = $1", uuid.MustParse(m.text("id"))); n != 0 {
		t.Error("the sweep will look at it for ever")
	}
}
