package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"sendonce/server/auth"
	"sendonce/server/config"
	"sendonce/server/instance"
	"sendonce/server/postgres/db"
)

// Store is every store of the domain over one pool of connections, as the server's role.
type Store struct {
	pool   *pgxpool.Pool
	errors *errorCounts
	// witness remembers the history outside the database; nil until the server has begun.
	witness atomic.Pointer[instance.Witness]
	written chan struct{} // holds one token after transactions have ended
	// marks opens the keys of the marks of removed people; nil until SealMarks.
	marks atomic.Pointer[auth.Vault]
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
	return OpenConfig(ctx, poolConfig)
}

// OpenConfig is Open for a caller that makes the connections in its own way.
func OpenConfig(ctx context.Context, poolConfig *pgxpool.Config) (*Store, error) {
	poolConfig.ConnConfig.OnNotice = rememberWarning
	s := &Store{errors: newErrorCounts(), written: make(chan struct{}, 1)}
	poolConfig.ConnConfig.Tracer = s.errors
	poolConfig.AfterConnect = s.lookAtConnection
	pool, err := pgxpool.NewWithConfig(ctx, poolConfig)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	s.pool = pool
	return s, nil
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
