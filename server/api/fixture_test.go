package api_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/labstack/echo/v4"

	"sendonce/server/access"
	"sendonce/server/api"
	"sendonce/server/auth"
	"sendonce/server/bulk"
	"sendonce/server/callback"
	"sendonce/server/command"
	"sendonce/server/config"
	events "sendonce/server/event"
	"sendonce/server/imports"
	"sendonce/server/install"
	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/problem"
	"sendonce/server/receipt"
	"sendonce/server/sequence"
	"sendonce/server/web"
)

func TestMain(m *testing.M) { pgtest.Main(whole{m}) }

// keptFor is how long events are kept; no test waits for it.
const keptFor = 90 * 24 * time.Hour

// server is the API over a database of its own, with one workspace.
type server struct {
	t        *testing.T
	url      string
	database *pgtest.DB
	admin    *pgxpool.Pool
	access   *access.Service
	woken    woken
	// callbacks is the service of this server, for its sweep.
	callbacks *callback.Service
	store     *postgres.Store
	feed      *events.Feed
	handler   http.Handler
	// tokens by role; "stranger" is the admin of another workspace.
	tokens  map[string]string
	account string
	routes  []*echo.Route
	// receiptKeys sign: the last one for every server that is begun from then on.
	receiptKeys []ed25519.PrivateKey
}

func receiptKey(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(append(make([]byte, ed25519.SeedSize-1), seed))
}

// woken remembers which accounts were woken.
type woken struct {
	mu       sync.Mutex
	accounts []uuid.UUID
}

func (w *woken) Wake(account uuid.UUID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.accounts = append(w.accounts, account)
}

func (w *woken) WakeAll() { w.Wake(uuid.Nil) }

func (w *woken) InstallChanged(uuid.UUID) {}

func (w *woken) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.accounts)
}

type noChanges struct{}

func (noChanges) InstallChanged(uuid.UUID) {}

