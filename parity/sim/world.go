package sim

import (
	"context"
	"fmt"
	"hash"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
)

// World is one life from one seed.
type World struct {
	t        testing.TB
	ctx      context.Context
	rng      *rand.Rand
	owner    *pgx.Conn // the owner's connection: it reads everything
	clock    databaseClock
	urls     databaseURLs
	keys     string // the folder of the servers' keys
	servers  []*server
	browsers []*browser
	site     *site
	people   *people
	provider *provider
	follower *follower
	faults   bool
	mood     mood
	paced    *paced // nil in most worlds
	pending  []*event
	events   int // that happened, but pings
	born     int // of events, for their order
	story    []string
	seen     map[string]int
	broken   []string // promises that were broken

	scripts       *Scripts
	notices       *later
	checks        []func() // of what has just happened, once the servers rest
	requests      int
	acked         map[string]int // how often each attempt heard that it has started
	steps         int            // with those in which only time passes
	ahead         time.Duration  // of the database's clock
	browserCopies int
	duplicates    int
	told          hash.Hash64 // of every line of the timeline
}

type databaseURLs struct{ admin, server string }

// event is something that will happen. Events of one queue happen in the order in which they were made.
type event struct {
	at    time.Time
	queue string
	what  string
	quiet bool // pings and the like: they are neither told nor counted
	free  bool // a queue of its own
	// Whose it is: what sleeps, is frozen or has died has no events.
	browser *browser
	worker  *worker
	tab     *tab
	do      func()
	order   int
}

// later has something happen after a while.
func (w *World) later(after time.Duration, queue, what string, do func()) *event {
	w.born++
	e := &event{at: time.Now().Add(after), queue: queue, what: what, do: do, order: w.born}
	w.pending = append(w.pending, e)
	return e
}

// when it may happen: what sleeps or is frozen waits.
func (e *event) when() time.Time {
	at := e.at
	if e.browser != nil && e.browser.asleepUntil.After(at) {
		at = e.browser.asleepUntil
	}
	if e.tab != nil && e.tab.frozenUntil.After(at) {
		at = e.tab.frozenUntil
	}
	return at
}

// drop takes events back that will not happen.
func (w *World) drop(gone func(*event) bool) { w.pending = slices.DeleteFunc(w.pending, gone) }

// step lets one thing happen: a fault or a person's act now and then, else what is due, else time passes. false: nothing
// will ever happen.
func (w *World) step() bool {
	if w.steps++; w.steps == stepsMax {
		w.breach("the world does not come to rest: after %d steps %q is still happening", w.steps, w.story[len(w.story)-2:])
		return false
	}
	e := w.next()
	if e == nil {
		return false
	}
	if w.interrupted(e) {
		w.settle()
		return true
	}
	if wait := time.Until(e.when()); wait > 0 {
		w.pass(min(wait, longestStep))
		return true
	}
	w.pending = slices.DeleteFunc(w.pending, func(one *event) bool { return one == e })
	if !e.quiet {
		w.events++
		w.tell("%s: %s", e.queue, e.what)
	}
	e.do()
	w.settle()
	return true
}

// interrupted has something come between now and then. People act while nothing is under way as well.
func (w *World) interrupted(e *event) bool {
	idle := time.Until(e.when()) > idleAfter
	switch {
	case !w.faults:
		return false
	case e.crossable() && w.chance(w.mood.crossings):
		w.people.cross(e)
	case w.chance(map[bool]float64{true: peopleIdleShare, false: peopleShare}[idle]):
		w.people.act()
	case !idle && w.chance(w.mood.faults):
		w.misfortune()
	default:
		return false
	}
	return true
}

// crossable: what a start or a click rests on may change while this is on its way.
func (e *event) crossable() bool {
	return e.what == "frame lease" || e.what == "frame start" || e.what == "the page is told to go"
}

