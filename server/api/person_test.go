package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
)

// toBoth is a proposal to a profile and a mail address, for a purpose of its own.
func (s *server) toBoth(profile, mail string) string {
	return fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":%q,"email":%q},"body":"Hello","purpose":"reason %s"}`,
		s.account, profile, mail, uuid.NewString())
}

// Goal: what was approved for a person goes to the profile that the approver saw, whoever names their mail address beside another
// one; a further address of the same profile is theirs.
func TestAMailAddressGivesNobodyAnotherProfile(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const mail = "zoe@example.com"
	m := s.approve(s.ask("POST", "/v1/messages", s.toBoth("/in/zoe-example", mail)))
	if m.text("status") != "queued" {
		t.Fatalf("%d %s", m.Status, m.Body)
	}
	before := s.rows()
	for _, profile := range []string{"/in/aaa-other", "/in/ACo" + strings.Repeat("A", 36)} {
		if a := s.ask("POST", "/v1/messages", s.toBoth(profile, mail), s.as("agent")); a.Status != 409 || a.text("code") != "person_conflict" {
			t.Errorf("%s beside a known address: %d %s", profile, a.Status, a.Body)
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("the rows changed from %s to %s", before, after)
	}
	a := s.ask("POST", "/v1/messages", s.toBoth("/in/zoe-example", "zoe@work.example"))
	if a.Status != 201 || a.text("person.id") != m.text("person.id") || a.text("person.email.1") != "zoe@work.example" || a.text("person.linkedin.1") != "" {
		t.Errorf("another address of the same profile: %d %s", a.Status, a.Body)
	}
}

// Goal: of two proposals at one moment that give one new address two profiles, one is made.
func TestTwoProfilesForOneAddressMeet(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for round := range 5 {
		var both sync.WaitGroup
		answers := make([]answer, 2)
		for i := range answers {
			body := s.toBoth(fmt.Sprintf("/in/zoe-%d-%d", round, i), fmt.Sprintf("zoe-%d@example.com", round))
			both.Go(func() {
				var err error
				if answers[i], err = s.try(t.Context(), "POST", "/v1/messages", body); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		made := 0
		for _, a := range answers {
			if a.Status == 201 {
				made++
			} else if a.Status != 409 || a.text("code") != "person_conflict" {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
		if made != 1 {
			t.Errorf("%d of two were made", made)
		}
	}
}
