package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

// to proposes a message to a person for a purpose. A purpose that is written in another way, with more spaces, is the same one.
func (s *server) to(slug, purpose, body string, headers ...string) answer {
	s.t.Helper()
	a := s.ask("POST", "/v1/messages", fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"https://www.linkedin.com/in/%s"},"body":%q,"purpose":%q}`,
		s.account, slug, body, purpose), append([]string{"Idempotency-Key: " + uuid.NewString()}, headers...)...)
	if a.Status != 201 {
		s.t.Fatalf("propose: %d %s", a.Status, a.Body)
	}
	return a
}

// asked reads what an approval without a yes is told, and checks that it changed nothing.
func (s *server) asked(m answer) answer {
	s.t.Helper()
	before := s.rows()
	a := s.ask("POST", "/v1/messages/"+m.text("id")+"/approval", yes(m))
	if after := s.rows(); a.Status == 409 && after != before {
		s.t.Errorf("a refusal changed the rows from %s to %s", before, after)
	}
	return a
}

func (s *server) approveWith(m answer, earlier ...string) answer {
	s.t.Helper()
	return s.ask("POST", "/v1/messages/"+m.text("id")+"/approval", yesTo(m, earlier...))
}

// What an earlier message to the same person asks of an approval, whatever became of it.
func TestSecondMessageNeedsAYes(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	for i, c := range []struct {
		name          string
		moves         []string
		sameText, why string // "" when nothing is asked
	}{
		{"queued", nil, "cooling_off_needs_yes", "cooling_off_needs_yes"},
		{"leased", []string{lease}, "cooling_off_needs_yes", "cooling_off_needs_yes"},
		{"started", []string{lease, start}, "repeat_needs_yes", "cooling_off_needs_yes"},
		{"unconfirmed", []string{lease, start, unconfirm}, "repeat_needs_yes", "cooling_off_needs_yes"},
		{"sent", []string{lease, start, confirm, sent}, "repeat_needs_yes", "cooling_off_needs_yes"},
		{"failed", []string{lease, start, prove, fail}, "", ""},
		{"canceled", []string{"UPDATE sends SET status = 'canceled', code = 'withdrawn' WHERE id = $1"}, "", ""},
	} {
		for _, second := range []struct{ purpose, body, code string }{
			{"First  contact", "Other words", c.why},
			{"follow-up", "Other words", ""},
			{"follow-up", "hello ADA", strings.ReplaceAll(c.sameText, "cooling_off_needs_yes", "")},
			{"FIRST   contact", "hello ADA", c.sameText},
		} {
			slug := fmt.Sprintf("ada-%d-%s", i, uuid.NewString()[:8])
			first := s.approve(s.to(slug, "first contact", "Hello Ada"))
			s.move(first.text("sends.0.id"), c.moves...)
			m := s.to(slug, second.purpose, second.body)
			a := s.asked(m)
			if a.text("code") != second.code || (a.Status == 409) != (second.code != "") {
				t.Errorf("%s, then %v: %d %s", c.name, second, a.Status, a.Body)
			}
			if second.code == "" {
				continue
			}
			if a.text("earlier.0.message_id") != first.text("id") || a.text("earlier.0.status") != c.name || a.text("earlier.0.at") == "" ||
				a.text("earlier.0.account") != "rita-recruiter" || a.text("earlier.0.purpose") != "first contact" || a.text("earlier.1.why") != "" {
				t.Errorf("%s, then %v, shown: %s", c.name, second, a.Body)
			}
			done := s.approveWith(m, first.text("id"))
			if done.Status != 200 || done.text("status") != "queued" || done.text("approval.yes_to.0") != first.text("id") ||
				(done.text("approval.repeat_approved") == "true") != (second.code == "repeat_needs_yes") {
				t.Errorf("%s, then %v, with a yes: %d %s", c.name, second, done.Status, done.Body)
			}
		}
	}
}

// A yes covers the message that it names: not a newer one, and no yes at all is not one.
func TestAYesIsToWhatWasShown(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	first := s.approve(s.to("ada-example", "first contact", "Hello Ada"))
	s.move(first.text("sends.0.id"), lease, start, confirm, sent)
	third := s.to("ada-example", "FIRST   contact", "A third")
	s.advance(time.Second)
	second := s.approve(s.to("ada-example", "First  contact", "Hello Ada"))
	for _, body := range []string{
		yes(third), yesTo(third, first.text("id")), yesTo(third, uuid.NewString()), strings.Replace(yes(third), "}", `,"repeat_approved":true}`, 1),
	} {
		a := s.ask("POST", "/v1/messages/"+third.text("id")+"/approval", body)
		if a.Status != 409 || a.text("code") != "cooling_off_needs_yes" || a.text("earlier.0.message_id") != second.text("id") {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
	// The text of the first is asked for beside the purpose of the second.
	both := s.to("ada-example", "FIRST    contact", "Hello Ada")
	a := s.asked(both)
	if a.text("code") != "repeat_needs_yes" || a.text("earlier.0.why") != "same_text" || a.text("earlier.0.message_id") != first.text("id") ||
		a.text("earlier.1.why") != "same_purpose" || a.text("earlier.1.message_id") != second.text("id") {
		t.Errorf("both: %d %s", a.Status, a.Body)
	}
	if half := s.approveWith(both, first.text("id")); half.Status != 409 {
		t.Errorf("a yes to one of two: %d %s", half.Status, half.Body)
	}
	if whole := s.approveWith(both, second.text("id"), first.text("id")); whole.Status != 200 || whole.text("approval.yes_to.1") != second.text("id") {
		t.Errorf("a yes to both: %d %s", whole.Status, whole.Body)
	}
}

// Inside the cool-off the purpose asks, the text always; a workspace sets how long that is.
func TestCoolOff(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	first := s.approve(s.to("ada-example", "first contact", "Hello Ada"))
	s.move(first.text("sends.0.id"), lease, start, confirm, sent)
	again, same := s.to("ada-example", "First  contact", "Hello again"), s.to("ada-example", "FIRST   contact", "Hello Ada")
	s.advance(30*24*time.Hour - time.Minute)
	if a := s.asked(again); a.text("code") != "cooling_off_needs_yes" {
		t.Errorf("on the last day: %d %s", a.Status, a.Body)
	}
	s.advance(2 * time.Minute)
	if a := s.asked(same); a.text("code") != "repeat_needs_yes" {
		t.Errorf("the same text later: %d %s", a.Status, a.Body)
	}
	if a := s.asked(again); a.Status != 200 {
		t.Errorf("another text later: %d %s", a.Status, a.Body)
	}
	if a := s.asked(s.to("ada-example", "First    contact", "Once more")); a.text("code") != "cooling_off_needs_yes" {
		t.Errorf("while one waits: %d %s", a.Status, a.Body)
	}
	if a := s.ask("PATCH", "/v1/workspace/policy", `{"cool_off_days":0}`, s.as("admin")); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := s.asked(s.to("ada-example", "First     contact", "One without a cool-off")); a.Status != 200 {
		t.Errorf("without a cool-off: %d %s", a.Status, a.Body)
	}
}

// What a machine will send again after a rate limit is about to go.
func TestARateLimitedMessageIsAboutToGo(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	first := s.approve(s.to("ada-example", "first contact", "Hello Ada"))
	s.move(first.text("sends.0.id"), lease, start, prove,
		"UPDATE sends SET status = 'failed', code = 'rate_limited', requeue_at = sendonce_now() + interval '1 hour' WHERE id = $1")
	if a := s.asked(s.to("ada-example", "First  contact", "Hello again")); a.text("code") != "cooling_off_needs_yes" ||
		a.text("earlier.0.message_id") != first.text("id") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// Two messages to one person approved at one moment: one is first, and the other is shown it.
func TestTwoApprovalsToOnePersonMeet(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for round := range 20 {
		slug := fmt.Sprintf("ada-%d", round)
		var told, done sync.Map
		var both sync.WaitGroup
		for i := range 3 {
			m := s.to(slug, "first"+strings.Repeat(" ", i+1)+"contact", fmt.Sprintf("Hello %d", i))
			both.Go(func() {
				a, err := s.try(t.Context(), "POST", "/v1/messages/"+m.text("id")+"/approval", yes(m))
				switch {
				case err == nil && a.Status == 200:
					done.Store(m.text("id"), true)
				case err == nil && a.text("code") == "cooling_off_needs_yes":
					told.Store(a.text("earlier.0.message_id"), true)
				default:
					t.Errorf("%d %s %v", a.Status, a.Body, err)
				}
			})
		}
		both.Wait()
		if n := s.count("SELECT count(*) FROM sends s JOIN person_identities i USING (person_id) WHERE i.value = $1", slug); n != 1 {
			t.Errorf("%d sends to one person, want 1", n)
		}
		told.Range(func(first, _ any) bool {
			if _, found := done.Load(first); !found {
				t.Errorf("the others were shown %v, which was not approved", first)
			}
			return true
		})
	}
	if deadlocks := s.count("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"); deadlocks != 0 {
		t.Errorf("%d deadlocks", deadlocks)
	}
}
