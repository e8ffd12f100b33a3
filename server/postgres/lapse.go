package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/postgres/db"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// LapsedMessages implements send.SweepStore.
func (s *Store) LapsedMessages(ctx context.Context, limit int) ([]uuid.UUID, error) {
	ids, err := s.queries().MessagesLapsed(ctx, int32(limit))
	if err != nil {
		return nil, fmt.Errorf("list messages whose time is over: %w", err)
	}
	return ids, nil
}

// Lapse implements send.SweepStore. It is a cold operation: the message, then its sends.
func (s *Store) Lapse(ctx context.Context, message uuid.UUID, decide func(send.LapseFacts) send.Lapse) (expired bool, err error) {
	err = retryOnce(func() error {
		expired = false
		return s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
			facts, waiting, err := lapseFacts(ctx, q, message)
			if err != nil {
				return err
			}
			lapse := decide(facts)
			if lapse.Why == rule.Allow {
				return q.MessageLapseLater(ctx, lapse.Again, message)
			}
			expired = true
			return expire(ctx, q, message, waiting, lapse.Why)
		})
	})
	return expired, err
}

// lapseFacts returns the send that has not begun as well, or uuid.Nil.
func lapseFacts(ctx context.Context, q *db.Queries, message uuid.UUID) (f send.LapseFacts, waiting uuid.UUID, err error) {
	if _, err := q.MessageLock(ctx, message); err != nil {
		return f, uuid.Nil, fmt.Errorf("lock the message: %w", err)
	}
	sends, err := q.SendsLockOfMessage(ctx, message)
	if err != nil {
		return f, uuid.Nil, fmt.Errorf("lock the message's sends: %w", err)
	}
	row, err := q.MessageLapseFacts(ctx, message)
	if err != nil {
		return f, uuid.Nil, fmt.Errorf("read until when the message may begin: %w", err)
	}
	f = send.LapseFacts{
		Now: row.NowAt, May: row.ClosedAt == nil && (row.Authority == authorityProposed || row.Authority == authorityApproved),
		Delivered: row.DeliveredAt != nil, ApprovalEnds: row.ApprovalEnds, SendBefore: row.SendBefore,
		ScheduleEnds: nullableTime(orNone(row.ScheduleEnds)),
	}
	for _, one := range sends {
		switch rule.Status(one.Status) {
		case rule.Queued, rule.Leased:
			waiting = one.ID
		case rule.Started, rule.Unconfirmed:
			f.Begun = true
		case rule.Sent:
			f.Delivered = true
		}
	}
	return f, waiting, nil
}

func expire(ctx context.Context, q *db.Queries, message, waiting uuid.UUID, why rule.Refusal) error {
	if err := q.ApprovalLapse(ctx, lapseReasons[why], message); err != nil {
		return fmt.Errorf("void the approval: %w", err)
	}
	if waiting != uuid.Nil {
		if _, err := q.SendSetCanceled(ctx, nullable(string(why)), waiting); err != nil {
			return fmt.Errorf("cancel a send whose time is over: %w", err)
		}
	}
	return q.MessageLapse(ctx, message)
}

// lapseReasons are why an approval no longer stands, as the history says it.
var lapseReasons = map[rule.Refusal]string{rule.ApprovalExpired: "expired", rule.WindowClosed: "window_closed", rule.ScheduleStale: "schedule_stale"}

const authorityProposed, authorityApproved = "proposed", "approved"
