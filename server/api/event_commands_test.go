package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// follow reads from a cursor up to two events of its own making, and lists those of each message as "type from>to code", or what of
// these they have.
func (s *server) follow(from string) map[string][]string {
	s.t.Helper()
	s.rest()
	told := map[string][]string{}
	for after, last := from, ""; last != "account_resumed"; {
		page := s.await("limit=200&after=" + after)
		if page.Status != http.StatusOK || page.text("items.0.id") == "" {
			s.t.Fatalf("follow the feed: %d %s", page.Status, page.Body)
		}
		for i := 0; page.text(fmt.Sprintf("items.%d.id", i)) != ""; i++ {
			of := func(name string) string { return page.text(fmt.Sprintf("items.%d.%s", i, name)) }
			line := of("type")
			if of("from")+of("to") != "" {
				line += " " + of("from") + ">" + of("to")
			}
			last = of("type")
			if id := of("message_id"); id != "" {
				told[id] = append(told[id], strings.TrimSpace(line+" "+of("code")))
			}
		}
		after = page.text("next_cursor")
	}
	return told
}

// must asks for what must go well.
func (s *server) must(method, path, body string) answer {
	s.t.Helper()
	a := s.ask(method, path, body)
	if a.Status >= http.StatusBadRequest {
		s.t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
	return a
}

// Goal: whatever a command does to a message is told once and in the order in which it happened, and a command that changes nothing,
// because it comes again, is not told.
func TestEveryCommandIsToldOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	p := s.provider("Mailer", "admin")
	from := s.latest()
	proposed := []string{"authority >proposed", "approval_requested"}
	approved := []string{"approved", "authority proposed>approved", "send >queued"}
	want := map[string][]string{}
	add := func(m answer, lines ...[]string) {
		for _, some := range lines {
			want[m.text("id")] = append(want[m.text("id")], some...)
		}
	}
	path := func(m answer, what string) string { return "/v1/messages/" + m.text("id") + what }

	expired := s.to("ada-1", "first contact", "It waits too long.")
	s.approve(expired)
	s.advance(8 * 24 * time.Hour)
	if n := s.sweep() + s.sweep(); n != 1 {
		t.Fatalf("%d messages expired, want 1", n)
	}
	add(expired, proposed, approved, []string{
		"approval_voided expired", "send queued>canceled approval_expired", "authority approved>expired", "completed >expired",
	})

	rejected := s.to("ada-2", "first contact", "It is rejected, then edited.")
	for range 2 {
		s.must("POST", path(rejected, "/rejection"), no(rejected, "too pushy"))
	}
	s.must("PATCH", path(rejected, ""), `{"body":"It is edited."}`)
	s.must("PATCH", path(rejected, ""), `{"body":"It is edited."}`)
	add(rejected, proposed, []string{"authority proposed>rejected", "completed >rejected", "authority rejected>proposed", "approval_requested"})

	revoked := s.to("ada-3", "first contact", "Its approval is taken back.")
	s.approve(revoked)
	s.approve(revoked)
	for range 2 {
		s.must("POST", path(revoked, "/revocation"), "{}")
	}
	add(revoked, proposed, approved, []string{
		"approval_voided revoked", "send queued>canceled approval_missing", "authority approved>proposed", "approval_requested",
	})

	together := []answer{s.to("ada-4", "together", "One of two."), s.to("ada-5", "together", "The other.")}
	run := s.must("POST", "/v1/approvals", `{"purpose":"together"}`).text("id")
	for range 2 {
		s.must("POST", "/v1/approvals/"+run+"/start", "{}")
	}
	s.done("approvals", run)
	for _, m := range together {
		add(m, proposed, approved)
	}

	s.setPolicy(`{"auto_approve":[{"purpose":"thanks"}]}`)
	add(s.to("ada-6", "thanks", "It needs no person."), []string{"authority >proposed"}, approved)

	closed := s.to("ada-7", "first contact", "It is closed in the queue.")
	s.approve(closed)
	for range 2 {
		s.must("POST", path(closed, "/closing"), `{"why":"the place is taken"}`)
	}
	add(closed, proposed, approved, []string{"send queued>canceled closed", "closed", "completed >closed"})

	withdrawn := s.to("ada-8", "first contact", "It is taken back.")
	for range 2 {
		s.must("POST", path(withdrawn, "/withdrawal"), "{}")
	}
	add(withdrawn, proposed, []string{"authority proposed>withdrawn", "completed >withdrawn"})

	seen := s.to("ada-9", "first contact", "It arrives, and then it does not.")
	s.move(s.approve(seen).text("sends.0.id"), lease, start, confirm, sent, deliver)
	at, copied := time.Now().Add(-time.Minute), copyOf(seen.text("id"))
	for _, facts := range []string{
		batch(event("evt_1", "accepted", copied, at, ""), event("evt_2", "delivered", copied, at, "")),
		batch(event("evt_2", "delivered", copied, at, ""), event("evt_3", "delivered", copied, at.Add(time.Second), ""), event("evt_4", "bounced", copied, at, "")),
		batch(event("evt_5", "bounced", copied, at.Add(time.Second), ""), event("evt_6", "sent", copied, at, "")),
	} {
		if a := p.say(facts); a.Status != http.StatusOK {
			t.Fatalf("a callback: %d %s", a.Status, a.Body)
		}
	}
	add(seen, proposed, approved, []string{
		"send queued>leased", "send leased>started", "send started>sent confirmed", "completed >sent confirmed",
		"delivery sent>delivered", "delivery_trouble bounced",
	})

	if diff := cmp.Diff(want, s.follow(from)); diff != "" {
		t.Error(diff)
	}
}
