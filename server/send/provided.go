package send

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/rule"
)

// Provided is what a provider says it has: a copy of a message, under its own id.
type Provided struct {
	Message    uuid.UUID
	ProviderID string
	SentAt     time.Time // when the provider took it; zero when that is not known
	SeenAt     time.Time // when what it tells of happened: not before it took it
	Raw        []byte    // what it says, as JSON. It holds no message text.
}

// OfCopy is a send of a message whose copy a provider tells of.
type OfCopy struct {
	Send      uuid.UUID
	Status    rule.Status
	StartedAt time.Time // zero when it never started
	HasCopy   bool      // a confirmation has recorded this very copy for it
}

// ProvidedStore finds the sends that a provider may tell of.
type ProvidedStore interface {
	// SendsOfCopy lists the sends of a message, the newest first.
	SendsOfCopy(ctx context.Context, message uuid.UUID, providerID string) ([]OfCopy, error)
}

// Provided confirms the send whose copy it is, as a look that found it would. It does nothing when that send is confirmed by
// this copy already, when the message has no send, and when the copy cannot be this message's.
func (s *Service) Provided(ctx context.Context, p Provided) error {
	sends, err := s.store.SendsOfCopy(ctx, p.Message, p.ProviderID)
	if err != nil {
		return fmt.Errorf("read whose copy it is: %w", err)
	}
	owner := sendOfCopy(sends, p.SeenAt)
	if owner == uuid.Nil {
		return nil
	}
	report := Report{
		Acted:  &rule.Acted{Answer: rule.Answer{Kind: rule.AnswerNone}, Look: rule.LookFound},
		Copies: []Copy{{ProviderID: p.ProviderID, SentAt: p.SentAt}},
	}
	write := ReportWrite{Actor: rule.Observer, Send: owner, ProviderIDs: []string{p.ProviderID}, Raw: p.Raw, Breaker: s.settings.Breaker}
	row, _, err := s.store.RecordReport(ctx, write, func(f ReportFacts) ReportDecision {
		decided := DecideReport(f, uuid.Nil, report)
		if decided.Kind != EvidenceConfirmation || !p.SeenAt.After(f.ApprovedAt.Add(-config.ApprovalSlack)) {
			return ReportDecision{} // another message holds the copy, or it is older than the approval
		}
		return decided
	})
	if errors.Is(err, ErrNoSend) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("record what a provider has: %w", err)
	}
	s.waker.Wake(row.Account)
	return nil
}

// sendOfCopy says of which send a copy is: the latest that had begun when it was seen; else the first that began; else, where
// none is known to have begun, as after a restore, the latest. uuid.Nil when nothing is to be confirmed.
func sendOfCopy(newestFirst []OfCopy, seen time.Time) uuid.UUID {
	for _, s := range newestFirst {
		switch {
		case s.HasCopy && s.Status == rule.Sent:
			return uuid.Nil
		case s.HasCopy:
			return s.Send
		}
	}
	owner := uuid.Nil
	for _, s := range newestFirst {
		switch {
		case s.StartedAt.IsZero():
			continue
		case seen.After(s.StartedAt.Add(-config.ApprovalSlack)):
			return s.Send
		}
		owner = s.Send
	}
	if owner == uuid.Nil && len(newestFirst) > 0 {
		owner = newestFirst[0].Send
	}
	return owner
}
