package search

import (
	"fmt"
	"slices"

	"sendonce/server/rule"
)

// A move is one thing that may happen next.
type move struct {
	who  int8 // the install, or less than 0
	what string
	more string
	f    uint16 // the frame that it is about, if any
}

const nobody int8 = -1

// world is the real code and what surrounds it.
type world struct {
	ext    *extension
	server server
	frames *frames
	bounds Bounds
}

func newWorld(without *Rule, bounds Bounds) (*world, error) {
	frames := newFrames()
	ext, err := newExtension(frames, without)
	if err != nil {
		return nil, err
	}
	return &world{ext, server{frames, without, bounds.Leases}, frames, bounds}, nil
}

func (w *world) describe(m move) string {
	text := m.what
	if m.f > 0 {
		text += " " + w.frames.all[m.f].String()
	}
	if m.more != "" {
		text += ": " + m.more
	}
	if m.who >= 0 {
		return fmt.Sprintf("browser %d %s", m.who, text)
	}
	return text
}

// first is the beginning: one queued send, two browsers that are connected.
func (w *world) first() (state, error) {
	var s state
	s.rows[0] = row{status: numbered(rule.Queued)}
	for i := range s.browsers {
		empty := w.ext.empty()
		s.browsers[i] = browser{store: empty, behind: empty, before: empty}
		born, err := w.born(s, uint8(i))
		if err != nil {
			return s, err
		}
		s = born
	}
	return s, nil
}

// takes tells of a state that may follow.
type takes func(move, state)

// each calls take with every state that may follow.
func (w *world) each(s state, take takes) error {
	w.people(s, take)
	w.times(s, take)
	for i := range s.flying {
		if s.flying[i].row > 0 {
			landed := s.landed(i)
			take(move{who: nobody, what: "a request on its way dies"}, landed)
			landed.copies++
			take(move{who: nobody, what: "a request on its way reaches the provider"}, landed)
		}
	}
	for _, number := range s.net {
		if number > 0 {
			if err := w.carry(s, number, take); err != nil {
				return err
			}
		}
	}
	for i := range s.browsers {
		if err := w.browser(s, uint8(i), take); err != nil {
			return err
		}
	}
	return nil
}

// people is what the server does by itself, and what a person asks it for.
func (w *world) people(s state, take takes) {
	for r := range uint8(rowsMax) {
		row := s.rows[r]
		if row.status == 0 {
			continue
		}
		for i := range uint8(installsMax) {
			if s.leasesGiven() == 0 && i > 0 {
				break // the browsers are alike
			}
			if b := s.browsers[i]; b.worker > 0 && w.ext.seen[b.worker].Ready {
				if leased, ok := w.server.lease(s, r, i); ok {
					take(move{who: int8(i), what: fmt.Sprintf("is given send %d to lease", r+1)}, leased)
				}
			}
		}
		if row.is(rule.Leased) {
			take(move{who: nobody, what: fmt.Sprintf("the lease of send %d runs out", r+1)}, s.move(r, rule.Queued, rule.Server))
		}
		if swept, ok := w.server.sweep(s, r); ok {
			take(move{who: nobody, what: fmt.Sprintf("send %d becomes unconfirmed by its deadline", r+1)}, swept)
		}
		if resolved, word, ok := w.server.resolve(s, r); ok {
			take(move{who: nobody, what: fmt.Sprintf("a person looks and says of send %d", r+1), more: word}, resolved)
		}
		if retried, ok := w.server.retry(s, r); ok {
			take(move{who: nobody, what: fmt.Sprintf("a person retries send %d", r+1)}, retried)
		}
	}
}

