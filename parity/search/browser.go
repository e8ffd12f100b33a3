package search

import (
	"encoding/json"
	"fmt"
)

const (
	answerTaken   = 200
	answerRefused = 400
)

// browser is what may happen in one browser.
func (w *world) browser(s state, i uint8, take takes) error {
	b := s.browsers[i]
	if b.page == pageTold {
		if err := w.act(s, i, take); err != nil {
			return err
		}
	}
	if b.worker == 0 {
		return w.dead(s, i, take)
	}
	w.dies(s, i, take)
	return w.attempt(s, i, take)
}

// attempt is what may happen to the attempt that a living worker has.
func (w *world) attempt(s state, i uint8, take takes) error {
	b := s.browsers[i]
	now := w.ext.seen[b.worker]
	if now.lease == 0 {
		return nil
	}
	step := func(from state, what, event string) error {
		after, err := w.tell(from, i, event)
		if err == nil && after != from {
			take(move{who: int8(i), what: what, more: w.phase(after, i)}, after)
		}
		return err
	}
	if !b.late { // where that makes no difference, the state stays the same
		late := s
		late.browsers[i].late = true
		take(move{who: int8(i), what: "lets the touch window pass"}, late)
	}
	if now.Tab {
		if err := step(s.tabGone(i), "closes the tab", `{"do":"gone"}`); err != nil {
			return err
		}
	}
	if now.has("lease") {
		if err := step(s, "finds its lease run out", `{"do":"timer","name":"lease"}`); err != nil {
			return err
		}
	}
	if now.has("window") && b.late {
		if err := step(s, "finds the touch window over", `{"do":"timer","name":"window"}`); err != nil {
			return err
		}
	}
	switch now.Phase {
	case "opening":
		return w.shown(s, func(copy bool) error {
			return step(s, "opens the conversation, which "+shows(copy), fmt.Sprintf(`{"do":"reach","shown":%t}`, copy))
		})
	case "resolving":
		return w.proceed(s, i, take)
	case "going", "watching":
		return w.afterGo(s, i, step, take)
	case "looking":
		return w.look(s, i, step)
	}
	return nil
}

func shows(copy bool) string {
	if copy {
		return "shows the message"
	}
	return "does not show the message"
}

// shown tries what a page may show of what the provider has: it may lag behind.
func (w *world) shown(s state, try func(copy bool) error) error {
	if s.copies > 0 {
		if err := try(true); err != nil {
			return err
		}
	}
	return try(false)
}

func (w *world) proceed(s state, i uint8, take takes) error {
	for _, number := range w.ext.seen[s.browsers[i].worker].asks {
		f := w.frames.all[number]
		if f.kind != "resolved" {
			continue
		}
		answer, word := w.server.proceed(s, f)
		after, err := w.tell(s, i, encoded(map[string]any{"do": "proceed", "frame": answer}))
		if err != nil {
			return err
		}
		take(move{who: int8(i), what: "asks to write, " + word, more: w.phase(after, i)}, after)
	}
	return nil
}

// afterGo: the page's word is heard, or it never comes and the worker looks.
func (w *world) afterGo(s state, i uint8, step func(state, string, string) error, take takes) error {
	b := s.browsers[i]
	if b.linked && b.page > pageTold {
		heard := s
		heard.browsers[i].page = pageNone
		answered := map[uint8]int{pageAccepted: answerTaken, pageSilent: 0, pageRefused: answerRefused}[b.page]
		if err := step(heard, "hears that it clicked", fmt.Sprintf(`{"do":"clicked","answered":%d}`, answered)); err != nil {
			return err
		}
	}
	if w.ext.seen[b.worker].Phase == "going" {
		return step(s, "hears nothing of its page", `{"do":"timer","name":"box"}`)
	}
	return w.look(s, i, step)
}

func (w *world) look(s state, i uint8, step func(state, string, string) error) error {
	if err := step(s, "looks, and is shown nothing", `{"do":"look","shows":false,"shown":false}`); err != nil {
		return err
	}
	return w.shown(s, func(copy bool) error {
		if !copy && s.copies > 0 && s.browsers[i].noLag {
			return nil
		}
		return step(s, "looks at the conversation, which "+shows(copy), fmt.Sprintf(`{"do":"look","shows":true,"shown":%t}`, copy))
	})
}

