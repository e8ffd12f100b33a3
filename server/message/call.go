package message

import (
	"context"

	"github.com/google/uuid"

	"sendonce/server/rule"
)

// TakeBack revokes the approval of a message that has not begun, so that it waits for approval again; what has begun, or was never
// approved, stays as it is. It asks for no right: whoever calls it has decided who may.
func TakeBack(ctx context.Context, store Store, workspace, by, id uuid.UUID) error {
	facts, err := store.MessageFacts(ctx, workspace, id)
	if err != nil || mayChange(facts, "") != nil || facts.Approval == nil || facts.Intent.Decide() != nil {
		return err
	}
	if err := stop(ctx, store, by, facts, voidedByRevocation, rule.ApprovalMissing); err != nil {
		return err
	}
	return store.AuthoritySet(ctx, id, Proposed)
}

// CallOff withdraws a message that has not begun; what has begun stays as it is. It asks for no right: whoever calls it has decided who
// may.
func CallOff(ctx context.Context, store Store, workspace, by, id uuid.UUID) error {
	facts, err := store.MessageFacts(ctx, workspace, id)
	if err != nil || mayChange(facts, "") != nil {
		return err
	}
	if err := stop(ctx, store, by, facts, voidedByWithdrawal, rule.Withdrawn); err != nil {
		return err
	}
	return store.AuthoritySet(ctx, id, Withdrawn)
}