// next picks one of the queues' first events that are due, or the first that will be.
func (w *World) next() *event {
	heads := map[string]*event{}
	var order []string
	for _, e := range w.pending {
		queue := e.queue
		if e.free {
			queue += strconv.Itoa(e.order)
		}
		head, known := heads[queue]
		if !known {
			order = append(order, queue)
		}
		if !known || e.order < head.order {
			heads[queue] = e
		}
	}
	var due []*event
	var first *event
	now := time.Now()
	for _, queue := range order {
		e := heads[queue]
		if !e.when().After(now) {
			due = append(due, e)
		}
		if first == nil || e.when().Before(first.when()) {
			first = e
		}
	}
	if len(due) == 0 {
		return first
	}
	return due[w.rng.IntN(len(due))]
}

// pass lets time pass, for the database first: a bubble's clock moves only while everything in it waits.
func (w *World) pass(d time.Duration) {
	w.setClock(time.Now().Add(d))
	time.Sleep(d)
	w.settle()
}

// settle waits until the servers have nothing left to do, and takes what they said.
func (w *World) settle() {
	synctest.Wait()
	for _, s := range w.servers {
		for _, said := range s.alarm.take() {
			w.breach("%s: %s", s.name, said)
		}
		s.bury()
	}
	for _, b := range w.browsers {
		b.hear()
	}
	w.watch()
}

// databaseClock is what the database's clock must show to whoever asks it next. Most of the time nobody does before it moves on.
type databaseClock struct {
	conn      *pgx.Conn
	mu        sync.Mutex
	at, shown time.Time
}

func (w *World) setClock(at time.Time) {
	w.clock.mu.Lock()
	defer w.clock.mu.Unlock()
	w.clock.at = at.Add(w.ahead)
}

// show is for whoever is about to ask the database: the world itself, or a server on any of its goroutines.
func (c *databaseClock) show(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.Equal(c.shown) {
		return nil
	}
	if _, err := c.conn.Exec(ctx, "UPDATE sim_clock SET at = $1", c.at); err != nil {
		return fmt.Errorf("set the database's clock: %w", err)
	}
	c.shown = c.at
	return nil
}

func (w *World) chance(share float64) bool { return w.rng.Float64() < share }

func (w *World) between(least, most time.Duration) time.Duration {
	return least + time.Duration(w.rng.Int64N(int64(most-least)+1))
}

// choice is something that may be done, more often the more it weighs.
type choice struct {
	weight int
	do     func()
}

func (w *World) chooseOne(choices []choice) {
	total := 0
	for _, c := range choices {
		total += c.weight
	}
	at := w.rng.IntN(total)
	for _, c := range choices {
		if at -= c.weight; at < 0 {
			c.do()
			return
		}
	}
}

// aliveServer is one of the servers that live, or nil.
func (w *World) aliveServer() *server {
	alive := slices.DeleteFunc(slices.Clone(w.servers), (*server).isDead)
	if len(alive) == 0 {
		return nil
	}
	return alive[w.rng.IntN(len(alive))]
}

// network is how long something takes on its way: now and then longer than anybody expects.
func (w *World) network() time.Duration {
	if w.faults && w.chance(slowShare) {
		return w.between(time.Second, slowMax)
	}
	return w.between(time.Millisecond, networkTakesMax)
}

// tell adds a line to the timeline.
func (w *World) tell(format string, args ...any) {
	line := time.Now().UTC().Format("15:04:05.000 ") + fmt.Sprintf(format, args...)
	w.story = append(w.story, line)
	w.told.Write([]byte(line))
	if len(w.story) > 2*eventsKept {
		w.story = slices.Delete(w.story, 0, eventsKept)
	}
}

// note counts that something rare was seen.
func (w *World) note(what string) { w.seen[what]++ }

// breach notes a broken promise.
func (w *World) breach(format string, args ...any) {
	w.broken = append(w.broken, fmt.Sprintf(format, args...))
	w.tell("BROKEN: "+format, args...)
}
