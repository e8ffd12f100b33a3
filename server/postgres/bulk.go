package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/access"
	"sendonce/server/bulk"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
)

var (
	_ bulk.Store = transaction{}
	_ bulk.Runs  = (*Store)(nil)
)

// RunAdd implements bulk.Store.
func (tx transaction) RunAdd(ctx context.Context, id uuid.UUID, who access.Principal, kind bulk.Kind, filter bulk.Filter) error {
	err := tx.q.BulkRunAdd(ctx, db.BulkRunAddParams{
		ID: id, WorkspaceID: who.Workspace, Kind: string(kind), CreatedBy: who.ID, AccountID: nullable(filter.Account),
		Code: nullable(filter.Code), Purpose: nullable(filter.Purpose), SequenceID: nullable(filter.Sequence), StepID: nullable(filter.Step),
		Enrolments: filter.Enrolments,
	})
	if err != nil {
		return fmt.Errorf("keep the preview: %w", err)
	}
	return nil
}

// ItemsAdd implements bulk.Store.
func (tx transaction) ItemsAdd(ctx context.Context, run uuid.UUID, kind bulk.Kind, items []bulk.Item) error {
	ids, verdicts := make([]uuid.UUID, len(items)), make([]string, len(items))
	versions, digests := make([]int32, len(items)), make([]string, len(items))
	for i, item := range items {
		ids[i], verdicts[i], versions[i], digests[i] = item.ID, string(item.Verdict), int32(item.Version), item.Digest
	}
	var err error
	if kind == bulk.Approval {
		err = tx.q.BulkMessagesAdd(ctx, db.BulkMessagesAddParams{RunID: run, Messages: ids, Versions: versions, Digests: digests, Verdicts: verdicts})
	} else {
		err = tx.q.BulkSendsAdd(ctx, run, ids, verdicts)
	}
	if err != nil {
		return fmt.Errorf("keep the preview's verdicts: %w", err)
	}
	return nil
}

// RunGet implements bulk.Store.
func (tx transaction) RunGet(ctx context.Context, workspace uuid.UUID, kind bulk.Kind, id uuid.UUID) (bulk.Run, error) {
	row, err := tx.q.BulkRunGet(ctx, workspace, string(kind), id)
	if err != nil {
		return bulk.Run{}, notFound(err, string(kind), id)
	}
	return tx.runOf(ctx, row)
}

// RunLock implements bulk.Store.
func (tx transaction) RunLock(ctx context.Context, workspace uuid.UUID, kind bulk.Kind, id uuid.UUID) (bulk.Run, error) {
	if err := tx.q.BulkRunLock(ctx, workspace, string(kind), id); err != nil {
		return bulk.Run{}, fmt.Errorf("lock the run: %w", err)
	}
	return tx.RunGet(ctx, workspace, kind, id)
}

func (tx transaction) runOf(ctx context.Context, row db.BulkRunGetRow) (bulk.Run, error) {
	counts, err := tx.q.BulkItemsCount(ctx, row.ID)
	if err != nil {
		return bulk.Run{}, fmt.Errorf("count what a run came to: %w", err)
	}
	run := bulk.Run{
		ID: row.ID, Kind: bulk.Kind(row.Kind), CreatedAt: row.CreatedAt, BegunAt: row.BegunAt, EndedAt: row.EndedAt,
		Filter: bulk.Filter{
			Account: orZero(row.AccountID), Code: orZero(row.Code), Purpose: orZero(row.Purpose), Sequence: orZero(row.SequenceID), Step: orZero(row.StepID),
			Enrolments: row.Enrolments,
		},
		Refused: map[problem.Code]int{}, Moved: map[problem.Code]int{},
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

// RunBegin implements bulk.Store.
func (tx transaction) RunBegin(ctx context.Context, id, by uuid.UUID) error {
	return tx.q.BulkRunBegin(ctx, &by, id)
}

// Items implements bulk.Store.
func (tx transaction) Items(ctx context.Context, run, after uuid.UUID, most int) ([]bulk.Item, error) {
	rows, err := tx.q.BulkItemsPage(ctx, run, after, int32(most))
	if err != nil {
		return nil, fmt.Errorf("list the items of a run: %w", err)
	}
	items := make([]bulk.Item, len(rows))
	for i, row := range rows {
		items[i] = itemOf(row)
	}
	return items, nil
}

func itemOf(row db.BulkItemsPageRow) bulk.Item {
	item := bulk.Item{
		ID: row.SubjectID, Version: int(orZero(row.Version)), Digest: orZero(row.Digest), Verdict: problem.Code(row.Verdict), Next: row.NextID,
		Content: message.Content{Subject: row.Subject, Body: row.Body},
	}
	if row.Outcome != nil {
		outcome := problem.Code(*row.Outcome)
		item.Outcome = &outcome
	}
	return item
}

// ItemTake implements bulk.Store.
func (tx transaction) ItemTake(ctx context.Context, run, id uuid.UUID) (bulk.Item, bool, error) {
	row, err := tx.q.BulkItemTake(ctx, run, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return bulk.Item{}, false, nil
	}
	if err != nil {
		return bulk.Item{}, false, fmt.Errorf("take an item of a run: %w", err)
	}
	return bulk.Item{ID: row.SubjectID, Version: int(orZero(row.Version)), Digest: orZero(row.Digest)}, true, nil
}

// ItemDone implements bulk.Store.
func (tx transaction) ItemDone(ctx context.Context, run, id uuid.UUID, why problem.Code, next *uuid.UUID) error {
	if err := tx.q.BulkItemDone(ctx, string(why), next, run, id); err != nil {
		return fmt.Errorf("write what an item of a run came to: %w", err)
	}
	return nil
}

// BulkRun reads a run outside a command.
func (s *Store) BulkRun(ctx context.Context, workspace uuid.UUID, kind bulk.Kind, id uuid.UUID) (run bulk.Run, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		run, err = tx.RunGet(ctx, workspace, kind, id)
		return err
	})
	return run, err
}

