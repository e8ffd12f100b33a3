package e2e_test

import (
	"slices"
	"sync"
	"time"
)

// places bounds how many browsers run at once. The longest tests go first: what begins last ends last, and alone.
type places struct {
	mu      sync.Mutex
	changed sync.Cond
	free    int64
	// expected is what each test takes that will run and has no place yet.
	expected []time.Duration
}

func newPlaces(count int64) *places {
	p := &places{free: count}
	p.changed.L = &p.mu
	return p
}

// expect says that a test will enter. Tests say it before they wait for those that are not parallel.
func (p *places) expect(takes time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = append(p.expected, takes)
}

// enter waits for places, and until no longer test waits for its own.
func (p *places) enter(count int64, takes time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	isLonger := func(other time.Duration) bool { return other > takes }
	for p.free < count || slices.ContainsFunc(p.expected, isLonger) {
		p.changed.Wait()
	}
	p.free -= count
	i := slices.Index(p.expected, takes)
	p.expected = slices.Delete(p.expected, i, i+1)
	p.changed.Broadcast()
}

// leave gives places back.
func (p *places) leave(count int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free += count
	p.changed.Broadcast()
}
