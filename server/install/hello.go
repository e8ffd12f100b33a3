package install

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/auth"
	"sendonce/server/config"
	"sendonce/server/people"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// previousDigests are the digests of rules that this server still serves beside its own: those of the version before.
var previousDigests = []string{}

// Rules is how an install's rules compare with the server's.
type Rules string

// The words of the welcome frame.
const (
	RulesCurrent  Rules = "current"
	RulesPrevious Rules = "previous"
	// RulesOutdated: its reports are taken, but it gets no leases.
	RulesOutdated Rules = "outdated"
)

// AccountState is whether an install may serve an account now.
type AccountState string

// The words of the welcome frame.
const (
	AccountReady       AccountState = "ready"
	AccountStopped     AccountState = "stopped"
	AccountOtherMember AccountState = "other_member"
)

// Member is who is signed in to the provider in the install's browser.
type Member struct{ URN, Slug, Name string }

// Account is one that the install's principal was granted.
type Account struct {
	ID        uuid.UUID
	Handle    string
	MemberURN string // "" until pinned
	Stopped   bool
	State     AccountState // set by Hello
}

// Pin binds an account to a member, once and for ever.
type Pin struct {
	Account   uuid.UUID
	URN, Name string
}

// HelloAsk is the first word of a connection.
type HelloAsk struct {
	AccessToken      string
	Install          uuid.UUID
	ExtensionVersion string
	RulesDigest      string
	Members          []Member
	Mark             send.Mark
}

// Welcome is the session that a good hello begins.
type Welcome struct {
	Session send.Session
	Epoch   int64
	// Turn is the Standing's. When it changes, every install says anew what it remembers, and hears the new epoch.
	Turn     int64
	Rules    Rules
	Accounts []Account
}

// Arrival is what the database keeps of a hello.
type Arrival struct {
	Session          uuid.UUID
	Install          uuid.UUID
	ExtensionVersion string
	Mark             send.Mark
	// KnownBy are the URNs and the slugs of the members signed in there: their accounts are answered first.
	KnownBy []string
}

// Greeting is what the database answers to a hello.
type Greeting struct {
	Found     bool
	Revoked   bool
	Workspace uuid.UUID
	Epoch     int64
	Turn      int64
	Accounts  []Account
}

// HelloStore is what a hello needs of the database.
type HelloStore interface {
	// Arrive makes the session the newest of its install, keeps the higher mark, and pins what pins asks for where no
	// member is pinned yet, in one transaction. It returns the granted accounts as they are afterwards, no more than
	// config.ReadyAccountsMax. An install that is revoked is left as it is.
	Arrive(ctx context.Context, arrival Arrival, pins func([]Account) []Pin) (Greeting, error)
}

// Hello begins a session. It supersedes every other session of the install. The errors are auth.ErrBadToken, ErrRevoked,
// or the database's.
func (s *Service) Hello(ctx context.Context, ask HelloAsk) (Welcome, error) {
	claims, err := s.access.Verify(ask.AccessToken)
	if err != nil {
		return Welcome{}, err
	}
	if claims.Install != ask.Install {
		return Welcome{}, auth.ErrBadToken
	}
	arrival := Arrival{Session: uuid.New(), Install: ask.Install, ExtensionVersion: ask.ExtensionVersion, Mark: ask.Mark, KnownBy: knownBy(ask.Members)}
	greeting, err := s.store.Arrive(ctx, arrival, func(accounts []Account) []Pin { return pins(accounts, ask.Members) })
	switch {
	case err != nil:
		return Welcome{}, err
	case !greeting.Found || greeting.Workspace != claims.Workspace:
		return Welcome{}, auth.ErrBadToken
	case greeting.Revoked:
		return Welcome{}, ErrRevoked
	}
	s.changes.InstallChanged(ask.Install)
	for i, account := range greeting.Accounts {
		greeting.Accounts[i].State = state(account, ask.Members)
	}
	return Welcome{
		Session: send.Session{
			ID: arrival.Session, Install: ask.Install, Workspace: greeting.Workspace, ExtensionVersion: ask.ExtensionVersion,
		},
		Epoch: greeting.Epoch, Turn: greeting.Turn, Rules: compareRules(ask.RulesDigest), Accounts: greeting.Accounts,
	}, nil
}

// Renew makes an access token for an install with an open session. It rotates nothing.
func (s *Service) Renew(ctx context.Context, session send.Session) (token string, expiresIn time.Duration, err error) {
	standings, err := s.store.Standings(ctx, []uuid.UUID{session.Install})
	if err != nil {
		return "", 0, err
	}
	if standing, found := standings[session.Install]; !found || standing.Revoked {
		return "", 0, ErrRevoked
	}
	token, err = s.access.Sign(auth.AccessClaims{Install: session.Install, Workspace: session.Workspace})
	return token, config.AccessTokenLasts, err
}

// pins finds the accounts that a signed-in member may be bound to: nobody is pinned yet, and the account was named after
// this very profile. docs/decisions/0002-pinning-a-member.md says why that is the yes that a pin needs.
func pins(accounts []Account, members []Member) []Pin {
	var found []Pin
	for _, account := range accounts {
		if account.MemberURN != "" {
			continue
		}
		i := slices.IndexFunc(members, func(m Member) bool { return isNamedAfter(account.Handle, m) })
		if i >= 0 {
			found = append(found, Pin{Account: account.ID, URN: members[i].URN, Name: members[i].Name})
		}
	}
	return found
}

// knownBy is what an account of one of these members may be found by.
func knownBy(members []Member) []string {
	names := []string{}
	for _, m := range members {
		names = append(names, m.URN)
		if identity, err := people.ParseLinkedIn("slug", "/in/"+m.Slug); err == nil {
			names = append(names, identity.Value)
		}
	}
	return names
}

func isNamedAfter(handle string, member Member) bool {
	if handle == member.URN {
		return true
	}
	identity, err := people.ParseLinkedIn("slug", "/in/"+member.Slug)
	return err == nil && identity.Value == handle
}

func state(account Account, members []Member) AccountState {
	switch {
	case account.Stopped:
		return AccountStopped
	case account.MemberURN != "" && slices.ContainsFunc(members, func(m Member) bool { return m.URN == account.MemberURN }):
		return AccountReady
	default:
		return AccountOtherMember
	}
}

func compareRules(digest string) Rules {
	switch {
	case digest == rule.Digest():
		return RulesCurrent
	case slices.Contains(previousDigests, digest):
		return RulesPrevious
	default:
		return RulesOutdated
	}
}
