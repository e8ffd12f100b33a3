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

// followed are the events that are wanted of each message.
type followed struct {
	*server
	want map[string][]string
}

func (f followed) add(m answer, lines ...[]string) {
	for _, some := range lines {
		f.want[m.text("id")] = append(f.want[m.text("id")], some...)
	}
}

// twice gives a command again, as a program does that has not heard the answer.
func (f followed) twice(m answer, method, what, body string) {
	f.t.Helper()
	for range 2 {
		f.must(method, "/v1/messages/"+m.text("id")+what, body)
	}
}

// What a proposal and an approval are told as.
var (
	toldProposed = []string{"authority >proposed", "approval_requested"}
	toldApproved = []string{"approved", "authority proposed>approved", "send >queued"}
)

// Goal: whatever a command does to a message is told once and in the order in which it happened, and a command that changes nothing,
// because it comes again, is not told.
func TestEveryCommandIsToldOnce(t *testing.T) {
	t.Parallel()
	f := followed{newServer(t), map[string][]string{}}
	f.addInstall()
	from := f.latest()
	f.expire()
	f.takeBack()
	f.approveMany()
	f.arrive()
	if diff := cmp.Diff(f.want, f.follow(from)); diff != "" {
		t.Error(diff)
	}
}

// expire comes before all else: it moves the clock.
func (f followed) expire() {
	f.t.Helper()
	m := f.to("ada-1", "first contact", "It waits too long.")
	f.approve(m)
	f.advance(8 * 24 * time.Hour)
	if n := f.sweep() + f.sweep(); n != 1 {
		f.t.Fatalf("%d messages expired, want 1", n)
	}
	f.add(m, toldProposed, toldApproved, []string{
		"approval_voided expired", "send queued>canceled approval_expired", "authority approved>expired", "completed >expired",
	})
}

func (f followed) takeBack() {
	f.t.Helper()
	rejected := f.to("ada-2", "first contact", "It is rejected, then edited.")
	f.twice(rejected, "POST", "/rejection", no(rejected, "too pushy"))
	f.twice(rejected, "PATCH", "", `{"body":"It is edited."}`)
	f.add(rejected, toldProposed, []string{"authority proposed>rejected", "completed >rejected", "authority rejected>proposed", "approval_requested"})

	revoked := f.to("ada-3", "first contact", "Its approval is taken back.")
	f.twice(revoked, "POST", "/approval", yes(revoked))
	f.twice(revoked, "POST", "/revocation", "{}")
	f.add(revoked, toldProposed, toldApproved, []string{
		"approval_voided revoked", "send queued>canceled approval_missing", "authority approved>proposed", "approval_requested",
	})

	closed := f.to("ada-4", "first contact", "It is closed in the queue.")
	f.approve(closed)
	f.twice(closed, "POST", "/closing", `{"why":"the place is taken"}`)
	f.add(closed, toldProposed, toldApproved, []string{"send queued>canceled closed", "closed", "completed >closed"})

	withdrawn := f.to("ada-5", "first contact", "It is taken back.")
	f.twice(withdrawn, "POST", "/withdrawal", "{}")
	f.add(withdrawn, toldProposed, []string{"authority proposed>withdrawn", "completed >withdrawn"})
}

func (f followed) approveMany() {
	f.t.Helper()
	for _, slug := range []string{"ada-6", "ada-7"} {
		f.add(f.to(slug, "together", "One of two."), toldProposed, toldApproved)
	}
	run := f.must("POST", "/v1/approvals", `{"purpose":"together"}`).text("id")
	for range 2 {
		f.must("POST", "/v1/approvals/"+run+"/start", "{}")
	}
	f.done("approvals", run)
	f.setPolicy(`{"auto_approve":[{"purpose":"thanks"}]}`)
	f.add(f.to("ada-8", "thanks", "It needs no person."), []string{"authority >proposed"}, toldApproved)
}

func (f followed) arrive() {
	f.t.Helper()
	p := f.provider("Mailer", "admin")
	m := f.to("ada-9", "first contact", "It arrives, and then it does not.")
	f.move(f.approve(m).text("sends.0.id"), lease, start, confirm, sent, deliver)
	at, copied := time.Now().Add(-time.Minute), copyOf(m.text("id"))
	for _, facts := range []string{
		batch(event("evt_1", "accepted", copied, at, ""), event("evt_2", "delivered", copied, at, "")),
		batch(event("evt_2", "delivered", copied, at, ""), event("evt_3", "delivered", copied, at.Add(time.Second), ""), event("evt_4", "bounced", copied, at, "")),
		batch(event("evt_5", "bounced", copied, at.Add(time.Second), ""), event("evt_6", "sent", copied, at, "")),
	} {
		if a := p.say(facts); a.Status != http.StatusOK {
			f.t.Fatalf("a callback: %d %s", a.Status, a.Body)
		}
	}
	f.add(m, toldProposed, toldApproved, []string{
		"send queued>leased", "send leased>started", "send started>sent confirmed", "completed >sent confirmed",
		"delivery sent>delivered", "delivery_trouble bounced",
	})
}
