package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// exampleWithin bounds one run of the example, with a busy machine in mind.
const exampleWithin = time.Minute

// runExample runs docs/examples/propose.mjs to its end.
func (s *server) runExample(url, body string, more ...string) (out string, exit int) {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), exampleWithin)
	defer stop()
	run := exec.CommandContext(ctx, "node", "../../docs/examples/propose.mjs", "https://www.linkedin.com/in/ada-example", body)
	run.Env = append(append(os.Environ(), "SENDONCE_URL="+url, "SENDONCE_TOKEN="+s.tokens["agent"]), more...)
	raw, err := run.CombinedOutput()
	if run.ProcessState == nil {
		s.t.Fatal(err)
	}
	return string(raw), run.ProcessState.ExitCode()
}

// losing is a way to the server on which the first answer to each proposal is lost.
func (s *server) losing() string {
	to, err := url.Parse(s.url)
	if err != nil {
		s.t.Fatal(err)
	}
	way := httputil.NewSingleHostReverseProxy(to)
	way.Transport = held{s.t}
	var lost atomic.Bool
	way.ModifyResponse = func(answer *http.Response) error {
		if answer.Request.Method == http.MethodPost && lost.CompareAndSwap(false, true) {
			panic(http.ErrAbortHandler)
		}
		return nil
	}
	proxy := httptest.NewServer(way)
	s.t.Cleanup(proxy.Close)
	return proxy.URL
}

// Goal: the example of the documentation, as it stands there, proposes one message however often it is run and although an
// answer is lost, waits for a person and for the outcome, and names what needs a look.
func TestExample(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	out, exit := s.runExample(s.losing(), "Hello Ada", "SENDONCE_WAIT_MS=0")
	if exit != 1 || !strings.Contains(out, "proposed, not queued yet") || !strings.Contains(out, "Run this again") {
		t.Fatalf("nobody has decided: exit %d, %s", exit, out)
	}
	m := s.ask("GET", "/v1/messages", "")
	if m.text("items.0.body") != "Hello Ada" || m.text("items.1.id") != "" || m.text("items.0.created_by") != "agent" {
		t.Fatalf("after a lost answer: %s", m.Body)
	}
	send := s.approve(s.ask("GET", "/v1/messages/"+m.text("items.0.id"), "")).text("sends.0.id")
	s.move(send, lease, start, unconfirm)
	out, exit = s.runExample(s.url, "Hello Ada")
	if exit != 1 || !strings.Contains(out, "approved, unconfirmed") || !strings.Contains(out, "needs a look: message "+m.text("items.0.id")) {
		t.Errorf("it is unconfirmed: exit %d, %s", exit, out)
	}
	s.move(send, confirm, sent)
	if out, exit = s.runExample(s.url, "Hello Ada"); exit != 0 || !strings.Contains(out, "approved, sent") || strings.Contains(out, "needs a look") {
		t.Errorf("it is sent: exit %d, %s", exit, out)
	}
	if n := s.count("SELECT count(*) FROM messages"); n != 1 {
		t.Errorf("%d messages after three runs, want 1", n)
	}
	if out, exit = s.runExample(s.url, "\x01"); exit != 1 || !strings.Contains(out, "invalid_field (body)") {
		t.Errorf("a text that no box takes: exit %d, %s", exit, out)
	}
}
