package gateway

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// unready needs the lock.
func (h *hub) unready(s *session) {
	for _, account := range s.ready {
		drop(h.ready, account, s)
	}
	s.ready = nil
}

// setReady replaces what the session says it is ready for.
func (h *hub) setReady(s *session, accounts []uuid.UUID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.wants, s.rests = accounts, false
	h.place(s)
}

// place puts the session where it is asked for what it wants, or nowhere while it may be given nothing. It needs the lock.
func (h *hub) place(s *session) {
	h.unready(s)
	if s.ended || s.rests || s.paused || s.unanswered >= config.LeasesUnansweredMax {
		return
	}
	for _, account := range s.wants {
		if !slices.Contains(s.ready, account) {
			s.ready = append(s.ready, account)
			h.ready[account] = append(h.ready[account], s)
		}
	}
}

// rest: the session is given a check, beside which it takes no lease until it says what it is ready for, or what the check
// found: an install that refuses a check at once says nothing new of the former. now is the gateway's age.
func (h *hub) rest(s *session, now time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.rests, s.restsSince = true, now
	h.place(s)
}

// wakeUp ends a rest. It returns what the session is ready for again.
func (h *hub) wakeUp(s *session) []uuid.UUID {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !s.rests {
		return nil
	}
	s.rests = false
	h.place(s)
	return s.ready
}

// wakeOverslept ends the rests that are longer than any check takes: the answer was lost, or the install knows no checks.
// It returns their sessions.
func (h *hub) wakeOverslept(now time.Duration) []*session {
	h.mu.Lock()
	defer h.mu.Unlock()
	var woken []*session
	for _, s := range h.all() {
		if s.rests && now-s.restsSince >= config.CheckRestMax {
			s.rests = false
			h.place(s)
			woken = append(woken, s)
		}
	}
	return woken
}

// setPaused keeps leases from the session while a person has paused its install. It returns what the session is ready for,
// as others may be, and whether anything changed.
func (h *hub) setPaused(s *session, paused bool) (accounts []uuid.UUID, changed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.paused == paused {
		return nil, false
	}
	s.paused = paused
	h.place(s)
	return s.wants, true
}

// answered: the install works on the leases it is given.
func (h *hub) answered(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.unanswered = 0
}

// leased counts a lease that is about to be given. false: it was the last one before the session answers something.
func (h *hub) leased(s *session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.unanswered++
	if s.unanswered >= config.LeasesUnansweredMax {
		h.unready(s)
		return false
	}
	return true
}

// next picks a session for the account and puts it last for the time after: several installs of one account take turns.
func (h *hub) next(account uuid.UUID) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	sessions := h.ready[account]
	if len(sessions) == 0 {
		return nil
	}
	s := sessions[0]
	h.ready[account] = append(sessions[1:], s)
	return s
}

func (h *hub) readyAccounts() []uuid.UUID {
	h.mu.Lock()
	defer h.mu.Unlock()
	accounts := make([]uuid.UUID, 0, len(h.ready))
	for account := range h.ready {
		accounts = append(accounts, account)
	}
	return accounts
}
