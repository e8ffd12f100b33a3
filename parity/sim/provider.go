package sim

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"sendonce/server/access"
	"sendonce/server/auth"
	"sendonce/server/delivery"
	"sendonce/server/rule"
)

// provider tells the servers of what LinkedIn took and what became of it: some of it, late, again, under other ids, in any
// order, and now and then to a server that dies over it.
type provider struct {
	w     *World
	id    string
	key   []byte
	calls int
	told  map[told]bool // true once a server has acknowledged it
}

// told is one fact, as the provider tells it.
type told struct {
	kind    delivery.Kind
	copy    string
	at      time.Time
	message string
}

func (w *World) newProvider() *provider {
	admin, err := access.NewService(w.servers[0].store).FirstAdmin(w.ctx)
	w.must(err)
	made, secret, err := w.servers[0].callbacks.Create(w.ctx, admin, "LinkedIn", "")
	w.must(err)
	key, _ := auth.ReadWebhookSecret(secret)
	return &provider{w: w, id: made.ID.String(), key: key, told: map[told]bool{}}
}

// call tells a few facts in one callback, now and then of before.
func (p *provider) call() {
	var facts []told
	for range 1 + p.w.rng.IntN(callbackFactsMax) {
		if fact, ok := p.fact(); ok {
			facts = append(facts, fact)
		}
	}
	if len(facts) == 0 {
		return
	}
	var events []map[string]any
	for _, f := range facts {
		p.calls++
		if _, before := p.told[f]; !before {
			p.told[f] = false
		}
		event := map[string]any{"id": fmt.Sprintf("evt_%d", p.calls), "type": f.kind, "provider_id": f.copy, "at": f.at.UTC()}
		if f.message != "" {
			event["message_id"] = f.message
		}
		events = append(events, event)
	}
	body, err := json.Marshal(map[string]any{"events": events})
	p.w.must(err)
	for range 1 + p.w.rng.IntN(2) { // its answer was lost, or the network repeats it
		if p.post(body) {
			for _, f := range facts {
				p.told[f] = true
			}
		}
	}
}

// fact is something about a copy that a click of ours made. Which message that is the provider says only where it can be told.
func (p *provider) fact() (told, bool) {
	site := p.w.site
	if len(site.threads) == 0 {
		return told{}, false
	}
	t := site.threads[p.w.rng.IntN(len(site.threads))]
	c := t.copies[p.w.rng.IntN(len(t.copies))]
	if !c.own {
		return told{kind: delivery.Replied, copy: t.copies[0].id, at: c.at}, t.copies[0].press != 0
	}
	kinds := []delivery.Kind{delivery.Accepted, delivery.Sent, delivery.Delivered, delivery.Read, delivery.Bounced, delivery.Undelivered}
	fact := told{kind: kinds[p.w.rng.IntN(len(kinds))], copy: c.id, at: c.at}
	if of := p.w.people.onlyMessage(t, c); of != nil && p.w.chance(namedShare) {
		fact.message = of.id
	}
	return fact, c.press != 0
}

// onlyMessage is the one message that a copy can be, or nil.
func (p *people) onlyMessage(t *thread, c *copied) (only *message) {
	for _, m := range p.messages {
		if m.approved[c.text] && m.member == t.member && m.person == t.person {
			if only != nil {
				return nil
			}
			only = m
		}
	}
	return only
}

// post says whether a server acknowledged the callback.
func (p *provider) post(body []byte) bool {
	s := p.w.aliveServer()
	if s == nil {
		return false
	}
	id, stamp := fmt.Sprintf("msg_%d", p.calls), strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, p.key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	got := s.post("/v1/callbacks/"+p.id, body, http.Header{
		"Webhook-Id": {id}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))},
	})
	p.w.settle()
	p.w.tell("LinkedIn calls back: %d %s", got.status, got.problem.Code)
	if got.status == http.StatusUnauthorized || got.status == http.StatusUnprocessableEntity {
		p.w.breach("a callback was refused: %s %s %s", got.problem.Code, got.problem.Detail, bytes.TrimSpace(body))
	}
	return got.ok()
}

// finallyTold holds what is kept of the provider's words against what it said: each fact once, and joined where its message is known.
func (w *World) finallyTold() {
	var kept, waiting int
	w.must(w.owner.QueryRow(w.ctx, "SELECT count(*) FROM delivery_observations WHERE source_id IS NOT NULL").Scan(&kept))
	w.must(w.owner.QueryRow(w.ctx, "SELECT count(*) FROM waiting_observations WHERE message_id IS NOT NULL").Scan(&waiting))
	acknowledged := 0
	for _, heard := range w.provider.told {
		if heard {
			acknowledged++
		}
	}
	if kept < acknowledged || kept > len(w.provider.told) {
		w.breach("%d facts are kept of %d that the provider told, %d of them acknowledged", kept, len(w.provider.told), acknowledged)
	}
	if waiting > 0 {
		w.breach("%d facts wait at the end though their message is known", waiting)
	}
	var unheard int
	w.must(w.owner.QueryRow(w.ctx, `SELECT count(*) FROM delivery_observations o JOIN sends s ON s.message_id = o.message_id
		JOIN approvals a ON a.id = s.approval_id WHERE o.kind IN ('accepted', 'sent', 'delivered', 'read') AND o.at > a.approved_at
		AND s.status = $1 AND s.ordinal = (SELECT max(ordinal) FROM sends n WHERE n.message_id = s.message_id)
		AND NOT EXISTS (SELECT FROM sends n WHERE n.message_id = s.message_id AND n.status = 'sent')`, string(rule.Unconfirmed)).Scan(&unheard))
	if unheard > 0 {
		w.breach("%d sends are unconfirmed though the provider has said that it has them", unheard)
	}
}
