package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sendonce/server/config"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
)

// Store is every store of the domain over one pool of connections, as the server's role.
type Store struct {
	pool *pgxpool.Pool
}

// Open connects as the server's role. The caller closes the Store.
func Open(ctx context.Context, url string) (*Store, error) {
	poolConfig, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database address: %w", err)
	}
	if !strings.Contains(url, "pool_max_conns") {
		poolConfig.MaxConns = config.DatabaseConnectionsMax
	}
	poolConfig.ConnConfig.OnNotice = rememberWarning
	pool, err := pgxpool.NewWithConfig(ctx, poolConfig)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return &Store{pool: pool}, nil
}

// Close waits until every connection is given back.
func (s *Store) Close() { s.pool.Close() }

// Check compares the database with what the server relies on.
func (s *Store) Check(ctx context.Context, options CheckOptions) error {
	return Check(ctx, s.pool, options)
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

// queries runs statements outside a transaction.
func (s *Store) queries() *db.Queries { return db.New(s.pool) }

// inTx runs do in one READ COMMITTED transaction that says who acts and commits durably, whatever a role, a database or
// a pooled neighbour may have set. When do returns an error nothing is kept. principal is uuid.Nil when no person or
// program stands behind the move.
func (s *Store) inTx(ctx context.Context, actor rule.Actor, principal uuid.UUID, do func(*db.Queries) error) error {
	return s.inTxConn(ctx, actor, principal, func(_ pgx.Tx, q *db.Queries) error { return do(q) })
}

func (s *Store) inTxConn(ctx context.Context, actor rule.Actor, principal uuid.UUID, do func(pgx.Tx, *db.Queries) error) error {
	who := ""
	if principal != uuid.Nil {
		who = principal.String()
	}
	// The statements are few and look rows up by their keys: planning them anew each time costs more than running them.
	// One round trip: actor and principal are a word of the table and a uuid, never a stranger's text.
	begin := fmt.Sprintf("begin; set local synchronous_commit = on; set local plan_cache_mode = force_generic_plan; "+
		"set local lock_timeout = %d; set local statement_timeout = %d; "+
		"set local sendonce.actor = '%s'; set local sendonce.principal = '%s'",
		config.LockWaitMax.Milliseconds(), config.StatementWithin.Milliseconds(), actor, who)
	// The connection is given back only after commit has read what was said on it.
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("wait for a connection: %w", err)
	}
	defer conn.Release()
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: begin})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := do(tx, db.New(tx)); err != nil {
		return errors.Join(err, ignoreClosed(tx.Rollback(ctx)))
	}
	return s.commit(ctx, tx)
}

// commit gives no cancel to a commit under way: a canceled commit may have happened all the same. A commit that answers
// with a warning did not wait for the standby it was told to wait for, so it counts as unknown.
func (s *Store) commit(ctx context.Context, tx pgx.Tx) error {
	notes := tx.Conn().PgConn().CustomData()
	delete(notes, warningKey)
	if err := tx.Commit(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if warning, warned := notes[warningKey]; warned {
		return fmt.Errorf("commit: whether it is durable is unknown: %v", warning)
	}
	return nil
}

// warningKey is where a connection keeps the last warning the database sent on it.
const warningKey = "sendonce.warning"

func rememberWarning(conn *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.SeverityUnlocalized == "WARNING" {
		conn.CustomData()[warningKey] = notice.Message
	}
}

func ignoreClosed(err error) error {
	if errors.Is(err, pgx.ErrTxClosed) {
		return nil
	}
	return err
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
