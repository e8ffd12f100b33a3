package standin

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// State is what the stand-in has recorded up to one moment.
type State struct {
	Requests []Request
	Copies   []Copy
	Clicks   []Click
	Boxes    []Box
	Accesses []Access
	Held     []Held
}

// ErrClosed ends a Wait when the server closes.
var ErrClosed = errors.New("the stand-in was closed")

// Arrived counts the delivery requests for a recipient (profile id).
func (s State) Arrived(recipientID string) int {
	n := 0
	for _, r := range s.Requests {
		if r.RecipientID == recipientID {
			n++
		}
	}
	return n
}

// Accepted counts the copies that a recipient (profile id) has.
func (s State) Accepted(recipientID string) int {
	n := 0
	for _, c := range s.Copies {
		if c.RecipientID == recipientID {
			n++
		}
	}
	return n
}

// Visited says whether a person's profile (profile id) was asked for, by slug
// or by id.
func (s State) Visited(personID string) bool {
	return slices.ContainsFunc(s.Accesses, func(a Access) bool { return a.PersonID == personID })
}

// State returns a copy of what has been recorded.
func (s *Server) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot()
}

// snapshot copies the records; its slices are never nil, so that the ledger's
// JSON has lists. The caller holds s.mu.
func (s *Server) snapshot() State {
	return State{
		Requests: append([]Request{}, s.records.Requests...),
		Copies:   append([]Copy{}, s.records.Copies...),
		Clicks:   append([]Click{}, s.records.Clicks...),
		Boxes:    append([]Box{}, s.records.Boxes...),
		Accesses: append([]Access{}, s.records.Accesses...),
		Held:     append([]Held{}, s.records.Held...),
	}
}

// Wait returns when the condition holds; it is asked at once and after every
// change. It fails when ctx ends (saying what had been recorded) or with
// ErrClosed.
func (s *Server) Wait(ctx context.Context, condition func(State) bool) error {
	for {
		s.mu.Lock()
		state, changed := s.snapshot(), s.changed
		s.mu.Unlock()
		if condition(state) {
			return nil
		}
		select {
		case <-changed:
		case <-s.done:
			return ErrClosed
		case <-ctx.Done():
			return fmt.Errorf("wait on the stand-in: %w (so far %d delivery requests, %d copies, %d clicks, %d accesses)", ctx.Err(),
				len(state.Requests), len(state.Copies), len(state.Clicks), len(state.Accesses))
		}
	}
}

// signal wakes every Wait. The caller holds s.mu.
func (s *Server) signal() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Reset forgets what was recorded, what was accepted, and every fault, variant,
// hold and detour. People and the threads that a test added stay.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = State{}
	s.faults, s.detours, s.pageHolds = nil, nil, nil
	s.variants = map[string]Variant{}
	s.threads = slices.DeleteFunc(s.threads, func(t *Thread) bool { return !t.seeded })
	for _, t := range s.threads {
		t.messages = slices.DeleteFunc(t.messages, func(m Message) bool { return m.accepted })
	}
	s.signal()
}
