package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/callback"
	"sendonce/server/delivery"
)

// Injection: a callback comes again, whole, in part, at once from twenty connections, and under other event ids. Each fact is
// kept once, its history has one line, and nothing is sent.
func TestInjectionDuplicateCallback(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.provider("Mailer", "admin")
	s.addInstall()
	id, send := s.approved("ada-example")
	s.move(send, lease, start, confirm, sent, deliver)
	at := time.Now().Add(-time.Minute)
	delivered := event("evt_1", "delivered", copyOf(id), at, "")
	p.want(t, "1 0 0", delivered)
	p.want(t, "0 1 0", delivered)
	p.want(t, "0 2 0", event("evt_2", "delivered", copyOf(id), at, ""), event("", "delivered", copyOf(id), at, ""))
	p.want(t, "0 1 0", event("evt_1", "bounced", copyOf(id), at, "")) // an id that was told before is that event
	p.want(t, "1 2 0", delivered, delivered, event("evt_3", "read", copyOf(id), at, ""))

	again := batch(event("evt_4", "bounced", copyOf(id), at, ""))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if a := p.say(again); a.Status != http.StatusOK {
				t.Errorf("one of twenty at once: %d %s", a.Status, a.Body)
			}
		})
	}
	all.Wait()
	if got := s.stored(); got != "3 facts, 4 ids" {
		t.Errorf("kept %s", got)
	}
	if n := s.count(`SELECT count(*) FROM sends`); n != 1 {
		t.Errorf("%d sends, want the one", n)
	}
	if history := s.ask("GET", "/v1/messages/"+id, "").Body; strings.Count(history, `"what":"observed"`) != 3 {
		t.Errorf("the history has not one line for each fact: %s", history)
	}
	s.wantMessage(t, id, map[string]string{"status": "sent", "delivery.state": "read"})
}

// Injection: callbacks come in any order. The state never goes back, a bounce after "delivered" is shown as such, and whatever
// comes the send stays what it is.
func TestInjectionOutOfOrderCallback(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.provider("Mailer", "admin")
	s.addInstall()
	id, send := s.approved("ada-example")
	s.move(send, lease, start, confirm, sent, deliver)
	at := time.Now().Add(-time.Hour).Truncate(time.Second).UTC()
	s.wantMessage(t, id, map[string]string{"delivery.state": "sent", "sends.0.evidence.deliveries.0.reached.state": "sent"})
	for _, step := range []struct {
		kind   string
		minute int
		want   string
	}{
		{"delivered", 2, "delivered"},
		{"sent", 1, "delivered"},
		{"accepted", 0, "delivered"},
		{"bounced", 9, "delivered"},
		{"read", 5, "read"},
		{"delivered", 8, "read"},
		{"undelivered", 1, "read"},
	} {
		p.want(t, "1 0 0", event(fmt.Sprint(step.kind, step.minute), step.kind, copyOf(id), at.Add(time.Duration(step.minute)*time.Minute), ""))
		s.wantMessage(t, id, map[string]string{"status": "sent", "delivery.state": step.want})
	}
	minute := func(n int) string { return at.Add(time.Duration(n) * time.Minute).Format(time.RFC3339) }
	s.wantMessage(t, id, map[string]string{
		"delivery.at": minute(5), "delivery.bounced.at": minute(9), "delivery.undelivered.at": minute(1),
		"sends.0.evidence.deliveries.0.reached.state": "read", "sends.0.evidence.deliveries.0.reached.bounced.at": minute(9),
		"authority": "approved",
	})
}

