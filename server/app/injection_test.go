package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/rule"
)

const (
	otherLife = "attempt-of-another-life"
	conflict  = 409
	created   = 201
)

// Goal: the ten injections after which other systems write to a person twice, each into two whole servers on one database, with a
// browser that speaks the protocol. What is looked at is the evidence that docs/proof.md names for each.
func TestInjections(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/proof.md")
	if err != nil {
		t.Fatal(err)
	}
	m := newTeam(t)
	one := m.serve(nil)
	one.enroll()
	two := m.serve(nil)
	for _, injection := range []struct {
		name   string
		inject func(one, two *server)
	}{
		{"LostProviderResponse", lostProviderResponse},
		{"DuplicateTaskEvent", duplicateTaskEvent},
		{"ConcurrentWorkers", concurrentWorkers},
		{"WorkerCrashAfterAcceptance", workerCrashAfterAcceptance},
		{"DuplicateCallback", duplicateCallback},
		{"OutOfOrderCallback", outOfOrderCallback},
		{"RepeatedApproval", repeatedApproval},
		{"EditedContentAfterApproval", editedContentAfterApproval},
		{"DeliveryFailure", deliveryFailure},
		{"DroppedCompletionNotice", droppedCompletionNotice},
	} {
		t.Run(injection.name, func(t *testing.T) { injection.inject(one.under(t), two.under(t)) })
		if !strings.Contains(string(document), "`TestInjections/"+injection.name+"`") {
			t.Errorf("docs/proof.md does not name %s", injection.name)
		}
	}
}

// The provider accepts the message and its answer is lost: nobody sends again, a browser looks and finds the one copy.
func lostProviderResponse(one, two *server) {
	message := two.approve("lost-response")
	c := one.connect(0, 0)
	lease := c.begin()
	c.rest() // until the report is recorded, so that the look is asked for after it
	if recorded := c.reportOf(lease, attempt, map[string]any{"kind": "none"}, "impossible", []any{}, rule.Unconfirmed, "no_answer"); recorded["status"] != string(rule.Unconfirmed) {
		one.Errorf("recorded %v", recorded)
	}
	if status, refused := two.try("POST", "/v1/sends/"+lease["send"].(string)+"/retry", "retry", map[string]any{}); status != conflict || refused["code"] != "needs_a_look" {
		one.Errorf("a retry before anybody looked: %d %v", status, refused)
	}
	c.say("ready", map[string]any{"accounts": []string{one.account}})
	check, now := c.hear("check"), time.Now().UnixMilli()
	c.say("checked", map[string]any{"check_token": check["check_token"], "result": "found", "evidence": map[string]any{
		"reason": nil, "copies": []any{map[string]any{"version": 1, "provider_id": copyOf(lease), "sent_at_ms": now}},
		"conversation": nil, "messages": 1, "oldest_at_ms": now, "looked_at_ms": now,
	}})
	c.hear("noted")
	c.rest()
	one.wantStory(message, rule.Sent, copyOf(lease))
}

// The event that has a message proposed comes four times, on both servers, and the lease comes to the browser twice: one message,
// one lease, one start.
func duplicateTaskEvent(one, two *server) {
	proposal := map[string]any{
		"account_id": one.account, "person": map[string]any{"linkedin": "/in/task-event"}, "body": "Hello", "purpose": "first contact", "task": "place 7",
	}
	ids := make([]any, 4)
	var events sync.WaitGroup
	for i := range ids {
		events.Go(func() {
			_, made := []*server{one, two}[i%2].try("POST", "/v1/messages", "agent:place-7/step-1", proposal)
			ids[i] = made["id"]
		})
	}
	events.Wait()
	message, _ := ids[0].(string)
	for _, id := range ids {
		if id != message || message == "" {
			one.Fatalf("the four events made %v", ids)
		}
	}
	one.yes(message)
	c := one.connect(0, 0)
	lease := c.begin()
	c.start(lease, otherLife) // the same lease, taken up by a worker that does not know of the first
	if refused := c.hear("refused"); refused["code"] != "already_started" {
		one.Errorf("the lease that came twice: %v", refused)
	}
	c.report(lease, attempt)
	c.rest()
	one.wantStory(message, rule.Sent, copyOf(lease))
}

