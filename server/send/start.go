package send

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sendonce/server/rule"
)

// StartDecision is what the facts say about a start. Again: this very attempt has started it already, and hears the same
// acknowledgement. Otherwise the start is allowed when Setback refuses nothing.
type StartDecision struct {
	Again   bool
	Setback Setback
}

// StartStore writes starts.
type StartStore interface {
	// StartSend locks the send, its person and its account's slot, loads the facts, and writes what decide says in the
	// same transaction: the start, or the setback of a refusal. An error means that nothing is known to be recorded.
	StartSend(ctx context.Context, start StartWrite, decide func(Facts) StartDecision) (StartDecision, StartedRow, error)
}

// StartWrite is what a start writes when it is allowed.
type StartWrite struct {
	Send, Lease      uuid.UUID
	Session          Session
	Attempt          string
	ExtensionVersion string
	Deadline         time.Duration
}

// StartedRow is a recorded start.
type StartedRow struct {
	// DeadlineIn is the time left until the deadline.
	DeadlineIn time.Duration
	Mark       Mark
}

// DecideStart is the start rule: the asker must hold the row's current lease in its newest session, and everything that
// was true when it was leased must still be true.
func DecideStart(f Facts, lease uuid.UUID, install uuid.UUID, attempt, digest string) StartDecision {
	refuse := func(r rule.Refusal) StartDecision { return StartDecision{Setback: setback(f, r)} }
	row := f.Row
	if row.HasStart() {
		inTime := row.Status == rule.Started && f.Now.Before(row.DeadlineAt)
		if inTime && row.LeaseToken == lease && row.Attempt == attempt {
			return StartDecision{Again: true}
		}
		return refuse(rule.AlreadyStarted)
	}
	switch {
	case row.Status != rule.Leased || row.LeaseToken != lease || row.LeaseHolder != install:
		return refuse(rule.StaleLease)
	case f.Now.After(row.LeaseExpiresAt):
		return refuse(rule.LeaseExpired)
	case !f.SessionIsNewest:
		return refuse(rule.Superseded)
	case f.InstallRevoked || !f.IsGranted:
		return refuse(rule.NotGranted)
	case digest != row.Digest:
		return refuse(rule.ContentChanged)
	}
	return refuse(mayGo(f))
}

// Start implements Installs.
func (s *Service) Start(ctx context.Context, ask StartAsk) (Started, error) {
	claims, err := s.tokens.Verify(ask.LeaseToken)
	if err != nil || claims.Install != ask.Session.Install {
		return Started{}, &Refused{rule.UnknownLease}
	}
	write := StartWrite{
		Send: claims.Send, Lease: claims.Lease, Session: ask.Session, Attempt: ask.Attempt,
		ExtensionVersion: ask.Session.ExtensionVersion, Deadline: s.settings.Deadline,
	}
	decision, row, err := s.store.StartSend(ctx, write, func(f Facts) StartDecision {
		return DecideStart(f, claims.Lease, ask.Session.Install, ask.Attempt, ask.Digest)
	})
	if errors.Is(err, ErrNoSend) {
		return Started{}, &Refused{rule.StaleLease}
	}
	if err != nil {
		return Started{}, fmt.Errorf("record the start: %w", err)
	}
	if !decision.Again && decision.Setback.Refusal != rule.Allow {
		s.afterSetback(claims.Account, decision.Setback.Refusal)
		return Started{}, &Refused{decision.Setback.Refusal}
	}
	return Started{Attempt: ask.Attempt, Touch: s.settings.TouchWithin, Deadline: row.DeadlineIn, Mark: row.Mark}, nil
}

// afterSetback wakes the account when the refusal took the row out of its way: the next one may go.
func (s *Service) afterSetback(account uuid.UUID, refusal rule.Refusal) {
	if refusal.Disposition() != rule.None {
		s.waker.Wake(account)
	}
}

// ErrNoSend says that the database has no such send.
var ErrNoSend = errors.New("there is no such send")