// What comes before its provider id is known is answered, kept and joined by the next sweep; so is what a server that died had
// only kept. Said again, the callback changes nothing.
func TestEarlyAndHalfProcessedCallbacks(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.provider("Mailer", "admin")
	s.addInstall()
	id, send := s.approved("ada-example")
	early := event("evt_1", "delivered", copyOf(id), time.Now().Add(-time.Minute), "")
	p.want(t, "1 0 1", early)
	s.move(send, lease, start, confirm, sent, deliver)
	s.sweepCallbacks(t, 1)
	s.sweepCallbacks(t, 0)
	s.wantMessage(t, id, map[string]string{"delivery.state": "delivered"})
	p.want(t, "0 1 0", early)

	// The server kept these two and died before it did anything else.
	now := time.Now()
	source, _, err := s.store.SourceSecrets(t.Context(), uuid.MustParse(p.id), 1)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.store.EventsTake(t.Context(), source, []callback.Event{
		{ID: "evt_2", Kind: delivery.Read, ProviderID: copyOf(id), At: now}, {ID: "evt_3", Kind: delivery.Replied, ProviderID: copyOf(id), At: now},
	}); err != nil || n != 2 {
		t.Fatalf("kept %d, %v", n, err)
	}
	s.wantMessage(t, id, map[string]string{"delivery.state": "delivered"})
	p.want(t, "0 2 0", event("evt_2", "read", copyOf(id), now, ""), event("evt_3", "replied", copyOf(id), now, ""))
	s.wantMessage(t, id, map[string]string{"delivery.state": "replied"})
	if n := s.count(`SELECT count(*) FROM people WHERE replied_at IS NOT NULL`); n != 1 {
		t.Error("the reply was forgotten")
	}
	if got := s.stored(); got != "3 facts, 3 ids" {
		t.Errorf("kept %s", got)
	}
}

func (s *server) sweepCallbacks(t *testing.T, want int) {
	t.Helper()
	if joined, err := s.callbacks.Sweep(t.Context()); err != nil || joined != want {
		t.Errorf("swept %d, %v, want %d", joined, err, want)
	}
}

// A provider that has the message confirms its send, whatever its status, by the way of every other confirmation. It never makes
// a send, and what is no proof moves none.
func TestAProviderThatHasTheMessageConfirmsIt(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.provider("Mailer", "admin")
	s.addInstall()
	for name, c := range map[string]struct {
		life []string
		want string
	}{
		"queued":      {nil, "sent"},
		"started":     {[]string{lease, start}, "sent"},
		"unconfirmed": {[]string{lease, start, unconfirm}, "sent"},
		"failed":      {[]string{lease, start, prove, fail}, "sent"},
	} {
		id, send := s.approved("ada-" + name)
		s.move(send, c.life...)
		now, provided := time.Now(), "provided "+name
		p.want(t, "2 0 0", event("b"+name, "bounced", provided, now, id), event("u"+name, "undelivered", provided, now, id))
		if got := s.ask("GET", "/v1/messages/"+id, "").text("status"); got != name {
			t.Errorf("a bounce made %s of a send that was %s", got, name)
		}
		old := now.Add(-time.Hour) // before the approval, whether the provider took it then or only tells of what came after
		p.want(t, "2 0 0", event("o"+name, "delivered", "old "+name, old, id), event("p"+name, "read", "old "+name, old, id))
		if got := s.ask("GET", "/v1/messages/"+id, "").text("status"); got != name {
			t.Errorf("what is older than the approval made %s of a send that was %s", got, name)
		}
		p.want(t, "3 0 0", event("a"+name, "accepted", provided, now, id), event("d"+name, "delivered", provided, now, id), event("r"+name, "read", provided, now, id))
		s.wantMessage(t, id, map[string]string{
			"status": c.want, "sends.0.code": "confirmed", "sends.1.id": "", "delivery.state": "read",
			"sends.0.evidence.deliveries.0.provider_id": provided, "sends.0.evidence.deliveries.1.provider_id": "",
		})
		if n := s.count(`SELECT count(*) FROM evidence WHERE send_id = $1 AND kind = 'confirmation'`, send); n != 1 {
			t.Errorf("%s: confirmed %d times by one copy", name, n)
		}
		if n := s.count(`SELECT count(*) FROM send_events WHERE send_id = $1 AND to_status = 'sent' AND actor = 'observer'`, send); n != 1 {
			t.Errorf("%s: %d moves by an observer, want 1", name, n)
		}
	}
	// Another copy of one message is a second delivery, and somebody must know.
	id, send := s.approved("ada-twice")
	s.move(send, lease, start)
	p.want(t, "2 0 0", event("t1", "sent", "one", time.Now(), id), event("t2", "sent", "two", time.Now(), id))
	if n := s.count(`SELECT count(*) FROM incidents WHERE message_id = $1 AND closed_at IS NULL`, uuid.MustParse(id)); n != 1 {
		t.Errorf("%d incidents of two copies, want 1", n)
	}
}

