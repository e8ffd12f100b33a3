package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"
	"github.com/jackc/pgx/v5/pgxpool"

	"sendonce/server/access"
	"sendonce/server/app"
	"sendonce/server/auth"
	"sendonce/server/config"
	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/rule"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// heardWithin bounds one wait for a frame, with a busy machine in mind.
const heardWithin = 20 * time.Second

// team is a database, its people, and the data folder whose keys all of its servers share.
type team struct {
	*testing.T
	db      *pgtest.DB
	admin   *pgxpool.Pool
	data    string
	token   string
	account string
	install string
	access  string
}

// server is one whole server of the team: its own pool, its own data folder, its own sockets.
type server struct {
	*team
	url  string
	data string
	stop func()
}

func newTeam(t *testing.T) *team {
	t.Helper()
	db := pgtest.New(t)
	pool, err := pgxpool.New(t.Context(), db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return &team{T: t, db: db, admin: pool}
}

// serve starts a server; change may shorten its settings.
func (m *team) serve(change func(*config.Settings)) *server {
	m.Helper()
	settings, err := config.Load(func(string) (string, bool) { return "", false })
	if err != nil {
		m.Fatal(err)
	}
	settings.Addr, settings.Data, settings.DatabaseURL, settings.AllowUndurable = "127.0.0.1:0", m.TempDir(), m.db.ServerURL, true
	if change != nil {
		change(&settings)
	}
	m.shareKeys(settings.Data)
	started, err := app.Start(m.Context(), settings, slog.New(slog.DiscardHandler))
	if err != nil {
		m.Fatal(err)
	}
	s := &server{team: m, url: started.URL(), data: settings.Data}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- started.Wait(ctx) }()
	stopped := false
	s.stop = func() {
		if stop(); !stopped {
			stopped = true
			if err := <-ended; err != nil {
				m.Error(err)
			}
		}
	}
	m.Cleanup(s.stop)
	return s
}

// shareKeys copies the keys of the first server's data folder: what one server signed, the others must read.
func (m *team) shareKeys(data string) {
	m.Helper()
	if m.data == "" {
		m.data = data
		return
	}
	for _, name := range []string{auth.KeysFile, auth.ReceiptKeysFile} {
		raw, err := os.ReadFile(filepath.Join(m.data, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(data, name), raw, 0o600)
		}
		if err != nil {
			m.Fatal(err)
		}
	}
}

// under is the server as a subtest has it: what fails and what is cleaned up is that test's.
func (s *server) under(t *testing.T) *server {
	m, c := *s.team, *s
	m.T, c.team = t, &m
	return &c
}

// enroll makes an admin's token, an account and an install.
func (s *server) enroll() {
	s.Helper()
	store, err := postgres.Open(s.Context(), s.db.ServerURL)
	if err != nil {
		s.Fatal(err)
	}
	defer store.Close()
	if s.token, err = access.NewService(store).CreateToken(s.Context(), access.Admin, ""); err != nil {
		s.Fatal(err)
	}
	s.account = s.post("/v1/accounts", map[string]any{"channel": "linkedin", "handle": "https://www.linkedin.com/in/rita-recruiter"}, "id")
	s.pair()
}

// pair enrolls a browser, as which the team connects from then on.
func (s *server) pair() {
	s.Helper()
	code := s.post("/v1/pairing-codes", map[string]any{}, "code")
	paired := s.ask("POST", "/v1/installs", map[string]any{"code": code, "extension_version": "1.0.0"})
	s.install = paired["install_id"].(string)
	s.access = s.post("/v1/installs/token", map[string]any{"install_id": s.install, "refresh_secret": paired["refresh_secret"]}, "token")
}

func (s *server) post(path string, body map[string]any, member string) string {
	s.Helper()
	text, _ := s.ask("POST", path, body)[member].(string)
	return text
}

// ask asks as the admin; every answer must be a success.
func (s *server) ask(method, path string, body map[string]any) map[string]any {
	s.Helper()
	status, answer := s.try(method, path, uuid.NewString(), body)
	if status >= http.StatusMultipleChoices {
		s.Fatalf("%s %s: %d %v", method, path, status, answer)
	}
	return answer
}

// try asks as the admin, under a key.
func (s *server) try(method, path, key string, body map[string]any) (status int, answer map[string]any) {
	s.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		s.Fatal(err)
	}
	request, err := http.NewRequestWithContext(s.Context(), method, s.url+path, bytes.NewReader(raw))
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		s.Fatalf("%s %s: %s %v", method, path, response.Status, err)
	}
	return response.StatusCode, answer
}

