package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/access"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
)

var _ access.Store = (*Store)(nil)

// WorkspaceEnsure implements access.Store.
func (s *Store) WorkspaceEnsure(ctx context.Context, workspace, admin string) (first access.Principal, signedIn bool, err error) {
	err = s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
		if err := q.WorkspaceFirstLock(ctx); err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		id, err := q.WorkspaceFirst(ctx)
		if errors.Is(err, pgx.ErrNoRows) {
			id, err = q.WorkspaceInsert(ctx, workspace)
		}
		if err != nil {
			return fmt.Errorf("the workspace: %w", err)
		}
		if first, err = ensurePrincipal(ctx, q, access.Principal{Workspace: id, Role: access.Admin, Name: admin}); err != nil {
			return err
		}
		signedIn, err = q.SignInLinkWasUsed(ctx)
		return err
	})
	return first, signedIn, err
}

// PrincipalEnsure implements access.Store.
func (s *Store) PrincipalEnsure(ctx context.Context, p access.Principal) (ensured access.Principal, err error) {
	err = s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
		ensured, err = ensurePrincipal(ctx, q, p)
		return err
	})
	return ensured, err
}

func ensurePrincipal(ctx context.Context, q *db.Queries, p access.Principal) (access.Principal, error) {
	if err := q.PrincipalInsert(ctx, p.Workspace, string(p.Role), p.Name); err != nil {
		return access.Principal{}, fmt.Errorf("make the principal: %w", err)
	}
	row, err := q.PrincipalByName(ctx, p.Workspace, p.Name)
	if err != nil {
		return access.Principal{}, fmt.Errorf("read the principal: %w", err)
	}
	return access.Principal{ID: row.ID, Workspace: row.WorkspaceID, Role: access.Role(row.Role), Name: row.Name}, nil
}

// TokenAdd implements access.Store.
func (s *Store) TokenAdd(ctx context.Context, p access.Principal, hash []byte) error {
	return s.inTx(ctx, rule.Operator, p.ID, func(q *db.Queries) error { return q.TokenInsert(ctx, hash, p.ID) })
}

// LinkAdd implements access.Store.
func (s *Store) LinkAdd(ctx context.Context, p access.Principal, hash []byte, lasts time.Duration) error {
	return s.inTx(ctx, rule.Operator, p.ID, func(q *db.Queries) error { return q.SignInLinkInsert(ctx, hash, p.ID, lasts) })
}

// LinkUse implements access.Store.
func (s *Store) LinkUse(ctx context.Context, link, session []byte, lasts time.Duration) (bool, error) {
	used := false
	err := s.inTx(ctx, rule.Operator, uuid.Nil, func(q *db.Queries) error {
		principal, err := q.SignInLinkUse(ctx, link)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		used = true
		if err := q.SessionsForget(ctx); err != nil {
			return err
		}
		return q.SessionInsert(ctx, session, principal, lasts)
	})
	return used && err == nil, err
}

// TokenPrincipal implements access.Store.
func (s *Store) TokenPrincipal(ctx context.Context, hash []byte) (access.Principal, bool, error) {
	row, err := s.queries().TokenPrincipal(ctx, hash)
	return principalOf(row, err)
}

// SessionPrincipal implements access.Store.
func (s *Store) SessionPrincipal(ctx context.Context, hash []byte) (access.Principal, bool, error) {
	row, err := s.queries().SessionPrincipal(ctx, hash)
	return principalOf(db.TokenPrincipalRow(row), err)
}

func principalOf(row db.TokenPrincipalRow, err error) (access.Principal, bool, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return access.Principal{}, false, nil
	}
	if err != nil {
		return access.Principal{}, false, err
	}
	return access.Principal{ID: row.ID, Workspace: row.WorkspaceID, Role: access.Role(row.Role), Name: row.Name}, true, nil
}

// SessionEnd implements access.Store.
func (s *Store) SessionEnd(ctx context.Context, hash []byte) error {
	return s.queries().SessionDelete(ctx, hash)
}

// WorkspaceGet reads the team of a principal.
func (s *Store) WorkspaceGet(ctx context.Context, id uuid.UUID) (access.Workspace, error) {
	row, err := s.queries().WorkspaceGet(ctx, id)
	if err != nil {
		return access.Workspace{}, notFound(err, "workspace", id)
	}
	return access.Workspace{ID: row.ID, Name: row.Name, CreatedAt: row.CreatedAt, IsSandbox: row.IsSandbox}, nil
}