// A copy that one message has is not another's, whatever the event names.
func TestAnotherMessagesCopyConfirmsNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.provider("Mailer", "admin")
	s.addInstall()
	first, send := s.approved("ada-example")
	s.move(send, lease, start, confirm, sent, deliver)
	second, open := s.approved("alan-example")
	s.move(open, lease, start, unconfirm)
	p.want(t, "1 0 0", event("evt_1", "delivered", copyOf(first), time.Now(), second))
	s.wantMessage(t, second, map[string]string{"status": "unconfirmed", "delivery.state": ""})
	s.wantMessage(t, first, map[string]string{"delivery.state": "delivered"})

	// Another workspace's source speaks of its own workspace alone.
	others := s.provider("Mailer", "stranger")
	others.want(t, "2 0 2", event("evt_1", "delivered", copyOf(first), time.Now(), ""), event("evt_2", "replied", "provided", time.Now(), second))
	s.sweepCallbacks(t, 0)
	s.wantMessage(t, second, map[string]string{"status": "unconfirmed", "delivery.state": ""})
	if n := s.count(`SELECT count(*) FROM people WHERE replied_at IS NOT NULL`); n != 0 {
		t.Error("another workspace's source said that somebody replied")
	}
}

// A reply stops what waits to go to that person, and nobody else.
func TestARepliedCallbackStopsWhatWaits(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.provider("Mailer", "admin")
	s.addInstall()
	id, send := s.approved("ada-example")
	s.move(send, lease, start, confirm, sent, deliver)
	follow, queued := s.approved("ada-example")
	other, _ := s.approved("alan-example")
	woken := s.woken.count()
	p.want(t, "1 0 0", event("evt_1", "replied", copyOf(id), time.Now().Add(time.Second), ""))
	s.wantMessage(t, follow, map[string]string{"status": "canceled", "sends.0.code": "replied"})
	s.wantMessage(t, other, map[string]string{"status": "queued"})
	s.wantMessage(t, id, map[string]string{"status": "sent", "delivery.state": "replied"})
	if s.woken.count() == woken {
		t.Error("the account was not woken")
	}
	if n := s.count(`SELECT count(*) FROM send_events WHERE send_id = $1 AND to_status = 'canceled' AND actor = 'server'`, uuid.MustParse(queued)); n != 1 {
		t.Errorf("%d lines of history of the cancel", n)
	}
}

// An automatic answer is kept and shown, and is no reply: it stops nothing, and takes no message further.
func TestACallbackOfAnAutomaticAnswerIsNoReply(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.provider("Mailer", "admin")
	s.addInstall()
	id, send := s.approved("ada-example")
	s.move(send, lease, start, confirm, sent, deliver)
	follow, _ := s.approved("ada-example")
	away := event("evt_1", "auto_replied", copyOf(id), time.Now(), "")
	p.want(t, "1 0 0", away)
	p.want(t, "0 1 0", away)
	s.wantMessage(t, follow, map[string]string{"status": "queued"})
	s.wantMessage(t, id, map[string]string{"status": "sent", "delivery.state": "sent"})
	if receipt := s.requireReceipt(id); receipt.text("delivery_evidence.observations.0.kind") != "auto_replied" || receipt.text("reply") != "" {
		t.Errorf("the receipt shows %s", receipt.Body)
	}
	if n := s.count(`SELECT count(*) FROM events WHERE type IN ('delivery', 'delivery_trouble', 'person_replied')`); n != 0 {
		t.Errorf("the feed tells %d changes", n)
	}
	p.want(t, "1 0 0", event("evt_2", "replied", copyOf(id), time.Now(), ""))
	s.wantMessage(t, follow, map[string]string{"status": "canceled", "sends.0.code": "replied"})
}
