package search

import (
	"fmt"
	"strings"
	"time"
)

// copiesMax is how many copies the provider may have. Each is of another click.
const copiesMax = 1

// progressEvery is how often a search says how far it is.
const progressEvery = 5 * time.Second

// Result is what a search came to.
type Result struct {
	States, Depth int
	// Exhausted: there is no other state.
	Exhausted bool
	Took      time.Duration
	// Calls is how often the extension's code was run; all else was remembered.
	Calls int
	// Path leads to two copies, or is nil.
	Path []string
}

func (r Result) String() string {
	text := fmt.Sprintf("%d states, depth %d, %.1f s (%.0f states/s, the extension run %d times)",
		r.States, r.Depth, r.Took.Seconds(), float64(r.States)/max(r.Took.Seconds(), 0.001), r.Calls)
	if r.Exhausted {
		text += ", there are no others"
	}
	return text
}

// Story is the path, a step a line.
func (r Result) Story() string {
	var out strings.Builder
	for i, step := range r.Path {
		fmt.Fprintf(&out, "  %2d. %s\n", i+1, step)
	}
	return out.String()
}

// found is how a state was reached first.
type found struct{ from, depth int32 }

// Run searches breadth first until the provider has two copies, or as many states are known as
// the bounds say, or there is no other. It
// searches without one of the rules, or with all when without is nil. tell hears how far it is, now and then.
func Run(without *Rule, bounds Bounds, tell func(Result)) (Result, error) {
	w, err := newWorld(without, bounds)
	if err != nil {
		return Result{}, err
	}
	first, prelude, err := w.begin(bounds)
	if err != nil {
		return Result{}, err
	}
	known := map[state]int32{first: 0}
	all, how := []state{first}, []found{{-1, 0}}
	begun, told := time.Now(), time.Now()
	result := func(at int) Result {
		return Result{States: len(all), Depth: int(how[min(at, len(how)-1)].depth), Took: time.Since(begun), Calls: len(w.ext.done)}
	}
	bad := int32(-1)
	for at := 0; at < len(all) && len(all) < bounds.States && bad < 0; at++ {
		err := w.each(all[at], func(_ move, next state) {
			next = w.still(next)
			if _, is := known[next]; is || bad >= 0 {
				return
			}
			number := int32(len(all))
			known[next] = number
			all, how = append(all, next), append(how, found{int32(at), how[at].depth + 1})
			if next.copies > copiesMax {
				bad = number
			}
		})
		if err != nil {
			return Result{}, fmt.Errorf("%w\nafter:\n%s", err, Result{Path: w.path(all, how, int32(at))}.Story())
		}
		if tell != nil && time.Since(told) > progressEvery {
			told = time.Now()
			tell(result(at))
		}
		if at == len(all)-1 {
			r := result(at)
			r.Exhausted = true
			return r, nil
		}
	}
	r := result(len(all) - 1)
	if bad >= 0 {
		r.Path = append(prelude, w.path(all, how, bad)...)
	}
	return r, nil
}

// path tells how a state was reached: each step is looked for again among what may follow.
func (w *world) path(all []state, how []found, to int32) []string {
	var steps []string
	for ; how[to].from >= 0; to = how[to].from {
		step := ""
		// What it may end with was run before, so that it cannot fail.
		_ = w.each(all[how[to].from], func(m move, next state) {
			if w.still(next) == all[to] && step == "" {
				step = w.describe(m)
			}
		})
		steps = append([]string{step}, steps...)
	}
	return steps
}

// Usual is how the first attempt comes to its click.
var Usual = []string{
	"browser 0 is given send 1 to lease", "browser 0 hears lease of lease 1", "the server hears start of lease 1",
	"browser 0 hears started of lease 1", "browser 0 opens the conversation", "browser 0 asks to write, goes on",
}

// begin is where a search begins, and how that is reached.
func (w *world) begin(bounds Bounds) (state, []string, error) {
	s, err := w.first()
	if err != nil || !bounds.FromGo {
		return s, nil, err
	}
	s, steps, err := w.follow(s, Usual)
	if err == nil && len(steps) < len(Usual) {
		err = fmt.Errorf("the usual life has no step %q", Usual[len(steps)])
	}
	return s, steps, err
}

// Follow goes one way alone, each step of which begins with the words of the next of steps. It says how many copies the
// provider has at its end, and how many steps there were: fewer than asked when one does not exist.
func Follow(without *Rule, bounds Bounds, steps []string) (copies, followed int, err error) {
	w, err := newWorld(without, bounds)
	if err != nil {
		return 0, 0, err
	}
	s, err := w.first()
	if err != nil {
		return 0, 0, err
	}
	s, done, err := w.follow(s, steps)
	return int(s.copies), len(done), err
}

// follow goes as far as there are such steps.
func (w *world) follow(s state, steps []string) (state, []string, error) {
	var done []string
	for _, step := range steps {
		var next state
		described := ""
		err := w.each(s, func(m move, after state) {
			if described == "" && strings.HasPrefix(w.describe(m), step) {
				next, described = w.still(after), w.describe(m)
			}
		})
		if err != nil || described == "" {
			return s, done, err
		}
		s, done = next, append(done, described)
	}
	return s, done, nil
}
