package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/auth"
	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/rule"
	"sendonce/server/send"
)

var (
	rita = install.Member{URN: "urn:li:fsd_profile:ACoAAR1", Slug: "Rita-Recruiter", Name: "Rita Recruiter"}
	omar = install.Member{URN: "urn:li:fsd_profile:ACoAAO1", Slug: "omar-other", Name: "Omar Other"}
)

// enrolment is the install side over a database of its own, with one workspace and an admin.
type enrolment struct {
	*install.Service
	t         *testing.T
	store     *postgres.Store
	admin     *pgx.Conn
	now       time.Time
	workspace uuid.UUID
	principal uuid.UUID
	changed   changes
}

type changes struct {
	mu       sync.Mutex
	installs []uuid.UUID
}

func (c *changes) InstallChanged(install uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.installs = append(c.installs, install)
}

func (c *changes) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.installs)
}

func newEnrolment(t *testing.T) *enrolment {
	t.Helper()
	database := pgtest.New(t)
	store, err := postgres.Open(t.Context(), database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	admin, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close(context.WithoutCancel(t.Context())) })
	e := &enrolment{t: t, store: store, admin: admin, now: time.Now()}
	keys := auth.NewKeys()
	clock := func() time.Time { return e.now }
	e.Service = install.NewService(store, auth.NewAccessTokens(keys.Access, clock), auth.NewRefreshSecrets(keys.Refresh),
		&e.changed, auth.NewAttempts(config.PairingTriesPerMin), clock)
	e.workspace = e.id("INSERT INTO workspaces (name) VALUES ('Team') RETURNING id")
	e.principal = e.addPrincipal("admin")
	return e
}

func (e *enrolment) id(sql string, args ...any) uuid.UUID {
	e.t.Helper()
	var id uuid.UUID
	if err := e.admin.QueryRow(e.t.Context(), sql, args...).Scan(&id); err != nil {
		e.t.Fatal(err)
	}
	return id
}

func (e *enrolment) exec(sql string, args ...any) {
	e.t.Helper()
	if _, err := e.admin.Exec(e.t.Context(), sql, args...); err != nil {
		e.t.Fatal(err)
	}
}

func (e *enrolment) text(sql string, args ...any) string {
	e.t.Helper()
	var text string
	if err := e.admin.QueryRow(e.t.Context(), sql, args...).Scan(&text); err != nil {
		e.t.Fatal(err)
	}
	return text
}

func (e *enrolment) addPrincipal(role string) uuid.UUID {
	return e.id("INSERT INTO principals (workspace_id, role, name) VALUES ($1, $2, $3) RETURNING id", e.workspace, role, "The "+role)
}

func (e *enrolment) addAccount(handle string) uuid.UUID {
	return e.id("INSERT INTO accounts (workspace_id, channel, handle, created_by) VALUES ($1, 'linkedin', $2, $3) RETURNING id",
		e.workspace, handle, e.principal)
}

func (e *enrolment) pair(principal uuid.UUID) install.Paired {
	e.t.Helper()
	code, err := e.NewPairingCode(e.t.Context(), e.workspace, principal)
	if err != nil {
		e.t.Fatal(err)
	}
	paired, err := e.Pair(e.t.Context(), "192.0.2.1", code.Code, "1.0.0")
	if err != nil {
		e.t.Fatal(err)
	}
	return paired
}

func (e *enrolment) token(id uuid.UUID, secret string) install.Token {
	e.t.Helper()
	token, err := e.Token(e.t.Context(), id, secret)
	if err != nil {
		e.t.Fatal(err)
	}
	return token
}

func (e *enrolment) hello(id uuid.UUID, access string, members ...install.Member) install.Welcome {
	e.t.Helper()
	welcome, err := e.Hello(e.t.Context(), install.HelloAsk{
		AccessToken: access, Install: id, ExtensionVersion: "1.0.1", RulesDigest: rule.Digest(), Members: members,
	})
	if err != nil {
		e.t.Fatal(err)
	}
	return welcome
}

