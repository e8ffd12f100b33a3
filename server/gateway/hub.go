package gateway

import (
	"slices"
	"sync"

	"github.com/google/uuid"
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

func drop(lists map[uuid.UUID][]*session, key uuid.UUID, s *session) {
	left := slices.DeleteFunc(lists[key], func(one *session) bool { return one == s })
	if len(left) == 0 {
		delete(lists, key)
	} else {
		lists[key] = left
	}
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
