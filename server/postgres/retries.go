package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/access"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/retries"
	"sendonce/server/send"
)

var (
	_ retries.Store = transaction{}
	_ retries.Runs  = (*Store)(nil)
)

// RunAdd implements retries.Store.
func (tx transaction) RunAdd(ctx context.Context, id uuid.UUID, who access.Principal, filter retries.Filter) error {
	err := tx.q.RetryRunAdd(ctx, db.RetryRunAddParams{
		ID: id, WorkspaceID: who.Workspace, CreatedBy: who.ID, AccountID: nullable(filter.Account), Code: nullable(filter.Code),
	})
	if err != nil {
		return fmt.Errorf("keep the preview: %w", err)
	}
	return nil
}

// FailedSends implements retries.Store.
func (tx transaction) FailedSends(ctx context.Context, workspace uuid.UUID, filter retries.Filter, after uuid.UUID, most int) ([]uuid.UUID, error) {
	ids, err := tx.q.RetryCandidates(ctx, db.RetryCandidatesParams{
		WorkspaceID: workspace, After: after, AccountID: nullable(filter.Account), Code: nullable(filter.Code), Most: int32(most),
	})
	if err != nil {
		return nil, fmt.Errorf("list failed sends: %w", err)
	}
	return ids, nil
}

// RetryFactsOf implements retries.Store.
func (tx transaction) RetryFactsOf(ctx context.Context, ids []uuid.UUID) ([]send.RetryFacts, error) {
	reads := make([]factsRead, len(ids))
	more := make([][]db.SendRetryFactsRow, len(ids))
	rivals := make([][]db.IntentRivalOfSendRow, len(ids))
	err := trip(ctx, tx.conn, func(b *pgx.Batch) {
		for i, id := range ids {
			reads[i].queueReads(b, id, send.Session{})
			queueRows(b, "read the facts of a retry", &more[i], pgx.RowToStructByPos[db.SendRetryFactsRow], db.SendRetryFacts, id)
			queueRows(b, "read what else is meant for the person", &rivals[i], pgx.RowToStructByPos[db.IntentRivalOfSendRow], db.IntentRivalOfSend, id)
		}
	})
	if err != nil {
		return nil, err
	}
	facts := make([]send.RetryFacts, len(ids))
	for i := range ids {
		one, err := reads[i].read()
		if err != nil {
			return nil, err
		}
		facts[i] = retryFactsOf(one, more[i][0], rivals[i])
	}
	return facts, nil
}

// ItemsAdd implements retries.Store.
func (tx transaction) ItemsAdd(ctx context.Context, run uuid.UUID, items []retries.Item) error {
	sends, verdicts := make([]uuid.UUID, len(items)), make([]string, len(items))
	for i, item := range items {
		sends[i], verdicts[i] = item.Send, string(item.Verdict)
	}
	if err := tx.q.RetryItemsAdd(ctx, run, sends, verdicts); err != nil {
		return fmt.Errorf("keep the preview's verdicts: %w", err)
	}
	return nil
}

// RunGet implements retries.Store.
func (tx transaction) RunGet(ctx context.Context, workspace, id uuid.UUID) (retries.Run, error) {
	row, err := tx.q.RetryRunGet(ctx, workspace, id)
	if err != nil {
		return retries.Run{}, notFound(err, "retry", id)
	}
	return tx.runOf(ctx, row)
}

// RunLock implements retries.Store.
func (tx transaction) RunLock(ctx context.Context, workspace, id uuid.UUID) (retries.Run, error) {
	row, err := tx.q.RetryRunLock(ctx, workspace, id)
	if err != nil {
		return retries.Run{}, notFound(err, "retry", id)
	}
	return tx.runOf(ctx, row)
}