func TestAPairingCodeIsUsedOnce(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	code, err := e.NewPairingCode(t.Context(), e.workspace, e.principal)
	if err != nil {
		t.Fatal(err)
	}
	if letters := strings.ReplaceAll(code.Code, "-", ""); len(letters) < 8 || strings.ContainsAny(letters, "01IO") {
		t.Errorf("the code %q is short or ambiguous", code.Code)
	}
	if got := e.text("SELECT count(*)::text FROM pairing_codes WHERE position(convert_to($1, 'UTF8') in code_hash) > 0", code.Code); got != "0" {
		t.Error("the code itself is stored")
	}
	// As a person types it, from two browsers at once.
	typed := " " + strings.ToLower(strings.Replace(code.Code, "-", " ", 1))
	results := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := e.Pair(t.Context(), "192.0.2.1", typed, "1.0.0")
			results <- err
		}()
	}
	first, second := <-results, <-results
	if (first == nil) == (second == nil) || !errors.Is(errors.Join(first, second), install.ErrBadCode) {
		t.Errorf("two uses: %v, %v; want one success and one ErrBadCode", first, second)
	}
}

func TestAPairingCodeExpires(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	code, err := e.NewPairingCode(t.Context(), e.workspace, e.principal)
	if err != nil {
		t.Fatal(err)
	}
	e.exec("UPDATE clock_offset SET ahead = $1", config.PairingCodeLasts+time.Second)
	if _, err := e.Pair(t.Context(), "192.0.2.1", code.Code, "1.0.0"); !errors.Is(err, install.ErrBadCode) {
		t.Errorf("%v, want ErrBadCode", err)
	}
}

func TestWrongCodesAreBoundedPerAddress(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	for range config.PairingTriesPerMin {
		if _, err := e.Pair(t.Context(), "192.0.2.1", "AAAAA-AAAAA", "1.0.0"); !errors.Is(err, install.ErrBadCode) {
			t.Fatalf("%v, want ErrBadCode", err)
		}
	}
	if _, err := e.Pair(t.Context(), "192.0.2.1", "AAAAA-AAAAA", "1.0.0"); !errors.Is(err, install.ErrTooManyTries) {
		t.Errorf("%v, want ErrTooManyTries", err)
	}
	if _, err := e.Pair(t.Context(), "192.0.2.2", "AAAAA-AAAAA", "1.0.0"); !errors.Is(err, install.ErrBadCode) {
		t.Errorf("from elsewhere: %v, want ErrBadCode", err)
	}
}

func TestTheFormerSecretIsGoodUntilItsSuccessorWasUsed(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	paired := e.pair(e.principal)
	e.token(paired.Install, paired.RefreshSecret) // the answer is lost
	second := e.token(paired.Install, paired.RefreshSecret)
	third := e.token(paired.Install, second.RefreshSecret)
	e.token(paired.Install, third.RefreshSecret)
	if _, err := e.Token(t.Context(), paired.Install, "a guess"); !errors.Is(err, install.ErrBadSecret) {
		t.Errorf("a guess: %v, want ErrBadSecret", err)
	}
	if _, err := e.Token(t.Context(), uuid.New(), third.RefreshSecret); !errors.Is(err, install.ErrBadSecret) {
		t.Errorf("another install's: %v, want ErrBadSecret", err)
	}
	if got := e.text("SELECT count(*)::text FROM installs WHERE revoked_at IS NULL"); got != "1" {
		t.Error("a guess revoked the install")
	}
}

// Two browsers with one copied profile: whoever comes with a secret that was replaced and whose successor was used stops
// both, and a person is told.
func TestAReplacedSecretStopsBoth(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]func(e *enrolment, id uuid.UUID, first string) (reused, current string){
		"the former one, after its successor was used": func(e *enrolment, id uuid.UUID, first string) (string, string) {
			second := e.token(id, first)
			third := e.token(id, second.RefreshSecret)
			return first, third.RefreshSecret
		},
		"a successor that another successor replaced": func(e *enrolment, id uuid.UUID, first string) (string, string) {
			lost := e.token(id, first)
			second := e.token(id, first)
			return lost.RefreshSecret, second.RefreshSecret
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnrolment(t)
			paired := e.pair(e.principal)
			reused, current := steps(e, paired.Install, paired.RefreshSecret)
			access := e.token(paired.Install, current)
			before := e.changed.count()
			if _, err := e.Token(t.Context(), paired.Install, reused); !errors.Is(err, install.ErrRevoked) {
				t.Errorf("the copy: %v, want ErrRevoked", err)
			}
			if _, err := e.Token(t.Context(), paired.Install, access.RefreshSecret); !errors.Is(err, install.ErrRevoked) {
				t.Errorf("the original: %v, want ErrRevoked", err)
			}
			ask := install.HelloAsk{AccessToken: access.Access, Install: paired.Install, RulesDigest: rule.Digest()}
			if _, err := e.Hello(t.Context(), ask); !errors.Is(err, install.ErrRevoked) {
				t.Errorf("hello: %v, want ErrRevoked", err)
			}
			if got := e.text("SELECT kind || ' ' || count FROM incidents WHERE install_id = $1", paired.Install); got != "secret_reused 1" {
				t.Errorf("incident %q", got)
			}
			if e.changed.count() == before {
				t.Error("nobody was told to close the socket")
			}
		})
	}
}

