package standin_test

import (
	"context"
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"sendonce/e2e/standin"
)

func TestEveryProtocolIsSpoken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		protocol standin.Protocol
		want     string
	}{
		"both":  {standin.Both, "HTTP/2.0"},
		"http1": {standin.HTTP1, "HTTP/1.1"},
		"http2": {standin.HTTP2, "HTTP/2.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t, c.protocol)
			signedIn(t, s).get("/feed/", http.StatusOK)
			log := s.AccessLog()
			if len(log) != 1 || log[0].Protocol != c.want || log[0].Member != idOf(t, s, rita.Slug) {
				t.Fatalf("access log %+v, want one signed-in access over %s", log, c.want)
			}
		})
	}
}

func TestASignedOutVisitorIsSentToSignIn(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := newVisitor(t, s)
	for _, path := range []string{"/feed/", "/in/ada-example/", "/messaging/", "/in/me/"} {
		answer, _ := v.get(path, http.StatusFound)
		if to := answer.Header.Get("Location"); !strings.HasPrefix(to, "/login") {
			t.Errorf("%s leads to %q, want /login", path, to)
		}
	}
	v.get("/voyager/api/me", http.StatusUnauthorized)
	v.get("/standin/sign-in?member=ada-example", http.StatusNotFound) // not a member
}

func TestADetourLeadsAwayUntilItEnds(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	s.Detour("/messaging/", "/checkpoint/challenge/AgX")
	answer, _ := v.get("/messaging/compose/?recipient=x", http.StatusFound)
	if to := answer.Header.Get("Location"); to != "/checkpoint/challenge/AgX" {
		t.Fatalf("the detour leads to %q", to)
	}
	_, page := v.get("/checkpoint/challenge/AgX", http.StatusOK)
	if !strings.Contains(page, `action="/checkpoint/`) {
		t.Error("the checkpoint page has no checkpoint form")
	}
	v.get("/feed/", http.StatusOK)
	s.Detour("/messaging/", "")
	v.get("/messaging/", http.StatusOK)
}

var identityBlock = regexp.MustCompile(`(?s)<code style="display: none" id="bpr-guid-1234">(.*?)</code>`)

func TestEveryPageCarriesTheMember(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	thread, err := s.AddThread(rita.Slug, ada.Slug, standin.Message{Text: "Hello"})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"/feed/", "/in/ada-example/", "/in/" + idOf(t, s, ada.Slug) + "/", "/in/j%C3%BCrgen-beispiel/", "/messaging/",
		"/messaging/thread/" + thread.ID + "/", "/messaging/compose/?recipient=" + idOf(t, s, ben.Slug),
	} {
		_, page := v.get(path, http.StatusOK)
		found := identityBlock.FindStringSubmatch(page)
		if found == nil {
			t.Errorf("%s carries no identity", path)
			continue
		}
		var me struct {
			Data struct {
				PlainID     int64  `json:"plainId"`
				MiniProfile string `json:"*miniProfile"`
			}
			Included []struct{ EntityURN, DashEntityURN, PublicIdentifier string }
		}
		if err := json.Unmarshal([]byte(html.UnescapeString(found[1])), &me); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if me.Data.MiniProfile != "urn:li:fs_miniProfile:"+idOf(t, s, rita.Slug) || me.Data.PlainID == 0 ||
			len(me.Included) != 1 || me.Included[0].PublicIdentifier != rita.Slug {
			t.Errorf("%s names %+v, want Rita", path, me)
		}
	}
	if !s.State().Visited(idOf(t, s, ben.Slug)) || s.State().Visited(idOf(t, s, carl.Slug)) {
		t.Error("the visits to profiles are logged wrongly")
	}
}

func TestWaitHearsOfAChangeAndOfItsEnd(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	heard := make(chan error, 1)
	go func() {
		heard <- s.Wait(context.Background(), func(state standin.State) bool { return len(state.Accesses) > 0 })
	}()
	v.get("/feed/", http.StatusOK)
	if err := <-heard; err != nil {
		t.Fatal(err)
	}
	never := func(standin.State) bool { return false }
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Wait(ended, never); !errors.Is(err, context.Canceled) {
		t.Errorf("a Wait whose context ended returned %v", err)
	}
	go func() { heard <- s.Wait(context.Background(), never) }()
	s.Close()
	if err := <-heard; !errors.Is(err, standin.ErrClosed) {
		t.Errorf("a Wait on a closed server returned %v", err)
	}
}
