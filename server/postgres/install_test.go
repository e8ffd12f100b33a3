package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/auth"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// Goal: in a team with more accounts than a hello is answered with, a browser still serves the one that is signed in there.
func TestHelloAnswersTheSignedInAccountFirst(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	e.exec(`INSERT INTO accounts (workspace_id, channel, handle, created_by)
		SELECT $1, 'linkedin', 'other-' || n, $2 FROM generate_series(1, $3::int) n`, e.workspace, e.principal, 3*config.ReadyAccountsMax)
	ritas := e.addAccount("rita-recruiter")
	paired := e.pair(e.principal)
	access := e.token(paired.Install, paired.RefreshSecret).Access
	for _, when := range []string{"when she is pinned", "once she is pinned"} {
		welcome := e.hello(paired.Install, access, rita)
		if first := welcome.Accounts[0]; first.ID != ritas || first.State != install.AccountReady {
			t.Errorf("%s: the first account is %+v, want hers, ready", when, first)
		}
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
	if diff := cmp.Diff(map[uuid.UUID]install.Standing{paired.Install: {Session: second.Session.ID, Turn: 1}}, standings); diff != "" {
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

// revoked is told of installs alone.
type revoked struct{ *changes }

func (revoked) Wake(uuid.UUID) {}

func (revoked) WakeAll() {}

func TestRevoke(t *testing.T) {
	t.Parallel()
	e := newEnrolment(t)
	paired := e.pair(e.principal)
	token := e.token(paired.Install, paired.RefreshSecret)
	session := e.hello(paired.Install, token.Access).Session
	runner := command.NewRunner(e.store, revoked{&e.changed})
	who := access.Principal{ID: e.principal, Workspace: uuid.New(), Role: access.Admin}
	if _, _, err := runner.Revoke(t.Context(), who, nil, paired.Install); !problem.Is(err, problem.NotFound) {
		t.Errorf("from another workspace: %v, want not_found", err)
	}
	who.Workspace = e.workspace
	before := e.changed.count()
	for range 2 {
		if _, _, err := runner.Revoke(t.Context(), who, nil, paired.Install); err != nil {
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
