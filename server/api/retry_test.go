package api_test

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// failed is an approved message whose first send failed.
func (s *server) failed(body string) answer {
	s.t.Helper()
	m := s.approve(s.propose(body))
	s.move(m.text("sends.0.id"), lease, start, prove, fail)
	return m
}

func (s *server) retry(send string) answer {
	s.t.Helper()
	return s.ask("POST", "/v1/sends/"+send+"/retry", "{}")
}

// A retry is a new row after the one that failed; one that was canceled before it began is retried by its own id.
func TestRetryMakesTheNextSend(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	first := s.failed("Hello Ada").text("sends.0.id")
	woken := s.woken.count()
	second := s.retry(first)
	if second.Status != 201 || second.text("ordinal") != "2" || second.text("retry_of") != first || second.text("status") != "queued" ||
		second.Header.Get("Location") != "/v1/sends/"+second.text("id") {
		t.Fatalf("retry: %d %s %s", second.Status, second.Body, second.Header.Get("Location"))
	}
	if s.woken.count() != woken+1 {
		t.Error("the account was not woken for the new send")
	}
	if again := s.retry(first); again.Status != 409 || again.text("code") != "already_retried" || again.text("latest_send_id") != second.text("id") {
		t.Errorf("the same once more: %d %s", again.Status, again.Body)
	}
	s.move(second.text("id"), "UPDATE sends SET status = 'canceled', code = 'account_stopped' WHERE id = $1")
	third := s.retry(second.text("id"))
	if third.Status != 201 || third.text("ordinal") != "3" || third.text("retry_of") != second.text("id") {
		t.Errorf("retry of a canceled retry: %d %s", third.Status, third.Body)
	}
}

// A key makes one retry of many, however often it is sent.
func TestRetryUnderAKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	first := s.failed("Hello Ada").text("sends.0.id")
	path := "/v1/sends/" + first + "/retry"
	one := s.ask("POST", path, "{}", "Idempotency-Key: tap-1")
	two := s.ask("POST", path, "{}", "Idempotency-Key: tap-1")
	if one.Status != 201 || two.Status != 201 || one.Body != two.Body || two.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("%d %s, then %d %s", one.Status, one.Body, two.Status, two.Body)
	}
}

// Each reason for which nothing may follow has a code of its own, and changes nothing.
func TestRetryIsRefused(t *testing.T) {
	t.Parallel()
	const twin = "The same words"
	of := "(SELECT person_id FROM sends WHERE id = $1)"
	other := func(moves ...string) func(*server, answer) {
		return func(s *server, _ answer) {
			o := s.approve(s.propose(twin))
			s.move(o.text("sends.0.id"), moves...)
		}
	}
	for _, c := range []struct {
		code    string
		prepare func(s *server, m answer)
	}{
		{"content_changed", func(s *server, m answer) { s.ask("PATCH", "/v1/messages/"+m.text("id"), `{"body":"Other words"}`) }},
		{"withdrawn", func(s *server, m answer) { s.ask("POST", "/v1/messages/"+m.text("id")+"/withdrawal", "{}") }},
		{"approval_expired", func(s *server, _ answer) { s.advance(8 * 24 * time.Hour) }},
		{"suppressed", func(s *server, m answer) {
			s.move(m.text("sends.0.id"), "UPDATE people SET suppressed_at = sendonce_now() WHERE id = "+of)
		}},
		{"owned_by_colleague", func(s *server, m answer) {
			s.ask("PATCH", "/v1/people/"+m.personOf(), fmt.Sprintf(`{"owner_id":%q}`, s.me("admin")), s.as("admin"))
		}},
		{"replied", func(s *server, m answer) {
			s.move(m.text("sends.0.id"), "UPDATE people SET replied_at = sendonce_now() WHERE id = "+of)
		}},
		{"account_stopped", func(s *server, m answer) {
			s.move(m.text("sends.0.id"), "UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'status_403' WHERE id = (SELECT account_id FROM sends WHERE id = $1)")
		}},
		{"already_delivered", other(lease, start, confirm, sent)},
		{"may_have_reached", other(lease, start, unconfirm)},
		{"identical_waits", other()},
		{"approval_missing", func(s *server, m answer) { s.ask("POST", "/v1/messages/"+m.text("id")+"/revocation", "{}") }},
		{"sibling_exists", func(s *server, m answer) { s.move(m.text("sends.0.id"), confirm, sent) }},
	} {
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.addInstall()
			m := s.failed(twin)
			c.prepare(s, m)
			before := s.rows()
			if a := s.retry(m.text("sends.0.id")); a.Status != 409 || a.text("code") != c.code || a.text("detail") == "" {
				t.Errorf("%d %s", a.Status, a.Body)
			}
			if after := s.rows(); after != before {
				t.Errorf("the rows changed from %s to %s", before, after)
			}
		})
	}
}

