package sandbox_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sendonce/client"
	"sendonce/server/app/apptest"
	"sendonce/server/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// Goal: what happens to a message is what docs/sandbox.md says of its recipient, over the real socket and database, and the made-up
// LinkedIn has as many copies as it says. A person does what the page says; then the story has an end.
func TestStories(t *testing.T) {
	t.Parallel()
	s := apptest.Sandbox(t)
	for _, c := range []struct {
		slug   string
		passes string                                // a status that it must have been in
		first  string                                // "status code reason" of the first send
		person func(*apptest.Server, client.Message) // what a person then does
		last   string                                // of the last send
		copies int
	}{
		{slug: "sandbox-anything", first: "sent confirmed", copies: 1},
		{slug: "jürgen-beispiel", first: "sent confirmed", copies: 1},
		{slug: "sandbox-losty", first: "sent confirmed", copies: 1},
		{slug: "sandbox-slow", passes: "started", first: "sent confirmed", copies: 1},
		{slug: "sandbox-no-answer-2", passes: "unconfirmed", first: "sent confirmed", copies: 1},
		{slug: "sandbox-late", passes: "unconfirmed", first: "sent confirmed", copies: 1},
		{slug: "sandbox-lost", first: "unconfirmed no_answer", person: settleAndRetry, last: "sent confirmed", copies: 1},
		{slug: "sandbox-server-error", first: "unconfirmed server_error", person: settleAndRetry, last: "sent confirmed", copies: 1},
		{slug: "sandbox-limited", first: "failed rate_limited", person: waits, last: "sent confirmed", copies: 1},
		{slug: "sandbox-refused", first: "failed refused_by_provider"},
		{slug: "sandbox-stopped", first: "failed account_stopped", person: clearAndRetry, last: "sent confirmed", copies: 1},
		{slug: "sandbox-signed-out", first: "failed not_attempted signed_out", person: clearAndRetry, last: "sent confirmed", copies: 1},
		{slug: "sandbox-not-connected", first: "failed not_attempted not_connected"},
		{slug: "sandbox-inmail", first: "failed not_attempted would_cost_inmail"},
		{slug: "sandbox-replied", first: "failed not_attempted replied"},
		{slug: "sandbox-already-there", first: "sent already_there", copies: 1},
		{slug: "sandbox-twice", first: "sent confirmed", copies: 2},
	} {
		m := s.Propose(c.slug, "Hello "+c.slug)
		s.Approve(m)
		got := s.Await(m.ID, func(m client.Message) bool { return len(m.Sends) > 0 && told(m.Sends[0]) == c.first })
		if c.person != nil {
			c.person(s, got)
			got = s.Await(m.ID, func(m client.Message) bool { return told(*m.Latest()) == c.last })
		}
		if c.passes != "" && !slices.ContainsFunc(got.History, func(e client.Event) bool { return e.To == c.passes }) {
			t.Errorf("%s was never %s: %+v", c.slug, c.passes, got.History)
		}
		if copies := copiesOf(s, "Hello "+c.slug); copies != c.copies {
			t.Errorf("%s has %d copies, want %d", c.slug, copies, c.copies)
		}
	}
}

func copiesOf(s *apptest.Server, text string) int {
	copies := 0
	for _, one := range s.Site().Ledger() {
		if one.Text == text {
			copies++
		}
	}
	return copies
}

// told is what became of a send. On a busy machine the sweep may be faster than the browser.
func told(s client.Send) string {
	code := s.Code
	if s.Status == "unconfirmed" && code == "deadline_passed" {
		code = "no_answer"
	}
	return strings.TrimSpace(s.Status + " " + code + " " + s.Reason)
}

func waits(*apptest.Server, client.Message) {}

func clearAndRetry(s *apptest.Server, m client.Message) {
	s.Post("/v1/accounts/"+m.AccountID+"/clear", nil)
	s.Post("/v1/sends/"+m.Sends[0].ID+"/retry", nil)
}

// settleAndRetry lets the quiet time pass, and says that nothing arrived.
func settleAndRetry(s *apptest.Server, m client.Message) {
	s.Await(m.ID, func(m client.Message) bool { return m.Sends[0].TabGone })
	hand(s, "UPDATE clock_offset SET ahead = ahead + interval '5 seconds'")
	send := "/v1/sends/" + m.Sends[0].ID
	s.Post(send+"/resolution", map[string]any{"outcome": "not_delivered", "note": "the conversation does not have it"})
	s.Post(send+"/retry", nil)
}

func hand(s *apptest.Server, sql string) {
	s.Helper()
	conn, err := pgx.Connect(s.Context(), s.Database.AdminURL)
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close(s.Context())
	if _, err := conn.Exec(s.Context(), sql); err != nil {
		s.Fatal(err)
	}
}

// Goal: no real browser is paired with the sandbox, and whoever asks is told why.
func TestNoRealBrowserIsPairedWithTheSandbox(t *testing.T) {
	t.Parallel()
	s := apptest.Sandbox(t)
	var p *client.Problem
	for _, key := range []string{"", "a-key"} {
		_, err := s.Person.Do(t.Context(), client.Request{Method: http.MethodPost, Path: "/v1/pairing-codes", Key: key, Body: struct{}{}}, nil)
		if !errors.As(err, &p) || p.Code != "made_up_only" || p.Status != http.StatusConflict {
			t.Errorf("a pairing code under the key %q: %v", key, err)
		}
	}
	hand(s, "INSERT INTO pairing_codes (code_hash, workspace_id, principal_id, expires_at) SELECT sha256('ABCDEFGHJK'), workspace_id, id, 'infinity' FROM principals LIMIT 1")
	body := map[string]string{"code": "ABCDE-FGHJK", "extension_version": "1.0.0"}
	if _, err := s.Person.Do(t.Context(), client.Request{Method: http.MethodPost, Path: "/v1/installs", Body: body}, nil); !errors.As(err, &p) || p.Code != "bad_code" {
		t.Errorf("a code that came about otherwise: %v", err)
	}
	if w, err := s.Agent.Workspace(t.Context()); err != nil || !w.Sandbox || w.Principal.Role != "agent" {
		t.Errorf("the workspace says %+v, %v", w, err)
	}
}
