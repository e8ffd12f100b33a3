package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

// to proposes a message to a person for a purpose.
func (s *server) to(slug, purpose, body string, headers ...string) answer {
	s.t.Helper()
	return s.proposeFor(slug, purpose, body, "null", headers...)
}

// next proposes a message that follows the send of an earlier one.
func (s *server) next(earlier answer, slug, purpose, body string, headers ...string) answer {
	s.t.Helper()
	return s.proposeFor(slug, purpose, body, following(earlier.text("sends.0.id"), "they asked"), headers...)
}

func (s *server) proposeFor(slug, purpose, body, follows string, headers ...string) answer {
	s.t.Helper()
	a := s.ask("POST", "/v1/messages", fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"https://www.linkedin.com/in/%s"},"body":%q,"purpose":%q,"follows":%s}`,
		s.account, slug, body, purpose, follows), append([]string{"Idempotency-Key: " + uuid.NewString()}, headers...)...)
	if a.Status != http.StatusCreated {
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

// What an earlier message to the same person asks of an approval, whatever became of it. A purpose that is written in another way
// is the same one: a second message for it is proposed only after the end of the first.
func TestSecondMessageNeedsAYes(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	const repeat, cooling = "repeat_needs_yes", "cooling_off_needs_yes"
	for i, c := range []struct {
		name            string
		moves           []string
		sameText, again string // what is asked when the text, and when the purpose is the same; "" for nothing
		ended           bool
	}{
		{"queued", nil, "", "", false},
		{"leased", []string{lease}, "", "", false},
		{"started", []string{lease, start}, repeat, "", false},
		{"unconfirmed", []string{lease, start, unconfirm}, repeat, "", false},
		{"sent", []string{lease, start, confirm, sent}, repeat, cooling, true},
		{"failed", []string{lease, start, prove, fail}, "", "", true},
		{"canceled", []string{"UPDATE sends SET status = 'canceled', code = 'withdrawn' WHERE id = $1"}, "", "", true},
	} {
		for _, second := range []struct{ purpose, body, code string }{
			{"follow-up", "Other words", ""},
			{"follow-up", "hello ADA", c.sameText},
			{"First  contact", "Other words", c.again},
			{"FIRST contact", "hello ADA", c.sameText},
		} {
			if !c.ended && second.purpose != "follow-up" {
				continue
			}
			slug := fmt.Sprintf("ada-%d-%s", i, uuid.NewString()[:8])
			first := s.approve(s.to(slug, "first contact", "Hello Ada"))
			s.move(first.text("sends.0.id"), c.moves...)
			var m answer
			if c.ended {
				m = s.next(first, slug, second.purpose, second.body)
			} else {
				m = s.to(slug, second.purpose, second.body)
			}
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
				(done.text("approval.repeat_approved") == "true") != (second.code == repeat) {
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
	third := s.to("ada-example", "thanks", "Hello Ada")
	if a := s.asked(third); a.text("earlier.0.message_id") != first.text("id") {
		t.Fatalf("it is not shown the first: %d %s", a.Status, a.Body)
	}
	s.advance(time.Second)
	second := s.approve(s.to("ada-example", "follow-up", "hello ada"))
	s.move(second.text("sends.0.id"), lease, start, confirm, sent)
	for _, body := range []string{
		yes(third), yesTo(third, first.text("id")), yesTo(third, uuid.NewString()), strings.Replace(yes(third), "}", `,"repeat_approved":true}`, 1),
	} {
		a := s.ask("POST", "/v1/messages/"+third.text("id")+"/approval", body)
		if a.Status != 409 || a.text("code") != "repeat_needs_yes" || a.text("earlier.0.message_id") != second.text("id") {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
	// The text of the second is asked for beside the purpose of the first.
	both := s.next(first, "ada-example", "FIRST    contact", "Hello Ada")
	a := s.asked(both)
	if a.text("code") != "repeat_needs_yes" || a.text("earlier.0.why") != "same_text" || a.text("earlier.0.message_id") != second.text("id") ||
		a.text("earlier.1.why") != "same_purpose" || a.text("earlier.1.message_id") != first.text("id") {
		t.Errorf("both: %d %s", a.Status, a.Body)
	}
	if half := s.approveWith(both, second.text("id")); half.Status != 409 {
		t.Errorf("a yes to one of two: %d %s", half.Status, half.Body)
	}
	if whole := s.approveWith(both, first.text("id"), second.text("id")); whole.Status != 200 || whole.text("approval.yes_to.1") != first.text("id") {
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
	again, same := s.next(first, "ada-example", "First  contact", "Hello again"), s.to("ada-example", "follow-up", "Hello Ada")
	s.advance(30*24*time.Hour - time.Minute)
	if a := s.asked(again); a.text("code") != "cooling_off_needs_yes" {
		t.Errorf("on the last day: %d %s", a.Status, a.Body)
	}
	s.advance(2 * time.Minute)
	if a := s.asked(same); a.text("code") != "repeat_needs_yes" {
		t.Errorf("the same text later: %d %s", a.Status, a.Body)
	}
	again = s.asked(again)
	if again.Status != 200 {
		t.Fatalf("another text later: %d %s", again.Status, again.Body)
	}
	s.move(again.text("sends.0.id"), lease, start, confirm, sent)
	more := s.next(again, "ada-example", "FIRST CONTACT", "Once more")
	if a := s.asked(more); a.text("code") != "cooling_off_needs_yes" {
		t.Errorf("after the second: %d %s", a.Status, a.Body)
	}
	if a := s.ask("PATCH", "/v1/workspace/policy", `{"cool_off_days":0}`, s.as("admin")); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	if a := s.asked(more); a.Status != 200 {
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
	if a := s.asked(s.next(first, "ada-example", "First  contact", "Hello again")); a.text("code") != "cooling_off_needs_yes" ||
		a.text("earlier.0.message_id") != first.text("id") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// Messages to one person for one purpose that were proposed one after the other, each when the one before had expired, and are
// approved at one moment: one is first, and the others hear of it.
func TestTwoApprovalsToOnePersonMeet(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for round := range 20 {
		slug := fmt.Sprintf("ada-%d", round)
		waiting := make([]answer, 3)
		for i := range waiting {
			waiting[i] = s.to(slug, "first"+strings.Repeat(" ", i+1)+"contact", fmt.Sprintf("Hello %d", i))
			s.move(waiting[i].text("id"), "UPDATE messages SET authority = 'expired' WHERE id = $1")
		}
		var told, done sync.Map
		var both sync.WaitGroup
		for _, m := range waiting {
			both.Go(func() {
				a, err := s.try(t.Context(), "POST", "/v1/messages/"+m.text("id")+"/approval", yes(m))
				switch {
				case err == nil && a.Status == 200:
					done.Store(m.text("id"), true)
				case err == nil && a.text("code") == "not_ended":
					told.Store(a.text("message_id"), true)
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
				t.Errorf("the others heard of %v, which was not approved", first)
			}
			return true
		})
	}
	if deadlocks := s.count("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"); deadlocks != 0 {
		t.Errorf("%d deadlocks", deadlocks)
	}
}
