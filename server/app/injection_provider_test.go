package app_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/app"
	"sendonce/server/config"
	"sendonce/server/postgres"
	"sendonce/server/rule"
)

// provider is one that calls back, as the command beside the server has made it known.
type provider struct{ id, secret string }

func (s *server) provider(name string) provider {
	s.Helper()
	store, err := postgres.Open(s.Context(), s.db.ServerURL)
	if err != nil {
		s.Fatal(err)
	}
	defer store.Close()
	sources, err := app.SourcesBeside(config.Settings{Data: s.data}, store, slog.New(slog.DiscardHandler))
	if err != nil {
		s.Fatal(err)
	}
	admin, err := access.NewService(store).FirstAdmin(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	made, secret, err := sources.Create(s.Context(), admin, name, "")
	if err != nil {
		s.Fatal(err)
	}
	return provider{made.ID.String(), secret}
}

// fact is one event of a provider.
func fact(id, kind, providerID string, at time.Time) map[string]any {
	return map[string]any{"id": id, "type": kind, "provider_id": providerID, "at": at.UTC().Format(time.RFC3339Nano), "detail": "mailbox full"}
}

// tells posts one signed event to a server, and returns how many facts it brought and how many were known.
func (p provider) tells(s *server, event map[string]any) (taken, known any) {
	s.Helper()
	body, err := json.Marshal(map[string]any{"events": []any{event}})
	if err != nil {
		s.Fatal(err)
	}
	request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.url+"/v1/callbacks/"+p.id, strings.NewReader(string(body)))
	if err != nil {
		s.Fatal(err)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.secret, "whsec_"))
	if err != nil {
		s.Fatal(err)
	}
	id, stamp := "msg_"+uuid.NewString(), strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("webhook-id", id)
	request.Header.Set("webhook-timestamp", stamp)
	request.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusOK {
		s.Fatalf("the callback: %s %v %v", response.Status, answer, err)
	}
	return answer["taken"], answer["known"]
}

// sent brings one message to a person of that name the whole way.
func (s *server) sent(slug string) (message, providerID string) {
	s.Helper()
	message = s.approve(slug)
	c := s.connect(0, 0)
	lease := c.begin()
	c.report(lease, attempt)
	c.rest()
	return message, copyOf(lease)
}

// "Delivered" is told again, to the other server, and once more under another id: one fact is kept, and nothing else happens.
func duplicateCallback(one, two *server) {
	message, copied := one.sent("duplicate-callback")
	p := one.provider("Mailer one")
	delivered := fact("evt_1", "delivered", copied, time.Now().Add(-time.Minute))
	if taken, _ := p.tells(one, delivered); taken != float64(1) {
		one.Errorf("told first: %v taken", taken)
	}
	again := fact("evt_2", "delivered", copied, time.Now())
	again["at"] = delivered["at"]
	for _, event := range []map[string]any{delivered, again} {
		if taken, known := p.tells(two, event); taken != float64(0) || known != float64(1) {
			one.Errorf("told again: %v taken, %v known", taken, known)
		}
	}
	m := one.story(message)
	if n := one.count("SELECT count(*) FROM delivery_observations WHERE message_id = $1", message); n != 1 || m.times("observed", "") != 1 || m.Delivery.State != "delivered" {
		one.Errorf("%d facts are kept: %+v", n, m)
	}
	one.wantStory(message, rule.Sent, copied)
}

// "Sent" and "accepted" come after "delivered": both stand in the history, and the state does not go back.
func outOfOrderCallback(one, two *server) {
	message, copied := one.sent("out-of-order")
	p, at := one.provider("Mailer two"), time.Now().Add(-time.Minute)
	for i, kind := range []string{"delivered", string(rule.Sent), "accepted"} {
		p.tells([]*server{one, two}[i%2], fact(kind, kind, copied, at.Add(-time.Duration(i)*time.Second)))
		if m := two.story(message); m.Delivery.State != "delivered" || m.Status != string(rule.Sent) || m.times("observed", "") != i+1 {
			one.Errorf("after %q: %+v", kind, m)
		}
	}
	var log []string
	for _, e := range one.story(message).History {
		if e.What == "observed" {
			log = append(log, e.Code)
		}
	}
	if strings.Join(log, " ") != "delivered sent accepted" {
		one.Errorf("the log of what was seen is %v", log)
	}
	one.wantStory(message, rule.Sent, copied)
}

