package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sendonce/server/rule"
)

// pressed holds one click of ours against what was approved and started.
func (w *World) pressed(p press) {
	w.checks = append(w.checks, func() { w.checkPress(p) })
}

func (w *World) checkPress(p press) {
	var approved []*message
	for _, m := range w.people.messages {
		if m.approved[p.text] && m.member == p.member && m.person == p.person {
			approved = append(approved, m)
		}
	}
	if len(approved) == 0 {
		w.breach("click %d sent %q to %s, which nobody approved", p.click, p.text, p.person.slug)
		return
	}
	ids := make([]string, len(approved))
	for i, m := range approved {
		ids[i] = m.id
	}
	var started int
	var lastStart *time.Time
	w.must(w.clock.QueryRow(w.ctx, "SELECT count(*), max(started_at) FROM sends WHERE message_id = ANY($1) AND started_at IS NOT NULL", ids).Scan(&started, &lastStart))
	w.checkMoment(p, approved, lastStart)
	clicks := 0
	for _, one := range w.site.pressed {
		if one.text == p.text && one.person == p.person && one.member == p.member {
			clicks++
		}
	}
	if clicks > started {
		w.breach("click %d is the %dth of %q, and %d sends of it have started", p.click, clicks, p.text, started)
	}
}

// checkMoment holds the moment of a click: not past the touch window, and not across a reply that the page showed. LinkedIn
// says when the reply came, and the database when the approval did: while their clocks differ nobody can order the two.
func (w *World) checkMoment(p press, approved []*message, lastStart *time.Time) {
	if lastStart != nil && time.Since(*lastStart) > settings.TouchWithin+w.ahead.Abs()+clocksApart {
		w.breach("click %d came %s after the start", p.click, time.Since(*lastStart))
	}
	t := w.site.find(p.member, p.person)
	if t == nil {
		return
	}
	for _, m := range approved {
		if slices.ContainsFunc(t.copies, func(c *copied) bool {
			return !c.own && c.at.After(m.since.Add(databaseAheadMax)) && !c.visible.After(p.at)
		}) && len(approved) == 1 {
			w.breach("click %d crossed a reply that stood there", p.click)
		}
	}
}

// opened holds a page of ours about a person against what has begun: before a start nobody is looked at.
func (w *World) opened(d *document) {
	if d.person != nil {
		w.checks = append(w.checks, func() { w.checkOpened(d) })
	}
}

func (w *World) checkOpened(d *document) {
	var started bool
	w.must(w.clock.QueryRow(w.ctx, `SELECT EXISTS (SELECT FROM sends s JOIN person_identities i ON i.person_id = s.person_id
		WHERE s.started_at IS NOT NULL AND (i.value = $1 OR i.value LIKE '%' || $2))`, d.person.slug, d.person.id).Scan(&started))
	if !started {
		w.breach("%s opened the page of %s before anything to them had started", d.tab.b.name, d.person.slug)
	}
}

// took counts a copy that LinkedIn took.
func (w *World) took(r *request, c *copied) {
	if c.press == 0 {
		return
	}
	t := w.site.find(r.member, r.doc.person)
	presses := map[int]bool{}
	for _, one := range t.copies {
		if one.text != c.text || one.press == 0 {
			continue
		}
		if one != c && one.press == c.press {
			w.note("a copy by the browser or the page")
			w.browserCopies++
		}
		presses[one.press] = true
	}
	allowed, erred := 0, false
	for _, m := range w.people.messages {
		if m.approved[c.text] && m.member == t.member && m.person == t.person {
			allowed++
			erred = erred || m.erred
		}
	}
	if len(presses) <= max(allowed, 1) {
		return
	}
	if erred {
		w.note("a second copy after a person was wrong")
		return
	}
	w.duplicates++
	w.breach("%s has %d copies of %q by as many clicks of ours", t.person.slug, len(presses), c.text)
}

// watch holds what has just happened against the promises.
func (w *World) watch() {
	checks := w.checks
	w.checks = nil
	for _, check := range checks {
		check()
	}
	for _, do := range w.notices.take() {
		if w.faults && w.chance(0.1) {
			continue // the slow poll is the net under a lost notice
		}
		w.later(w.network(), "between the servers", "a notice", do).quiet = true
	}
}

// finally is what must be so once faults have ended and time has passed.
func (w *World) finally() {
	w.finallySends()
	w.finallyHistory()
	w.finallyIntents()
	for _, b := range w.browsers {
		w.finallyBrowser(b)
	}
}

func (w *World) finallySends() {
	for _, m := range w.people.messages {
		shown, ok := w.people.read(m)
		if !ok && len(m.approved) > 0 && m.id != "" {
			w.note("ended without a send")
		}
		for _, send := range shown.Sends {
			w.finallySend(m, send)
		}
	}
}

