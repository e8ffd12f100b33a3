package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sendonce/server/config"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
)

// inTx runs do in one READ COMMITTED transaction that says who acts and commits durably, whatever a role, a database or
// a pooled neighbour may have set. When do returns an error nothing is kept. principal is uuid.Nil when no person or
// program stands behind the move.
func (s *Store) inTx(ctx context.Context, actor rule.Actor, principal uuid.UUID, do func(*db.Queries) error) error {
	return s.inTrips(ctx, actor, principal, noQuestion, func(t trips) error { return do(t.q) })
}

func noQuestion(*pgx.Batch) {}

// trips is a transaction whose round trips are counted: they are most of what an install waits for.
type trips struct {
	conn *pgxpool.Conn
	q    *db.Queries
	// last travels with the commit. Its answers are there only after inTrips has returned without an error.
	last *pgx.Batch
}

// batchSender asks several things in one round trip: a connection, a transaction or a pool.
type batchSender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// trip sends what ask queues, all at once, and waits for the answers.
func trip(ctx context.Context, conn batchSender, ask func(b *pgx.Batch)) error {
	b := &pgx.Batch{}
	ask(b)
	return conn.SendBatch(ctx, b).Close()
}

// inTrips is inTx where ask queues statements that travel with the begin. do begins when they were all answered.
func (s *Store) inTrips(ctx context.Context, actor rule.Actor, principal uuid.UUID, ask func(first *pgx.Batch), do func(trips) error) (err error) {
	// The connection is given back only after commit has read what was said on it.
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("wait for a connection: %w", err)
	}
	defer func() {
		if errors.Is(err, errNothingToKeep) {
			go end(context.WithoutCancel(ctx), conn)
			return
		}
		end(ctx, conn)
		s.noteWritten()
	}()
	first := beginBatch(actor, principal)
	ask(first)
	t := trips{conn: conn, q: db.New(conn), last: &pgx.Batch{}}
	if err := conn.SendBatch(ctx, first).Close(); err != nil {
		return err
	}
	if err := do(t); err != nil {
		return err
	}
	return commit(ctx, conn, t.last)
}

// errNothingToKeep ends a transaction that has only read: nobody needs to wait until it has ended.
var errNothingToKeep = errors.New("nothing to keep")

func beginBatch(actor rule.Actor, principal uuid.UUID) *pgx.Batch {
	who := ""
	if principal != uuid.Nil {
		who = principal.String()
	}
	b := &pgx.Batch{}
	b.Queue("begin isolation level read committed read write")
	b.Queue(db.SetTransaction, strconv.FormatInt(config.LockWaitMax.Milliseconds(), 10),
		strconv.FormatInt(config.StatementWithin.Milliseconds(), 10), strconv.FormatInt(config.TransactionIdleMax.Milliseconds(), 10),
		string(actor), who)
	return b
}

// commit gives no cancel to a commit under way: a canceled commit may have happened all the same. A commit that answers
// with a warning did not wait for the standby it was told to wait for, so it counts as unknown.
func commit(ctx context.Context, conn *pgxpool.Conn, last *pgx.Batch) error {
	var said pgconn.CommandTag
	last.Queue("commit").Exec(func(tag pgconn.CommandTag) error { said = tag; return nil })
	notes := conn.Conn().PgConn().CustomData()
	delete(notes, warningKey)
	if err := conn.SendBatch(context.WithoutCancel(ctx), last).Close(); err != nil {
		return fmt.Errorf("write and commit: %w", err)
	}
	if warning, warned := notes[warningKey]; warned {
		return fmt.Errorf("commit: whether it is durable is unknown: %v", warning)
	}
	if said.String() != "COMMIT" {
		return fmt.Errorf("commit: the database answered %q", said.String())
	}
	return nil
}

// end gives the connection back, after a rollback when its transaction is still open. If that fails too, the pool closes the
// connection, which ends it.
func end(ctx context.Context, conn *pgxpool.Conn) {
	if conn.Conn().PgConn().TxStatus() != idle {
		_, _ = conn.Exec(ctx, "rollback")
	}
	conn.Release()
}

// idle is the transaction status of a connection that is in none (PostgreSQL's frontend/backend protocol, ReadyForQuery).
const idle = 'I'

// warningKey is where a connection keeps the last warning the database sent on it.
const warningKey = "sendonce.warning"

func rememberWarning(conn *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.SeverityUnlocalized == "WARNING" {
		conn.CustomData()[warningKey] = notice.Message
	}
}

// queueRows adds a query whose rows are kept in into; args stand in the order of the text's $1, $2 and so on.
func queueRows[T any](b *pgx.Batch, doing string, into *[]T, scan pgx.RowToFunc[T], sql string, args ...any) {
	b.Queue(sql, args...).Query(func(rows pgx.Rows) (err error) {
		if *into, err = pgx.CollectRows(rows, scan); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		return nil
	})
}

// queueExec adds a statement of which only the success matters.
func queueExec(b *pgx.Batch, doing, sql string, args ...any) {
	b.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		rows.Close()
		if err := rows.Err(); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		return nil
	})
}

// retryOnce runs do again when the database had to give up one of two transactions that met. More than once would hide
// a broken lock order.
func retryOnce(do func() error) error {
	err := do()
	if isCode(err, "40P01") || isCode(err, "40001") {
		return do()
	}
	return err
}
