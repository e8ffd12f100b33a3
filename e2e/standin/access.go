package standin

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Access is one request that arrived, apart from those under /standin/.
type Access struct {
	At                  time.Time
	Method, Path, Query string
	// Member is the id of the signed-in member, or "".
	Member string
	// PersonID is whose profile was asked for, or "".
	PersonID string
	// Protocol is "HTTP/1.1" or "HTTP/2.0".
	Protocol string
	// Answered says that all of the answer was written, so that what changes
	// from now on is not in it.
	Answered bool

	number int
}

// Click is one click on a Send button, told by the page's own capture-phase
// listener, or by the delivery request that it led to.
type Click struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Member  string    `json:"member"`
	Path    string    `json:"path"`
	Trusted bool      `json:"trusted"`
	// Hidden says that the page was not shown, Focused that its window had the
	// focus.
	Hidden  bool `json:"hidden"`
	Focused bool `json:"focused"`
}

// AccessLog returns the requests that arrived, oldest first.
func (s *Server) AccessLog() []Access { return s.State().Accesses }

// Clicks returns the clicks on Send, oldest first.
func (s *Server) Clicks() []Click { return s.State().Clicks }

// logged writes the access log before the request is handled.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/standin/") {
			defer s.noteAnswered(s.logAccess(r))
		}
		next.ServeHTTP(w, r)
	})
}

// logAccess returns the number of the entry.
func (s *Server) logAccess(r *http.Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.records.Accesses) >= maxAccesses {
		s.records.Accesses = slices.Delete(s.records.Accesses, 0, 1)
	}
	member, _ := s.member(r)
	s.accessCount++
	s.records.Accesses = append(s.records.Accesses, Access{
		At: time.Now(), Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery,
		Member: member.ID, PersonID: s.personOfPath(r.URL.Path), Protocol: r.Proto, number: s.accessCount,
	})
	s.signal()
	return s.accessCount
}

func (s *Server) noteAnswered(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.records.Accesses {
		if s.records.Accesses[i].number == number {
			s.records.Accesses[i].Answered = true
			s.signal()
		}
	}
}

// click takes the page's beacon. A browser may repeat it as it repeats any
// POST, so one id counts once.
func (s *Server) click(w http.ResponseWriter, r *http.Request) {
	var told Click
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil || json.Unmarshal(body, &told) != nil || told.ID == "" {
		http.Error(w, "a click needs an id", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	member, _ := s.member(r)
	told.Member = member.ID
	s.noteClick(told)
	w.WriteHeader(http.StatusNoContent)
}

// noteClick counts one id once. A delivery request tells its click too (with
// its id only), since the beacon may be lost with its connection. The caller
// holds s.mu.
func (s *Server) noteClick(told Click) {
	i := slices.IndexFunc(s.records.Clicks, func(c Click) bool { return c.ID == told.ID })
	switch {
	case i < 0 && len(s.records.Clicks) < maxRecords:
		told.At = time.Now()
		s.records.Clicks = append(s.records.Clicks, told)
	case i >= 0 && s.records.Clicks[i].Path == "":
		told.At = s.records.Clicks[i].At
		s.records.Clicks[i] = told
	}
	s.signal()
}
