package standin_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"sendonce/e2e/standin"
)

func TestStatusesStrikeOnEitherSideOfAcceptance(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	person := idOf(t, s, ada.Slug)
	for _, status := range []int{200, 400, 401, 403, 422, 429, 451, 500, 503, 999} {
		for when, copies := range map[standin.When]int{standin.BeforeAccept: 0, standin.AfterAccept: 1} {
			s.Reset()
			fault := standin.Fault{When: when, Do: standin.Status(status), RetryAfter: 90 * time.Second}
			if err := s.Fault(standin.FaultMatch{RecipientID: person}, fault); err != nil {
				t.Fatal(err)
			}
			answer, body := v.mustPost(v.letter("Hello", "", person), status)
			if answer.Header.Get("Retry-After") != "90" || strings.Contains(body, "entityUrn") {
				t.Errorf("%d: Retry-After %q, body %s", status, answer.Header.Get("Retry-After"), body)
			}
			if n := len(s.Ledger()); n != copies || s.CreateRequests() != 1 {
				t.Errorf("%d: %d copies of %d requests, want %d of 1", status, n, s.CreateRequests(), copies)
			}
		}
	}
	if err := s.Fault(standin.FaultMatch{}, standin.Fault{Do: standin.Status(150)}); err == nil {
		t.Error("a status below 200 was taken")
	}
}

func TestARedirectEndsInHTML(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	v.client.CheckRedirect = nil // follow, as the page's fetch does
	for do, path := range map[standin.Answer]string{standin.RedirectToHTML: "/checkpoint/", standin.RedirectToFeed: "/feed/"} {
		s.ClearFaults()
		setFault(t, s, standin.FaultMatch{}, standin.Fault{Do: do})
		answer, _ := v.mustPost(v.letter("Hello", "", idOf(t, s, ada.Slug)), http.StatusOK)
		kind, end := answer.Header.Get("Content-Type"), answer.Request.URL.Path
		if !strings.HasPrefix(kind, "text/html") || !strings.HasPrefix(end, path) || len(s.Ledger()) != 0 {
			t.Errorf("content type %q at %s, %d copies", kind, end, len(s.Ledger()))
		}
	}
}

func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	for name, protocol := range map[string]standin.Protocol{"http1": standin.HTTP1, "http2": standin.HTTP2} {
		for kind, do := range map[string]standin.Answer{
			"close": standin.Close, "reset": standin.ResetConnection, "stream": standin.BreakStream,
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				s := startServer(t, protocol)
				v := signedIn(t, s)
				person := idOf(t, s, ada.Slug)
				// accept, drop, accept the repeat
				setFault(t, s, standin.FaultMatch{RecipientID: person, Nth: 1}, standin.Fault{When: standin.AfterAccept, Do: do})
				l := v.letter("Hello", "", person)
				if answer, _, err := v.post(l); err == nil {
					t.Fatalf("the dropped request was answered %d", answer.StatusCode)
				}
				if len(s.Ledger()) != 1 {
					t.Fatalf("%d copies before the repeat, want 1", len(s.Ledger()))
				}
				v.mustPost(l, http.StatusOK)
				if s.CreateRequests() != 2 || len(s.Ledger()) != 2 || s.BrowserCopies() != 1 || s.Duplicates() != 0 {
					t.Errorf("requests %d, copies %d, browser copies %d, duplicates %d; want 2, 2, 1, 0",
						s.CreateRequests(), len(s.Ledger()), s.BrowserCopies(), s.Duplicates())
				}
			})
		}
	}
}

func TestAHangEndsWhenTheServerCloses(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	person := idOf(t, s, ada.Slug)
	setFault(t, s, standin.FaultMatch{}, standin.Fault{Do: standin.Hang})
	l := v.letter("Hello", "", person)
	ended := make(chan error, 1)
	go func() {
		_, _, err := v.post(l)
		ended <- err
	}()
	wait(t, s, func(state standin.State) bool { return state.Arrived(person) == 1 })
	s.Close()
	if err := <-ended; err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the hanging request ended with %v, want a broken connection", err)
	}
	if len(s.Ledger()) != 0 {
		t.Error("a request that hung before acceptance was accepted")
	}
}

func TestAnswerAndThreadAreHeldUntilReleased(t *testing.T) {
	t.Parallel()
	s := startServer(t, standin.Both)
	v := signedIn(t, s)
	person := idOf(t, s, ada.Slug)
	answer, thread := standin.NewGate(), standin.NewGate()
	setFault(t, s, standin.FaultMatch{RecipientID: person},
		standin.Fault{When: standin.AfterAccept, HoldAnswer: answer, HideFromThread: thread})
	l := v.letter("Held back", "", person)
	type result struct {
		status int
		err    error
	}
	ended := make(chan result, 1)
	go func() {
		response, _, err := v.post(l)
		if err != nil {
			ended <- result{err: err}
			return
		}
		ended <- result{status: response.StatusCode}
	}()
	wait(t, s, func(state standin.State) bool { return state.Accepted(person) == 1 })
	compose := "/messaging/compose/?recipient=" + person
	v.get(compose, http.StatusOK) // nothing shows that a thread exists
	select {
	case r := <-ended:
		t.Fatalf("the held request ended early: %+v", r)
	default:
	}
	answer.Release()
	if r := <-ended; r.err != nil || r.status != http.StatusOK {
		t.Errorf("the released request ended with %+v, want 200", r)
	}
	v.get(compose, http.StatusOK)
	thread.Release()
	v.get(compose, http.StatusFound)
	_, page := v.get("/messaging/thread/"+s.Ledger()[0].ThreadID+"/", http.StatusOK)
	if !strings.Contains(page, "Held back") {
		t.Error("the released message is not in its thread")
	}
}

func setFault(t *testing.T, s *standin.Server, match standin.FaultMatch, fault standin.Fault) {
	t.Helper()
	if err := s.Fault(match, fault); err != nil {
		t.Fatal(err)
	}
}
