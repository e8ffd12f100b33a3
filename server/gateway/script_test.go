package gateway

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"sendonce/server/auth"
	"sendonce/server/callback"
	"sendonce/server/install"
	"sendonce/server/rule"
	"sendonce/server/send"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	origin = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"
	// soon bounds every wait of a test, with a busy machine in mind.
	soon       = 20 * time.Second
	someDigest = "sha256:3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f"
	attemptOne = "attempt-one-0123"
)

var errDown = errors.New("the database is down")

// script plays the domain: it hands out what a test put into it and remembers what it was told. It decides nothing.
type script struct {
	account uuid.UUID

	mu           sync.Mutex
	down         bool
	refused      int // calls while it was down
	leases       []*send.Lease
	tokenUntil   time.Time // when the last rotation of a secret would have been given up
	onLease      func()    // happens while a lease is asked for
	start        func(send.StartAsk) (send.Started, error)
	resolve      string
	newest       map[uuid.UUID]uuid.UUID // install to session
	revoked      map[uuid.UUID]bool
	paused       map[uuid.UUID]bool
	turn         int64 // of arming and disarming
	rules        install.Rules
	asked        []send.Session
	reports      []send.Report
	resolved     []send.Resolved
	disconnected []send.Session
	released     []string
	checks       []*send.Check
	checked      []send.Checked
	observed     []callback.Observed
	changed      chan struct{} // closed and replaced at every call
}

func newScript() *script {
	return &script{
		account: uuid.New(), newest: map[uuid.UUID]uuid.UUID{}, revoked: map[uuid.UUID]bool{}, rules: install.RulesCurrent,
		paused: map[uuid.UUID]bool{}, changed: make(chan struct{}),
	}
}

// do runs one call under the lock and wakes who waits for a change.
func (s *script) do(call func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { close(s.changed); s.changed = make(chan struct{}) }()
	if s.down {
		s.refused++
		return errDown
	}
	return call()
}

func (s *script) setDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// until waits until the condition holds, looking at every call.
func (s *script) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(soon)
	for {
		s.mu.Lock()
		ok, changed := holds(), s.changed
		s.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("not in %s: %s", soon, what)
		}
	}
}

func (s *script) Lease(_ context.Context, session send.Session, _ uuid.UUID) (lease *send.Lease, err error) {
	if s.onLease != nil {
		s.onLease()
	}
	err = s.do(func() error {
		s.asked = append(s.asked, session)
		if len(s.leases) > 0 && !s.paused[session.Install] {
			lease, s.leases = s.leases[0], s.leases[1:]
		}
		return nil
	})
	return lease, err
}

func (s *script) Release(_ context.Context, _ send.Session, token, code string) error {
	return s.do(func() error { s.released = append(s.released, token+" "+code); return nil })
}

func (s *script) Start(_ context.Context, ask send.StartAsk) (started send.Started, err error) {
	err = s.do(func() (err error) { started, err = s.start(ask); return err })
	return started, err
}

func (s *script) Resolve(_ context.Context, resolved send.Resolved) (halt string, err error) {
	err = s.do(func() error { s.resolved = append(s.resolved, resolved); halt = s.resolve; return nil })
	return halt, err
}

func (s *script) Report(_ context.Context, report send.Report) (send.Recorded, error) {
	err := s.do(func() error { s.reports = append(s.reports, report); return nil })
	return send.Recorded{Send: uuid.New(), Status: rule.Sent, Code: "confirmed", Mark: send.Mark{Epoch: 1, Event: 9}}, err
}

func (s *script) Gone(_ context.Context, _ send.Session, token string) error {
	return s.do(func() error {
		if token == "forged" {
			return send.ErrBadLease
		}
		return nil
	})
}

func (s *script) OpenLease(_ context.Context, token string) (open send.OpenLease, err error) {
	err = s.do(func() error {
		if token == "forged" {
			return send.ErrBadLease
		}
		open = send.OpenLease{Status: rule.Started, Held: true}
		return nil
	})
	return open, err
}