// approve proposes a message to a person of that name and approves it here.
func (s *server) approve(slug string) (message string) {
	s.Helper()
	made := s.ask("POST", "/v1/messages", map[string]any{
		"account_id": s.account, "person": map[string]any{"linkedin": "https://www.linkedin.com/in/" + slug}, "body": "Hello " + slug, "purpose": "first contact",
	})
	message = made["id"].(string)
	s.ask("POST", "/v1/messages/"+message+"/approval", map[string]any{"version": made["version"], "digest": made["digest"]})
	return message
}

func (s *server) status(message string) string {
	s.Helper()
	status, _ := s.ask("GET", "/v1/messages/"+message, nil)["status"].(string)
	return status
}

// socket is a connection of the team's one install.
type socket struct {
	*server
	conn    *websocket.Conn
	welcome map[string]any
}

// connect says hello with what the install remembers: its mark, and the entries of its journal that are open.
func (s *server) connect(epoch, event int64, open ...any) *socket {
	s.Helper()
	conn, _, err := websocket.DefaultDialer.DialContext(s.Context(), "ws"+strings.TrimPrefix(s.url, "http")+"/v1/installs/socket",
		http.Header{"Origin": {"chrome-extension://abcdefghijklmnopabcdefghijklmnop"}})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { conn.Close() })
	c := &socket{server: s, conn: conn}
	c.say("hello", map[string]any{
		"access_token": s.access, "install": s.install, "extension_version": "1.0.0", "rules_digest": rule.Digest(), "open": append([]any{}, open...),
		"accounts": []any{map[string]any{"member_urn": "urn:li:fsd_profile:ACoAARita", "slug": "rita-recruiter", "name": "Rita Recruiter"}},
		"mark":     map[string]any{"epoch": epoch, "event": event},
	})
	c.welcome = c.hear("welcome")
	c.say("ready", map[string]any{"accounts": []string{s.account}})
	return c
}

func (c *socket) say(kind string, fields map[string]any) {
	c.Helper()
	fields["v"], fields["type"], fields["id"] = 1, kind, uuid.NewString()
	if err := c.conn.WriteJSON(fields); err != nil {
		c.Fatal(err)
	}
}

// hear waits for a frame of that type, past pongs.
func (c *socket) hear(kind string) map[string]any {
	c.Helper()
	for {
		_ = c.conn.SetReadDeadline(time.Now().Add(heardWithin))
		var f map[string]any
		if err := c.conn.ReadJSON(&f); err != nil {
			c.Fatalf("wait for %s: %v", kind, err)
		}
		if f["type"] == kind {
			return f
		}
		if f["type"] != "pong" {
			c.Fatalf("wait for %s: got %v", kind, f)
		}
	}
}

// hearsClose waits for the end of the connection, past every frame.
func (c *socket) hearsClose(code int) {
	c.Helper()
	for {
		_ = c.conn.SetReadDeadline(time.Now().Add(heardWithin))
		_, _, err := c.conn.ReadMessage()
		var closed *websocket.CloseError
		switch {
		case err == nil:
		case errors.As(err, &closed) && closed.Code == code:
			return
		default:
			c.Fatalf("the connection ended with %v, want close code %d", err, code)
		}
	}
}

func (c *socket) start(lease map[string]any, attempt string) {
	c.Helper()
	c.say("start", map[string]any{"lease_token": lease["lease_token"], "attempt": attempt, "digest": lease["digest"]})
}

// report says that the message was found, under the id of copyOf. attempt is nil for a worker that lives no longer.
func (c *socket) report(lease map[string]any, attempt any) map[string]any {
	c.Helper()
	found := []any{map[string]any{"provider_id": copyOf(lease), "sent_at_ms": time.Now().UnixMilli()}}
	return c.reportOf(lease, attempt, map[string]any{"kind": "status", "status": 200}, "found", found, rule.Sent, "confirmed")
}

// copyOf is the provider's id of the copy that a lease leaves.
func copyOf(lease map[string]any) string { return "copy-of-" + lease["send"].(string) }

func (c *socket) reportOf(lease map[string]any, attempt any, answer map[string]any, look string, copies []any, status rule.Status, code string) map[string]any {
	c.Helper()
	c.say("report", map[string]any{
		"lease_token": lease["lease_token"], "attempt": attempt, "end": "acted",
		"evidence": map[string]any{
			"answer": answer, "double": false, "foreign": false, "look": look, "copies": copies,
			"conversation": nil, "origin_token": nil, "retry_after_ms": nil, "acted_at_ms": nil,
		},
		"outcome": map[string]any{"status": status, "code": code, "reason": nil},
	})
	return c.hear("recorded")
}
