package send

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/rule"
)

// The kinds of evidence that a report may be.
const (
	EvidenceReport       = "report"
	EvidenceProof        = "proof"
	EvidenceConfirmation = "confirmation"
)

// ReportFacts is what a decision about a report rests on.
type ReportFacts struct {
	Now  time.Time
	Row  Row
	Mark Mark
	// Held are the provider ids among the report's copies that another message's delivery holds.
	Held map[string]bool
	// ApprovedAt is read when the report names copies.
	ApprovedAt time.Time
	// Jitter is drawn anew for each report, from 0 to 1.
	Jitter float64
}

// ReportDecision is what a report does: the evidence it is, and the move it makes, if any.
type ReportDecision struct {
	// Kind "" writes nothing.
	Kind    string
	Outcome rule.Outcome
	// Copies are the deliveries that the report proves.
	Copies []Copy
	// To is the status the row moves to; "" leaves it.
	To rule.Status
	// RequeueIn is after how long a machine may make the next send; 0 is never.
	RequeueIn time.Duration
	Effect    rule.Effect
	// EffectCause is the answer that had the effect, like "status_403" or "sign_in", or "signed_out" when a page asked to sign in
	// before anything was sent.
	EffectCause string
	// CoolFor is how long the account rests, with EffectCoolDown.
	CoolFor time.Duration
	// Trouble is what the account's breaker counts of it, or "".
	Trouble string
}

// ReportStore records reports.
type ReportStore interface {
	// RecordReport locks the send, loads the facts, and writes evidence, deliveries and the move in one transaction. A
	// report that was recorded before changes nothing. When the row had already left its slot and the report confirms,
	// the message and all its sends are locked first. ErrNoSend when the database does not know the send.
	RecordReport(ctx context.Context, write ReportWrite, decide func(ReportFacts) ReportDecision) (Row, Mark, error)
	// MarkGone records once that no tab of the attempt is left.
	MarkGone(ctx context.Context, send, lease uuid.UUID) error
	// SendRow reads a send without a lock. ErrNoSend when there is none.
	SendRow(ctx context.Context, send uuid.UUID) (Row, error)
}

// ReportWrite is what a report brings to be written.
type ReportWrite struct {
	Actor rule.Actor // who says it
	// Lease is the lease, or the check, of which it is said.
	Send, Lease, Install uuid.UUID
	Attempt              string
	Conversation         string
	ProviderIDs          []string
	Raw                  []byte
	Breaker              Breaker
}

// DecideReport classifies the evidence itself, never trusting the install's own word for the outcome.
func DecideReport(f ReportFacts, lease uuid.UUID, r Report) ReportDecision {
	d := classify(f, r)
	mine := f.Row.LeaseToken == lease && f.Row.HasStart()
	sameAttempt := mine && r.Attempt == f.Row.Attempt
	d.Kind = EvidenceReport
	switch d.Outcome.Status {
	case rule.Sent:
		d.Kind = EvidenceConfirmation
		if f.Row.Status != rule.Sent {
			d.To = rule.Sent
		}
	case rule.Failed:
		if sameAttempt {
			d.Kind = EvidenceProof
			if f.Row.Status == rule.Started || f.Row.Status == rule.Unconfirmed {
				d.To = rule.Failed
			}
		}
		if rule.Requeued(d.Outcome.Code) && d.To == rule.Failed && f.Row.Status == rule.Started && !f.Now.After(f.Row.DeadlineAt) &&
			mayRequeue(f.Row.Requeues) {
			d.RequeueIn = requeueIn(r.RetryAfter, f.Row.Requeues, f.Jitter)
		}
	default:
		if f.Row.Status == rule.Started && mine && (r.Attempt == "" || sameAttempt) {
			d.To = d.Outcome.Status
		}
	}
	return d
}

// mayBeOurs: another message does not hold the copy, and it is no older than the approval. LinkedIn's clock is not ours.
func (f ReportFacts) mayBeOurs(c Copy) bool {
	isOld := !c.SentAt.IsZero() && !c.SentAt.After(f.ApprovedAt.Add(-config.ApprovalSlack))
	return c.ProviderID != "" && !f.Held[c.ProviderID] && !isOld
}