func TestHelloPinsTheMemberTheAccountIsNamedAfter(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	ritas, omars := e.addAccount("rita-recruiter"), e.addAccount("omar-other")
	paired := e.pair(e.principal)
	access := e.token(paired.Install, paired.RefreshSecret).Access

	states := func(w install.Welcome) map[uuid.UUID]install.AccountState {
		got := map[uuid.UUID]install.AccountState{}
		for _, account := range w.Accounts {
			got[account.ID] = account.State
		}
		return got
	}
	want := map[uuid.UUID]install.AccountState{ritas: install.AccountOtherMember, omars: install.AccountOtherMember}
	if diff := cmp.Diff(want, states(e.hello(paired.Install, access))); diff != "" {
		t.Errorf("nobody signed in (-want +got):\n%s", diff)
	}
	want[ritas] = install.AccountReady
	if diff := cmp.Diff(want, states(e.hello(paired.Install, access, rita))); diff != "" {
		t.Errorf("Rita signed in (-want +got):\n%s", diff)
	}
	// The slug is anyone's to take; the member is not.
	impostor := install.Member{URN: "urn:li:fsd_profile:ACoAAX9", Slug: "rita-recruiter", Name: "Rita Recruiter"}
	want[ritas] = install.AccountOtherMember
	if diff := cmp.Diff(want, states(e.hello(paired.Install, access, impostor))); diff != "" {
		t.Errorf("another member under the pinned account's slug (-want +got):\n%s", diff)
	}
	// A member who has an account here is not pinned to a second one, whatever name they took.
	renamed := install.Member{URN: rita.URN, Slug: omar.Slug, Name: rita.Name}
	want[ritas] = install.AccountReady
	if diff := cmp.Diff(want, states(e.hello(paired.Install, access, renamed))); diff != "" {
		t.Errorf("Rita under Omar's slug (-want +got):\n%s", diff)
	}
	e.exec("UPDATE accounts SET stopped_at = now(), stopped_code = 'test' WHERE id = $1", ritas)
	want[ritas], want[omars] = install.AccountStopped, install.AccountReady
	if diff := cmp.Diff(want, states(e.hello(paired.Install, access, rita, omar))); diff != "" {
		t.Errorf("a stopped account (-want +got):\n%s", diff)
	}
}

// Two installs that see different members under one slug at the same moment: the first pin stands, whatever is asked.
func TestAPinIsNeverReplaced(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	account := e.addAccount("rita-recruiter")
	paired := e.pair(e.principal)
	for _, urn := range []string{rita.URN, omar.URN} {
		greeting, err := e.store.Arrive(t.Context(), install.Arrival{Session: uuid.New(), Install: paired.Install},
			func([]install.Account) []install.Pin {
				return []install.Pin{{Account: account, URN: urn, Name: "Someone"}}
			})
		if err != nil {
			t.Fatal(err)
		}
		if got := greeting.Accounts[0].MemberURN; got != rita.URN {
			t.Errorf("asked to pin %s, pinned %s; want the first", urn, got)
		}
	}
}

func TestAnInstallServesOnlyWhatItsPrincipalWasGranted(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	ritas := e.addAccount("rita-recruiter")
	e.addAccount("omar-other")
	elsewhere := e.id("INSERT INTO workspaces (name) VALUES ('Others') RETURNING id")
	e.exec("INSERT INTO accounts (workspace_id, channel, handle, created_by) VALUES ($1, 'linkedin', 'rita-recruiter', $2)", elsewhere, e.principal)
	recruiter := e.addPrincipal("recruiter")
	paired := e.pair(recruiter)
	access := e.token(paired.Install, paired.RefreshSecret).Access

	if got := e.hello(paired.Install, access, rita, omar).Accounts; len(got) > 0 {
		t.Errorf("without a grant: %v", got)
	}
	e.exec("INSERT INTO account_grants (account_id, principal_id) VALUES ($1, $2)", ritas, recruiter)
	welcome := e.hello(paired.Install, access, rita, omar)
	if len(welcome.Accounts) != 1 || welcome.Accounts[0].ID != ritas || welcome.Accounts[0].State != install.AccountReady {
		t.Errorf("%v, want Rita's account, ready", welcome.Accounts)
	}
	if got := e.text("SELECT count(*)::text FROM accounts WHERE member_urn IS NOT NULL"); got != "1" {
		t.Errorf("%s accounts are pinned, want the granted one", got)
	}
}

