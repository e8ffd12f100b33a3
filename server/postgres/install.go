package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/config"
	"sendonce/server/incident"
	"sendonce/server/install"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

var _ install.Store = (*Store)(nil)

// AddPairingCode implements install.PairingStore. It clears away the codes that expired.
func (s *Store) AddPairingCode(ctx context.Context, hash []byte, workspace, principal uuid.UUID, lasts time.Duration) (time.Time, error) {
	var expires time.Time
	err := s.inTx(ctx, rule.Operator, principal, func(q *db.Queries) (err error) {
		expires, err = addPairingCode(ctx, q, hash, workspace, principal, lasts)
		return err
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("add a pairing code: %w", err)
	}
	return expires, nil
}

func addPairingCode(ctx context.Context, q *db.Queries, hash []byte, workspace, principal uuid.UUID, lasts time.Duration) (time.Time, error) {
	if err := q.PairingCodesForget(ctx); err != nil {
		return time.Time{}, err
	}
	return q.PairingCodeAdd(ctx, hash, workspace, principal, lasts)
}

// UsePairingCode implements install.PairingStore.
func (s *Store) UsePairingCode(ctx context.Context, hash []byte, add install.Enrolment) (bool, error) {
	found := true
	err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
		code, err := q.PairingCodeUse(ctx, hash)
		if errors.Is(err, pgx.ErrNoRows) {
			found = false
			return nil
		}
		if err != nil {
			return err
		}
		return q.InstallAdd(ctx, db.InstallAddParams{
			ID: add.Install, WorkspaceID: code.WorkspaceID, PrincipalID: code.PrincipalID, SecretHash: add.SecretHash,
			ExtensionVersion: add.ExtensionVersion,
		})
	})
	if isCode(err, refusedByPurpose) {
		return false, problem.Field("extension_version", "browsers that are made up and real ones are never paired with the same server")
	}
	if err != nil {
		return false, fmt.Errorf("use a pairing code: %w", err)
	}
	return found, nil
}

// RotateSecret implements install.PairingStore.
func (s *Store) RotateSecret(ctx context.Context, id uuid.UUID, next []byte, decide func(install.Secrets) install.Verdict) (uuid.UUID, install.Verdict, error) {
	var workspace uuid.UUID
	var verdict install.Verdict
	err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
		row, err := q.InstallLock(ctx, id)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		workspace = row.WorkspaceID
		verdict = decide(install.Secrets{
			Found: err == nil, Revoked: row.RevokedAt != nil, Current: row.SecretHash, Former: row.FormerSecretHash,
		})
		switch verdict {
		case install.Rotate:
			return q.InstallRotate(ctx, next, id)
		case install.RepeatRotation:
			return q.InstallRotateAgain(ctx, next, id)
		case install.Reused:
			return revokeReused(ctx, q, id, workspace)
		default:
			return nil
		}
	})
	if err != nil {
		return uuid.Nil, install.Unknown, fmt.Errorf("rotate a refresh secret: %w", err)
	}
	return workspace, verdict, nil
}

func revokeReused(ctx context.Context, q *db.Queries, id, workspace uuid.UUID) error {
	if _, err := q.InstallRevoke(ctx, install.RevokedSecretReused, id, workspace); err != nil {
		return err
	}
	return q.IncidentOpen(ctx, db.IncidentOpenParams{
		WorkspaceID: workspace, Kind: string(incident.SecretReused), SubjectID: id, InstallID: &id,
	})
}

// Arrive implements install.HelloStore.
func (s *Store) Arrive(ctx context.Context, arrival install.Arrival, pins func([]install.Account) []install.Pin) (install.Greeting, error) {
	var greeting install.Greeting
	err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
		row, err := q.InstallLock(ctx, arrival.Install)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		greeting = install.Greeting{Found: true, Revoked: row.RevokedAt != nil, Workspace: row.WorkspaceID}
		if greeting.Revoked {
			return nil
		}
		// First, so that who says that it remembers more has reported it since.
		now, err := holdFireFor(ctx, q, arrival.Install, arrival.Mark)
		if err != nil {
			return err
		}
		greeting.Epoch, greeting.Turn = now.Epoch, now.Turn
		if err := q.InstallArrive(ctx, db.InstallArriveParams{
			ID: arrival.Install, SessionID: arrival.Session, ExtensionVersion: arrival.ExtensionVersion,
			Epoch: arrival.Mark.Epoch, Event: arrival.Mark.Event,
		}); err != nil {
			return err
		}
		greeting.Accounts, err = grantedAndPinned(ctx, q, row.PrincipalID, arrival.KnownBy, pins)
		return err
	})
	if err != nil {
		return install.Greeting{}, fmt.Errorf("begin a session: %w", err)
	}
	return greeting, nil
}

