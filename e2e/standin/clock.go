package standin

import "time"

// Advance has the stand-in's clock go ahead, as a test has its server's: what
// is said and accepted from now on is later by so much.
func (s *Server) Advance(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead += by
}

// now is when something is said or accepted. The caller holds s.mu.
func (s *Server) now() time.Time { return time.Now().Add(s.ahead) }
