package send

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// SweepStore settles what time has overtaken.
type SweepStore interface {
	ExpiredLeases(ctx context.Context, limit int) ([]HeldLease, error)
	// ExpireLease puts the send back when that lease has really run out; false when something else was faster.
	ExpireLease(ctx context.Context, lease HeldLease, parkAfter int) (account uuid.UUID, expired bool, err error)
	OverdueStarts(ctx context.Context, limit int) ([]uuid.UUID, error)
	// MarkOverdue moves a started send past its deadline to unconfirmed; false when something else was faster.
	MarkOverdue(ctx context.Context, send uuid.UUID, code string) (account uuid.UUID, moved bool, err error)
	DueRequeues(ctx context.Context, limit int) ([]uuid.UUID, error)
	// Requeue makes the next send of a rate-limited one when decide refuses nothing; either way it is not tried again.
	Requeue(ctx context.Context, send uuid.UUID, decide func(RetryFacts) *problem.Problem) (account uuid.UUID, made bool, err error)
	// LapsedMessages lists messages whose time to begin may be over.
	LapsedMessages(ctx context.Context, limit int) ([]uuid.UUID, error)
	// Lapse makes the message expired when decide says so: its approval is void, what has not begun is canceled.
	Lapse(ctx context.Context, message uuid.UUID, decide func(LapseFacts) Lapse) (expired bool, err error)
}

// Swept counts what one sweep settled.
type Swept struct{ Leases, Deadlines, Requeued, Expired int }

// Sweep settles expired leases, passed deadlines, due requeues and messages whose time to begin is over. A row that cannot be settled does
// not keep the others from it: its error is returned with the counts.
func (s *Service) Sweep(ctx context.Context) (Swept, error) {
	var swept Swept
	var failed []error
	note := func(err error) {
		if err != nil {
			failed = append(failed, err)
		}
	}
	note(s.sweepLeases(ctx, &swept))
	note(s.sweepDeadlines(ctx, &swept))
	note(s.sweepRequeues(ctx, &swept))
	note(s.sweepMessages(ctx, &swept))
	return swept, errors.Join(failed...)
}

func (s *Service) sweepLeases(ctx context.Context, swept *Swept) error {
	leases, err := s.store.ExpiredLeases(ctx, config.SweepRowsMax)
	if err != nil {
		return fmt.Errorf("list expired leases: %w", err)
	}
	return each(leases, func(lease HeldLease) error {
		account, expired, err := s.store.ExpireLease(ctx, lease, config.ReleasesBeforePark)
		if expired {
			swept.Leases++
			s.waker.Wake(account)
		}
		return err
	})
}

func (s *Service) sweepDeadlines(ctx context.Context, swept *Swept) error {
	overdue, err := s.store.OverdueStarts(ctx, config.SweepRowsMax)
	if err != nil {
		return fmt.Errorf("list overdue starts: %w", err)
	}
	return each(overdue, func(id uuid.UUID) error {
		account, moved, err := s.store.MarkOverdue(ctx, id, rule.CodeDeadlinePassed)
		if moved {
			swept.Deadlines++
			s.waker.Wake(account)
		}
		return err
	})
}

func (s *Service) sweepRequeues(ctx context.Context, swept *Swept) error {
	due, err := s.store.DueRequeues(ctx, config.SweepRowsMax)
	if err != nil {
		return fmt.Errorf("list due requeues: %w", err)
	}
	return each(due, func(id uuid.UUID) error {
		account, made, err := s.store.Requeue(ctx, id, DecideRetry)
		if made {
			swept.Requeued++
			s.waker.Wake(account)
		}
		return err
	})
}

func (s *Service) sweepMessages(ctx context.Context, swept *Swept) error {
	lapsed, err := s.store.LapsedMessages(ctx, config.SweepRowsMax)
	if err != nil {
		return fmt.Errorf("list messages whose time is over: %w", err)
	}
	return each(lapsed, func(id uuid.UUID) error {
		expired, err := s.store.Lapse(ctx, id, DecideLapse)
		if expired {
			swept.Expired++
		}
		return err
	})
}

// each does do for every item and joins the errors: one bad row does not stop the sweep.
func each[T any](items []T, do func(T) error) error {
	var failed []error
	for _, item := range items {
		if err := do(item); err != nil {
			failed = append(failed, fmt.Errorf("sweep %v: %w", item, err))
		}
	}
	return errors.Join(failed...)
}
