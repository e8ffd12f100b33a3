package api_test

import (
	"fmt"
	"testing"
)

// disarm is what a server does that finds its database elsewhere.
func (s *server) disarm() {
	s.t.Helper()
	if _, err := s.admin.Exec(s.t.Context(), "INSERT INTO instance_events (what, code) VALUES ('disarmed', 'restored_or_copied')"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) arm(body string, headers ...string) answer {
	s.t.Helper()
	return s.ask("POST", "/v1/instance/arming", body, append([]string{s.as("admin")}, headers...)...)
}

// Arming is an admin's yes to what they were shown; browsers that have not said what they remember need one of their own.
func TestArming(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	waiting := s.approve(s.propose("Hello Ada"))
	if a := s.ask("GET", "/v1/instance", ""); a.Status != 200 || a.text("armed") != "true" || a.text("code") != "" || a.text("epoch") != "1" {
		t.Fatalf("armed: %d %s", a.Status, a.Body)
	}
	s.disarm()
	if a := s.ask("GET", "/v1/instance", ""); a.text("armed") != "false" || a.text("code") != "restored_or_copied" || a.text("text") == "" ||
		a.text("disarmed_at") == "" || a.text("installs.unreported") != "1" || a.text("history.0.what") != "disarmed" {
		t.Errorf("disarmed: %s", a.Body)
	}
	if a := s.ask("GET", "/v1/messages/"+waiting.text("id"), ""); a.text("sends.0.waiting_for") != "not_armed" {
		t.Errorf("what waits: %s", a.Body)
	}
	for role, want := range map[string]int{"recruiter": 403, "viewer": 403, "agent": 403} {
		if a := s.ask("POST", "/v1/instance/arming", `{"epoch":1,"accept_unseen":true}`, s.as(role)); a.Status != want {
			t.Errorf("as %s: %d %s", role, a.Status, a.Body)
		}
	}
	if a := s.arm(`{"epoch":1}`); a.Status != 409 || a.text("code") != "installs_unreported" || a.text("unreported") != "1" {
		t.Errorf("before the browser reported: %d %s", a.Status, a.Body)
	}
	if a := s.arm(`{"epoch":2,"accept_unseen":true}`); a.Status != 409 || a.text("code") != "world_moved" || a.text("epoch") != "1" {
		t.Errorf("for another epoch: %d %s", a.Status, a.Body)
	}
	if armed := s.count("SELECT count(*) FROM instance WHERE armed_at IS NOT NULL"); armed != 0 {
		t.Fatal("a refusal has armed it")
	}
	once := s.arm(`{"epoch":1,"accept_unseen":true}`, "Idempotency-Key: tap-1")
	if once.Status != 200 || once.text("armed") != "true" || once.text("epoch") != "2" || once.text("history.0.what") != "armed" ||
		once.text("history.0.by") != "admin" || once.text("history.0.accept_unseen") != "true" || once.text("history.0.unreported") != "1" {
		t.Errorf("armed: %d %s", once.Status, once.Body)
	}
	if again := s.arm(`{"epoch":1,"accept_unseen":true}`, "Idempotency-Key: tap-1"); again.Body != once.Body || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the same key again: %d %s", again.Status, again.Body)
	}
	if a := s.arm(`{"epoch":2}`); a.Status != 200 || a.text("epoch") != "2" {
		t.Errorf("armed already: %d %s", a.Status, a.Body)
	}
}

// The names of another workspace's people are not shown, and the database is one for both.
func TestArmingSeenByAnotherWorkspace(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.disarm()
	if a := s.arm(`{"epoch":1}`); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := s.ask("GET", "/v1/instance", "", s.as("stranger")); a.text("armed") != "true" || a.text("history.0.what") != "armed" || a.text("history.0.by") != "" {
		t.Errorf("%s", a.Body)
	}
}

// Of two yeses at one moment, on two servers, one arms and the other changes nothing.
func TestArmingAtOneMoment(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	twin := s.twin()
	twin.tokens = s.tokens
	for epoch := 1; epoch <= 5; epoch++ {
		s.disarm()
		answers := make(chan answer, 2)
		for _, one := range []*server{s, twin} {
			go func() {
				a, err := one.try(t.Context(), "POST", "/v1/instance/arming", fmt.Sprintf(`{"epoch":%d}`, epoch), one.as("admin"))
				if err != nil {
					t.Error(err)
				}
				answers <- a
			}()
		}
		for range 2 {
			if a := <-answers; a.Status != 200 && (a.Status != 409 || a.text("code") != "world_moved") {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
		if got := s.count("SELECT epoch FROM instance WHERE armed_at IS NOT NULL"); got != epoch+1 {
			t.Errorf("the epoch is %d after two yeses, want %d", got, epoch+1)
		}
	}
}
