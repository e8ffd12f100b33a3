package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/account"
	"sendonce/server/postgres/db"
)

func accountOf(row db.AccountGetRow) account.Account {
	return account.Account{
		ID: row.ID, Channel: row.Channel, Handle: row.Handle, MemberURN: row.MemberUrn, MemberName: row.MemberName,
		StoppedAt: row.StoppedAt, StoppedCode: row.StoppedCode, CoolUntil: row.CoolUntil, PausedAt: row.PausedAt,
		PausedBy: row.PausedBy, PauseNote: row.PauseNote, CreatedAt: row.CreatedAt,
	}
}

// AccountInsert implements account.Store.
func (tx transaction) AccountInsert(ctx context.Context, n account.New) (account.Account, bool, error) {
	id, err := tx.q.AccountInsert(ctx, db.AccountInsertParams{
		WorkspaceID: n.Workspace, Channel: n.Channel, Handle: n.Handle, MemberUrn: n.MemberURN, CreatedBy: n.CreatedBy,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		there, err := tx.q.AccountByHandle(ctx, n.Workspace, n.Channel, n.Handle, n.MemberURN)
		if err != nil {
			return account.Account{}, false, fmt.Errorf("read the account that is there: %w", err)
		}
		a, err := tx.AccountGet(ctx, n.Workspace, there)
		return a, false, err
	}
	if err != nil {
		return account.Account{}, false, fmt.Errorf("make the account: %w", err)
	}
	if err := tx.q.AccountGrantTo(ctx, id, n.CreatedBy); err != nil {
		return account.Account{}, false, fmt.Errorf("grant the account: %w", err)
	}
	a, err := tx.AccountGet(ctx, n.Workspace, id)
	return a, true, err
}

// AccountClear implements account.Store.
func (tx transaction) AccountClear(ctx context.Context, workspace, id uuid.UUID) (account.Account, error) {
	if _, err := tx.q.AccountClear(ctx, workspace, id); err != nil {
		return account.Account{}, fmt.Errorf("clear the account: %w", err)
	}
	return tx.AccountGet(ctx, workspace, id)
}

// AccountGet implements account.Store.
func (tx transaction) AccountGet(ctx context.Context, workspace, id uuid.UUID) (account.Account, error) {
	row, err := tx.q.AccountGet(ctx, workspace, id)
	if err != nil {
		return account.Account{}, notFound(err, "account", id)
	}
	return accountOf(row), nil
}

// AccountGet reads an account outside a command.
func (s *Store) AccountGet(ctx context.Context, workspace, id uuid.UUID) (account.Account, error) {
	return transaction{q: s.queries(), conn: s.pool}.AccountGet(ctx, workspace, id)
}

// AccountList returns up to most accounts whose ids follow after; uuid.Nil is from the first on.
func (s *Store) AccountList(ctx context.Context, workspace, after uuid.UUID, most int) ([]account.Account, error) {
	rows, err := s.queries().AccountList(ctx, workspace, nullable(after), int32(most))
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	accounts := make([]account.Account, len(rows))
	for i, row := range rows {
		accounts[i] = accountOf(db.AccountGetRow(row))
	}
	return accounts, nil
}
