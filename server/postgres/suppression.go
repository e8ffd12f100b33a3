package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/people"
	"sendonce/server/person"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

func suppressionOf(row db.SuppressionGetRow) person.Suppression {
	s := person.Suppression{
		ID: row.ID, Scope: person.Scope(row.Scope), Value: row.Value, Why: row.Why, SetBy: row.SetByName, SetAt: row.SetAt,
	}
	if row.LiftedAt != nil {
		s.Lifted = &person.Lifting{By: orZero(row.LiftedByName), At: *row.LiftedAt, Why: orZero(row.LiftedWhy)}
	}
	return s
}

// SuppressionAdd implements person.Store. An address whose person was removed is not written down again: it is marked already.
func (tx transaction) SuppressionAdd(ctx context.Context, workspace, by uuid.UUID, s person.Suppression) (uuid.UUID, error) {
	address := people.Identity{Kind: people.Kind(s.Scope), Value: s.Value}
	gone, err := isRemoved(ctx, tx.q, tx.marks, workspace, []people.Identity{address})
	if err != nil {
		return uuid.Nil, err
	}
	if gone {
		return uuid.Nil, problem.New(problem.PersonRemoved, "whose address this is asked to be forgotten, and was; nobody writes to them")
	}
	made, err := tx.q.SuppressionInsert(ctx, db.SuppressionInsertParams{
		ID: s.ID, WorkspaceID: workspace, Scope: string(s.Scope), Value: s.Value, Why: s.Why, SetBy: by,
	})
	if err != nil {
		return uuid.Nil, fmt.Errorf("write whom not to contact: %w", err)
	}
	if made == 1 {
		return s.ID, nil
	}
	standing, err := tx.q.SuppressionStanding(ctx, workspace, string(s.Scope), s.Value)
	if err != nil { // it was lifted in the moment between
		return uuid.Nil, problem.New(problem.Busy, "another change of the same thing was under way; try again")
	}
	return standing, nil
}

// SuppressionGet implements person.Store.
func (tx transaction) SuppressionGet(ctx context.Context, workspace, id uuid.UUID) (person.Suppression, error) {
	row, err := tx.q.SuppressionGet(ctx, workspace, id)
	if err != nil {
		return person.Suppression{}, notFound(err, "suppression", id)
	}
	return suppressionOf(row), nil
}

// SuppressionLift implements person.Store.
func (tx transaction) SuppressionLift(ctx context.Context, workspace, id, by uuid.UUID, why string) (bool, error) {
	lifted, err := tx.q.SuppressionLift(ctx, by, why, workspace, id)
	if err != nil {
		return false, fmt.Errorf("lift a suppression: %w", err)
	}
	return lifted == 1, nil
}

// SuppressionRead implements person.Reader.
func (s *Store) SuppressionRead(ctx context.Context, workspace, id uuid.UUID) (person.Suppression, error) {
	return transaction{q: s.queries(), conn: s.pool}.SuppressionGet(ctx, workspace, id)
}

// SuppressionList implements person.Reader.
func (s *Store) SuppressionList(ctx context.Context, workspace uuid.UUID, page person.SuppressionPage) ([]person.Suppression, error) {
	rows, err := s.queries().SuppressionPage(ctx, db.SuppressionPageParams{
		WorkspaceID: workspace, Before: nullable(page.Before), Standing: page.Standing, Lifted: page.Lifted, Most: int32(page.Most),
	})
	if err != nil {
		return nil, fmt.Errorf("list suppressions: %w", err)
	}
	list := make([]person.Suppression, len(rows))
	for i, row := range rows {
		list[i] = suppressionOf(db.SuppressionGetRow(row))
	}
	return list, nil
}

// SuppressionSettle is what follows a suppression once it is committed: it calls off whatever waits to go to whom it is about, a few
// messages in each transaction. It waits for the starts that were decided before, which hold their sends: when it returns, whatever was
// to begin has begun and is counted, and nothing else will.
func (s *Store) SuppressionSettle(ctx context.Context, id uuid.UUID) (person.Settled, error) {
	var settled person.Settled
	for {
		more, canceled, err := s.callOff(ctx, id)
		settled.CalledOff += canceled
		if isCode(err, lockNotAvailable) || isCode(err, queryCanceled) {
			return settled, problem.New(problem.Busy, "they are not contacted from now on; what had begun could not be counted in time: ask again to see")
		}
		if err != nil {
			return settled, fmt.Errorf("call off what waits: %w", err)
		}
		if !more {
			break
		}
	}
	begun, err := s.queries().SendsBegunSuppressed(ctx, id)
	if err != nil {
		return settled, fmt.Errorf("count what has begun: %w", err)
	}
	settled.Begun = int(begun)
	return settled, nil
}

// callOff does it for some messages; more is false when there was none.
func (s *Store) callOff(ctx context.Context, id uuid.UUID) (more bool, canceled int, err error) {
	err = retryOnce(func() error {
		more, canceled = false, 0
		return s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
			messages, err := q.MessagesSuppressed(ctx, id, config.SuppressedAtOnce)
			if err != nil || len(messages) == 0 {
				return err
			}
			more = true
			if _, err := q.SendsLockOfMessages(ctx, messages); err != nil {
				return err
			}
			waiting, err := q.SendsWaitingOf(ctx, messages)
			if err != nil {
				return err
			}
			for _, row := range waiting {
				if _, err := rule.Next(rule.Status(row.Status), rule.Canceled, rule.Server, false); err != nil {
					return err
				}
				if _, err := q.SendSetCanceled(ctx, nullable(string(rule.Suppressed)), row.ID); err != nil {
					return err
				}
				canceled++
			}
			return nil
		})
	})
	return more, canceled, err
}

// ContentExpire lets up to most texts expire that their workspaces' policies keep no longer, and returns how many it was.
func (s *Store) ContentExpire(ctx context.Context, most int) (int, error) {
	var expired int64
	err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) (err error) {
		expired, err = q.ContentExpire(ctx, int32(most))
		return err
	})
	return int(expired), err
}
