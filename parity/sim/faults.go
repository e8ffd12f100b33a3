package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// misfortune is one fault of the machines.
func (w *World) misfortune() {
	b := w.browsers[w.rng.IntN(len(w.browsers))]
	w.chooseOne([]choice{
		{6, func() { w.killWorker(b) }},
		{2, func() { b.kill(w.chance(0.5)) }},
		{4, func() { w.killServer() }},
		{5, func() { w.cutLink(b) }},
		{2, func() { w.muteLink(b) }},
		{2, func() { b.sleep(w.between(time.Second, 20*time.Minute)) }},
		{3, func() { w.freeze(b) }},
		{1, func() {
			b.wallAhead += w.between(-10*time.Minute, 10*time.Minute)
			w.tell("%s: its clock is set", b.name)
		}},
		{1, func() {
			w.ahead = w.between(0, databaseAheadMax)
			w.tell("the database's clock steps to %s ahead", w.ahead)
		}},
		{2, func() {
			b.signedOut = time.Now().Add(w.between(time.Second, 10*time.Minute))
			w.tell("%s: LinkedIn asks to sign in", b.name)
		}},
		{2, func() { w.stickyBox(b) }},
		{2, func() { w.switchMember(b) }},
		{1, func() { w.copyProfile(b) }},
		{1, func() { w.waitOn() }},
	})
}

// killWorker ends a worker at once, or between two of the words that it says to Chrome next.
func (w *World) killWorker(b *browser) {
	switch {
	case b.worker == nil:
	case w.chance(0.3):
		b.endWorker()
	default:
		b.worker.dies = 1 + w.rng.IntN(callsMax)
	}
}

// killServer ends a server at once, or at one of its next words to the database: before it is said, or when it is done and
// nobody has heard.
func (w *World) killServer() {
	s := w.servers[w.rng.IntN(len(w.servers))]
	switch {
	case s.isDead():
	case w.chance(0.3):
		s.kill()
	default:
		s.dead.heard.Store(w.chance(0.5))
		s.dead.after.Store(1 + w.rng.Int64N(tripsMax))
	}
}

func (w *World) cutLink(b *browser) {
	if len(b.links) > 0 {
		w.tell("%s: its connection is lost", b.name)
		b.links[w.rng.IntN(len(b.links))].drop(true)
	}
}

func (w *World) muteLink(b *browser) {
	if len(b.links) > 0 {
		w.tell("%s: its connection is half open", b.name)
		b.links[w.rng.IntN(len(b.links))].mute = true
	}
}

// freeze is a tab that Chrome gives no time for a while.
func (w *World) freeze(b *browser) {
	if tabs := b.ourTabs(); len(tabs) > 0 {
		t := tabs[w.rng.IntN(len(tabs))]
		t.frozenUntil = time.Now().Add(w.between(time.Second, 4*time.Minute))
		w.tell("%s: a tab is frozen", b.name)
	}
}

func (w *World) stickyBox(b *browser) {
	if tabs := b.ourTabs(); len(tabs) > 0 {
		if doc := tabs[w.rng.IntN(len(tabs))].doc; doc != nil {
			doc.stuck = true
			w.tell("%s: a box cannot be emptied", b.name)
		}
	}
}

// switchMember is another recruiter who signs in to LinkedIn in this browser, for a while.
func (w *World) switchMember(b *browser) {
	was := b.member
	b.member = w.site.members[w.rng.IntN(len(w.site.members))]
	if b.member != was {
		w.tell("%s: %s signs in to LinkedIn", b.name, b.member.slug)
		w.later(w.between(time.Second, 10*time.Minute), b.name, was.slug+" signs in to LinkedIn again", func() { b.member = was })
	}
}

// copyProfile is a profile that is copied to another machine with all that the extension has stored.
func (w *World) copyProfile(b *browser) {
	if len(w.browsers) >= browsersMax {
		return
	}
	twin := w.newBrowser(fmt.Sprintf("browser %d", len(w.browsers)+1), b.member)
	twin.storage = maps.Clone(b.storage)
	w.tell("%s is a copy of %s", twin.name, b.name)
	w.note("a profile was copied")
	twin.start()
}

// waitOn lets a long time pass in which only what is due happens.
func (w *World) waitOn() {
	until := time.Now().Add(w.between(time.Minute, 12*time.Minute))
	w.tell("a while passes")
	faults := w.faults
	w.faults = false
	for time.Now().Before(until) && w.step() {
	}
	w.faults = faults
}

// calm ends all faults: what was broken is mended, and stays so. A machine that sleeps with a request sleeps on: what people then do
// is what they must be wrong about.
func (w *World) calm() {
	w.faults = false
	w.ahead = 0
	for _, b := range w.browsers {
		if !b.sleepsOnARequest() {
			b.wakeUp()
		}
		b.signedOut = time.Time{}
		for _, t := range b.tabs {
			t.frozenUntil = time.Time{}
		}
		if b.worker != nil {
			b.worker.dies = 0
		}
		// What a half-open or lossy connection swallowed comes with the next one.
		for _, l := range slices.Clone(b.links) {
			l.drop(true)
		}
	}
	for _, s := range w.servers {
		if !s.isDead() {
			s.dead.after.Store(0)
		}
	}
	w.tell("no more faults")
	for _, after := range []time.Duration{0, 3 * time.Minute, 6 * time.Minute, 15 * time.Minute} {
		w.later(after, "people", "let everything go on", w.people.letGoOn)
	}
	// Past the deadline and the grace of whatever had begun.
	for _, after := range []time.Duration{18 * time.Minute, 19 * time.Minute} {
		w.later(after, "people", "settle what is left", w.people.settleAll)
	}
}
