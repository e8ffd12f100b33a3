package standin

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Held is one point at which a page waits, because its variant holds it there.
// It is recorded when the page has come to that point.
type Held struct {
	PersonID string `json:"person_id"`
	// Step is HeldData or HeldSend.
	Step string `json:"step"`
}

// The points at which a variant can hold a page: before it knows who is signed
// in, and before it enables Send for what was typed.
const (
	HeldData = "data"
	HeldSend = "send"
)

// Reached counts how often a page about a person (profile id) has come to a
// held point.
func (s State) Reached(personID, step string) int {
	count := 0
	for _, h := range s.Held {
		if h == (Held{personID, step}) {
			count++
		}
	}
	return count
}

// pageHold keeps the pages under a prefix back.
type pageHold struct {
	prefix string
	gate   *Gate
}

// HoldPages keeps every page whose path and query begin with the prefix back until the
// gate is released. Each is in the access log when it is asked for.
func (s *Server) HoldPages(prefix string, gate *Gate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pageHolds = slices.DeleteFunc(s.pageHolds, func(h pageHold) bool { return h.gate.released() })
	s.pageHolds = append(s.pageHolds, pageHold{prefix, gate})
}

func (s *Server) heldBack(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, gate := range s.gatesOf(addressOf(r.URL.Path, r.URL.RawQuery)) {
			if !s.waitAt(gate, r) {
				panic(http.ErrAbortHandler)
			}
		}
		next.ServeHTTP(w, r)
	})
}

// Address is what was asked for, as HoldPages compares it.
func (a Access) Address() string { return addressOf(a.Path, a.Query) }

func addressOf(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

func (s *Server) gatesOf(address string) []*Gate {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gates []*Gate
	for _, h := range s.pageHolds {
		if strings.HasPrefix(address, h.prefix) {
			gates = append(gates, h.gate)
		}
	}
	return gates
}

// waitAt is false when the page has gone away, or the server closes first.
func (s *Server) waitAt(gate *Gate, r *http.Request) bool {
	select {
	case <-gate.open:
		return true
	case <-r.Context().Done():
	case <-time.After(maxHold):
	case <-s.done:
	}
	return false
}

// holdPage is asked by a page that a variant holds at a step. The answer to
// HeldData is what the page then learns: who is signed in.
func (s *Server) holdPage(w http.ResponseWriter, r *http.Request, member Person) {
	person, step := r.PathValue("person"), r.PathValue("step")
	s.mu.Lock()
	v := s.variant(person)
	gate := map[string]*Gate{HeldData: v.HoldData, HeldSend: v.HoldSend}[step]
	if gate != nil && len(s.records.Held) < maxRecords {
		s.records.Held = append(s.records.Held, Held{person, step})
		s.signal()
	}
	s.mu.Unlock()
	if gate != nil && !s.waitAt(gate, r) {
		panic(http.ErrAbortHandler)
	}
	block := identityBlock(member)
	writeJSON(w, http.StatusOK, map[string]string{"id": block.ID, "body": block.Body})
}

// holdPath is what a page asks for at a held step, or "" when it is not held.
func holdPath(personID, step string, gate *Gate) string {
	if gate == nil {
		return ""
	}
	return "/standin/hold/" + personID + "/" + step
}
