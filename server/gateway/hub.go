package gateway

import (
	"slices"
	"sync"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// hub knows the sessions and which accounts they are ready for. Its lock is never held over a call of the database or of
// a socket that could wait.
type hub struct {
	mu        sync.Mutex
	byInstall map[uuid.UUID][]*session // two of one install for as long as nobody has looked which is the newest
	ready     map[uuid.UUID][]*session // by account; the next to be asked is first
	doubtful  map[uuid.UUID]bool       // installs whose standing must be looked at
	allDoubt  bool                     // the standing of every install must be looked at
	dispatch  dispatch
}

func newHub() hub {
	return hub{
		byInstall: map[uuid.UUID][]*session{}, ready: map[uuid.UUID][]*session{}, doubtful: map[uuid.UUID]bool{},
		dispatch: newDispatch(),
	}
}

func (h *hub) installs() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.byInstall)
}

func (h *hub) add(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.byInstall[s.info.Install] = append(h.byInstall[s.info.Install], s)
}

// remove forgets the session and says whether a newer one had replaced it.
func (h *hub) remove(s *session) (replaced bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unready(s)
	s.ended = true
	drop(h.byInstall, s.info.Install, s)
	return s.replaced
}

// end keeps the session from being given another lease. replaced: a newer session has its leases.
func (h *hub) end(s *session, replaced bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unready(s)
	s.ended, s.replaced = true, replaced
}

func (h *hub) hasEnded(s *session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return s.ended
}

// unready needs the lock.
func (h *hub) unready(s *session) {
	for _, account := range s.ready {
		drop(h.ready, account, s)
	}
	s.ready = nil
}

func drop(lists map[uuid.UUID][]*session, key uuid.UUID, s *session) {
	left := slices.DeleteFunc(lists[key], func(one *session) bool { return one == s })
	if len(left) == 0 {
		delete(lists, key)
	} else {
		lists[key] = left
	}
}

// setReady replaces the session's list. It stays empty for a session that has ended, or that answers no lease.
func (h *hub) setReady(s *session, accounts []uuid.UUID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.setReadyLocked(s, accounts)
}

// setReadyLocked needs the lock.
func (h *hub) setReadyLocked(s *session, accounts []uuid.UUID) {
	h.unready(s)
	s.rested = nil
	if s.ended || s.unanswered >= config.LeasesUnansweredMax {
		return
	}
	for _, account := range accounts {
		if !slices.Contains(s.ready, account) {
			s.ready = append(s.ready, account)
			h.ready[account] = append(h.ready[account], s)
		}
	}
}

// rest: the session is given a check, beside which it takes no lease. What it was ready for is kept until it says what it
// is ready for, or what the check found: an install that refuses a check at once says nothing new of the former.
func (h *hub) rest(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ready := s.ready
	h.unready(s)
	s.rested = ready
}

// wakeUp ends a rest. It returns what the session is ready for again.
func (h *hub) wakeUp(s *session) []uuid.UUID {
	h.mu.Lock()
	defer h.mu.Unlock()
	ready := s.rested
	if ready != nil {
		h.setReadyLocked(s, ready)
	}
	return ready
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

// sessions lists all of them.
func (h *hub) sessions() []*session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all()
}

// all needs the lock.
func (h *hub) all() []*session {
	var all []*session
	for _, sessions := range h.byInstall {
		all = append(all, sessions...)
	}
	return all
}

// doubt notes that the install's standing must be looked at. false: it is not connected here.
func (h *hub) doubt(install uuid.UUID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.byInstall[install]) == 0 {
		return false
	}
	h.doubtful[install] = true
	return true
}

func (h *hub) doubtAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.allDoubt = true
}

// takeDoubtful returns the sessions whose standing must be looked at, and forgets that it must.
func (h *hub) takeDoubtful() []*session {
	h.mu.Lock()
	defer h.mu.Unlock()
	var sessions []*session
	if h.allDoubt {
		sessions = h.all()
	} else {
		for install := range h.doubtful {
			sessions = append(sessions, h.byInstall[install]...)
		}
	}
	h.allDoubt = false
	clear(h.doubtful)
	return sessions
}
