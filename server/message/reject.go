package message

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// No is a rejection by version and digest: what is rejected is what was read.
type No struct {
	Version int
	Digest  string
	Why     string // may be ""
}

// decideRejection says whether a no to one version is to be written; false when it was before.
func decideRejection(f Facts, no No) (bool, error) {
	if f.Authority == Withdrawn {
		return false, withdrawn()
	}
	if err := f.isCurrent(no.Version, no.Digest); err != nil {
		return false, err
	}
	if f.Rejection != nil {
		return false, nil
	}
	if err := mayChange(f, "reject"); err != nil {
		return false, err
	}
	if f.approved() {
		return false, problem.New(problem.AlreadyApproved, "%s approved this version on %s; revoke that approval first",
			f.Approval.By, f.Approval.At.UTC().Format(time.RFC3339)).With("by", f.Approval.By).With("at", f.Approval.At)
	}
	return true, nil
}

// Reject keeps the current version from going out: only an edit makes one that may be approved. Rejecting again what is
// rejected changes nothing, and the first words stand.
func Reject(ctx context.Context, store Store, who access.Principal, id uuid.UUID, no No) (Message, error) {
	if err := who.Require(access.Decide); err != nil {
		return Message{}, err
	}
	why, err := CanonicalNote("why", no.Why)
	if err != nil {
		return Message{}, err
	}
	no.Why = why
	facts, err := store.MessageFacts(ctx, who.Workspace, id)
	if err != nil {
		return Message{}, err
	}
	if _, err := policyFor(ctx, store, who, facts.Target.Account); err != nil {
		return Message{}, err
	}
	writes, err := decideRejection(facts, no)
	if err != nil {
		return Message{}, err
	}
	if writes {
		// What an approval that has run out still holds in the queue would be refused at its start in any case.
		if err := stop(ctx, store, uuid.Nil, facts, voidedByExpiry, rule.ApprovalExpired); err != nil {
			return Message{}, err
		}
		if err := store.RejectionAdd(ctx, id, who.ID, no); err != nil {
			return Message{}, fmt.Errorf("reject message %s: %w", id, err)
		}
		if err := store.AuthoritySet(ctx, id, Rejected); err != nil {
			return Message{}, err
		}
	}
	return store.MessageGet(ctx, who.Workspace, id)
}

// Revoke takes an approval back: a send that has not begun is canceled, and the message waits for approval again. Where no
// approval stands nothing changes.
func Revoke(ctx context.Context, store Store, who access.Principal, id uuid.UUID) (Message, error) {
	if err := who.Require(access.Decide); err != nil {
		return Message{}, err
	}
	facts, err := store.MessageFacts(ctx, who.Workspace, id)
	if err != nil {
		return Message{}, err
	}
	if _, err := policyFor(ctx, store, who, facts.Target.Account); err != nil {
		return Message{}, err
	}
	if err := mayChange(facts, "revoke the approval"); err != nil {
		return Message{}, err
	}
	if facts.Approval != nil {
		if refused := facts.Intent.Decide(); refused != nil {
			return Message{}, refused // it would wait beside a message that took its place
		}
		if err := stop(ctx, store, who.ID, facts, voidedByRevocation, rule.ApprovalMissing); err != nil {
			return Message{}, err
		}
		if err := store.AuthoritySet(ctx, id, Proposed); err != nil {
			return Message{}, err
		}
	}
	return store.MessageGet(ctx, who.Workspace, id)
}