func newServer(t *testing.T) *server {
	t.Helper()
	database := pgtest.New(t)
	store, err := postgres.Open(t.Context(), database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	admin, err := pgxpool.New(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(admin.Close)
	s := &server{t: t, database: database, admin: admin, access: access.NewService(store), store: store, tokens: map[string]string{}, receiptKeys: []ed25519.PrivateKey{receiptKey(1)}}
	s.url = s.serve(store)
	for _, role := range access.Roles() {
		if s.tokens[string(role)], err = s.access.CreateToken(t.Context(), role, ""); err != nil {
			t.Fatal(err)
		}
	}
	s.addStranger(store)
	s.account = s.ask("POST", "/v1/accounts", `{"channel":"linkedin","handle":"https://www.linkedin.com/in/rita-recruiter"}`).text("id")
	return s
}

// serve begins one more server on the database, and returns its address.
func (s *server) serve(store *postgres.Store) string {
	log := slog.New(slog.DiscardHandler)
	keys := auth.NewKeys()
	if err := store.SealMarks(s.t.Context(), auth.NewMarkVault(keys.Refresh)); err != nil {
		s.t.Fatal(err)
	}
	installs := install.NewService(store, auth.NewAccessTokens(keys.Access, time.Now), auth.NewRefreshSecrets(keys.Refresh), noChanges{},
		auth.NewAttempts(config.PairingTriesPerMin), time.Now)
	e := web.New(web.Options{Log: log, Page: func(c echo.Context, p *problem.Problem) error { return web.WriteProblem(c, p) }})
	runner := command.NewRunner(store, &s.woken)
	worker := bulk.NewWorker(store, runner.BulkOne, log)
	ctx, stop := context.WithCancel(context.Background())
	var working sync.WaitGroup
	working.Go(func() { worker.Work(ctx) })
	importing := imports.NewWorker(store, runner.ImportStep, log)
	working.Go(func() { importing.Work(ctx) })
	s.t.Cleanup(func() { stop(); working.Wait() })
	s.callbacks = s.callbacksOver(store, keys, log)
	s.feed = events.NewFeed(store, keptFor, func() {}, log)
	feed := s.feed
	working.Go(func() { feed.Watch(ctx) })
	s.t.Cleanup(feed.End)
	enrolments := sequence.NewWorker(store, runner.EnrolmentLook, log) // it only is woken: the tests of sequences say when one looks
	rest := api.New(s.access, runner, store, receipt.NewService(store, receipt.NewSigner(s.receiptKeys, time.Now)), installs, s.callbacks, worker, importing, enrolments, feed, store.Ping, log)
	rest.ShortenStreams()
	rest.Routes(e)
	s.routes = e.Routes()
	e.GET("/v1/panic", func(echo.Context) error { panic("a secret") })
	s.handler = e
	listener := httptest.NewServer(e)
	s.t.Cleanup(listener.Close)
	return listener.URL
}

// twin is the same as another server on the same database answers it.
func (s *server) twin() *server {
	s.t.Helper()
	store, err := postgres.Open(s.t.Context(), s.database.ServerURL)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(store.Close)
	return &server{t: s.t, url: s.serve(store), tokens: s.tokens, account: s.account, receiptKeys: s.receiptKeys}
}

// advance moves the database's clock.
func (s *server) advance(by time.Duration) {
	s.t.Helper()
	if _, err := s.admin.Exec(s.t.Context(), "UPDATE clock_offset SET ahead = ahead + $1", by); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) addStranger(store *postgres.Store) {
	s.t.Helper()
	var workspace uuid.UUID
	err := s.admin.QueryRow(s.t.Context(), "INSERT INTO workspaces (name, created_at) VALUES ('Others', 'infinity') RETURNING id").Scan(&workspace)
	if err != nil {
		s.t.Fatal(err)
	}
	p, err := store.PrincipalEnsure(s.t.Context(), access.Principal{Workspace: workspace, Role: access.Admin, Name: "stranger"})
	if err != nil {
		s.t.Fatal(err)
	}
	token, hash := auth.NewSecret(auth.APITokenPrefix)
	if err := store.TokenAdd(s.t.Context(), p, hash); err != nil {
		s.t.Fatal(err)
	}
	s.tokens["stranger"] = token
}

// answer is what the server said.
type answer struct {
	t      *testing.T
	Status int
	Header http.Header
	Body   string
}

// text is a member of the answer, at a path like "sends.0.status"; "" when it is null or absent.
func (a answer) text(path string) string {
	a.t.Helper()
	var value any
	if err := json.Unmarshal([]byte(a.Body), &value); err != nil {
		a.t.Fatalf("status %d, no JSON: %s", a.Status, a.Body)
	}
	for _, key := range strings.Split(path, ".") {
		switch at := value.(type) {
		case map[string]any:
			value = at[key]
		case []any:
			var index int
			if _, err := fmt.Sscan(key, &index); err != nil || index >= len(at) {
				return ""
			}
			value = at[index]
		default:
			return ""
		}
	}
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// ask asks as the recruiter unless the headers name another token. POST /v1/messages gets a fresh key unless one is given.
func (s *server) ask(method, path, body string, headers ...string) answer {
	s.t.Helper()
	a, err := s.try(s.t.Context(), method, path, body, headers...)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (s *server) try(ctx context.Context, method, path, body string, headers ...string) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+s.tokens["recruiter"])
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if method == "POST" && path == "/v1/messages" {
		request.Header.Set("Idempotency-Key", uuid.NewString())
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if value == "" {
			request.Header.Del(name)
			continue
		}
		if name == "Host" {
			request.Host = value
			continue
		}
		request.Header.Set(name, value)
	}
	response, err := (&http.Client{Transport: held{s.t}}).Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	return answer{s.t, response.StatusCode, response.Header, string(raw)}, err
}

func (s *server) as(role string) string { return "Authorization: Bearer " + s.tokens[role] }

func (s *server) proposal(body string) string {
	return fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"https://www.linkedin.com/in/ada-example"},"body":%q,"purpose":"first contact","send_after":null,"send_before":null}`,
		s.account, body)
}

// propose makes a message for a purpose of its own, so that it is no further one for an earlier one's.
func (s *server) propose(body string) answer {
	s.t.Helper()
	a := s.ask("POST", "/v1/messages", strings.Replace(s.proposal(body), "first contact", "reason "+uuid.NewString(), 1))
	if a.Status != http.StatusCreated {
		s.t.Fatalf("propose: %d %s", a.Status, a.Body)
	}
	return a
}

func yes(m answer) string {
	return fmt.Sprintf(`{"version":%s,"digest":%q}`, m.text("version"), m.text("digest"))
}

// approve is a person who says yes to every earlier message that they are shown.
func (s *server) approve(m answer) answer {
	s.t.Helper()
	path := "/v1/messages/" + m.text("id") + "/approval"
	a := s.ask("POST", path, yes(m))
	if shown := a.text("earlier.0.message_id"); a.Status == http.StatusConflict && shown != "" {
		return s.ask("POST", path, yesTo(m, shown, a.text("earlier.1.message_id")))
	}
	return a
}

// yesTo is a yes that names earlier messages; "" is none.
func yesTo(m answer, earlier ...string) string {
	named, err := json.Marshal(slices.DeleteFunc(earlier, func(id string) bool { return id == "" }))
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"version":%s,"digest":%q,"yes_to":%s}`, m.text("version"), m.text("digest"), named)
}