func grantedAndPinned(ctx context.Context, q *db.Queries, principal uuid.UUID, knownBy []string, pins func([]install.Account) []install.Pin) ([]install.Account, error) {
	accounts, err := granted(ctx, q, principal, knownBy)
	if err != nil {
		return nil, err
	}
	wanted := pins(accounts)
	for _, pin := range wanted {
		if _, err := q.AccountPin(ctx, pin.URN, pin.Name, pin.Account); err != nil {
			return nil, err
		}
	}
	if len(wanted) == 0 {
		return accounts, nil
	}
	// Read again: another install may have pinned first, and its pin is the one that counts.
	return granted(ctx, q, principal, knownBy)
}

func granted(ctx context.Context, q *db.Queries, principal uuid.UUID, knownBy []string) ([]install.Account, error) {
	rows, err := q.AccountsGranted(ctx, principal, knownBy, config.ReadyAccountsMax)
	if err != nil {
		return nil, err
	}
	accounts := make([]install.Account, len(rows))
	for i, row := range rows {
		accounts[i] = install.Account{ID: row.ID, Handle: row.Handle, MemberURN: row.MemberUrn, Stopped: row.Stopped}
	}
	return accounts, nil
}

// ListInstalls implements install.Store.
func (s *Store) ListInstalls(ctx context.Context, workspace, after uuid.UUID, limit int) ([]install.Info, error) {
	return s.installs(ctx, workspace, after, nil, limit)
}

// InstallGet implements install.Store.
func (s *Store) InstallGet(ctx context.Context, workspace, id uuid.UUID) (install.Info, error) {
	found, err := s.installs(ctx, workspace, uuid.Nil, &id, 1)
	if err != nil {
		return install.Info{}, err
	}
	if len(found) == 0 {
		return install.Info{}, notFound(pgx.ErrNoRows, "install", id)
	}
	return found[0], nil
}

func (s *Store) installs(ctx context.Context, workspace, after uuid.UUID, one *uuid.UUID, limit int) ([]install.Info, error) {
	rows, err := s.queries().InstallsOfWorkspace(ctx, workspace, after, one, int32(limit))
	if err != nil {
		return nil, fmt.Errorf("read the installs: %w", err)
	}
	infos := make([]install.Info, len(rows))
	for i, row := range rows {
		infos[i] = install.Info{
			ID: row.ID, Principal: row.PrincipalID, PrincipalName: row.PrincipalName, ExtensionVersion: row.ExtensionVersion,
			CreatedAt: row.CreatedAt, LastSeenAt: orZero(row.LastSeenAt), RevokedAt: orZero(row.RevokedAt),
			RevokedCode: row.RevokedCode, PausedAt: orZero(row.PausedAt), PausedBy: row.PausedBy, PauseNote: row.PauseNote,
		}
	}
	return infos, nil
}

// InstallRevoke implements install.CommandStore.
func (tx transaction) InstallRevoke(ctx context.Context, workspace, id uuid.UUID, code string) (bool, error) {
	found, err := tx.q.InstallRevoke(ctx, code, id, workspace)
	if err != nil {
		return false, fmt.Errorf("revoke an install: %w", err)
	}
	return found > 0, nil
}

// PairingCodeAdd implements install.CommandStore.
func (tx transaction) PairingCodeAdd(ctx context.Context, hash []byte, workspace, principal uuid.UUID, lasts time.Duration) (time.Time, error) {
	expires, err := addPairingCode(ctx, tx.q, hash, workspace, principal, lasts)
	if err != nil {
		return time.Time{}, fmt.Errorf("add a pairing code: %w", err)
	}
	return expires, nil
}

// Standings implements install.Store.
func (s *Store) Standings(ctx context.Context, installs []uuid.UUID) (map[uuid.UUID]install.Standing, error) {
	rows, err := s.queries().InstallStandings(ctx, installs)
	if err != nil {
		return nil, fmt.Errorf("read what became of installs: %w", err)
	}
	standings := make(map[uuid.UUID]install.Standing, len(rows))
	for _, row := range rows {
		standing := install.Standing{Revoked: row.Revoked, Paused: row.Paused, Turn: row.Turn}
		if row.SessionID != nil {
			standing.Session = *row.SessionID
		}
		standings[row.ID] = standing
	}
	return standings, nil
}

// SeenInstalls implements install.Store.
func (s *Store) SeenInstalls(ctx context.Context, installs []uuid.UUID) error {
	if err := s.queries().InstallsSeen(ctx, installs); err != nil {
		return fmt.Errorf("note that installs are connected: %w", err)
	}
	return nil
}