// Two browsers of one account, on two servers, want the one message at one moment, and the one that was not given it tries all the
// same: the history names one owner, and the other sees that it is under way.
func concurrentWorkers(one, two *server) {
	two.pair()
	all := make(chan heard, 2)
	workers := []*socket{one.connect(0, 0), two.connect(0, 0)}
	for _, c := range workers {
		go c.listen(all)
	}
	message := two.approve("concurrent")
	first := <-all
	winner, loser := workers[0], workers[1]
	if first.by == loser {
		winner, loser = loser, winner
	}
	if first.err != nil || first.frame["type"] != "lease" {
		one.Fatalf("the first that is heard: %v, %v", first.frame, first.err)
	}
	winner.start(first.frame, attempt)
	loser.start(first.frame, otherLife)
	winner.hear("started")
	if second := <-all; second.err != nil || second.frame["type"] != "refused" || second.frame["code"] != "unknown_lease" {
		one.Errorf("the other one hears %v, %v", second.frame, second.err)
	}
	seen := loser.story(message).Sends
	if len(seen) != 1 || seen[0].Status != string(rule.Started) || seen[0].Install != winner.install || seen[0].Attempt != attempt {
		one.Errorf("the other one sees %+v", seen)
	}
	winner.report(first.frame, attempt)
	winner.rest()
	loser.rest()
	one.wantStory(message, rule.Sent, copyOf(first.frame))
}

// The browser dies after the provider has accepted: its next life finds the attempt as it was recorded before the act, is not let
// to begin, and brings the copy that stands in the conversation.
func workerCrashAfterAcceptance(one, two *server) {
	message := one.approve("worker-crash")
	c := one.connect(0, 0)
	lease := c.begin()
	if before := two.story(message).Sends; before[0].Attempt != attempt || before[0].ID != lease["send"] {
		one.Errorf("before the act the record says %+v", before)
	}
	c.conn.Close()
	next := two.connect(0, 0, map[string]any{"lease_token": lease["lease_token"], "attempt": nil, "phase": "go_sent"})
	if open, _ := next.welcome["open"].([]any); len(open) != 1 || open[0].(map[string]any)["status"] != string(rule.Started) {
		one.Errorf("the next life is told %v", open)
	}
	next.start(lease, otherLife)
	if refused := next.hear("refused"); refused["code"] != "already_started" {
		one.Errorf("the next life asks to begin: %v", refused)
	}
	next.report(lease, nil)
	next.rest()
	one.wantStory(message, rule.Sent, copyOf(lease))
}

// An approval is said four times at one moment, under keys of its own each: one version is approved, once, and all hear the same.
func repeatedApproval(one, two *server) {
	made := one.propose("repeated-approval", "Hello")
	answers := make([]map[string]any, 4)
	var taps sync.WaitGroup
	for i := range answers {
		taps.Go(func() {
			_, answers[i] = []*server{one, two}[i%2].try("POST", "/v1/messages/"+made["id"].(string)+"/approval", uuid.NewString(),
				map[string]any{"version": made["version"], "digest": made["digest"]})
		})
	}
	taps.Wait()
	message := one.story(made["id"].(string))
	for _, answer := range answers {
		if sends, _ := answer["sends"].([]any); len(sends) != 1 || len(message.Sends) != 1 || sends[0].(map[string]any)["id"] != message.Sends[0].ID {
			one.Errorf("one of the four hears %v", answer)
		}
	}
	if n := one.count("SELECT count(*) FROM approvals WHERE message_id = $1", message.ID); n != 1 || message.times("approved", "") != 1 || len(message.Sends) != 1 {
		one.Errorf("%d approvals: %+v", n, message)
	}
	one.ask("POST", "/v1/messages/"+message.ID+"/withdrawal", map[string]any{})
}

