// Package apptest starts a whole server on a database of its own, in the test's process. Nothing here is for production.
package apptest

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"testing"
	"time"

	"sendonce/client"
	"sendonce/server/access"
	"sendonce/server/app"
	"sendonce/server/config"
	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
)

// Times of a sandbox in a test: as short as a busy machine allows.
const (
	step      = 5 * time.Millisecond
	deadline  = time.Second
	grace     = 50 * time.Millisecond
	lookEvery = 30 * time.Millisecond
	// soon bounds every wait of a test, with a busy machine in mind; askEvery is how often it looks.
	soon     = 20 * time.Second
	askEvery = 10 * time.Millisecond
)

// Server is a running server.
type Server struct {
	testing.TB
	*app.App
	Database *pgtest.DB
	Settings config.Settings
	// Person is asked as a person's program, who may do everything; Agent as an agent's.
	Person, Agent *client.Client
	// AgentToken is the agent's token.
	AgentToken string
}

// Sandbox starts a sandbox that ends with the test.
func Sandbox(t testing.TB) *Server {
	t.Helper()
	s := &Server{TB: t, Database: pgtest.New(t), Settings: Settings(t)}
	s.Settings.DatabaseURL = s.Database.ServerURL
	times := postgres.QuietTimes{Grace: grace, Unseen: grace}
	if err := postgres.SetQuietTimes(t.Context(), s.Database.AdminURL, "linkedin", times); err != nil {
		t.Fatal(err)
	}
	started, err := app.Start(t.Context(), s.Settings, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s.App, s.AgentToken = started, started.AgentToken()
	s.endWithTest()
	s.Agent = s.clientOf(s.AgentToken)
	s.Person = s.clientOf(s.token(access.Admin))
	return s
}

// Settings are those of a sandbox whose stories are over in a moment.
func Settings(t testing.TB) config.Settings {
	t.Helper()
	s, err := config.LoadSandbox(func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	s.Addr, s.Data, s.AllowUndurable = "127.0.0.1:0", t.TempDir(), true
	s.TouchWithin, s.AnswerWithin, s.LookWithin, s.Deadline = 2*deadline/5, deadline/5, deadline/5, deadline
	s.SweepEvery, s.PollEvery, s.IncidentsEvery, s.SandboxStep = lookEvery, lookEvery, lookEvery, step
	return s
}

func (s *Server) endWithTest() {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Wait(ctx) }()
	s.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			s.Error(err)
		}
	})
}

func (s *Server) token(role access.Role) string {
	s.Helper()
	store, err := postgres.Open(s.Context(), s.Database.ServerURL)
	if err != nil {
		s.Fatal(err)
	}
	defer store.Close()
	token, err := access.NewService(store).CreateToken(s.Context(), role, "")
	if err != nil {
		s.Fatal(err)
	}
	return token
}

// Token makes a token of that role.
func (s *Server) Token(role string) string { return s.token(access.Role(role)) }

func (s *Server) clientOf(token string) *client.Client {
	s.Helper()
	c, err := client.New(s.URL(), token)
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// Account is the id of the sandbox's account.
func (s *Server) Account() string {
	s.Helper()
	page, err := s.Agent.Accounts(s.Context(), "")
	if err != nil || len(page.Items) != 1 {
		s.Fatalf("the sandbox's account: %v %v", page, err)
	}
	return page.Items[0].ID
}

// Propose has the agent propose a message to whoever has that address.
func (s *Server) Propose(slug, body string) client.Message {
	s.Helper()
	m, _, err := s.Agent.Propose(s.Context(), "test-"+url.QueryEscape(slug+body), client.Proposal{
		AccountID: s.Account(), Person: client.Recipient{LinkedIn: "https://www.linkedin.com/in/" + slug}, Body: body, Purpose: "first contact",
	})
	if err != nil {
		s.Fatal(err)
	}
	return m
}

// Approve has a person approve the version that the message has here.
func (s *Server) Approve(m client.Message) {
	s.Helper()
	s.Post("/v1/messages/"+m.ID+"/approval", map[string]any{"version": m.Version, "digest": m.Digest})
}

// Post has a person do something.
func (s *Server) Post(path string, body any) {
	s.Helper()
	if _, err := s.Person.Do(s.Context(), client.Request{Method: http.MethodPost, Path: path, Body: body}, nil); err != nil {
		s.Fatalf("POST %s: %v", path, err)
	}
}

// Get reads something as a person.
func (s *Server) Get(path string, answer any) {
	s.Helper()
	if _, err := s.Person.Do(s.Context(), client.Request{Method: http.MethodGet, Path: path}, answer); err != nil {
		s.Fatalf("GET %s: %v", path, err)
	}
}

// Await reads the message until it is as wanted.
func (s *Server) Await(id string, wanted func(client.Message) bool) client.Message {
	s.Helper()
	var m client.Message
	for end := time.Now().Add(soon); time.Now().Before(end); time.Sleep(askEvery) {
		var err error
		if m, err = s.Agent.Message(s.Context(), id); err != nil {
			s.Fatal(err)
		}
		if wanted(m) {
			return m
		}
	}
	s.Fatalf("the message did not become what was wanted; it is %+v", m)
	return m
}
