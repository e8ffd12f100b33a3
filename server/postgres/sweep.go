package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/incident"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// ExpiredLeases implements send.SweepStore.
func (s *Store) ExpiredLeases(ctx context.Context, limit int) ([]send.HeldLease, error) {
	rows, err := s.queries().SendsWithExpiredLease(ctx, int32(limit))
	if err != nil {
		return nil, fmt.Errorf("list expired leases: %w", err)
	}
	leases := make([]send.HeldLease, len(rows))
	for i, row := range rows {
		leases[i] = send.HeldLease{Send: row.ID, Lease: orZero(row.LeaseToken)}
	}
	return leases, nil
}

// ExpireLease implements send.SweepStore. The statement looks at the status, the token and the time again: a start that
// was faster leaves it no row.
func (s *Store) ExpireLease(ctx context.Context, lease send.HeldLease, parkAfter int) (uuid.UUID, bool, error) {
	var account uuid.UUID
	err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
		back, err := q.SendExpire(ctx, int32(parkAfter), lease.Send, &lease.Lease)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("expire a lease: %w", err)
		}
		account = back.AccountID
		if back.ParkedAt != nil {
			return openIncident(ctx, q, incident.Parked, back.WorkspaceID, back.MessageID, back.AccountID)
		}
		return nil
	})
	return account, account != uuid.Nil, err
}

// OverdueStarts implements send.SweepStore.
func (s *Store) OverdueStarts(ctx context.Context, limit int) ([]uuid.UUID, error) {
	ids, err := s.queries().SendsOverdue(ctx, int32(limit))
	if err != nil {
		return nil, fmt.Errorf("list overdue starts: %w", err)
	}
	return ids, nil
}

// MarkOverdue implements send.SweepStore.
func (s *Store) MarkOverdue(ctx context.Context, id uuid.UUID, code string) (uuid.UUID, bool, error) {
	var account uuid.UUID
	err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) (err error) {
		account, err = q.SendSetOverdue(ctx, &code, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return account, account != uuid.Nil, err
}

// DueRequeues implements send.SweepStore.
func (s *Store) DueRequeues(ctx context.Context, limit int) ([]uuid.UUID, error) {
	ids, err := s.queries().SendsToRequeue(ctx, int32(limit))
	if err != nil {
		return nil, fmt.Errorf("list due requeues: %w", err)
	}
	return ids, nil
}

// Requeue implements send.SweepStore. It is a cold operation: the message's lock makes it the only one that can insert
// the next send, and the row is read again under it.
func (s *Store) Requeue(ctx context.Context, id uuid.UUID, decide func(send.RetryFacts) *problem.Problem) (uuid.UUID, bool, error) {
	var account uuid.UUID
	err := retryOnce(func() error {
		account = uuid.Nil
		return s.inTrips(ctx, rule.Server, uuid.Nil, noQuestion, func(t trips) error {
			if err := lockMessageOf(ctx, t.q, id); err != nil {
				return err
			}
			facts, err := transaction{q: t.q, conn: t.conn}.readRetryFacts(ctx, id)
			if err != nil {
				return err
			}
			if err := t.q.SendClearRequeue(ctx, id); err != nil {
				return fmt.Errorf("clear the requeue: %w", err)
			}
			if decide(facts) != nil {
				return nil
			}
			next, err := t.q.SendInsertNext(ctx, true, id)
			if err != nil {
				return fmt.Errorf("make the next send: %w", err)
			}
			account = next.AccountID
			return nil
		})
	})
	return account, account != uuid.Nil, err
}