// times moves the clocks of rows that were started. The wait for what is on its way is what the world promises us: a grace
// after the deadline nothing arrives that left a tab which was gone by then, a grace after a tab was gone later nothing that
// left it, and after the longest wait nothing at all.
func (w *world) times(s state, take takes) {
	for r := range uint8(rowsMax) {
		row := s.rows[r]
		if row.status == 0 || !row.is(rule.Started) && !row.is(rule.Unconfirmed) {
			continue
		}
		s.rows[r].clock++
		switch row.clock {
		case clockRuns:
			late := s
			for i := range late.browsers {
				b := &late.browsers[i]
				b.late = b.late || b.worker > 0 && w.ext.seen[b.worker].Attempt == attemptName(row.attempt)
			}
			take(move{who: nobody, what: fmt.Sprintf("the deadline of send %d passes", r+1)}, late)
		case clockDeadline:
			if !s.flies(r+1, goneInTime) {
				take(move{who: nobody, what: fmt.Sprintf("the grace after the deadline of send %d passes", r+1)}, s)
			}
		case clockGrace:
			if !s.flies(r+1, tabThere, goneInTime, goneLate) {
				take(move{who: nobody, what: fmt.Sprintf("the longest wait for send %d passes", r+1)}, s)
			}
			if row.gone == goneLate && !s.flies(r+1, goneInTime, goneLate) {
				s.rows[r].clock, s.rows[r].gone = row.clock, goneLong
				take(move{who: nobody, what: fmt.Sprintf("a grace passes since the tab of send %d was gone", r+1)}, s)
			}
		}
		s.rows[r] = row
	}
}

// carry is the arrival of a frame. What the server answers is heard at once, or travels: an ack of a start travels, and any
// other answer only lets a browser forget or give up, so that it is heard at once by a browser that waits for it, or never.
func (w *world) carry(s state, number uint16, take takes) error {
	f := w.frames.all[number]
	if !f.toServer {
		if s.browsers[f.install].worker == 0 {
			return nil
		}
		heard, err := w.deliver(s, f)
		if err == nil {
			take(move{who: int8(f.install), what: "hears", f: number, more: w.phase(heard, f.install)}, heard)
		}
		return err
	}
	heard, answer, word := w.server.hear(s, f)
	if w.frames.all[answer].kind == "started" {
		take(move{who: nobody, what: "the server hears", f: number, more: word}, heard.with(answer))
		return nil
	}
	take(move{who: nobody, what: "the server hears", f: number, more: word + ", and its answer is lost"}, heard)
	if !slices.Contains(w.ext.seen[heard.browsers[f.install].worker].asks, number) {
		return nil
	}
	answered, err := w.tell(heard, f.install, w.frames.all[answer].event)
	if err == nil {
		take(move{who: nobody, what: "the server hears", f: number, more: word + ", and its answer arrives"}, answered)
	}
	return err
}

// deliver brings a frame to a browser. A lease that it takes up begins an attempt with an id of its own.
func (w *world) deliver(s state, f frame) (state, error) {
	if f.kind != "lease" {
		return w.tell(s, f.install, f.event)
	}
	b := s.browsers[f.install]
	id := attemptOf(f.lease, b.life)
	after, err := w.tell(s, f.install, fmt.Sprintf(`{"fresh_id":%q,%s`, attemptName(id), f.event[1:]))
	if err != nil {
		return s, err
	}
	if now := &after.browsers[f.install]; w.ext.seen[b.worker].Attempt == "" && w.ext.seen[now.worker].Attempt != "" {
		now.before, now.late, now.noLag = b.store, false, false
	}
	return after, nil
}

// phase is how far the attempt of a browser is, for people.
func (w *world) phase(s state, install uint8) string {
	if phase := w.ext.seen[s.browsers[install].worker].Phase; phase != "" {
		return phase
	}
	return "idle"
}

// tell gives an event to a worker that lives, and takes over what it does.
func (w *world) tell(s state, install uint8, event string) (state, error) {
	b := &s.browsers[install]
	m, err := w.ext.after(install, b.worker, b.store, b.late, event)
	if err != nil {
		return s, err
	}
	b.worker = m.worker
	if m.store != b.store {
		b.store, b.behind = m.store, m.behind
	}
	if m.word > 0 {
		b.word, b.page, b.linked = m.word, pageTold, true
	}
	b.tab = b.tab || w.ext.seen[m.worker].Tab
	for _, number := range m.said {
		s = s.with(number)
	}
	return s, nil
}

func (s seen) has(timer string) bool { return slices.Contains(s.Timers, timer) }
