package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/postgres/db"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// noteTrouble counts an end that the account's breaker looks at, and stops the account when the burst is full. Two reports
// of one account at one moment meet at its row.
func noteTrouble(ctx context.Context, q *db.Queries, breaker send.Breaker, account uuid.UUID, code string) error {
	if _, err := q.AccountLock(ctx, account); err != nil {
		return fmt.Errorf("lock the account: %w", err)
	}
	if err := q.TroublesForget(ctx, account, breaker.Within); err != nil {
		return fmt.Errorf("forget old troubles: %w", err)
	}
	if err := q.TroubleAdd(ctx, account, code); err != nil {
		return fmt.Errorf("note a trouble: %w", err)
	}
	now, err := q.Now(ctx)
	if err != nil {
		return fmt.Errorf("read the time: %w", err)
	}
	recent, err := q.TroublesSince(ctx, account, int32(breaker.After))
	if err != nil {
		return fmt.Errorf("read the recent troubles: %w", err)
	}
	if !breaker.Trips(recent, now) {
		return nil
	}
	if err := q.AccountStop(ctx, nullable(rule.BurstCode(code)), account); err != nil {
		return fmt.Errorf("trip the breaker: %w", err)
	}
	return nil
}
