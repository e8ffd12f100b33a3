package console_test

import (
	"context"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
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
	"sendonce/server/web"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type nobody struct{}

func (nobody) InstallChanged(uuid.UUID) {}
func (nobody) Wake(uuid.UUID)           {}

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
	log := slog.New(slog.DiscardHandler)
	installs := install.NewService(store, auth.NewAccessTokens(keys.Access, time.Now), auth.NewRefreshSecrets(keys.Refresh), nobody{},
		auth.NewAttempts(config.PairingTriesPerMin), time.Now)
	pages, err := console.New(s.access, s.command, store, installs, "", log)
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
	var m message.Message
	ctx := s.t.Context()
	_, _, err := s.command.Run(ctx, s.who, nil, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		from, err := s.account(ctx, tx)
		if err != nil {
			return command.Answer{}, uuid.Nil, err
		}
		m, err = message.Propose(ctx, tx, s.who, message.Proposal{
			Account: from, LinkedIn: "/in/ada-example", Name: "Ada <Example>", Purpose: "first contact", Body: body,
		})
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

func TestDoubleClickOnApproveIsOneApproval(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose("Hello Ada")
	path := "/messages/" + m.ID.String() + "/approval"
	form, otherTab := s.get("/").form(t, path), s.get("/messages/"+m.ID.String()).form(t, path)
	if form.Get("key") == otherTab.Get("key") {
		t.Error("two pages share a key")
	}
	var taps sync.WaitGroup
	for _, values := range []url.Values{form, form, form, otherTab} {
		taps.Go(func() {
			if p := s.post(path, values); p.Status != 200 || p.Path != "/" {
				t.Errorf("tap: %d %s %s", p.Status, p.Path, p.Body)
			}
		})
	}
	taps.Wait()
	if n := s.count("SELECT count(*) FROM sends"); n != 1 {
		t.Errorf("%d sends, want 1", n)
	}
	if n := s.count("SELECT count(*) FROM approvals"); n != 1 {
		t.Errorf("%d approvals, want 1", n)
	}
	if p := s.get("/"); strings.Contains(p.Body, ">Approve<") || !strings.Contains(p.Body, "Version 1 approved") {
		t.Errorf("after the approval: %s", p.Body)
	}
}

func TestPagesShowTextAsText(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose(`<script>alert("x")</script> & "Ada"`)
	for _, path := range []string{"/", "/messages/" + m.ID.String(), "/messages?section=waiting"} {
		p := s.get(path)
		if p.Status != 200 || strings.Contains(p.Body, "<script>alert") || !strings.Contains(p.Body, "&lt;script&gt;alert") ||
			strings.Contains(p.Body, "Ada <Example>") {
			t.Errorf("%s: %d %s", path, p.Status, p.Body)
		}
	}
}

func TestUnconfirmedComesFirstWithItsInstruction(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose("Hello Ada")
	path := "/messages/" + m.ID.String() + "/approval"
	s.post(path, s.get("/").form(t, path))
	s.propose("Hello again")
	p := s.post("/installs/code", nil)
	if p.Status != 200 || !regexp.MustCompile(`class="code">[A-Z0-9]+-[A-Z0-9]+<`).MatchString(p.Body) {
		t.Fatalf("pair: %d %s", p.Status, p.Body)
	}
	for _, sql := range []string{
		`INSERT INTO installs (workspace_id, principal_id, secret_hash) SELECT workspace_id, id, 'x' FROM principals`,
		`UPDATE sends SET status = 'leased', lease_token = gen_random_uuid(), lease_holder = (SELECT id FROM installs),
			lease_expires_at = sendonce_now() + interval '1 minute'`,
		`UPDATE sends SET status = 'started', attempt = 'attempt-0123456789', deadline_at = sendonce_now() + interval '6 minutes'`,
		`UPDATE sends SET status = 'unconfirmed', code = 'deadline_passed'`,
	} {
		if _, err := s.admin.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	body := s.get("/").Body
	instruction := strings.Index(body, "Check LinkedIn before re-sending")
	waiting := strings.Index(body, `id="h-waiting"`)
	if instruction < 0 || waiting < 0 || instruction > waiting || !strings.Contains(body, `class="alarm">Needs a look <b>1</b>`) {
		t.Errorf("instruction at %d, waiting at %d: %s", instruction, waiting, body)
	}
	if strings.Contains(body[:waiting], ">Approve<") || strings.Contains(body[:waiting], ">Withdraw<") {
		t.Error("an unconfirmed message has a button that would change it")
	}
}

func TestAccountsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	empty := s.get("/accounts")
	if !strings.Contains(empty.Body, "There is no account yet") {
		t.Errorf("empty: %s", empty.Body)
	}
	form := empty.form(t, "/accounts")
	form.Set("handle", "https://www.linkedin.com/in/rita-recruiter/")
	for range 2 { // a second tap with the same key
		if p := s.post("/accounts", form); p.Status != 200 || strings.Count(p.Body, "<h2>rita-recruiter") != 1 {
			t.Fatalf("add: %d %s", p.Status, p.Body)
		}
	}
	if _, err := s.admin.Exec(t.Context(), "UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'status_403'"); err != nil {
		t.Fatal(err)
	}
	stopped := s.get("/accounts")
	id := regexp.MustCompile(`/accounts/([0-9a-f-]{36})/clear`).FindStringSubmatch(stopped.Body)
	if id == nil {
		t.Fatalf("a stopped account has no Clear button: %s", stopped.Body)
	}
	if p := s.post("/accounts/"+id[1]+"/clear", stopped.form(t, "/accounts/"+id[1]+"/clear")); p.Status != 200 || strings.Contains(p.Body, "/clear") {
		t.Errorf("clear: %d %s", p.Status, p.Body)
	}
}

func TestViewerHasNoButtons(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn()
	m := s.propose("Hello Ada")
	link, err := s.access.CreateLink(t.Context(), access.Viewer, "")
	if err != nil {
		t.Fatal(err)
	}
	viewer := newBrowser(t)
	s.do(viewer, "POST", "/sign-in", url.Values{"link": {link}})
	for _, path := range []string{"/", "/accounts", "/installs"} {
		p := s.do(viewer, "GET", path, nil)
		if p.Status != 200 || strings.Count(p.Body, "<form") != 1 { // signing out
			t.Errorf("%s: %d %s", path, p.Status, p.Body)
		}
	}
	form := url.Values{"version": {"1"}, "digest": {m.Digest}, "key": {"k"}}
	if p := s.do(viewer, "POST", fmt.Sprintf("/messages/%s/approval", m.ID), form); p.Status != 403 {
		t.Errorf("a viewer approves: %d", p.Status)
	}
}

func TestStaticFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for path, status := range map[string]int{"/static/htmx.min.js": 200, "/static/style.css": 200, "/static/icon.svg": 200,
		"/static/..%2fconsole.go": 404, "/static/none.css": 404, "/nothing": 404} {
		if p := s.get(path); p.Status != status {
			t.Errorf("%s: %d", path, p.Status)
		}
	}
}
