package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sendonce/server/access"
	"sendonce/server/auth"
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
	q     *db.Queries
	conn  batchSender // what q asks
	last  *pgx.Batch  // what travels with the commit; nil for one that only reads
	marks *auth.Vault // opens the keys of the marks of removed people; nil for one that names nobody
}

func (s *Store) transaction(t trips) transaction {
	return transaction{q: t.q, conn: t.conn, last: t.last, marks: s.marks.Load()}
}

// Command implements command.Store.
func (s *Store) Command(ctx context.Context, who access.Principal, once *command.Once, do func(command.Tx) (command.Answer, error)) (answer command.Answer, replayed bool, err error) {
	err = retryOnce(func() (err error) {
		if once == nil {
			return s.inTrips(ctx, rule.Operator, who.ID, noQuestion, func(t trips) (err error) {
				answer, err = do(s.transaction(t))
				return err
			})
		}
		answer, replayed, err = s.commandOnce(ctx, who, *once, do)
		return err
	})
	if isCode(err, lockNotAvailable) || isCode(err, queryCanceled) {
		return command.Answer{}, false, problem.New(problem.Busy, "another change of the same thing took too long; try again")
	}
	return answer, replayed, err
}

// commandOnce claims the key with the begin: a second request with it waits there, holding no other lock, and then reads the
// first one's answer. A new answer travels with the commit.
func (s *Store) commandOnce(ctx context.Context, who access.Principal, once command.Once, do func(command.Tx) (command.Answer, error)) (answer command.Answer, replayed bool, err error) {
	var claimed, began bool
	var found []db.KeyGetRow
	claim := func(first *pgx.Batch) {
		first.Queue(db.KeyClaim, who.Workspace, who.ID, once.Route, once.Key, once.Payload).Exec(func(tag pgconn.CommandTag) error {
			claimed = tag.RowsAffected() == 1
			return nil
		})
		queueRows(first, "read the key", &found, pgx.RowToStructByPos[db.KeyGetRow], db.KeyGet, who.Workspace, who.ID, once.Route, once.Key)
	}
	err = s.inTrips(ctx, rule.Operator, who.ID, claim, func(t trips) (err error) {
		if began = true; !claimed {
			return errNothingToKeep
		}
		if answer, err = do(s.transaction(t)); err == nil {
			queueExec(t.last, "keep the answer", db.KeyAnswer, nullable(answer.Object), int32(answer.Status), answer.Body,
				who.Workspace, who.ID, once.Route, once.Key)
		}
		return err
	})
	switch {
	case !began && isCode(err, lockNotAvailable):
		return answer, false, problem.New(problem.StillRunning, "the first request with this Idempotency-Key has not ended; try again with the same key")
	case !errors.Is(err, errNothingToKeep):
		return answer, false, err
	case len(found) == 0:
		return answer, false, errors.New("the key was neither claimed nor found")
	}
	answer, err = answered(found[0], once)
	return answer, err == nil, err
}

func answered(row db.KeyGetRow, once command.Once) (command.Answer, error) {
	if !bytes.Equal(row.PayloadHash, once.Payload) {
		return command.Answer{}, problem.New(problem.KeyReused, "this Idempotency-Key was used for another request; use a new key").
			With("object_id", row.ObjectID)
	}
	return command.Answer{
		Status: int(orZero(row.AnswerStatus)), Body: row.AnswerBody, Object: orZero(row.ObjectID), IsForgotten: row.IsForgotten,
	}, nil
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
	return errors.Join(do(transaction{q: db.New(tx), conn: tx}), ignoreClosed(tx.Rollback(ctx)))
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