func TestHelloTakesOverAndRemembers(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	paired := e.pair(e.principal)
	access := e.token(paired.Install, paired.RefreshSecret).Access
	ask := install.HelloAsk{
		AccessToken: access, Install: paired.Install, ExtensionVersion: "2.0.0", RulesDigest: "sha256:unknown",
		Mark: send.Mark{Epoch: 2, Event: 5},
	}
	first, err := e.Hello(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	if first.Rules != install.RulesOutdated || first.Epoch != 1 {
		t.Errorf("rules %s, epoch %d; want outdated, 1", first.Rules, first.Epoch)
	}
	ask.Mark = send.Mark{Epoch: 1, Event: 900} // lower: an epoch counts for more than an event
	second, err := e.Hello(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	got := e.text("SELECT concat_ws(' ', session_id, extension_version, mark_epoch, mark_event) FROM installs WHERE id = $1", paired.Install)
	if want := second.Session.ID.String() + " 2.0.0 2 5"; got != want {
		t.Errorf("stored %q, want %q", got, want)
	}
	standings, err := e.Standings(t.Context(), []uuid.UUID{paired.Install, uuid.New()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[uuid.UUID]install.Standing{paired.Install: {Session: second.Session.ID}}, standings); diff != "" {
		t.Errorf("standings (-want +got):\n%s", diff)
	}
	ask.Install = e.pair(e.principal).Install
	if _, err := e.Hello(t.Context(), ask); !errors.Is(err, auth.ErrBadToken) {
		t.Errorf("another install's token: %v, want ErrBadToken", err)
	}
	e.now = e.now.Add(config.AccessTokenLasts + time.Minute)
	ask.Install = paired.Install
	if _, err := e.Hello(t.Context(), ask); !errors.Is(err, auth.ErrBadToken) {
		t.Errorf("an old token: %v, want ErrBadToken", err)
	}
	if _, _, err := e.Renew(t.Context(), second.Session); err != nil {
		t.Errorf("renew on an open session: %v", err)
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	paired := e.pair(e.principal)
	token := e.token(paired.Install, paired.RefreshSecret)
	session := e.hello(paired.Install, token.Access).Session
	if err := e.Revoke(t.Context(), uuid.New(), paired.Install); !errors.Is(err, install.ErrNotFound) {
		t.Errorf("from another workspace: %v, want ErrNotFound", err)
	}
	before := e.changed.count()
	for range 2 {
		if err := e.Revoke(t.Context(), e.workspace, paired.Install); err != nil {
			t.Fatal(err)
		}
	}
	if e.changed.count() == before {
		t.Error("nobody was told to close the socket")
	}
	if _, _, err := e.Renew(t.Context(), session); !errors.Is(err, install.ErrRevoked) {
		t.Errorf("renew: %v, want ErrRevoked", err)
	}
	if _, err := e.Token(t.Context(), paired.Install, token.RefreshSecret); !errors.Is(err, install.ErrRevoked) {
		t.Errorf("token: %v, want ErrRevoked", err)
	}
	ask := install.HelloAsk{AccessToken: token.Access, Install: paired.Install, RulesDigest: rule.Digest()}
	if _, err := e.Hello(t.Context(), ask); !errors.Is(err, install.ErrRevoked) {
		t.Errorf("hello: %v, want ErrRevoked", err)
	}
	if got := e.text("SELECT session_id::text FROM installs"); got != session.ID.String() {
		t.Error("a revoked install began a session")
	}
	infos, err := e.List(t.Context(), e.workspace, uuid.Nil, config.PageSizeMax)
	if err != nil {
		t.Fatal(err)
	}
	if len(infos) != 1 || infos[0].RevokedCode != install.RevokedByPerson || infos[0].RevokedAt.IsZero() || infos[0].PrincipalName != "The admin" {
		t.Errorf("listed as %+v", infos)
	}
}
