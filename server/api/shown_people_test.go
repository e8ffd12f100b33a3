package api_test

import (
	"fmt"
	"testing"
)

// Whoever looks people up reads whether they may be written to and when they last replied, and turns pages.
func TestEveryFieldOfAPerson(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ada := s.ask("POST", "/v1/messages", fmt.Sprintf(fullProposal, s.account)).text("person.id")
	s.move(ada, "UPDATE people SET replied_at = sendonce_now(), suppressed_at = sendonce_now() WHERE id = $1")
	wantMembers(t, s.ask("GET", "/v1/people?email=Ada%40example.com", ""), map[string]string{
		"items.0.id": ada, "items.0.name": "Ada Example", "items.0.email.0": "ada@example.com", "items.0.do_not_contact": "true",
		"items.0.replied_at": "*", "items.0.created_at": "*", "items.1.id": "",
	})
	ben := s.to("ben-sample", "first contact", "Hello Ben").text("person.id")
	first := s.ask("GET", "/v1/people?limit=1", "")
	second := s.ask("GET", "/v1/people?limit=1&cursor="+first.text("next_cursor"), "")
	seen := map[string]bool{first.text("items.0.id"): true, second.text("items.0.id"): true}
	if !seen[ada] || !seen[ben] || second.text("next_cursor") != "" {
		t.Errorf("two pages: %s and %s", first.Body, second.Body)
	}
}
