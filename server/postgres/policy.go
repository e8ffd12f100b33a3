package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/message"
	"sendonce/server/postgres/db"
)

// PolicyNow implements message.Store.
func (tx transaction) PolicyNow(ctx context.Context, workspace uuid.UUID) (message.Policy, error) {
	row, err := tx.q.PolicyNow(ctx, workspace)
	if err != nil {
		return message.Policy{}, notFound(err, "policy of workspace", workspace)
	}
	return policyOf(row)
}

func policyOf(row db.PolicyNowRow) (message.Policy, error) {
	p := message.Policy{
		Number: int(row.Number), Approvers: message.Approvers(row.Approvers), ApprovalLasts: row.ApprovalLasts,
		CoolOffDays: int(row.CoolOffDays), ColleagueDays: int(row.ColleagueDays), PersonMost: int(row.PersonMost), PersonDays: int(row.PersonDays),
		ContentDays: int(row.ContentDays), SetBy: orZero(row.SetBy), SetByName: orZero(row.SetByName), SetAt: orZero(row.SetAt),
	}
	if err := json.Unmarshal(row.AutoApprove, &p.AutoApprove); err != nil {
		return message.Policy{}, fmt.Errorf("read the policy's rules: %w", err)
	}
	return p, nil
}

// PolicyLock implements message.Store.
func (tx transaction) PolicyLock(ctx context.Context, workspace uuid.UUID) (message.Policy, error) {
	if err := tx.q.PolicyLock(ctx, workspace); err != nil {
		return message.Policy{}, fmt.Errorf("lock the workspace: %w", err)
	}
	return tx.PolicyNow(ctx, workspace)
}

// PolicyAdd implements message.Store.
func (tx transaction) PolicyAdd(ctx context.Context, workspace, by uuid.UUID, p message.Policy) error {
	rules, err := json.Marshal(p.AutoApprove)
	if err != nil {
		return fmt.Errorf("write the policy's rules: %w", err)
	}
	err = tx.q.PolicyInsert(ctx, db.PolicyInsertParams{
		WorkspaceID: workspace, Number: int32(p.Number), Approvers: string(p.Approvers), ApprovalLasts: p.ApprovalLasts,
		CoolOffDays: int32(p.CoolOffDays), AutoApprove: rules, ColleagueDays: int32(p.ColleagueDays), PersonMost: int32(p.PersonMost),
		PersonDays: int32(p.PersonDays), ContentDays: int32(p.ContentDays), SetBy: by,
	})
	if err != nil {
		return fmt.Errorf("write the policy: %w", err)
	}
	return nil
}

// IsGranted implements message.Store.
func (tx transaction) IsGranted(ctx context.Context, account, principal uuid.UUID) (bool, error) {
	granted, err := tx.q.AccountIsGranted(ctx, account, principal)
	if err != nil {
		return false, fmt.Errorf("read whom the account was granted to: %w", err)
	}
	return granted, nil
}

// PolicyGet implements message.Reader.
func (s *Store) PolicyGet(ctx context.Context, workspace uuid.UUID) (message.Policy, error) {
	return transaction{q: s.queries(), conn: s.pool}.PolicyNow(ctx, workspace)
}
