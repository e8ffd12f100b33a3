package postgres

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sendonce/server/callback"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

var (
	_ callback.SourceStore = (*Store)(nil)
	_ callback.Store       = (*Store)(nil)
)

func sourceOf(row db.SourceGetRow) callback.Source {
	return callback.Source{ID: row.ID, Workspace: row.WorkspaceID, Name: row.Name, CreatedAt: row.CreatedAt, EndedAt: row.EndedAt}
}

// SourceAdd implements callback.SourceStore.
func (s *Store) SourceAdd(ctx context.Context, source callback.Source, by uuid.UUID, secret callback.Sealed) (callback.Source, bool, error) {
	isNew := false
	err := s.inTx(ctx, rule.Operator, by, func(q *db.Queries) (err error) {
		source.CreatedAt, err = q.SourceInsert(ctx, source.ID, source.Workspace, source.Name, by)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("write the source: %w", err)
		}
		isNew = true
		return q.SecretInsert(ctx, source.ID, secret.KeyID, secret.Secret)
	})
	return source, isNew, err
}

// SourceList implements callback.SourceStore.
func (s *Store) SourceList(ctx context.Context, workspace uuid.UUID, most int) ([]callback.Source, error) {
	rows, err := s.queries().SourceList(ctx, workspace, int32(most))
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	sources := make([]callback.Source, len(rows))
	for i, row := range rows {
		sources[i] = sourceOf(db.SourceGetRow(row))
	}
	return sources, nil
}

// SecretAdd implements callback.SourceStore.
func (s *Store) SecretAdd(ctx context.Context, workspace, id uuid.UUID, secret callback.Sealed, overlap time.Duration) (of callback.Source, err error) {
	err = s.inTx(ctx, rule.Operator, uuid.Nil, func(q *db.Queries) error {
		row, err := q.SourceLock(ctx, workspace, id)
		if err != nil {
			return notFound(err, "source", id)
		}
		if row.EndedAt != nil {
			return problem.New(problem.SourceEnded, "the source has ended; make a new one")
		}
		of = sourceOf(db.SourceGetRow(row))
		if err := q.SecretsRetire(ctx, overlap, id); err != nil {
			return fmt.Errorf("let the former secrets end: %w", err)
		}
		return q.SecretInsert(ctx, id, secret.KeyID, secret.Secret)
	})
	return of, err
}

// SourceEnd implements callback.SourceStore.
func (s *Store) SourceEnd(ctx context.Context, workspace, id uuid.UUID) error {
	return s.inTx(ctx, rule.Operator, uuid.Nil, func(q *db.Queries) error {
		if _, err := q.SourceLock(ctx, workspace, id); err != nil {
			return notFound(err, "source", id)
		}
		return q.SourceEnd(ctx, id)
	})
}

// SourceSecrets implements callback.SourceStore.
func (s *Store) SourceSecrets(ctx context.Context, id uuid.UUID, most int) (callback.Source, []callback.Sealed, error) {
	row, err := s.queries().SourceGet(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return callback.Source{}, nil, problem.New(problem.NotFound, "there is no source %s", id)
	}
	if err != nil {
		return callback.Source{}, nil, fmt.Errorf("read the source: %w", err)
	}
	good, err := s.queries().SecretsGood(ctx, id, int32(most))
	if err != nil {
		return callback.Source{}, nil, fmt.Errorf("read its secrets: %w", err)
	}
	secrets := make([]callback.Sealed, len(good))
	for i, one := range good {
		secrets[i] = callback.Sealed{KeyID: one.KeyID, Secret: one.Sealed}
	}
	return sourceOf(row), secrets, nil
}

// EventsTake implements callback.Store. Facts and then ids are written in one order, so that two callbacks with the same events
// do not wait for each other in a circle. A fact that is being written elsewhere is waited for; the statement after it sees it.
func (s *Store) EventsTake(ctx context.Context, source callback.Source, events []callback.Event) (isNew int, err error) {
	facts := hashed(source, events)
	err = retryOnce(func() error {
		isNew = 0
		return s.inTrips(ctx, rule.Observer, uuid.Nil, noQuestion, func(t trips) error {
			return trip(ctx, t.conn, func(b *pgx.Batch) {
				queueFacts(b, source, facts, &isNew)
				queueEventIDs(b, source, facts)
			})
		})
	})
	return isNew, err
}

// fact is an event with its hash.
type fact struct {
	callback.Event
	hash []byte
}

func hashed(source callback.Source, events []callback.Event) []fact {
	facts := make([]fact, len(events))
	for i, e := range events {
		facts[i] = fact{e, e.Hash(source.ID)}
	}
	return facts
}

func queueFacts(b *pgx.Batch, source callback.Source, facts []fact, isNew *int) {
	slices.SortFunc(facts, func(a, b fact) int { return bytes.Compare(a.hash, b.hash) })
	for _, f := range facts {
		b.Queue(db.EventFactAdd, source.Workspace, source.ID, string(f.Kind), f.ProviderID, nullable(f.Message), f.At, f.Detail, f.hash, f.ID).
			Exec(func(tag pgconn.CommandTag) error {
				*isNew += int(tag.RowsAffected())
				return nil
			})
	}
}

func queueEventIDs(b *pgx.Batch, source callback.Source, facts []fact) {
	slices.SortFunc(facts, func(a, b fact) int { return cmp.Compare(a.ID, b.ID) })
	for _, f := range facts {
		if f.ID != "" {
			queueExec(b, "keep the id of an event", db.EventIDAdd, source.ID, f.ID, source.Workspace, f.hash)
		}
	}
}