// What has not ended is not retried, and what needs a look is looked at first.
func TestRetryOfWhatHasNotFailed(t *testing.T) {
	t.Parallel()
	for code, moves := range map[string][]string{
		"not_ended": {}, "not_ended ": {lease, start}, "needs_a_look": {lease, start, unconfirm}, "sibling_exists": {lease, start, confirm, sent},
	} {
		s := newServer(t)
		s.addInstall()
		m := s.approve(s.propose("Hello Ada"))
		s.move(m.text("sends.0.id"), moves...)
		if a := s.retry(m.text("sends.0.id")); a.Status != 409 || a.text("code")+" " != (code + " ")[:len(a.text("code"))+1] {
			t.Errorf("after %d moves: %d %s, want %s", len(moves), a.Status, a.Body, code)
		}
	}
	s := newServer(t)
	if a := s.retry("00000000-0000-4000-8000-000000000000"); a.Status != 404 {
		t.Errorf("a send that is not there: %d %s", a.Status, a.Body)
	}
}

// Many taps at one moment, on two servers, make one send; the others hear why not.
func TestRetriesAtOneMoment(t *testing.T) {
	t.Parallel()
	const rounds, taps = 10, 6
	s := newServer(t)
	s.addInstall()
	servers := []*server{s, s.twin()}
	for round := range rounds {
		send := s.failed(fmt.Sprintf("Hello %d", round)).text("sends.0.id")
		answers := make([]answer, taps)
		var group sync.WaitGroup
		for i := range taps {
			group.Go(func() {
				a, err := servers[i%2].try(t.Context(), "POST", "/v1/sends/"+send+"/retry", "{}")
				if err != nil {
					t.Error(err)
				}
				answers[i] = a
			})
		}
		group.Wait()
		made := 0
		for _, a := range answers {
			if a.Status == 201 {
				made++
			} else if a.Status != 409 || a.text("code") != "already_retried" {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
		if made != 1 {
			t.Errorf("round %d: %d retries were made", round, made)
		}
	}
	if deadlocks := s.count("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"); deadlocks != 0 {
		t.Errorf("%d deadlocks", deadlocks)
	}
}

// What the database refuses is never answered as done: whoever asked is told that it was not.
func TestAFailureIsNoSuccess(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	send := s.failed("Hello Ada").text("sends.0.id")
	for _, sql := range []string{
		`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not now''; END'`,
		`CREATE CONSTRAINT TRIGGER z_refuse AFTER INSERT ON sends DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`,
	} {
		if _, err := s.admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if a := s.retry(send); a.Status != 500 || a.text("code") != "internal" {
		t.Errorf("%d %q", a.Status, a.Body)
	}
}

// A retry changes the row that it follows in nothing, so its history says nothing of it.
func TestRetryLeavesNoFalseLine(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	send := s.failed("Hello Ada").text("sends.0.id")
	before := s.count("SELECT count(*) FROM send_events WHERE send_id = $1", send)
	if a := s.retry(send); a.Status != 201 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if after := s.count("SELECT count(*) FROM send_events WHERE send_id = $1", send); after != before {
		t.Errorf("%d lines of history, want %d", after, before)
	}
}
