package standin

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

const (
	// sessionCookie holds the member's profile id.
	sessionCookie = "li_at"
	// csrfCookie holds a quoted "ajax:<digits>", which every API request
	// repeats in its csrf-token header.
	csrfCookie = "JSESSIONID"
	loginPath  = "/login"
)

// detour sends the paths under a prefix somewhere else.
type detour struct{ prefix, to string }

// Detour redirects every path that begins with the prefix, such as
// "/messaging/", to another, such as "/login" or
// "/checkpoint/challenge/AgX"; "" ends the detour of that prefix.
func (s *Server) Detour(prefix, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := []detour{}
	for _, d := range s.detours {
		if d.prefix != prefix {
			kept = append(kept, d)
		}
	}
	if to != "" {
		kept = append(kept, detour{prefix, to})
	}
	s.detours = kept
}

func (s *Server) detoured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := s.detourOf(r.URL.Path); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) detourOf(path string) string {
	for _, own := range []string{"/standin/", loginPath, "/checkpoint/"} {
		if strings.HasPrefix(path, own) {
			return "" // where detours lead, and what tests steer by
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.detours {
		if strings.HasPrefix(path, d.prefix) {
			return d.to
		}
	}
	return ""
}

// member returns who is signed in. The caller holds s.mu.
func (s *Server) member(r *http.Request) (Person, bool) {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil || !s.members[cookie.Value] {
		return Person{}, false
	}
	member, err := s.person(cookie.Value)
	return member, err == nil
}

func (s *Server) lockedMember(r *http.Request) (Person, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.member(r)
}

// signedIn serves a page to a member and sends everyone else to sign in.
func (s *Server) signedIn(page func(http.ResponseWriter, *http.Request, Person)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		member, ok := s.lockedMember(r)
		if !ok {
			http.Redirect(w, r, loginPath+"?session_redirect="+url.QueryEscape(r.URL.String()), http.StatusFound)
			return
		}
		page(w, r, member)
	}
}

// api serves a request of the page's own script: 401 without a session, 403
// when csrf-token does not repeat the cookie.
func (s *Server) api(handle func(http.ResponseWriter, *http.Request, Person)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		member, ok := s.lockedMember(r)
		if !ok {
			writeJSON(w, http.StatusUnauthorized, map[string]int{"status": http.StatusUnauthorized})
			return
		}
		cookie, err := r.Cookie(csrfCookie)
		if err != nil || cookie.Value == "" || r.Header.Get("csrf-token") != cookie.Value {
			writeJSON(w, http.StatusForbidden, map[string]any{"status": http.StatusForbidden, "message": "CSRF check failed."})
			return
		}
		handle(w, r, member)
	}
}

// signIn is the stand-in's own way in: ?member=<slug or id>.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	member, err := s.person(r.URL.Query().Get("member"))
	ok := err == nil && s.members[member.ID]
	csrf := fmt.Sprintf("ajax:%019d", s.rand.Int64())
	s.mu.Unlock()
	if !ok {
		http.Error(w, "no such member: name one of Options.Members by slug or id", http.StatusNotFound)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: member.ID, Path: "/", Secure: true, HttpOnly: true})
	http.SetCookie(w, &http.Cookie{Name: csrfCookie, Value: csrf, Quoted: true, Path: "/", Secure: true})
	http.Redirect(w, r, "/feed/", http.StatusFound)
}