// act is what the page may do that was told to go. Whether it clicks, the gate decides.
func (w *world) act(s state, i uint8, take takes) error {
	b := s.browsers[i]
	clicks, why := false, ""
	for _, asleep := range []bool{false, true} {
		verdict, err := w.ext.verdict(gateAsked{b.word, b.late, asleep, b.linked})
		if err != nil {
			return err
		}
		if verdict == "" {
			clicks = true
		} else {
			why = verdict
		}
	}
	if clicks {
		w.click(s, i, take)
	}
	if why == "" {
		return nil
	}
	s.browsers[i].page, s.browsers[i].word = pageNone, 0
	if !b.linked {
		take(move{who: int8(i), what: "has a page without its worker, which does not click"}, s)
		return nil
	}
	reason, err := json.Marshal(why)
	if err != nil {
		return fmt.Errorf("encode a reason: %w", err)
	}
	after, err := w.tell(s, i, fmt.Sprintf(`{"do":"not_clicked","reason":%s}`, reason))
	if err != nil {
		return err
	}
	take(move{who: int8(i), what: "does not click, " + why, more: w.phase(after, i)}, after)
	return nil
}

// click is what may come of a click. Chromium may send a request twice and show one answer: so a refusal may hide a copy,
// and that one was taken before the look.
func (w *world) click(s state, i uint8, take takes) {
	b := &s.browsers[i]
	row := s.leases[w.leaseOf(s, i)-1].row
	s.browsers[i].word = 0
	b.page = pageRefused
	take(move{who: int8(i), what: "clicks; the provider refuses"}, s)
	b.page = pageSilent
	if flying, ok := s.fly(request{row: row, install: i}); ok {
		take(move{who: int8(i), what: "clicks; the request is on its way"}, flying)
	}
	s.copies++
	take(move{who: int8(i), what: "clicks; the provider takes it and does not answer"}, s)
	b.page = pageAccepted
	take(move{who: int8(i), what: "clicks; the provider takes it"}, s)
	b.page, b.noLag = pageRefused, true
	take(move{who: int8(i), what: "clicks; the provider takes it, and refuses what the network stack repeats"}, s)
}

// leaseOf is of which lease the page of a browser is.
func (w *world) leaseOf(s state, i uint8) uint8 { return w.ext.seen[s.browsers[i].worker].lease }

// dies is what may end a worker, or its browser.
func (w *world) dies(s state, i uint8, take takes) {
	if int(s.deaths) == w.bounds.Deaths || s.browsers[i].store == w.ext.empty() {
		return // one that never had a lease has nothing to lose
	}
	s.deaths++
	b := &s.browsers[i]
	b.worker, b.linked, b.late = 0, false, false
	take(move{who: int8(i), what: "loses its worker"}, s)
	s = s.tabGone(i)
	b = &s.browsers[i]
	tries := []struct {
		store uint32
		word  string
	}{{b.store, "what it wrote is whole"}, {b.behind, "its last write is lost"}, {b.before, "all it wrote of its last lease is lost"}}
	for k, try := range tries {
		if k > 0 && try.store == tries[k-1].store {
			continue
		}
		b.store, b.behind, b.before = try.store, try.store, try.store
		take(move{who: int8(i), what: "loses its power", more: try.word}, s)
	}
}

// dead is what may happen in a browser without a worker.
func (w *world) dead(s state, i uint8, take takes) error {
	if s.browsers[i].tab {
		take(move{who: int8(i), what: "closes the tab, which has no worker"}, s.tabGone(i))
	}
	after, err := w.born(s, i)
	if err != nil {
		return err
	}
	take(move{who: int8(i), what: "has a new worker, which says hello", more: w.phase(after, i)}, after)
	return nil
}

// born begins a worker over what its browser has stored, and connects it.
func (w *world) born(s state, i uint8) (state, error) {
	b := &s.browsers[i]
	told := map[string]any{}
	for _, name := range w.ext.open(b.store) {
		told[name] = s.openLease(numberIn(name))
	}
	b.life++
	return w.tell(s, i, encoded(map[string]any{"boot": fmt.Sprintf("boot-%d-%d", i, b.life), "statuses": told}))
}
