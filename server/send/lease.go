package send

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/rule"
)

// Leased is the row that a lease was written on, with what the install needs to deliver it.
type Leased struct {
	Row            Row
	MemberURN      string
	Person         Recipient
	Conversation   string
	Body           string
	ApprovedAt     time.Time
	RepeatApproved bool
	HeldIDs        []string
}

// LeaseStore finds and leases.
type LeaseStore interface {
	// LeaseNext locks the account's next due send that is not among skip, loads its facts, and writes what decide says:
	// a lease, or a setback. It returns the row with a nil Leased when it was set back, and uuid.Nil when nothing is due.
	LeaseNext(ctx context.Context, ask LeaseAsk, decide func(Facts) Setback) (uuid.UUID, *Leased, error)
	// ReleaseLease puts a leased send back, counts the release and parks it after parkAfter in a row. false: the lease
	// was no longer the current one.
	ReleaseLease(ctx context.Context, send, lease uuid.UUID, parkAfter int) (account uuid.UUID, released bool, err error)
	// LeasesOf lists the leases of the session's install that were not started; none when a newer session has taken over.
	LeasesOf(ctx context.Context, session Session) ([]HeldLease, error)
}

// LeaseAsk is one try to lease.
type LeaseAsk struct {
	Session Session
	Account uuid.UUID
	Lease   uuid.UUID
	Lasts   time.Duration
	Skip    []uuid.UUID
}

// HeldLease is a lease that was not started.
type HeldLease struct{ Send, Lease uuid.UUID }

// DecideLease says whether the send may be leased to this session now.
func DecideLease(f Facts) Setback {
	switch {
	case !f.SessionIsNewest:
		return Setback{Refusal: rule.Superseded}
	case f.InstallRevoked || !f.IsGranted:
		return Setback{Refusal: rule.NotGranted}
	}
	return setback(f, mayGo(f))
}

// Lease implements Installs. It looks past rows that had to be set back, a bounded number of them: the rest wait for the
// next wake-up.
func (s *Service) Lease(ctx context.Context, session Session, account uuid.UUID) (*Lease, error) {
	ask := LeaseAsk{Session: session, Account: account, Lease: uuid.New(), Lasts: s.settings.LeaseLasts}
	for range config.LeaseCandidatesMax {
		id, leased, err := s.store.LeaseNext(ctx, ask, DecideLease)
		if err != nil {
			return nil, fmt.Errorf("lease the next send: %w", err)
		}
		if leased != nil {
			return s.leaseOf(*leased, ask)
		}
		if id == uuid.Nil {
			return nil, nil
		}
		ask.Skip = append(ask.Skip, id)
	}
	return nil, nil
}

func (s *Service) leaseOf(l Leased, ask LeaseAsk) (*Lease, error) {
	token, err := s.tokens.Sign(LeaseClaims{
		Send: l.Row.ID, Lease: ask.Lease, Install: ask.Session.Install, Account: l.Row.Account, Workspace: l.Row.Workspace,
	})
	if err != nil {
		return nil, fmt.Errorf("sign the lease token: %w", err)
	}
	return &Lease{
		Send: l.Row.ID, Account: l.Row.Account, Token: token, ExpiresIn: ask.Lasts, MemberURN: l.MemberURN, Person: l.Person,
		Conversation: l.Conversation, Body: l.Body, Digest: l.Row.Digest, ApprovedAt: l.ApprovedAt,
		RepeatApproved: l.RepeatApproved, HeldIDs: l.HeldIDs,
	}, nil
}

// Release implements Installs. Whatever the install's reason, the row is due again at once, for this or another install.
func (s *Service) Release(ctx context.Context, session Session, leaseToken, _ string) error {
	claims, err := s.claimsOf(ctx, s.tokens, session, leaseToken)
	if err != nil {
		return err
	}
	return s.release(ctx, claims.Send, claims.Lease)
}

func (s *Service) release(ctx context.Context, send, lease uuid.UUID) error {
	account, released, err := s.store.ReleaseLease(ctx, send, lease, config.ReleasesBeforePark)
	if err != nil {
		return fmt.Errorf("release the lease: %w", err)
	}
	if released {
		s.waker.Wake(account)
	}
	return nil
}

// Disconnected implements Installs.
func (s *Service) Disconnected(ctx context.Context, session Session) error {
	held, err := s.store.LeasesOf(ctx, session)
	if err != nil {
		return fmt.Errorf("list the leases of a closed session: %w", err)
	}
	for _, lease := range held {
		if err := s.release(ctx, lease.Send, lease.Lease); err != nil {
			return err
		}
	}
	return nil
}
