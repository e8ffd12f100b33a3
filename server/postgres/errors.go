package postgres

import (
	"context"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// noAnswer is the class of an error that the database did not send itself.
const noAnswer = "none"

// errorCounts counts what went wrong on the connections of a pool, by the class of the SQLSTATE: "SO" is a guard of ours,
// "40" two transactions that met, noAnswer a connection that broke, was refused or took too long. It keeps nothing of a
// statement.
type errorCounts struct {
	mu      sync.Mutex
	byClass map[string]uint64
	last    *pgconn.PgError // pgx ends a batch twice when it could not even be prepared
}

var (
	_ pgx.QueryTracer   = (*errorCounts)(nil)
	_ pgx.BatchTracer   = (*errorCounts)(nil)
	_ pgx.ConnectTracer = (*errorCounts)(nil)
)

func newErrorCounts() *errorCounts { return &errorCounts{byClass: map[string]uint64{}} }

func (e *errorCounts) count(err error) {
	if err == nil || errors.Is(err, pgx.ErrNoRows) {
		return
	}
	class := noAnswer
	var answered *pgconn.PgError
	if errors.As(err, &answered) && len(answered.Code) >= 2 {
		class = answered.Code[:2]
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if answered != nil && answered == e.last {
		return
	}
	e.last = answered
	e.byClass[class]++
}

// DatabaseErrors counts the errors of this server's connections since it began, by the class of their SQLSTATE.
func (s *Store) DatabaseErrors() map[string]uint64 {
	s.errors.mu.Lock()
	defer s.errors.mu.Unlock()
	counts := make(map[string]uint64, len(s.errors.byClass))
	for class, count := range s.errors.byClass {
		counts[class] = count
	}
	return counts
}

// TraceQueryStart implements pgx.QueryTracer.
func (e *errorCounts) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (e *errorCounts) TraceQueryEnd(_ context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	e.count(data.Err)
}

// TraceBatchStart implements pgx.BatchTracer.
func (e *errorCounts) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer. The end of the batch has the error of the one that failed.
func (e *errorCounts) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (e *errorCounts) TraceBatchEnd(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	e.count(data.Err)
}

// TraceConnectStart implements pgx.ConnectTracer.
func (e *errorCounts) TraceConnectStart(ctx context.Context, _ pgx.TraceConnectStartData) context.Context {
	return ctx
}

// TraceConnectEnd implements pgx.ConnectTracer.
func (e *errorCounts) TraceConnectEnd(_ context.Context, data pgx.TraceConnectEndData) {
	e.count(data.Err)
}
