package e2e_test

import "sync"

// places bounds how many browsers run at once. Long tests go first: what begins last ends last, and alone.
type places struct {
	mu      sync.Mutex
	changed sync.Cond
	free    int64
	// long counts the long tests that will run and have no place yet.
	long int
}

func newPlaces(count int64) *places {
	p := &places{free: count}
	p.changed.L = &p.mu
	return p
}

// expectLong says that a long test will enter. Tests say it before they wait for those that are not parallel.
func (p *places) expectLong() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.long++
}

// enter waits for places, and until no long test waits for its own.
func (p *places) enter(count int64, isLong bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.free < count || !isLong && p.long > 0 {
		p.changed.Wait()
	}
	p.free -= count
	if isLong {
		p.long--
	}
	p.changed.Broadcast()
}

// leave gives places back.
func (p *places) leave(count int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free += count
	p.changed.Broadcast()
}
