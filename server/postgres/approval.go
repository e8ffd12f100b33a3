package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/message"
	"sendonce/server/postgres/db"
)

// ApprovalVoid implements message.Store.
func (tx transaction) ApprovalVoid(ctx context.Context, id, by uuid.UUID, reason string) error {
	if err := tx.q.ApprovalVoid(ctx, reason, nullable(by), id); err != nil {
		return fmt.Errorf("void the approval: %w", err)
	}
	return nil
}

// ApprovalAdd implements message.Store.
func (tx transaction) ApprovalAdd(ctx context.Context, id uuid.UUID, a message.NewApproval) (uuid.UUID, error) {
	yesTo := a.YesTo
	if yesTo == nil {
		yesTo = []uuid.UUID{}
	}
	passed := orZero(a.Override)
	approval, err := tx.q.ApprovalInsert(ctx, db.ApprovalInsertParams{
		Version: int32(a.Version), Digest: a.Digest, RepeatApproved: a.RepeatApproved, YesTo: yesTo,
		PolicyNumber: nullable(int32(a.Policy)), Overrides: nullable(passed.Owner), OverrideWhy: nullable(passed.Why), Approver: a.Approver, MessageID: id,
	})
	if err != nil {
		return uuid.Nil, fmt.Errorf("write the approval: %w", err)
	}
	return approval, nil
}

// RejectionAdd implements message.Store.
func (tx transaction) RejectionAdd(ctx context.Context, id, by uuid.UUID, no message.No) error {
	err := tx.q.RejectionInsert(ctx, db.RejectionInsertParams{
		MessageID: id, Version: int32(no.Version), Digest: no.Digest, Why: no.Why, RejectedBy: by,
	})
	if err != nil {
		return fmt.Errorf("write the rejection: %w", err)
	}
	return nil
}

// addRejections sets the rejection of the current version, and with history every one.
func (tx transaction) addRejections(ctx context.Context, index map[uuid.UUID]*message.Message, own []uuid.UUID, history bool) error {
	rows, err := tx.q.RejectionsOfMessages(ctx, own)
	if err != nil {
		return fmt.Errorf("read rejections: %w", err)
	}
	for _, row := range rows {
		m := index[row.MessageID]
		if int(row.Version) == m.Version {
			m.Rejection = &message.Rejection{By: row.Rejecter, At: row.RejectedAt, Why: row.Why}
		}
		if history {
			m.History = append(m.History, message.Event{
				At: row.RejectedAt, What: message.WasRejected, By: row.Rejecter, Version: int(row.Version), Reason: row.Why,
			})
		}
	}
	return nil
}