// classify says what the report means by the table. A look that found only copies that are not ours could not look.
func classify(f ReportFacts, r Report) ReportDecision {
	var d ReportDecision
	for _, c := range r.Copies {
		named := slices.ContainsFunc(d.Copies, func(one Copy) bool { return one.ProviderID == c.ProviderID })
		if f.mayBeOurs(c) && !named {
			d.Copies = append(d.Copies, c)
		}
	}
	if r.Acted != nil {
		acted := *r.Acted
		acted.Copies = len(d.Copies)
		if acted.Look == rule.LookFound && len(d.Copies) == 0 {
			acted.Look = rule.LookImpossible
		}
		d.Outcome = rule.Classify(acted)
		d.Effect = rule.AccountEffect(acted.Answer)
		d.EffectCause = causeOf(acted.Answer)
		if d.Effect == rule.EffectCoolDown {
			d.CoolFor = requeueIn(r.RetryAfter, f.Row.Requeues, f.Jitter)
		}
		d.Trouble = troubleOf(acted.Answer, d.Outcome)
	} else {
		unacted := *r.Unacted
		if unacted.Find == rule.FindFresh && len(d.Copies) == 0 {
			unacted.Find = rule.FindOld
		}
		d.Outcome = rule.End(unacted)
		if unacted.Reason == rule.ReasonSignedOut {
			d.Effect, d.EffectCause = rule.EffectStop, unacted.Reason
		}
	}
	if d.Outcome.Status == rule.Failed && r.Attempt == "" {
		// A worker that did not make the attempt cannot prove what it did not do.
		d.Outcome = rule.Outcome{Status: rule.Unconfirmed, Code: rule.CodeSenderLost}
	}
	if d.Outcome.Status != rule.Sent {
		d.Copies = nil
	}
	return d
}

func causeOf(a rule.Answer) string {
	if a.Kind == rule.AnswerStatus {
		return fmt.Sprintf("status_%d", a.Status)
	}
	return a.Kind
}

// Report implements Installs.
func (s *Service) Report(ctx context.Context, report Report) (Recorded, error) {
	claims, err := s.claimsOf(ctx, s.tokens, report.Session, report.LeaseToken)
	if err != nil {
		return Recorded{}, s.observe(ctx, report, err)
	}
	write := ReportWrite{
		Actor: rule.Sender, Send: claims.Send, Lease: claims.Lease, Install: report.Session.Install, Attempt: report.Attempt,
		Conversation: report.Conversation, Raw: report.Raw, Breaker: s.settings.Breaker,
	}
	for _, c := range report.Copies {
		write.ProviderIDs = append(write.ProviderIDs, c.ProviderID)
	}
	var decided ReportDecision
	row, mark, err := s.store.RecordReport(ctx, write, func(f ReportFacts) ReportDecision {
		f.Jitter = rand.Float64()
		decided = DecideReport(f, claims.Lease, report)
		return decided
	})
	if errors.Is(err, ErrNoSend) {
		return Recorded{}, ErrNoSend
	}
	if err != nil {
		return Recorded{}, fmt.Errorf("record the report: %w", err)
	}
	s.compareRules(claims, report, decided.Outcome)
	s.waker.Wake(row.Account)
	if report.Unacted != nil && report.Unacted.Reason == HaltReplied {
		// In a cold transaction of its own. When it fails, the report is not acknowledged and comes again.
		if err := s.noteReply(ctx, Reply{Send: claims.Send, Lease: claims.Lease, Install: report.Session.Install}); err != nil {
			return Recorded{}, err
		}
	}
	return Recorded{Send: row.ID, Status: row.Status, Code: row.Code, Mark: mark}, nil
}

// compareRules logs when the install's own rule came to another outcome: one of the two has a defect.
func (s *Service) compareRules(claims LeaseClaims, report Report, decided rule.Outcome) {
	if report.Claimed.Status != decided.Status || report.Claimed.Code != decided.Code {
		s.log.Warn("the install's rule came to another outcome", slog.String("send_id", claims.Send.String()),
			slog.String("install_id", report.Session.Install.String()), slog.String("extension_version", report.Session.ExtensionVersion),
			slog.String("claimed", string(report.Claimed.Status)+" "+report.Claimed.Code),
			slog.String("decided", string(decided.Status)+" "+decided.Code))
	}
}

// Gone implements Installs.
func (s *Service) Gone(ctx context.Context, session Session, leaseToken string) error {
	claims, err := s.claimsOf(ctx, s.tokens, session, leaseToken)
	if err != nil {
		return err
	}
	if err := s.store.MarkGone(ctx, claims.Send, claims.Lease); err != nil {
		return fmt.Errorf("record that the tab is gone: %w", err)
	}
	return nil
}

// OpenLease implements Installs.
func (s *Service) OpenLease(ctx context.Context, leaseToken string) (OpenLease, error) {
	claims, err := s.tokens.Verify(leaseToken)
	if err != nil {
		return OpenLease{}, ErrBadLease
	}
	row, err := s.store.SendRow(ctx, claims.Send)
	if err != nil {
		return OpenLease{}, fmt.Errorf("read an open lease: %w", err)
	}
	held := row.LeaseToken == claims.Lease && (row.Status == rule.Leased || row.Status == rule.Started)
	return OpenLease{Status: row.Status, Held: held}, nil
}
