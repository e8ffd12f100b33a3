package message

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// Edit is a change of content. A nil field stays as it is; a time behind a non-nil pointer that is nil is taken away.
type Edit struct {
	// Version is the one that was read; 0 is whichever is current.
	Version       int
	Subject       *string
	Body          *string
	SendAfter     **time.Time
	SendBefore    **time.Time
	ClientRelease string
}

// Why an approval no longer stands.
const (
	voidedByEdit       = "edited"
	voidedByWithdrawal = "withdrawn"
	voidedByRevocation = "revoked"
	voidedByExpiry     = "expired"
	voidedByApproval   = "approved_again"
)

// Amend writes the next version: the approval is void, a send that has not begun is canceled, and the message waits for
// approval again. Nothing is written when the edit changes nothing.
func Amend(ctx context.Context, store Store, who access.Principal, id uuid.UUID, e Edit) (Message, error) {
	facts, err := store.MessageFacts(ctx, who.Workspace, id)
	if err != nil {
		return Message{}, err
	}
	if err := mayChange(facts, "edit"); err != nil {
		return Message{}, err
	}
	if facts.Contact.Level == people.DoNotContact {
		return Message{}, mayContact(facts.Contact)
	}
	if e.Version != 0 {
		if err := facts.isCurrent(e.Version, facts.Digest); err != nil {
			return Message{}, err
		}
	}
	content, err := e.apply(facts.Content)
	if err != nil {
		return Message{}, err
	}
	if content.ExpiredAt != nil {
		return Message{}, contentExpired()
	}
	release, err := CanonicalLine("client_release", e.ClientRelease, config.ClientReleaseRunes)
	if err != nil {
		return Message{}, err
	}
	digest, err := Digest(facts.Target, content)
	if err != nil {
		return Message{}, err
	}
	if digest == facts.Digest && facts.Content.ExpiredAt == nil {
		return store.MessageGet(ctx, who.Workspace, id)
	}
	if err := checkWindow(content, facts.Now); err != nil {
		return Message{}, err
	}
	if refused := facts.Intent.Decide(); refused != nil {
		return Message{}, refused
	}
	if err := stop(ctx, store, who.ID, facts, voidedByEdit, rule.ContentChanged); err != nil {
		return Message{}, err
	}
	next := Version{Number: facts.Version + 1, Content: content, Digest: digest, ClientRelease: release, CreatedBy: who.ID}
	if err := store.VersionAdd(ctx, id, next); err != nil {
		return Message{}, err
	}
	if err := store.AuthoritySet(ctx, id, Proposed); err != nil {
		return Message{}, err
	}
	return store.MessageGet(ctx, who.Workspace, id)
}

func (e Edit) apply(c Content) (Content, error) {
	if e.Subject != nil {
		subject, err := CanonicalLine("subject", *e.Subject, config.SubjectRunesMax)
		if err != nil {
			return c, err
		}
		c.Subject = orNil(subject)
	}
	if e.Body != nil {
		body, err := CanonicalBody("body", *e.Body)
		if err != nil {
			return c, err
		}
		c.Body, c.ExpiredAt = body, nil
	}
	if e.SendAfter != nil {
		c.SendAfter = inDatabase(*e.SendAfter)
	}
	if e.SendBefore != nil {
		c.SendBefore = inDatabase(*e.SendBefore)
	}
	return c, nil
}

// Withdraw takes the message back: a send that has not begun is canceled and none will follow. A message that was
// withdrawn before is returned as it is.
func Withdraw(ctx context.Context, store Store, who access.Principal, id uuid.UUID) (Message, error) {
	if err := who.Require(access.Decide); err != nil {
		return Message{}, err
	}
	facts, err := store.MessageFacts(ctx, who.Workspace, id)
	if err != nil {
		return Message{}, err
	}
	if facts.Authority == Withdrawn {
		return store.MessageGet(ctx, who.Workspace, id)
	}
	if err := mayChange(facts, "withdraw"); err != nil {
		return Message{}, err
	}
	if err := stop(ctx, store, who.ID, facts, voidedByWithdrawal, rule.Withdrawn); err != nil {
		return Message{}, err
	}
	if err := store.AuthoritySet(ctx, id, Withdrawn); err != nil {
		return Message{}, err
	}
	return store.MessageGet(ctx, who.Workspace, id)
}

// mayChange refuses what comes too late: from its start on, a send follows its own outcome.
func mayChange(f Facts, doing string) error {
	if f.Authority == Withdrawn {
		return withdrawn()
	}
	if f.Closed {
		return closed()
	}
	if !f.begun() {
		return nil
	}
	return tooLate(f, doing)
}

// tooLate is for a message whose latest send has begun.
func tooLate(f Facts, doing string) *problem.Problem {
	if f.Delivered {
		return problem.New(problem.TooLateToChange, "it is too late to %s: the message is sent", doing).With("send_status", rule.Sent)
	}
	p := problem.New(problem.TooLateToChange, "it is too late to %s: the message is %s", doing, f.Latest.Status)
	what := rule.Instruction(f.Latest.Status, f.Target.Channel)
	if what == "" {
		what = f.Latest.Status.Text() + " It ends by itself, as sent, as failed, or as one that needs a look."
	}
	p.Detail += ". " + what
	return p.With("send_status", f.Latest.Status).With("send_id", f.Latest.ID)
}

func withdrawn() error {
	return problem.New(problem.MessageWithdrawn, "the message was taken back; propose a new one")
}

// stop voids the approval and cancels a send that has not begun. by is uuid.Nil where time ended the approval.
func stop(ctx context.Context, store Store, by uuid.UUID, f Facts, reason string, code rule.Refusal) error {
	if err := store.ApprovalVoid(ctx, f.ID, by, reason); err != nil {
		return err
	}
	return cancelWaiting(ctx, store, f, code)
}

// cancelWaiting cancels a send that has not begun, if there is one.
func cancelWaiting(ctx context.Context, store Store, f Facts, code rule.Refusal) error {
	if !f.inQueue() {
		return nil
	}
	canceled, err := store.SendCancel(ctx, f.Latest.ID, code)
	if err == nil && !canceled {
		return problem.New(problem.Busy, "the send is no longer %s; look again", f.Latest.Status)
	}
	return err
}