func (tx transaction) runOf(ctx context.Context, row db.RetryRun) (retries.Run, error) {
	counts, err := tx.q.RetryItemsCount(ctx, row.ID)
	if err != nil {
		return retries.Run{}, fmt.Errorf("count what a retry came to: %w", err)
	}
	run := retries.Run{
		ID: row.ID, Filter: retries.Filter{Account: orZero(row.AccountID), Code: orZero(row.Code)}, CreatedAt: row.CreatedAt,
		BegunAt: row.BegunAt, EndedAt: row.EndedAt, Refused: map[problem.Code]int{}, Moved: map[problem.Code]int{},
	}
	for _, count := range counts {
		number := int(count.Number)
		if count.Verdict != "" {
			run.Refused[problem.Code(count.Verdict)] += number
			continue
		}
		run.Allowed += number
		switch outcome := orZero(count.Outcome); {
		case outcome != "":
			run.Moved[problem.Code(outcome)] += number
		case count.Outcome != nil:
			run.Made += number
		}
	}
	return run, nil
}

// RunBegin implements retries.Store.
func (tx transaction) RunBegin(ctx context.Context, id uuid.UUID) error {
	return tx.q.RetryRunBegin(ctx, id)
}

// Items implements retries.Store.
func (tx transaction) Items(ctx context.Context, run, after uuid.UUID, most int) ([]retries.Item, error) {
	rows, err := tx.q.RetryItemsPage(ctx, run, after, int32(most))
	if err != nil {
		return nil, fmt.Errorf("list the items of a retry: %w", err)
	}
	items := make([]retries.Item, len(rows))
	for i, row := range rows {
		items[i] = retries.Item{Send: row.SendID, Verdict: problem.Code(row.Verdict), Next: row.NextID}
		if row.Outcome != nil {
			outcome := problem.Code(*row.Outcome)
			items[i].Outcome = &outcome
		}
	}
	return items, nil
}

// ItemTake implements retries.Store.
func (tx transaction) ItemTake(ctx context.Context, run, id uuid.UUID) (bool, error) {
	_, err := tx.q.RetryItemTake(ctx, run, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("take an item of a retry: %w", err)
	}
	return true, nil
}

// ItemDone implements retries.Store.
func (tx transaction) ItemDone(ctx context.Context, run, id uuid.UUID, why problem.Code, next *uuid.UUID) error {
	if err := tx.q.RetryItemDone(ctx, string(why), next, run, id); err != nil {
		return fmt.Errorf("write what a retry came to: %w", err)
	}
	return nil
}

// RetryRun reads a run outside a command.
func (s *Store) RetryRun(ctx context.Context, workspace, id uuid.UUID) (run retries.Run, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		run, err = tx.RunGet(ctx, workspace, id)
		return err
	})
	return run, err
}

// RetryItems lists the items of a run of the workspace that follow after.
func (s *Store) RetryItems(ctx context.Context, workspace, id, after uuid.UUID, most int) (items []retries.Item, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		if _, err := tx.q.RetryRunGet(ctx, workspace, id); err != nil {
			return notFound(err, "retry", id)
		}
		items, err = tx.Items(ctx, id, after, most)
		return err
	})
	return items, err
}

// OpenRuns implements retries.Runs.
func (s *Store) OpenRuns(ctx context.Context) ([]retries.Open, error) {
	rows, err := s.queries().RetryRunsOpen(ctx)
	if err != nil {
		return nil, fmt.Errorf("list retries under way: %w", err)
	}
	open := make([]retries.Open, len(rows))
	for i, row := range rows {
		by := access.Principal{ID: row.PrincipalID, Workspace: row.WorkspaceID, Role: access.Role(row.Role), Name: row.Name}
		open[i] = retries.Open{ID: row.ID, By: by}
	}
	return open, nil
}

// WaitingItems implements retries.Runs.
func (s *Store) WaitingItems(ctx context.Context, run uuid.UUID, most int) ([]uuid.UUID, error) {
	ids, err := s.queries().RetryItemsWaiting(ctx, run, int32(most))
	if err != nil {
		return nil, fmt.Errorf("list what a retry is not through with: %w", err)
	}
	return ids, nil
}

// EndRun implements retries.Runs.
func (s *Store) EndRun(ctx context.Context, run uuid.UUID) error {
	if err := s.queries().RetryRunEnd(ctx, run); err != nil {
		return fmt.Errorf("end a retry: %w", err)
	}
	return nil
}
