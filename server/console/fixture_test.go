package console_test

import (
	"context"
	"crypto/ed25519"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"sendonce/server/access"
	"sendonce/server/account"
	"sendonce/server/auth"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/console"
	"sendonce/server/install"
	"sendonce/server/message"
	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/receipt"
	"sendonce/server/web"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type nobody struct{}

func (nobody) InstallChanged(uuid.UUID) {}
func (nobody) Wake(uuid.UUID)           {}
func (nobody) WakeAll()                 {}

type wakesNobody struct{}

func (wakesNobody) Wake() {}

// site is the console over a database of its own, and one browser that is signed in.
type site struct {
	t       *testing.T
	url     string
	store   *postgres.Store
	admin   *pgxpool.Pool
	access  *access.Service
	command *command.Runner
	link    string
	browser *http.Client
	who     access.Principal
	// receiptKeys are those that its receipts hold by.
	receiptKeys []ed25519.PublicKey
}

func newSite(t *testing.T) *site {
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
	s := &site{t: t, store: store, admin: admin, access: access.NewService(store), command: command.NewRunner(store, nobody{})}
	keys := auth.NewKeys()
	if err := store.SealMarks(t.Context(), auth.NewMarkVault(keys.Refresh)); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	installs := install.NewService(store, auth.NewAccessTokens(keys.Access, time.Now), auth.NewRefreshSecrets(keys.Refresh), nobody{},
		auth.NewAttempts(config.PairingTriesPerMin), time.Now)
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	s.receiptKeys = []ed25519.PublicKey{key.Public().(ed25519.PublicKey)}
	receipts := receipt.NewService(store, receipt.NewSigner([]ed25519.PrivateKey{key}, time.Now))
	pages, err := console.New(s.access, s.command, store, receipts, installs, wakesNobody{}, wakesNobody{}, wakesNobody{}, "", log)
	if err != nil {
		t.Fatal(err)
	}
	e := web.New(web.Options{Log: log, Page: pages.Problem})
	pages.Routes(e)
	listener := httptest.NewServer(e)
	t.Cleanup(listener.Close)
	s.url = listener.URL
	if s.link, err = s.access.EnsureFirst(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.browser = newBrowser(t)
	return s
}

func newBrowser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

type page struct {
	Status int
	Path   string
	Body   string
	Header http.Header
}

func (s *site) get(path string) page {
	s.t.Helper()
	return s.do(s.browser, "GET", path, nil)
}

func (s *site) post(path string, form url.Values, headers ...string) page {
	s.t.Helper()
	return s.do(s.browser, "POST", path, form, headers...)
}

func (s *site) do(browser *http.Client, method, path string, form url.Values, headers ...string) page {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	if method == "POST" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	response, err := browser.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return page{response.StatusCode, response.Request.URL.Path, string(body), response.Header}
}

func (s *site) signIn() {
	s.t.Helper()
	if p := s.post("/sign-in", url.Values{"link": {s.link}}); p.Status != 200 || p.Path != "/" {
		s.t.Fatalf("sign in: %d %s %s", p.Status, p.Path, p.Body)
	}
	cookies := s.browser.Jar.Cookies(mustParse(s.url))
	who, err := s.access.SignedIn(s.t.Context(), cookies[0].Value)
	if err != nil {
		s.t.Fatal(err)
	}
	s.who = who
}

func mustParse(raw string) *url.URL {
	parsed, err := url.Parse(raw)
	if err != nil {
		panic(err)
	}
	return parsed
}

// propose makes an account, when there is none, and a message.
func (s *site) propose(body string) message.Message {
	s.t.Helper()
	return s.proposeWhole(message.Proposal{LinkedIn: "/in/ada-example", Name: "Ada <Example>", Purpose: "reason " + uuid.NewString(), Body: body})
}

func (s *site) proposeWhole(p message.Proposal) message.Message {
	s.t.Helper()
	var m message.Message
	ctx := s.t.Context()
	_, _, err := s.command.Run(ctx, s.who, nil, func(tx command.Tx) (answer command.Answer, wake uuid.UUID, err error) {
		if p.Account, err = s.account(ctx, tx); err == nil {
			m, err = message.Propose(ctx, tx, s.who, p)
		}
		return command.Answer{}, uuid.Nil, err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

func (s *site) account(ctx context.Context, tx command.Tx) (uuid.UUID, error) {
	there, err := s.store.AccountList(ctx, s.who.Workspace, uuid.Nil, 1)
	if err != nil || len(there) > 0 {
		if err != nil {
			return uuid.Nil, err
		}
		return there[0].ID, nil
	}
	made, err := account.Create(ctx, tx, s.who, account.LinkedIn, "/in/rita-recruiter")
	return made.ID, err
}

func (s *site) count(sql string, args ...any) int {
	s.t.Helper()
	var n int
	if err := s.admin.QueryRow(s.t.Context(), sql, args...).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// form reads the hidden fields of the form that posts to path.
func (p page) form(t *testing.T, path string) url.Values {
	t.Helper()
	_, after, found := strings.Cut(p.Body, `action="`+path+`"`)
	if !found {
		t.Fatalf("no form posts to %s: %s", path, p.Body)
	}
	inside, _, _ := strings.Cut(after, "</form>")
	values := url.Values{}
	for _, field := range regexp.MustCompile(`name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(inside, -1) {
		values.Set(field[1], html.UnescapeString(field[2]))
	}
	return values
}
