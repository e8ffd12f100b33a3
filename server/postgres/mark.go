package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/auth"
	"sendonce/server/people"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
)

// errNoVault: whoever opened the store cannot tell whether an address is of somebody who was removed, and so names nobody.
var errNoVault = errors.New("people were removed here, and this program has not the keys to know their addresses again")

// SealMarks gives the store what opens the keys of the marks of removed people, and seals those anew that an older key sealed: that one
// may be taken out of the data folder afterwards. It is called before the store names anybody.
func (s *Store) SealMarks(ctx context.Context, vault auth.Vault) error {
	s.marks.Store(&vault)
	rows, err := s.queries().MarkKeysOfOthers(ctx, vault.Newest())
	if err != nil {
		return fmt.Errorf("list the keys of marks: %w", err)
	}
	for _, row := range rows {
		key, err := vault.Open(row.WorkspaceID, row.KeyID, row.Sealed)
		if err != nil {
			return fmt.Errorf("the marks of removed people cannot be read, so that they would be written to again; put the key back: %w", err)
		}
		keyID, sealed, err := vault.Seal(row.WorkspaceID, key)
		if err != nil {
			return fmt.Errorf("seal the key of marks: %w", err)
		}
		err = s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
			return q.MarkKeySeal(ctx, keyID, sealed, row.WorkspaceID, row.KeyID)
		})
		if err != nil {
			return fmt.Errorf("seal the key of marks: %w", err)
		}
	}
	return nil
}

// markKey is the key of a workspace's marks; nil while nobody was removed from it.
func markKey(ctx context.Context, q *db.Queries, vault *auth.Vault, workspace uuid.UUID) ([]byte, error) {
	row, err := q.MarkKeyGet(ctx, workspace)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of marks: %w", err)
	}
	if vault == nil {
		return nil, errNoVault
	}
	key, err := vault.Open(workspace, row.KeyID, row.Sealed)
	if err != nil {
		return nil, fmt.Errorf("open the key of marks: %w", err)
	}
	return key, nil
}

// isRemoved reports whether one of these is an address of somebody who was removed from the workspace.
func isRemoved(ctx context.Context, q *db.Queries, vault *auth.Vault, workspace uuid.UUID, identities []people.Identity) (bool, error) {
	key, err := markKey(ctx, q, vault, workspace)
	if err != nil || key == nil {
		return false, err
	}
	found, err := q.MarksAny(ctx, workspace, marksOf(key, identities))
	if err != nil {
		return false, fmt.Errorf("look for marks: %w", err)
	}
	return found, nil
}

func marksOf(key []byte, identities []people.Identity) [][]byte {
	marks := make([][]byte, len(identities))
	for i, identity := range identities {
		marks[i] = auth.Mark(key, string(identity.Kind), identity.Value)
	}
	return marks
}

// ensureMarkKey is markKey for a workspace from which somebody is being removed.
func (tx transaction) ensureMarkKey(ctx context.Context, workspace uuid.UUID) ([]byte, error) {
	if tx.marks == nil {
		return nil, errNoVault
	}
	keyID, sealed, err := tx.marks.Seal(workspace, auth.NewMarkKey())
	if err != nil {
		return nil, fmt.Errorf("seal a key of marks: %w", err)
	}
	if err := tx.q.MarkKeyAdd(ctx, workspace, keyID, sealed); err != nil {
		return nil, fmt.Errorf("keep a key of marks: %w", err)
	}
	return markKey(ctx, tx.q, tx.marks, workspace)
}