// BulkItems lists the items of a run of the workspace that follow after.
func (s *Store) BulkItems(ctx context.Context, workspace uuid.UUID, kind bulk.Kind, id, after uuid.UUID, most int) (items []bulk.Item, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		if _, err := tx.q.BulkRunGet(ctx, workspace, string(kind), id); err != nil {
			return notFound(err, string(kind), id)
		}
		items, err = tx.Items(ctx, id, after, most)
		return err
	})
	return items, err
}

// BulkShown lists the messages of an approval of the workspace that follow after: those that its preview allowed, or those that it
// left out.
func (s *Store) BulkShown(ctx context.Context, workspace, id uuid.UUID, allowed bool, after uuid.UUID, most int) (shown []bulk.Shown, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		if _, err := tx.q.BulkRunGet(ctx, workspace, string(bulk.Approval), id); err != nil {
			return notFound(err, string(bulk.Approval), id)
		}
		rows, err := tx.q.BulkMessagesShown(ctx, id, allowed, after, int32(most))
		if err != nil {
			return fmt.Errorf("list the texts of a run: %w", err)
		}
		shown, err = tx.shown(ctx, workspace, rows)
		return err
	})
	return shown, err
}

func (tx transaction) shown(ctx context.Context, workspace uuid.UUID, rows []db.BulkMessagesShownRow) ([]bulk.Shown, error) {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.SubjectID
	}
	list, err := tx.receipts(ctx, workspace, ids, config.ListedRowsMax, false)
	if err != nil {
		return nil, err
	}
	of := make(map[uuid.UUID]message.Message, len(list))
	for _, m := range list {
		of[m.ID] = m
	}
	out := make([]bulk.Shown, len(rows))
	for i, row := range rows {
		item := itemOf(db.BulkItemsPageRow{
			SubjectID: row.SubjectID, Version: row.Version, Digest: row.Digest, Verdict: row.Verdict, Outcome: row.Outcome, NextID: row.NextID,
		})
		m := of[row.SubjectID]
		m.Version, m.Digest = item.Version, item.Digest
		m.Content = message.Content{Subject: row.Subject, Body: row.Body, SendAfter: row.SendAfter, SendBefore: row.SendBefore, ExpiredAt: row.ExpiredAt}
		out[i] = bulk.Shown{Item: item, Message: m}
	}
	return out, nil
}

// OpenRuns implements bulk.Runs.
func (s *Store) OpenRuns(ctx context.Context) ([]bulk.Open, error) {
	rows, err := s.queries().BulkRunsOpen(ctx)
	if err != nil {
		return nil, fmt.Errorf("list runs under way: %w", err)
	}
	open := make([]bulk.Open, len(rows))
	for i, row := range rows {
		by := access.Principal{ID: row.PrincipalID, Workspace: row.WorkspaceID, Role: access.Role(row.Role), Name: row.Name}
		open[i] = bulk.Open{ID: row.ID, Kind: bulk.Kind(row.Kind), By: by}
	}
	return open, nil
}

// WaitingItems implements bulk.Runs.
func (s *Store) WaitingItems(ctx context.Context, run uuid.UUID, most int) ([]uuid.UUID, error) {
	ids, err := s.queries().BulkItemsWaiting(ctx, run, int32(most))
	if err != nil {
		return nil, fmt.Errorf("list what a run is not through with: %w", err)
	}
	return ids, nil
}

// EndRun implements bulk.Runs.
func (s *Store) EndRun(ctx context.Context, run uuid.UUID) error {
	if err := s.queries().BulkRunEnd(ctx, run); err != nil {
		return fmt.Errorf("end a run: %w", err)
	}
	return nil
}