func (w *World) finallySend(m *message, send shownSend) {
	w.note(fmt.Sprintf("ended %s %s %s", send.Status, send.Code, send.Reason))
	switch status := send.Status; {
	case status == rule.Leased || status == rule.Started:
		w.breach("send %s is still %s at the end", send.ID, status)
	case status == rule.Queued && send.WaitingFor == "" && w.hasFreeBrowser(m.member):
		w.breach("send %s is queued, waits for nothing but a browser, and one is free", send.ID)
	case status == rule.Unconfirmed && send.Instruction == "":
		w.breach("send %s is unconfirmed without an instruction", send.ID)
	case status != rule.Queued && send.Code == "":
		w.breach("send %s is %s and does not say why", send.ID, status)
	}
}

// hasFreeBrowser: by docs/api.md a queued send that names nothing waits for the next free browser of its account.
func (w *World) hasFreeBrowser(m *member) bool {
	return slices.ContainsFunc(w.browsers, func(b *browser) bool {
		return b.member == m && len(b.links) > 0 && b.storage["paused"] != "true"
	})
}

// finallyHistory holds every send's events against the moves that there are.
func (w *World) finallyHistory() {
	rows, err := w.clock.Query(w.ctx, `SELECT e.send_id::text, coalesce(e.from_status, ''), e.to_status, coalesce(e.code, ''),
		lag(e.to_status, 1, '') OVER (PARTITION BY e.send_id ORDER BY e.id), s.status, e.actor,
		lead(e.id) OVER (PARTITION BY e.send_id ORDER BY e.id) IS NULL
		FROM send_events e JOIN sends s ON s.id = e.send_id ORDER BY e.send_id, e.id`)
	w.must(err)
	defer rows.Close()
	started := map[string]bool{}
	for rows.Next() {
		var id, code, actor string
		var from, to, before, now rule.Status
		var last bool
		w.must(rows.Scan(&id, &from, &to, &code, &before, &now, &actor, &last))
		if to == rule.Started {
			started[id] = true
		}
		moved := from != "" && from != to
		switch {
		case moved && !rule.Allowed(from, to, rule.Actor(actor), started[id] && from != rule.Leased):
			w.breach("send %s went from %q to %q by %s", id, from, to, actor)
		case to == rule.Queued && started[id]:
			w.breach("send %s was queued again after its start", id)
		case from != before:
			w.breach("the history of send %s goes from %q on with %q", id, before, from)
		case last && to != now:
			w.breach("the history of send %s ends with %q, and it is %q", id, to, now)
		case to == rule.Sent && from != rule.Started && from != "" && from != rule.Sent:
			w.note("a late confirmation won over " + string(from))
			if actor == string(rule.Observer) {
				w.note("a check found a message")
			}
		}
	}
	w.must(rows.Err())
}

// finallyIntents holds what has started against what was decided: of two messages for one intent the later one names what it
// follows, and began after the earlier one's end. The numbers of the history are in order, whatever the clock does.
func (w *World) finallyIntents() {
	rows, err := w.clock.Query(w.ctx, `WITH starts AS (
			SELECT e.id, e.send_id, m.id AS message, m.person_id, m.purpose, m.follows_send
			FROM send_events e JOIN messages m ON m.id = e.message_id WHERE e.from_status = 'leased' AND e.to_status = 'started')
		SELECT later.message::text FROM starts later JOIN starts earlier USING (person_id, purpose)
		WHERE earlier.message <> later.message AND earlier.id < later.id AND (later.follows_send IS NULL OR NOT EXISTS (
			SELECT FROM send_events x WHERE x.send_id = earlier.send_id AND x.to_status IN ('sent', 'failed') AND x.id < later.id))`)
	w.must(err)
	defer rows.Close()
	for rows.Next() {
		var id string
		w.must(rows.Scan(&id))
		w.breach("message %s began beside another for the same person and purpose, or names none that it follows", id)
	}
	w.must(rows.Err())
}

// finallyBrowser asks whether a browser still owes a word about an attempt.
func (w *World) finallyBrowser(b *browser) {
	var journal struct {
		Open map[string]json.RawMessage `json:"open"`
	}
	if raw, there := b.storage["journal"]; there {
		w.must(json.Unmarshal([]byte(raw), &journal))
	}
	for token := range journal.Open {
		w.breach("%s still has an open entry %s in its journal", b.name, token[len(token)-8:])
	}
}

func (w *World) result(seed uint64) Result {
	r := Result{Seed: seed, Broken: w.broken, Events: w.events, Seen: w.seen, Story: w.story, Told: w.told.Sum64()}
	r.Counts = Counts{Messages: len(w.people.messages), Clicks: w.site.clicks, Copies: w.site.taken, BrowserCopies: w.browserCopies, Duplicates: w.duplicates}
	w.must(w.clock.QueryRow(w.ctx, "SELECT count(*) FROM sends").Scan(&r.Counts.Sends))
	return r
}