// The provider says that the message was not delivered: nothing goes out by itself, by no channel; a person decides on another
// message, by name and with a reason, and it waits for its own yes.
func deliveryFailure(one, two *server) {
	message, copied := one.sent("delivery-failure")
	p := one.provider("Mailer three")
	p.tells(two, fact("evt_1", "undelivered", copied, time.Now()))
	p.tells(two, fact("evt_2", "bounced", copied, time.Now()))
	m := one.story(message)
	if m.Status != string(rule.Sent) || m.Delivery.Undelivered == nil || m.Delivery.Bounced == nil || m.Sends[0].RequeueAt != nil {
		one.Errorf("after the failure: %+v", m)
	}
	one.wantStory(message, rule.Sent, copied)
	second := map[string]any{"account_id": one.account, "person": map[string]any{"linkedin": "/in/delivery-failure"}, "body": "Hello again", "purpose": "first contact"}
	if status, refused := two.try("POST", "/v1/messages", "second", second); status != conflict || refused["code"] != "follow_latest" || refused["send_id"] != m.Sends[0].ID {
		one.Errorf("a second message that nobody decided on: %d %v", status, refused)
	}
	second["follows"] = map[string]any{"send": m.Sends[0].ID, "why": "their mailbox was full"}
	status, decided := two.try("POST", "/v1/messages", "decided", second)
	if status != created {
		one.Fatalf("a person's decision: %d %v", status, decided)
	}
	next := one.story(decided["id"].(string))
	if next.Authority != "proposed" || len(next.Sends) != 0 || next.Follows.Send != m.Sends[0].ID || next.times("follows", "") != 1 {
		one.Errorf("the decision: %+v", next)
	}
}

// Whoever reads the notice that the message has come to its end is gone before it did anything with it: the next one reads from
// the place before and has the same notice, under the identity that it had. The message is not touched by either.
func droppedCompletionNotice(one, two *server) {
	before, _ := one.ask("GET", "/v1/events?after=latest", nil)["next_cursor"].(string)
	message, copied := one.sent("dropped-notice")
	lost, again := two.completion(message, before), one.completion(message, before)
	if again["id"] != lost["id"] || again["id"] == message || again["to"] != string(rule.Sent) {
		one.Errorf("the notice is %v, and again %v", lost, again)
	}
	after, _ := again["cursor"].(string)
	if items, _ := one.events(after); completionIn(items, message) != nil {
		one.Errorf("the notice comes twice in the feed: %v", items)
	}
	one.wantStory(message, rule.Sent, copied)
}

// completion waits for the notice, from a place in the feed on.
func (s *server) completion(message, after string) map[string]any {
	s.Helper()
	for until := time.Now().Add(heardWithin); time.Now().Before(until); {
		items, next := s.events(after)
		if notice := completionIn(items, message); notice != nil {
			return notice
		}
		after = next
	}
	s.Fatal("nobody is told that the message has come to its end")
	return nil
}

func completionIn(items []any, message string) map[string]any {
	for _, item := range items {
		if event, _ := item.(map[string]any); event["type"] == "completed" && event["message_id"] == message {
			return event
		}
	}
	return nil
}

func (s *server) events(after string) (items []any, next string) {
	s.Helper()
	page := s.ask("GET", "/v1/events?limit=200&after="+url.QueryEscape(after), nil)
	items, _ = page["items"].([]any)
	next, _ = page["next_cursor"].(string)
	return items, next
}
