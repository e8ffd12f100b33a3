package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/message"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// Now is the time by the database's clock.
func (tx transaction) Now(ctx context.Context) (time.Time, error) {
	now, err := tx.q.Now(ctx)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the time: %w", err)
	}
	return now, nil
}

// MessageInsert implements message.Store.
func (tx transaction) MessageInsert(ctx context.Context, n message.New) error {
	return trip(ctx, tx.conn, func(b *pgx.Batch) { queueMessage(b, n) })
}

// MessageInsertLast implements message.Store.
func (tx transaction) MessageInsertLast(n message.New) { queueMessage(tx.last, n) }

func queueMessage(b *pgx.Batch, n message.New) {
	v, follows, from := n.Version, orZero(n.Follows), orZero(n.Version.From)
	queueExec(b, "make the message", db.MessageInsert,
		v.Content.Body, v.Content.Subject, v.Digest, message.TextHash(v.Content.Body), v.Content.SendAfter, v.Content.SendBefore, v.ClientRelease,
		nullable(from.Template), nullable(int32(from.Version)), n.ID, n.Workspace, n.Target.Account, n.Target.Person, n.Target.Channel, n.Target.Purpose, message.Fold(n.Target.Purpose), n.Target.Task,
		nullable(follows.Send), nullable(follows.Why), v.CreatedBy, n.CreatedAt)
}

// VersionAdd implements message.Store.
func (tx transaction) VersionAdd(ctx context.Context, id uuid.UUID, v message.Version) error {
	err := tx.q.VersionInsert(ctx, db.VersionInsertParams{
		MessageID: id, Version: int32(v.Number), Body: v.Content.Body, Subject: v.Content.Subject, Digest: v.Digest,
		TextHash: message.TextHash(v.Content.Body), SendAfter: v.Content.SendAfter, SendBefore: v.Content.SendBefore,
		ClientRelease: v.ClientRelease, CreatedBy: v.CreatedBy,
	})
	if err != nil {
		return fmt.Errorf("add the version: %w", err)
	}
	if err := tx.q.MessageSetVersion(ctx, int32(v.Number), id); err != nil {
		return fmt.Errorf("make the version current: %w", err)
	}
	return nil
}

// MessageFacts implements message.Store. The lock order of cold operations: the message, its sends by id, the person.
func (tx transaction) MessageFacts(ctx context.Context, workspace, id uuid.UUID) (message.Facts, error) {
	m, err := tx.q.MessageLockScoped(ctx, workspace, id)
	if err != nil {
		return message.Facts{}, notFound(err, "message", id)
	}
	sends, err := tx.q.SendsLockOfMessage(ctx, id)
	if err != nil {
		return message.Facts{}, fmt.Errorf("lock the sends: %w", err)
	}
	target := message.Target{Channel: m.Channel, Account: m.AccountID, Person: m.PersonID, Purpose: m.Purpose, Task: m.Task}
	rival, err := tx.rivalLocked(ctx, target, id)
	if err != nil {
		return message.Facts{}, err
	}
	c, err := tx.q.MessageContent(ctx, id, m.Version)
	if err != nil {
		return message.Facts{}, fmt.Errorf("read the content: %w", err)
	}
	contact, err := tx.PersonContact(ctx, m.PersonID, m.AccountID, uuid.Nil)
	if err != nil {
		return message.Facts{}, err
	}
	f := message.Facts{
		Now: c.NowAt, ID: id, Version: int(m.Version), Digest: c.Digest, Authority: message.Authority(m.Authority),
		Target: target, Intent: send.Intent{Follows: orZero(m.FollowsSend), Rival: rival},
		Content: message.Content{Subject: c.Subject, Body: c.Body, SendAfter: c.SendAfter, SendBefore: c.SendBefore, ExpiredAt: c.ExpiredAt},
		Closed:  m.ClosedAt != nil, Contact: contact,
		Delivered: m.DeliveredAt != nil || c.HasDelivery, StepHeld: problem.Code(c.StepHeld),
	}
	if c.ApprovedVersion != nil {
		f.Approval = &message.Standing{
			Version: int(*c.ApprovedVersion), ExpiresAt: orZero(c.ApprovalEnds), By: orZero(c.Approver), At: orZero(c.ApprovedAt),
		}
	}
	if c.RejectedAt != nil {
		f.Rejection = &message.Rejection{By: orZero(c.Rejecter), At: *c.RejectedAt, Why: orZero(c.RejectedWhy)}
	}
	for _, s := range sends {
		f.Delivered = f.Delivered || rule.Status(s.Status) == rule.Sent
		if f.Latest == nil || int(s.Ordinal) > f.Latest.Ordinal {
			f.Latest = &message.LatestSend{ID: s.ID, Ordinal: int(s.Ordinal), Status: rule.Status(s.Status), Parked: s.ParkedAt != nil}
		}
	}
	return f, nil
}

// AuthoritySet implements message.Store.
func (tx transaction) AuthoritySet(ctx context.Context, id uuid.UUID, a message.Authority) error {
	if err := tx.q.MessageSetAuthority(ctx, string(a), id); err != nil {
		return fmt.Errorf("set the authority: %w", err)
	}
	return nil
}

// SendCancel implements message.Store.
func (tx transaction) SendCancel(ctx context.Context, id uuid.UUID, code rule.Refusal) (bool, error) {
	_, err := tx.q.SendSetCanceled(ctx, nullable(string(code)), id)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cancel send %s: %w", id, err)
	}
	return true, nil
}

// SendAdd implements message.Store.
func (tx transaction) SendAdd(ctx context.Context, id uuid.UUID, n message.NewSend) error {
	err := tx.q.SendInsert(ctx, db.SendInsertParams{
		ID: n.ID, Ordinal: int32(n.Ordinal), RetryOf: n.RetryOf, ApprovalID: n.Approval, DueAt: n.Due,
		WaitingFor: nullable(string(n.WaitingFor)), MessageID: id,
	})
	if err != nil {
		return fmt.Errorf("queue a send: %w", err)
	}
	return nil
}
