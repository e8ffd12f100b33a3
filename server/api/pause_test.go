package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// What a pause holds says so on each of its queued rows, also on those that nobody looked at since; a resume takes it back.
func TestQueuedRowsSayThatTheyArePaused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	install := s.addInstall()
	m := s.approve(s.propose("Hello Ada"))
	waits := func(want string) {
		t.Helper()
		got := s.ask("GET", "/v1/messages/"+m.text("id"), "")
		if got.text("waiting_for") != want || got.text("sends.0.waiting_for") != want {
			t.Errorf("it waits for %q and %q, want %q", got.text("waiting_for"), got.text("sends.0.waiting_for"), want)
		}
	}
	waits("")
	for _, c := range []struct{ path, waits string }{
		{"/v1/installs/" + install, "install_paused"}, {"/v1/accounts/" + s.account, "account_paused"}, {"/v1/workspace", "workspace_paused"},
	} {
		a := s.ask("POST", c.path+"/pause", `{"note":"until Monday"}`)
		if a.Status != 200 || a.text("paused") != "true" || a.text("taken_back") != "0" || a.text("begun") != "0" || a.text("text") != "Paused." {
			t.Errorf("%s: %d %s", c.path, a.Status, a.Body)
		}
		waits(c.waits)
		woken := s.woken.count()
		if b := s.ask("POST", c.path+"/resume", "{}"); b.Status != 200 || b.text("paused") != "false" {
			t.Errorf("%s: %d %s", c.path, b.Status, b.Body)
		}
		if s.woken.count() != woken+1 {
			t.Errorf("%s: the resume woke nobody", c.path)
		}
		waits("")
	}
	if _, err := s.admin.Exec(t.Context(), "UPDATE pause_of_everything SET paused_at = sendonce_now()"); err != nil {
		t.Fatal(err)
	}
	waits("everything_paused")
}

// A row that once waited for something else says what holds it now, and nothing once that is over.
func TestAQueuedRowForgetsWhatItWaitedFor(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	m := s.approve(s.propose("Hello Ada"))
	s.move(m.text("sends.0.id"), "UPDATE sends SET waiting_for = 'account_paused' WHERE id = $1")
	if got := s.ask("GET", "/v1/messages/"+m.text("id"), "").text("waiting_for"); got != "" {
		t.Errorf("it waits for %q, which is over", got)
	}
}

// Who paused, since when and why is shown with the thing. A pause on top of it changes nothing of that.
func TestAPauseSaysWho(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	install := s.addInstall()
	for _, c := range []struct{ pause, show, at, by, note string }{
		{"/v1/installs/" + install, "/v1/installs", "items.0.paused_at", "items.0.paused_by", "items.0.pause_note"},
		{"/v1/accounts/" + s.account, "/v1/accounts/" + s.account, "paused_at", "paused_by", "pause_note"},
		{"/v1/workspace", "/v1/workspace", "paused.at", "paused.by", "paused.note"},
	} {
		for _, ask := range []struct{ as, note string }{{"recruiter", "on holiday"}, {"admin", "me too"}} {
			if a := s.ask("POST", c.pause+"/pause", fmt.Sprintf(`{"note":%q}`, ask.note), s.as(ask.as)); a.Status != 200 {
				t.Fatalf("%s: %d %s", c.pause, a.Status, a.Body)
			}
			if a := s.ask("GET", c.show, ""); a.text(c.at) == "" || a.text(c.by) != "recruiter" || a.text(c.note) != "on holiday" {
				t.Errorf("%s: %s", c.show, a.Body)
			}
		}
		s.ask("POST", c.pause+"/resume", "{}")
		if a := s.ask("GET", c.show, ""); a.text(c.at) != "" || a.text(c.by) != "" || a.text(c.note) != "" {
			t.Errorf("%s after the resume: %s", c.show, a.Body)
		}
	}
}

// A pause says what has begun, as often as it is asked; under one key it is one pause.
func TestAPauseSaysWhatHasBegun(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	id := s.approve(s.propose("Hello Ada")).text("sends.0.id")
	s.move(id, lease, `UPDATE account_slots SET send_id = $1`, start)
	for _, path := range []string{"/v1/accounts/" + s.account, "/v1/workspace"} {
		for range 2 {
			a := s.ask("POST", path+"/pause", "{}", "Idempotency-Key: tap-1")
			if a.Status != 200 || a.text("begun") != "1" || a.text("text") != "Paused. 1 send has begun and will end by itself." {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
	}
	if a := s.ask("POST", "/v1/accounts/"+s.account+"/pause", fmt.Sprintf(`{"note":%q}`, strings.Repeat("x", 301))); a.Status != 422 || a.text("field") != "note" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// A rate-limited send says whether a machine will try again, and what the breaker stopped says why until a person clears it.
func TestWhatARateLimitSays(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	id := s.approve(s.propose("Hello Ada")).text("sends.0.id")
	s.move(id, lease, start, prove, `UPDATE sends SET status = 'failed', code = 'rate_limited', requeue_at = sendonce_now() + interval '1 minute' WHERE id = $1`)
	said := func(want string) {
		t.Helper()
		if got := s.ask("GET", "/v1/sends/"+id, "").text("text"); !strings.Contains(got, "asked to slow down") || !strings.HasSuffix(got, want) {
			t.Errorf("it says %q, want %q at its end", got, want)
		}
	}
	said("It is tried again by itself, by a new send.")
	if at := s.ask("GET", "/v1/sends/"+id, "").text("requeue_at"); at == "" {
		t.Error("it does not say when")
	}
	s.move(id, `UPDATE sends SET requeue_at = NULL WHERE id = $1`)
	said("Retry it once the account works again.")
	s.move(id, `UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'burst_rate_limited' WHERE id = (SELECT account_id FROM sends WHERE id = $1)`)
	if a := s.retry(id); a.Status != 409 || a.text("code") != "breaker_tripped" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := s.ask("POST", "/v1/accounts/"+s.account+"/clear", "{}"); a.Status != 200 || a.text("stopped_at") != "" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := s.retry(id); a.Status != 201 || a.text("waiting_for") != "" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	said("LinkedIn asked to slow down before it took the message.")
}
