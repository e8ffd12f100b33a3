package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/access"
	"sendonce/server/command"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

var (
	_ command.Store = (*Store)(nil)
	_ command.Tx    = transaction{}
)

// SQLSTATEs that mean "somebody else is at it".
const (
	lockNotAvailable = "55P03"
	queryCanceled    = "57014"
)

// transaction is one transaction of a command. Its methods stand beside those of the noun they work on.
type transaction struct {
	q    *db.Queries
	conn batchSender // what q asks
}

// Command implements command.Store. The key is claimed first: a second request with it waits here, holding no other lock.
func (s *Store) Command(ctx context.Context, who access.Principal, once *command.Once, do func(command.Tx) (command.Answer, error)) (command.Answer, bool, error) {
	var answer command.Answer
	var replayed bool
	err := retryOnce(func() error {
		answer, replayed = command.Answer{}, false
		return s.inTrips(ctx, rule.Operator, who.ID, noQuestion, func(t trips) (err error) {
			if once != nil {
				answer, replayed, err = claim(ctx, t.q, who, *once)
				if err != nil || replayed {
					return err
				}
			}
			if answer, err = do(transaction{t.q, t.conn}); err != nil || once == nil {
				return err
			}
			return keep(ctx, t.q, who, *once, answer)
		})
	})
	if isCode(err, lockNotAvailable) || isCode(err, queryCanceled) {
		return command.Answer{}, false, problem.New(problem.Busy, "another change of the same thing took too long; try again")
	}
	return answer, replayed, err
}

func claim(ctx context.Context, q *db.Queries, who access.Principal, once command.Once) (command.Answer, bool, error) {
	claimed, err := q.KeyClaim(ctx, db.KeyClaimParams{
		WorkspaceID: who.Workspace, PrincipalID: who.ID, Route: once.Route, Key: once.Key, PayloadHash: once.Payload,
	})
	if isCode(err, lockNotAvailable) {
		return command.Answer{}, false, problem.New(problem.StillRunning, "the first request with this Idempotency-Key has not ended; try again with the same key")
	}
	if err != nil {
		return command.Answer{}, false, fmt.Errorf("claim the key: %w", err)
	}
	if claimed == 1 {
		return command.Answer{}, false, nil
	}
	row, err := q.KeyGet(ctx, who.Workspace, who.ID, once.Route, once.Key)
	if err != nil {
		return command.Answer{}, false, fmt.Errorf("read the key: %w", err)
	}
	if !bytes.Equal(row.PayloadHash, once.Payload) {
		return command.Answer{}, false, problem.New(problem.KeyReused, "this Idempotency-Key was used for another request; use a new key").
			With("object_id", row.ObjectID)
	}
	return command.Answer{
		Status: int(orZero(row.AnswerStatus)), Body: row.AnswerBody, Object: orZero(row.ObjectID), IsForgotten: row.IsForgotten,
	}, true, nil
}

func keep(ctx context.Context, q *db.Queries, who access.Principal, once command.Once, answer command.Answer) error {
	status := int32(answer.Status)
	err := q.KeyAnswer(ctx, db.KeyAnswerParams{
		ObjectID: nullable(answer.Object), AnswerStatus: &status, AnswerBody: answer.Body,
		WorkspaceID: who.Workspace, PrincipalID: who.ID, Route: once.Route, Key: once.Key,
	})
	if err != nil {
		return fmt.Errorf("keep the answer: %w", err)
	}
	return nil
}

// AnswerLate implements command.Store.
func (s *Store) AnswerLate(ctx context.Context, who access.Principal, once command.Once, body []byte) ([]byte, error) {
	var kept []byte
	err := s.inTx(ctx, rule.Operator, who.ID, func(q *db.Queries) error {
		err := q.KeyAnswerLate(ctx, db.KeyAnswerLateParams{
			AnswerBody: body, WorkspaceID: who.Workspace, PrincipalID: who.ID, Route: once.Route, Key: once.Key,
		})
		if err != nil {
			return fmt.Errorf("keep the answer: %w", err)
		}
		row, err := q.KeyGet(ctx, who.Workspace, who.ID, once.Route, once.Key)
		kept = row.AnswerBody
		return err
	})
	return kept, err
}

// AnswersForget implements command.Store.
func (s *Store) AnswersForget(ctx context.Context, kept time.Duration, most int) (int, error) {
	var forgot int64
	err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) (err error) {
		forgot, err = q.KeysForget(ctx, kept, int32(most))
		return err
	})
	return int(forgot), err
}

// inSnapshot reads several tables as they stood at one moment.
func (s *Store) inSnapshot(ctx context.Context, do func(transaction) error) error {
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return errors.Join(do(transaction{db.New(tx), tx}), ignoreClosed(tx.Rollback(ctx)))
}

func notFound(err error, what string, id uuid.UUID) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return problem.New(problem.NotFound, "this workspace has no %s %s", what, id)
	}
	return fmt.Errorf("read %s %s: %w", what, id, err)
}

func ignoreClosed(err error) error {
	if errors.Is(err, pgx.ErrTxClosed) {
		return nil
	}
	return err
}