func (s *script) NextCheck(context.Context, send.Session, uuid.UUID) (check *send.Check, err error) {
	err = s.do(func() error {
		if len(s.checks) > 0 {
			check, s.checks = s.checks[0], s.checks[1:]
		}
		return nil
	})
	return check, err
}

func (s *script) Checked(_ context.Context, checked send.Checked) error {
	return s.do(func() error {
		s.checked = append(s.checked, checked)
		if checked.Token == "forged" {
			return send.ErrBadLease
		}
		return nil
	})
}

func (s *script) Disconnected(_ context.Context, session send.Session) error {
	return s.do(func() error { s.disconnected = append(s.disconnected, session); return nil })
}

func (s *script) Pair(_ context.Context, remote, code, _ string) (paired install.Paired, err error) {
	err = s.do(func() error {
		if code != "good" {
			return install.ErrBadCode
		}
		paired = install.Paired{Install: uuid.New(), RefreshSecret: "secret for " + remote}
		return nil
	})
	return paired, err
}

func (s *script) Token(ctx context.Context, id uuid.UUID, _ string) (token install.Token, err error) {
	err = s.do(func() error {
		s.tokenUntil, _ = ctx.Deadline()
		if id == uuid.Nil {
			return install.ErrBadSecret
		}
		token = install.Token{Access: "good", ExpiresIn: time.Minute, RefreshSecret: "next"}
		return nil
	})
	return token, err
}

func (s *script) Hello(_ context.Context, ask install.HelloAsk) (welcome install.Welcome, err error) {
	err = s.do(func() error {
		switch {
		case ask.AccessToken != "good":
			return auth.ErrBadToken
		case s.revoked[ask.Install]:
			return install.ErrRevoked
		}
		session := uuid.New()
		s.newest[ask.Install] = session
		welcome = install.Welcome{
			Session: send.Session{ID: session, Install: ask.Install, Workspace: uuid.New(), ExtensionVersion: ask.ExtensionVersion},
			Epoch:   1, Turn: s.turn, Rules: s.rules,
			Accounts: []install.Account{
				{ID: s.account, Handle: "rita-recruiter", MemberURN: "urn:li:fsd_profile:ACoAAR1", State: install.AccountReady},
				{ID: uuid.New(), Handle: "omar-other", State: install.AccountOtherMember},
			},
		}
		return nil
	})
	return welcome, err
}

func (s *script) Renew(_ context.Context, session send.Session) (token string, lasts time.Duration, err error) {
	err = s.do(func() error {
		if s.revoked[session.Install] {
			return install.ErrRevoked
		}
		return nil
	})
	return "renewed", time.Minute, err
}

func (s *script) Standings(_ context.Context, installs []uuid.UUID) (map[uuid.UUID]install.Standing, error) {
	standings := map[uuid.UUID]install.Standing{}
	err := s.do(func() error {
		for _, id := range installs {
			standings[id] = install.Standing{Session: s.newest[id], Revoked: s.revoked[id], Paused: s.paused[id], Turn: s.turn}
		}
		return nil
	})
	return standings, err
}

func (s *script) Seen(context.Context, []uuid.UUID) error { return s.do(func() error { return nil }) }

func (s *script) DueAccounts(_ context.Context, accounts []uuid.UUID) (due []uuid.UUID, err error) {
	err = s.do(func() error {
		if len(s.leases) > 0 {
			due = accounts
		}
		return nil
	})
	return due, err
}

func (s *script) lease(body string) *send.Lease {
	return &send.Lease{
		Send: uuid.New(), Account: s.account, Token: "lease-" + uuid.NewString(), ExpiresIn: time.Minute,
		MemberURN: "urn:li:fsd_profile:ACoAAR1", Person: send.Recipient{ID: uuid.New(), Name: strings.Repeat("Ada ", 75)},
		Body: body, Digest: someDigest, ApprovedAt: time.UnixMilli(1_795_982_300_000),
	}
}

func (s *script) offer(leases ...*send.Lease) {
	_ = s.do(func() error { s.leases = append(s.leases, leases...); return nil })
}
