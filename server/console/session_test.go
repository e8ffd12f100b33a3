package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sendonce/server/config"
	"sendonce/server/console"
)

func TestSignInLinkIsUsedOnceAndOnlyByTheButton(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if p := s.get("/"); p.Path != "/sign-in" {
		t.Errorf("a stranger sees %s", p.Path)
	}
	for range 3 { // programs that look at links
		if p := s.get(console.SignInPath(s.link)); p.Status != 200 || !strings.Contains(p.Body, "Sign in</button>") {
			t.Fatalf("the link's page: %d %s", p.Status, p.Body)
		}
	}
	s.signIn()
	if p := s.post("/sign-in", url.Values{"link": {s.link}}); p.Status != 200 || p.Path != "/" {
		t.Errorf("the second tap of the person who is signed in: %d %s", p.Status, p.Path)
	}
	if p := s.do(newBrowser(t), "POST", "/sign-in", url.Values{"link": {s.link}}); p.Status != 401 {
		t.Errorf("the link again, from elsewhere: %d", p.Status)
	}
	if link, err := s.access.EnsureFirst(t.Context()); link != "" || err != nil {
		t.Errorf("after the first sign-in another link is made: %q %v", link, err)
	}
	s.post("/sign-out", nil)
	if p := s.get("/"); p.Path != "/sign-in" {
		t.Errorf("after signing out: %s", p.Path)
	}
}

func TestSignInCookieAndHeaders(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p := s.post("/sign-in", url.Values{"link": {s.link}})
	cookie := p.Header.Get("Set-Cookie")
	if !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") {
		t.Errorf("cookie %q", cookie)
	}
	policy := s.get("/").Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
}

func TestSignInAttemptsAreLimited(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	last := 0
	for range config.SignInAttemptsPerMin + 1 {
		last = s.post("/sign-in", url.Values{"link": {"sol_guess"}}).Status
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("try %d: %d", config.SignInAttemptsPerMin+1, last)
	}
}

func TestCrossOriginPostsAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose("Hello Ada")
	path := "/messages/" + m.ID.String() + "/approval"
	form := s.get("/").form(t, path)
	for _, header := range []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"} {
		if p := s.post(path, form, header); p.Status != 403 {
			t.Errorf("%s: %d", header, p.Status)
		}
	}
	if p := s.post(path, form, "Sec-Fetch-Site: ", "Origin: https://evil.example"); p.Status != 403 {
		t.Errorf("another origin: %d", p.Status)
	}
	if n := s.count("SELECT count(*) FROM sends"); n != 0 {
		t.Errorf("%d sends were queued", n)
	}
}
