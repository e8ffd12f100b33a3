package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
)

// EarlierTo implements message.Store. The person is locked: a statement of its own sees what that lock waited for.
func (tx transaction) EarlierTo(ctx context.Context, workspace, id uuid.UUID) ([]message.Earlier, error) {
	rows, err := tx.earlierTo(ctx, workspace, []uuid.UUID{id})
	earlier := make([]message.Earlier, len(rows))
	for i, row := range rows {
		earlier[i] = earlierOf(row)
	}
	return earlier, err
}

func (tx transaction) earlierTo(ctx context.Context, workspace uuid.UUID, ids []uuid.UUID) ([]db.EarlierMessagesRow, error) {
	rows, err := tx.q.EarlierMessages(ctx, config.EarlierMessagesMax, workspace, ids)
	if err != nil {
		return nil, fmt.Errorf("read earlier messages to the person: %w", err)
	}
	return rows, nil
}

func earlierOf(row db.EarlierMessagesRow) message.Earlier {
	return message.Earlier{
		Message: row.MessageID, Status: rule.Status(row.Status), At: row.BegunAt, Account: row.Handle, Purpose: row.Purpose,
		SameText: row.SameText,
	}
}

// asksOf says, of many messages, what an approval must say yes to.
func (tx transaction) asksOf(ctx context.Context, workspace uuid.UUID, ids []uuid.UUID) (map[uuid.UUID][]message.Asked, error) {
	policy, err := tx.PolicyNow(ctx, workspace)
	if err != nil {
		return nil, err
	}
	now, err := tx.Now(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := tx.earlierTo(ctx, workspace, ids)
	if err != nil {
		return nil, err
	}
	earlier, purposes := map[uuid.UUID][]message.Earlier{}, map[uuid.UUID]string{}
	for _, row := range rows {
		earlier[row.ForMessage] = append(earlier[row.ForMessage], earlierOf(row))
		purposes[row.ForMessage] = row.ForPurpose
	}
	asked := map[uuid.UUID][]message.Asked{}
	for id, all := range earlier {
		asked[id] = policy.Asks(all, purposes[id], now)
	}
	return asked, nil
}

// MessagesAsk implements message.Reader.
func (s *Store) MessagesAsk(ctx context.Context, workspace uuid.UUID, ids []uuid.UUID) (asked map[uuid.UUID][]message.Asked, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		asked, err = tx.asksOf(ctx, workspace, ids)
		return err
	})
	return asked, err
}
