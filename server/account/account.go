// Package account is the sender identities of a workspace: adding one, and clearing one that its provider refused.
package account

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// LinkedIn is the channel this version serves.
const LinkedIn = "linkedin"

// Account is one sender identity on a channel.
type Account struct {
	ID      uuid.UUID
	Channel string
	// Handle is the profile's slug, or its URN when the account was made by one.
	Handle      string
	MemberURN   *string
	MemberName  *string
	StoppedAt   *time.Time
	StoppedCode *string
	CoolUntil   *time.Time
	PausedAt    *time.Time
	PausedBy    *string // the principal's name
	PauseNote   *string
	CreatedAt   time.Time
}

// Tripped reports whether the account's own breaker stopped it.
func (a Account) Tripped() bool { return a.StoppedCode != nil && rule.IsBurst(*a.StoppedCode) }

// StoppedText is the plain reason for which the account is stopped, or "" when there is none beyond its refusal.
func (a Account) StoppedText() string {
	if a.StoppedCode == nil {
		return ""
	}
	return rule.StopText(*a.StoppedCode)
}

// WaitingFor is why nothing is leased for the account at now, or rule.Allow.
func (a Account) WaitingFor(now time.Time) rule.Refusal {
	switch {
	case a.Tripped():
		return rule.BreakerTripped
	case a.StoppedAt != nil:
		return rule.AccountStopped
	case a.PausedAt != nil:
		return rule.AccountPaused
	case a.CoolUntil != nil && a.CoolUntil.After(now):
		return rule.AccountCoolingDown
	}
	return rule.Allow
}

// New is an account to be made.
type New struct {
	Workspace uuid.UUID
	Channel   string
	Handle    string
	MemberURN *string
	CreatedBy uuid.UUID
}

// Store is one transaction on accounts.
type Store interface {
	// AccountInsert makes the account and grants it to its maker. created is false, and the account the one that was
	// there, when channel and handle are taken.
	AccountInsert(ctx context.Context, n New) (a Account, created bool, err error)
	// AccountClear lets a stopped account work again. problem.NotFound when the workspace has no such account.
	AccountClear(ctx context.Context, workspace, id uuid.UUID) (Account, error)
	// AccountGet is problem.NotFound when the workspace has no such account.
	AccountGet(ctx context.Context, workspace, id uuid.UUID) (Account, error)
}

// Create adds an account. Its handle is the address of the member's own profile.
func Create(ctx context.Context, store Store, who access.Principal, channel, handle string) (Account, error) {
	if channel != LinkedIn {
		return Account{}, problem.Field("channel", "this version serves %q", LinkedIn)
	}
	identity, err := people.ParseLinkedIn("handle", handle)
	if err != nil {
		return Account{}, err
	}
	n := New{Workspace: who.Workspace, Channel: channel, Handle: identity.Value, CreatedBy: who.ID}
	if identity.Kind == people.LinkedInURN {
		n.MemberURN = &identity.Value
	}
	a, created, err := store.AccountInsert(ctx, n)
	if err != nil {
		return Account{}, err
	}
	if !created {
		return Account{}, problem.New(problem.AccountExists, "the account is there already; use it").With("account_id", a.ID)
	}
	return a, nil
}
