package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	gone  = "UPDATE sends SET gone_at = sendonce_now() WHERE id = $1"
	grace = 10*time.Minute + 6*time.Minute // after the deadline of the start by hand
	day   = 24*time.Hour + 6*time.Minute
)

// unconfirmed is an approved message whose send needs a look.
func (s *server) unconfirmed(body string, moves ...string) (send string) {
	s.t.Helper()
	m := s.approve(s.propose(body))
	s.move(m.text("sends.0.id"), append([]string{lease, start, unconfirm}, moves...)...)
	return m.text("sends.0.id")
}

func (s *server) resolve(send, outcome, note string, more ...string) answer {
	s.t.Helper()
	return s.ask("POST", "/v1/sends/"+send+"/resolution", resolution(outcome, note, more...))
}

func resolution(outcome, note string, more ...string) string {
	return fmt.Sprintf(`{"outcome":%q,"note":%q%s}`, outcome, note, strings.Join(more, ""))
}

// "It was delivered" is evidence by whoever says it, at any time.
func TestResolvedAsDelivered(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	send := s.unconfirmed("Hello Ada")
	a := s.resolve(send, "delivered", "It stands in the thread")
	if a.Status != 200 || a.text("status") != "sent" || a.text("code") != "resolved_delivered" || a.text("instruction") != "" ||
		a.text("evidence.said.0.kind") != "resolution" || a.text("evidence.said.0.note") != "It stands in the thread" ||
		a.text("evidence.said.0.by") == "" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if again := s.retry(send); again.text("code") != "sibling_exists" {
		t.Errorf("a retry of it: %d %s", again.Status, again.Body)
	}
}

// "It was not delivered" counts only after the quiet time: a grace after the deadline, or after the tab of the attempt was
// gone when that was later; else a day and an explicit yes.
func TestResolvedAsNotDelivered(t *testing.T) {
	t.Parallel()
	const accept = `,"accept_unseen":true`
	type try struct {
		after time.Duration
		more  string
		code  string // "" is taken
	}
	s := newServer(t)
	s.addInstall()
	for _, c := range []struct {
		name  string
		awake time.Duration // until the tab is gone; negative when it never is
		tries []try
	}{
		{"tab gone", 0, []try{{0, "", "too_early"}, {0, accept, "too_early"}, {grace, "", ""}}},
		{"tab gone late", grace, []try{{0, "", "too_early"}, {0, accept, "too_early"}, {10 * time.Minute, "", ""}}},
		{"tab gone a day later", day, []try{{0, "", "browser_not_seen"}, {0, accept, ""}}},
		{"tab not gone", -1, []try{{grace, "", "too_early"}, {0, accept, "too_early"}, {day, "", "browser_not_seen"}, {0, accept, ""}}},
	} {
		send := s.unconfirmed("Hello Ada, " + c.name)
		if c.awake >= 0 {
			s.advance(c.awake)
			s.move(send, gone)
		}
		for i, try := range c.tries {
			s.advance(try.after)
			a := s.resolve(send, "not_delivered", "The thread is empty", try.more)
			if try.code == "" {
				if a.Status != 200 || a.text("status") != "failed" || a.text("code") != "resolved_not_delivered" {
					t.Errorf("%s, try %d: %d %s", c.name, i, a.Status, a.Body)
				}
				continue
			}
			if a.Status != 409 || a.text("code") != try.code || try.code == "too_early" && a.text("not_before") == "" {
				t.Errorf("%s, try %d: %d %s, want %s", c.name, i, a.Status, a.Body, try.code)
			}
		}
		if next := s.retry(send); next.Status != 201 {
			t.Errorf("%s, a retry afterwards: %d %s", c.name, next.Status, next.Body)
		}
	}
}

// Only an unconfirmed send is settled by a person, who must say what they saw.
func TestResolutionIsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	begun := s.approve(s.propose("Hello Ada")).text("sends.0.id")
	if a := s.resolve(begun, "delivered", "I think so"); a.Status != 409 || a.text("code") != "not_unconfirmed" {
		t.Errorf("a queued send: %d %s", a.Status, a.Body)
	}
	s.move(begun, lease, start)
	if a := s.resolve(begun, "delivered", "I think so"); a.Status != 409 || a.text("code") != "not_unconfirmed" {
		t.Errorf("a started send: %d %s", a.Status, a.Body)
	}
	s.move(begun, unconfirm, gone)
	s.advance(grace)
	for body, field := range map[string]string{
		`{"outcome":"perhaps","note":"x"}`:                         "outcome",
		`{"outcome":"delivered","note":"a\u0000b"}`:                "note",
		resolution("not_delivered", " "):                           "note",
		resolution("delivered", strings.Repeat("x", 2001)):         "note",
		`{"outcome":"delivered","note":"x","accepts_unseen":true}`: "accepts_unseen",
	} {
		if a := s.ask("POST", "/v1/sends/"+begun+"/resolution", body); a.Status != 422 || a.text("field") != field {
			t.Errorf("%.60s: %d %s", body, a.Status, a.Body)
		}
	}
	s.move(begun, confirm, sent)
	// A browser sends each line end as two characters.
	long := s.unconfirmed("Hello again")
	if a := s.resolve(long, "delivered", strings.Repeat("x\r\n", 999)+"x"); a.Status != 200 {
		t.Errorf("a note that just fits: %d %s", a.Status, a.Body)
	}
	if a := s.resolve(begun, "not_delivered", "Nothing"); a.Status != 409 || a.text("code") != "already_settled" {
		t.Errorf("what evidence has settled: %d %s", a.Status, a.Body)
	}
}

// Of two opposite answers at one moment the first wins, and the second hears the first's words.
func TestOppositeResolutionsAtOneMoment(t *testing.T) {
	t.Parallel()
	const rounds = 10
	s := newServer(t)
	s.addInstall()
	servers := []*server{s, s.twin()}
	for round := range rounds {
		send := s.unconfirmed(fmt.Sprintf("Hello %d", round), gone)
		s.advance(grace)
		outcomes, notes := []string{"delivered", "not_delivered"}, []string{"It stands there", "Nothing stands there"}
		var answers [2]answer
		var group sync.WaitGroup
		for i := range answers {
			group.Go(func() {
				a, err := servers[i].try(t.Context(), "POST", "/v1/sends/"+send+"/resolution", resolution(outcomes[i], notes[i]))
				if err != nil {
					t.Error(err)
				}
				answers[i] = a
			})
		}
		group.Wait()
		won := 0
		if answers[1].Status == 200 {
			won = 1
		}
		lost := answers[1-won]
		if answers[won].Status != 200 || lost.Status != 409 || lost.text("code") != "already_settled" || lost.text("note") != notes[won] {
			t.Errorf("%d %s, and %d %s", answers[won].Status, answers[won].Body, lost.Status, lost.Body)
		}
	}
}

// Late evidence wins over what a person said, and calls off the retry that waits.
func TestEvidenceAfterAResolution(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	send := s.unconfirmed("Hello Ada", gone)
	s.advance(grace)
	if a := s.resolve(send, "not_delivered", "Nothing stands there"); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := s.retry(send); a.Status != 201 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	s.move(send, confirm, sent)
	m := s.ask("GET", "/v1/messages/"+s.ask("GET", "/v1/sends/"+send, "").text("message_id"), "")
	if m.text("status") != "sent" || m.text("sends.0.code") != "confirmed" || m.text("sends.1.status") != "canceled" {
		t.Errorf("%s", m.Body)
	}
}
