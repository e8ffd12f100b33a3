package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// failedTo is an approved message to a person of their own whose first send failed.
func (s *server) failedTo(slug, body string) (send string) {
	s.t.Helper()
	m := s.ask("POST", "/v1/messages", fmt.Sprintf(
		`{"account_id":%q,"person":{"linkedin":"https://www.linkedin.com/in/%s"},"body":%q,"purpose":"reason %s"}`, s.account, slug, body, uuid.NewString()))
	send = s.approve(m).text("sends.0.id")
	s.move(send, lease, start, prove, fail)
	return send
}

// done waits until a run of a collection ("retries" or "approvals") has ended.
func (s *server) done(collection, run string) answer {
	s.t.Helper()
	deadline := time.Now().Add(config.RequestWithin)
	for {
		a := s.ask("GET", "/v1/"+collection+"/"+run, "")
		if a.text("state") == "done" {
			return a
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the run does not end: %s", a.Body)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

const suppress = "UPDATE people SET suppressed_at = sendonce_now() WHERE id = (SELECT person_id FROM sends WHERE id = $1)"

// A preview says what would be sent again and why others would not; then exactly that is done, once, however often it is
// clicked.
func TestRetryAllIsShownFirst(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	for i := range 3 {
		s.failedTo(fmt.Sprintf("ada-%d", i), "Hello Ada")
	}
	s.move(s.failedTo("ben-sample", "Hello Ben"), suppress)
	s.failedTo("chloe-sample", "Hello Chloe")
	s.failedTo("chloe-sample", "Hello Chloe") // the second of two equal ones
	before := s.rows()
	preview := s.ask("POST", "/v1/retries", "{}")
	if preview.Status != 201 || preview.text("state") != "previewed" || preview.text("total") != "6" || preview.text("allowed") != "4" ||
		preview.text("refused.suppressed") != "1" || preview.text("refused.identical_waits") != "1" ||
		preview.Header.Get("Location") != "/v1/retries/"+preview.text("id") {
		t.Fatalf("preview: %d %s", preview.Status, preview.Body)
	}
	if after := s.rows(); after != before {
		t.Fatalf("the preview changed the rows from %s to %s", before, after)
	}
	path := "/v1/retries/" + preview.text("id")
	for range 3 {
		if a := s.ask("POST", path+"/start", "{}"); a.Status != 200 || a.text("state") == "previewed" {
			t.Errorf("start: %d %s", a.Status, a.Body)
		}
	}
	done := s.done("retries", preview.text("id"))
	if done.text("made") != "4" || done.text("handled") != "4" {
		t.Errorf("done: %s", done.Body)
	}
	if n := s.count("SELECT count(*) FROM sends WHERE ordinal = 2 AND status = 'queued'"); n != 4 {
		t.Errorf("%d sends follow, want 4", n)
	}
	if again := s.ask("POST", path+"/start", "{}"); again.Status != 200 || again.text("state") != "done" {
		t.Errorf("one more click: %d %s", again.Status, again.Body)
	}
	if n := s.count("SELECT count(*) FROM sends WHERE ordinal > 1"); n != 4 {
		t.Errorf("%d sends follow after one more click, want 4", n)
	}
	items := s.ask("GET", path+"/items?limit=200", "")
	for i := range 6 {
		at := fmt.Sprintf("items.%d.", i)
		if made := items.text(at+"next_send_id") != ""; made != (items.text(at+"verdict") == "") {
			t.Errorf("item %d: %s", i, items.Body)
		}
	}
}

// When the world has moved since the preview nothing is sent, and a new preview shows it as it is.
func TestRetryAllOfAWorldThatMoved(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	first := s.failedTo("ada-example", "Hello Ada")
	s.failedTo("ben-sample", "Hello Ben")
	preview := s.ask("POST", "/v1/retries", "{}")
	s.move(first, suppress)
	a := s.ask("POST", "/v1/retries/"+preview.text("id")+"/start", "{}")
	if a.Status != 409 || a.text("code") != "world_moved" || a.text("moved") != "1" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if n := s.count("SELECT count(*) FROM sends WHERE ordinal > 1"); n != 0 {
		t.Errorf("%d sends follow", n)
	}
	if next := s.ask("POST", "/v1/retries", "{}"); next.text("allowed") != "1" || next.text("refused.suppressed") != "1" {
		t.Errorf("the next preview: %s", next.Body)
	}
}

// Two people click "retry all" on two servers at one moment, each on a preview of their own and on each other's.
func TestRetryAllAtOneMoment(t *testing.T) {
	t.Parallel()
	const failed = 40
	s := newServer(t)
	s.addInstall()
	for i := range failed {
		s.failedTo(fmt.Sprintf("ada-%d", i), "Hello Ada")
	}
	servers := []*server{s, s.twin()}
	runs := []string{s.ask("POST", "/v1/retries", "{}").text("id"), s.ask("POST", "/v1/retries", "{}").text("id")}
	var clicks sync.WaitGroup
	for _, one := range servers {
		for _, run := range runs {
			clicks.Go(func() {
				a, err := one.try(t.Context(), "POST", "/v1/retries/"+run+"/start", "{}")
				if err != nil || a.Status != 200 && (a.Status != 409 || a.text("code") != "world_moved") {
					t.Errorf("%d %s %v", a.Status, a.Body, err)
				}
			})
		}
	}
	clicks.Wait()
	for _, run := range runs {
		if s.ask("GET", "/v1/retries/"+run, "").text("state") != "previewed" {
			s.done("retries", run)
		}
	}
	if n := s.count("SELECT count(*) FROM sends WHERE ordinal = 2"); n != failed {
		t.Errorf("%d sends follow, want %d", n, failed)
	}
	if n := s.count("SELECT count(*) FROM sends WHERE ordinal > 2"); n != 0 {
		t.Errorf("%d sends were retried twice", n)
	}
	if deadlocks := s.count("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"); deadlocks != 0 {
		t.Errorf("%d deadlocks", deadlocks)
	}
}

// A filter retries only what it names.
func TestRetryAllOfOneCode(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	s.failedTo("ada-example", "Hello Ada")
	for body, total := range map[string]string{
		`{"code":"not_attempted"}`: "1", `{"code":"refused_by_provider"}`: "0", fmt.Sprintf(`{"account_id":%q}`, s.account): "1",
	} {
		if a := s.ask("POST", "/v1/retries", body); a.Status != 201 || a.text("total") != total {
			t.Errorf("%s: %d %s, want %s", body, a.Status, a.Body, total)
		}
	}
	for _, nobody := range []string{"00000000-0000-4000-8000-000000000000", "00000000-0000-0000-0000-000000000000"} {
		if a := s.ask("POST", "/v1/retries", fmt.Sprintf(`{"account_id":%q}`, nobody)); a.Status != 404 {
			t.Errorf("another account: %d %s", a.Status, a.Body)
		}
	}
	for _, code := range []string{strings.Repeat("x", 65), `a\u0000b`} {
		if a := s.ask("POST", "/v1/retries", `{"code":"`+code+`"}`); a.Status != 422 || a.text("field") != "code" {
			t.Errorf("the code %s: %d %s", code, a.Status, a.Body)
		}
	}
	if a := s.ask("GET", "/v1/retries/"+s.ask("POST", "/v1/retries", "{}").text("id"), "", s.as("stranger")); a.Status != 404 {
		t.Errorf("another workspace: %d %s", a.Status, a.Body)
	}
}
