package sim

import (
	"slices"
	"time"
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
	w.must(w.owner.QueryRow(w.ctx, "SELECT count(*), max(started_at) FROM sends WHERE message_id = ANY($1) AND started_at IS NOT NULL", ids).Scan(&started, &lastStart))
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
	w.must(w.owner.QueryRow(w.ctx, `SELECT EXISTS (SELECT FROM sends s JOIN person_identities i ON i.person_id = s.person_id
		WHERE s.started_at IS NOT NULL AND (i.value = $1 OR i.value LIKE '%' || $2))`, d.person.slug, d.person.id).Scan(&started))
	if !started {
		w.breach("%s opened the page of %s before anything to them had started", d.tab.b.name, d.person.slug)
	}
}

// injected holds the page script that types and clicks against what has begun: a page that is only looked at has none.
func (w *World) injected(d *document, acts bool) {
	if !acts || d.person == nil {
		return
	}
	w.checks = append(w.checks, func() {
		var begun bool
		w.must(w.owner.QueryRow(w.ctx, `SELECT EXISTS (SELECT FROM sends s JOIN person_identities i ON i.person_id = s.person_id
			WHERE s.status IN ('started', 'unconfirmed', 'sent', 'failed') AND s.lease_holder::text = $2 AND i.value = $1
			AND s.gone_at IS NULL)`, d.person.slug, d.tab.b.install()).Scan(&begun))
		if !begun {
			w.breach("%s put the script that acts into a page of %s, to whom it sends nothing", d.tab.b.name, d.person.slug)
		}
	})
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
	asked, repeats, erred := 0, 0, false
	for _, m := range w.people.messages {
		if m.approved[c.text] && m.member == t.member && m.person == t.person {
			asked++
			erred = erred || m.erred
			if m.repeat {
				repeats++
			}
		}
	}
	// One text goes to one person once, and once more for each message whose approval said yes to a repeat.
	if len(presses) <= max(1, min(asked, 1+repeats)) {
		return
	}
	if erred {
		w.note(secondWrong)
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

func (w *World) result(seed uint64) Result {
	r := Result{Seed: seed, Broken: w.broken, Events: w.events, Seen: w.seen, Story: w.story, Told: w.told.Sum64()}
	r.Counts = Counts{Messages: len(w.people.messages), Clicks: w.site.clicks, Copies: w.site.taken, BrowserCopies: w.browserCopies, Duplicates: w.duplicates}
	w.must(w.owner.QueryRow(w.ctx, "SELECT count(*) FROM sends").Scan(&r.Counts.Sends))
	return r
}
