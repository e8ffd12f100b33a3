package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/config"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/send"
)

var (
	_ send.CheckStore      = (*Store)(nil)
	_ send.CheckAgainStore = transaction{}
)

// CheckNext implements send.CheckStore. It locks the check alone: whoever settles the send meanwhile waits for it, and the
// look is then one too many, which harms nobody.
func (s *Store) CheckNext(ctx context.Context, ask send.CheckAsk, pause func(tries int) time.Duration) (work *send.CheckWork, err error) {
	err = s.inTx(ctx, rule.Observer, uuid.Nil, func(q *db.Queries) error {
		due, err := q.CheckNextDue(ctx, ask.Account)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("find the next due check: %w", err)
		}
		row, err := q.CheckWork(ctx, config.HeldIDsPerLeaseMax, ask.Session.ID, ask.Session.Install, due.SendID)
		if err != nil {
			return fmt.Errorf("read the work of a check: %w", err)
		}
		if !row.MayLook {
			return nil
		}
		tried, err := attemptsOf(ctx, q, due.SendID)
		if err != nil {
			return err
		}
		if err := q.CheckTaken(ctx, pause(int(due.Tries)), due.SendID); err != nil {
			return fmt.Errorf("plan the check after this one: %w", err)
		}
		work = &send.CheckWork{
			Send: due.SendID, Workspace: row.WorkspaceID, AskedAt: row.NowAt, MemberURN: orZero(row.MemberUrn),
			Person:       send.Recipient{ID: row.PersonID, Name: row.PersonName, Slug: row.Slug, URN: row.Urn},
			Conversation: row.Conversation, HeldIDs: row.HeldIds, Tried: tried,
		}
		return nil
	})
	return work, err
}

// Attempts implements send.CheckStore.
func (s *Store) Attempts(ctx context.Context, id uuid.UUID) ([]send.Tried, error) {
	return attemptsOf(ctx, s.queries(), id)
}

func attemptsOf(ctx context.Context, q *db.Queries, id uuid.UUID) ([]send.Tried, error) {
	rows, err := q.CheckAttempts(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list the attempts of a message: %w", err)
	}
	tried := make([]send.Tried, len(rows))
	for i, row := range rows {
		tried[i] = send.Tried{
			Send: row.ID, Version: int(row.Version), Body: row.Body, StartedAt: orZero(row.StartedAt), ApprovedAt: row.ApprovedAt,
		}
	}
	return tried, nil
}

// Rivals implements send.CheckStore.
func (s *Store) Rivals(ctx context.Context, id uuid.UUID) ([]send.Rival, error) {
	rows, err := s.queries().CheckRivals(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list what else may have left a copy: %w", err)
	}
	rivals := make([]send.Rival, len(rows))
	for i, row := range rows {
		rivals[i] = send.Rival{Version: int(row.Version), StartedAt: orZero(row.StartedAt), Until: row.UntilAt}
	}
	return rivals, nil
}

// CheckRecord implements send.CheckStore.
func (s *Store) CheckRecord(ctx context.Context, write send.CheckWrite) error {
	body, err := keepable(write.Raw)
	if err != nil {
		return fmt.Errorf("read the evidence: %w", err)
	}
	said := sha256.Sum256(fmt.Appendf(nil, "%s\n%s", send.EvidenceCheck, write.Check))
	return s.inTx(ctx, rule.Observer, uuid.Nil, func(q *db.Queries) error {
		row, err := q.SendRow(ctx, write.Send)
		if err != nil {
			return noSend(err, "read the send")
		}
		_, err = q.EvidenceAdd(ctx, db.EvidenceAddParams{
			WorkspaceID: row.WorkspaceID, SendID: write.Send, Kind: send.EvidenceCheck, InstallID: &write.Install,
			Outcome: string(write.Result), Body: body, SaidHash: said[:], AskedAt: nullableTime(write.AskedAt),
		})
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("record the check: %w", err)
		}
		if !write.HasLooked {
			return nil
		}
		if err := q.CheckAnswered(ctx, write.Send); err != nil {
			return fmt.Errorf("note that the check was answered: %w", err)
		}
		return nil
	})
}

// CheckAgain implements send.CheckAgainStore.
func (tx transaction) CheckAgain(ctx context.Context, workspace, id uuid.UUID) (message, account uuid.UUID, err error) {
	if message, err = tx.q.SendMessage(ctx, workspace, id); err != nil {
		return uuid.Nil, uuid.Nil, notFound(err, "send", id)
	}
	account, err = tx.q.CheckAgain(ctx, id, workspace)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, uuid.Nil, problem.New(problem.NotUnconfirmed, "nothing about it is unknown; only an unconfirmed send is looked at again")
	}
	if err != nil {
		return uuid.Nil, uuid.Nil, fmt.Errorf("have the send looked at again: %w", err)
	}
	return message, account, nil
}