// move drives a send by hand, as the sender would.
func (s *server) move(send string, statements ...string) {
	s.t.Helper()
	for _, statement := range statements {
		if _, err := s.admin.Exec(s.t.Context(), statement, send); err != nil {
			s.t.Fatalf("%s: %v", statement, err)
		}
	}
}

// count is a number that the database says.
func (s *server) count(sql string, args ...any) int {
	s.t.Helper()
	var n int
	if err := s.admin.QueryRow(s.t.Context(), sql, args...).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// rows counts what a refused request must not change.
func (s *server) rows() string {
	s.t.Helper()
	var text string
	err := s.admin.QueryRow(s.t.Context(), `SELECT format('%s %s %s %s %s %s %s %s', (SELECT count(*) FROM accounts),
		(SELECT count(*) FROM people), (SELECT count(*) FROM person_identities), (SELECT count(*) FROM messages),
		(SELECT count(*) FROM message_versions), (SELECT count(*) FROM approvals), (SELECT count(*) FROM sends),
		(SELECT count(*) FROM idempotency_keys))`).Scan(&text)
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

const (
	lease = `UPDATE sends SET status = 'leased', lease_token = gen_random_uuid(), lease_expires_at = sendonce_now() + interval '1 minute',
		lease_holder = (SELECT id FROM installs LIMIT 1) WHERE id = $1`
	start = `UPDATE sends SET status = 'started', attempt = 'attempt-0123456789', sender_version = '1.0.0',
		deadline_at = sendonce_now() + interval '6 minutes' WHERE id = $1`
	unconfirm = `UPDATE sends SET status = 'unconfirmed', code = 'deadline_passed' WHERE id = $1`
	prove     = `INSERT INTO evidence (workspace_id, send_id, kind, attempt, outcome)
		SELECT workspace_id, id, 'proof', attempt, 'not_attempted' FROM sends WHERE id = $1`
	fail    = `UPDATE sends SET status = 'failed', code = 'not_attempted', reason = 'wrong_person' WHERE id = $1`
	confirm = `WITH said AS (INSERT INTO evidence (workspace_id, send_id, kind, outcome)
		SELECT workspace_id, id, 'confirmation', 'confirmed' FROM sends WHERE id = $1 RETURNING id) SELECT * FROM said`
	sent = `UPDATE sends SET status = 'sent', code = 'confirmed', confirmed_by = (SELECT max(id) FROM evidence WHERE send_id = $1) WHERE id = $1`
)

// addInstall makes an install that can hold leases.
func (s *server) addInstall() string {
	s.t.Helper()
	code := s.ask("POST", "/v1/pairing-codes", "{}").text("code")
	a := s.ask("POST", "/v1/installs", fmt.Sprintf(`{"code":%q,"extension_version":"1.0.0"}`, code), "Authorization: ")
	if a.Status != http.StatusCreated {
		s.t.Fatalf("pair: %d %s", a.Status, a.Body)
	}
	return a.text("install_id")
}