// The text is edited when a browser has the lease of what was approved: that lease begins nothing, a yes to the old text is stale,
// and only the new text goes out, once it has its own yes.
func editedContentAfterApproval(one, two *server) {
	made := one.propose("edited-content", "Hello Adda")
	path := "/v1/messages/" + made["id"].(string)
	yes := map[string]any{"version": made["version"], "digest": made["digest"]}
	one.ask("POST", path+"/approval", yes)
	c := one.connect(0, 0)
	old := c.hear("lease")
	edited := two.ask("PATCH", path, map[string]any{"body": "Hello Ada"})
	c.start(old, attempt)
	if refused := c.hear("refused"); refused["code"] != "stale_lease" {
		one.Errorf("the lease of the old text: %v", refused)
	}
	status, stale := two.try("POST", path+"/approval", uuid.NewString(), yes)
	if status != conflict || stale["code"] != "version_not_current" || stale["current_version"] != float64(2) || stale["current_digest"] != edited["digest"] {
		one.Errorf("a yes to the old text: %d %v", status, stale)
	}
	one.ask("POST", path+"/approval", map[string]any{"version": edited["version"], "digest": edited["digest"]})
	lease := c.begin()
	if lease["body"] != "Hello Ada" {
		one.Errorf("what goes out is %v", lease["body"])
	}
	c.report(lease, attempt)
	c.rest()
	if message := one.story(made["id"].(string)); message.Status != string(rule.Sent) || message.times("send", rule.Started) != 1 || message.times("approval_voided", "") != 1 {
		one.Errorf("the message: %+v", message)
	}
}

// story is what the API says of a message.
type story struct {
	ID, Status, Authority string
	Delivery              struct {
		State                string
		Undelivered, Bounced *struct{ Detail string }
	}
	Follows struct{ Send, Why string }
	Sends   []struct {
		ID, Status, Attempt string
		Install             string  `json:"install_id"`
		RequeueAt           *string `json:"requeue_at"`
		Evidence            struct {
			Deliveries []struct {
				ProviderID string `json:"provider_id"`
			}
		}
	}
	History []struct{ What, To, Code, Reason string }
}

func (s *server) story(message string) (m story) {
	s.Helper()
	raw, err := json.Marshal(s.ask("GET", "/v1/messages/"+message, nil))
	if err == nil {
		err = json.Unmarshal(raw, &m)
	}
	if err != nil {
		s.Fatal(err)
	}
	return m
}

// times counts the lines of history that say so; to is "" for what is no move of a send.
func (m story) times(what string, to rule.Status) (n int) {
	for _, e := range m.History {
		if e.What == what && e.To == string(to) {
			n++
		}
	}
	return n
}

// wantStory: one send, leased once and begun once, whose one copy is the provider's.
func (s *server) wantStory(message string, status rule.Status, providerID string) {
	s.Helper()
	m := s.story(message)
	if m.Status != string(status) || len(m.Sends) != 1 || m.times("send", rule.Leased) != 1 || m.times("send", rule.Started) != 1 {
		s.Errorf("the message: %+v", m)
		return
	}
	if copies := m.Sends[0].Evidence.Deliveries; len(copies) != 1 || copies[0].ProviderID != providerID || m.Sends[0].Attempt != attempt {
		s.Errorf("its send: %+v", m.Sends[0])
	}
}

func (s *server) propose(slug, body string) map[string]any {
	s.Helper()
	return s.ask("POST", "/v1/messages", map[string]any{
		"account_id": s.account, "person": map[string]any{"linkedin": "/in/" + slug}, "body": body, "purpose": "first contact",
	})
}

func (s *server) yes(message string) {
	s.Helper()
	m := s.ask("GET", "/v1/messages/"+message, nil)
	s.ask("POST", "/v1/messages/"+message+"/approval", map[string]any{"version": m["version"], "digest": m["digest"]})
}

func (s *server) count(sql string, args ...any) (n int) {
	s.Helper()
	if err := s.admin.QueryRow(s.Context(), sql, args...).Scan(&n); err != nil {
		s.Fatal(fmt.Errorf("%s: %w", sql, err))
	}
	return n
}

// begin takes the next lease and starts it.
func (c *socket) begin() (lease map[string]any) {
	c.Helper()
	lease = c.hear("lease")
	c.start(lease, attempt)
	c.hear("started")
	return lease
}

// rest has the browser given nothing more, and returns when that is so.
func (c *socket) rest() {
	c.Helper()
	c.say("ready", map[string]any{"accounts": []string{}})
	c.say("ping", map[string]any{})
	c.hear("pong")
}

// heard is the next frame of one of several browsers.
type heard struct {
	by    *socket
	frame map[string]any
	err   error
}

func (c *socket) listen(to chan<- heard) {
	h := heard{by: c}
	_ = c.conn.SetReadDeadline(time.Now().Add(heardWithin))
	h.err = c.conn.ReadJSON(&h.frame)
	to <- h
}
