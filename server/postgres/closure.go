package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// ClosureAdd implements message.Store.
func (tx transaction) ClosureAdd(ctx context.Context, id, by uuid.UUID, why string) error {
	if err := tx.q.MessageClose(ctx, by, why, id); err != nil {
		return fmt.Errorf("close the message: %w", err)
	}
	return nil
}
