package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/config"
	"sendonce/server/pause"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

var _ pause.Store = transaction{}

// refusalOf is what a row that a pause took back waits for.
var refusalOf = map[pause.Kind]rule.Refusal{
	pause.Account: rule.AccountPaused, pause.Install: rule.InstallPaused,
	pause.Workspace: rule.WorkspacePaused, pause.Everything: rule.EverythingPaused,
}

// PauseSet implements pause.Store. Everything is paused by Store.PauseEverything, beside the server.
func (tx transaction) PauseSet(ctx context.Context, workspace uuid.UUID, scope pause.Scope, by uuid.UUID, note string) error {
	var found int64
	var err error
	switch scope.Of {
	case pause.Account:
		found, err = tx.q.PauseAccount(ctx, by, nullable(note), workspace, scope.ID)
	case pause.Install:
		found, err = tx.q.PauseInstall(ctx, by, nullable(note), workspace, scope.ID)
	case pause.Workspace:
		found, err = tx.q.PauseWorkspace(ctx, by, nullable(note), workspace)
	}
	return pausedOne(scope, found, err)
}

// PauseEnd implements pause.Store.
func (tx transaction) PauseEnd(ctx context.Context, workspace uuid.UUID, scope pause.Scope) error {
	var found int64
	var err error
	switch scope.Of {
	case pause.Account:
		found, err = tx.q.ResumeAccount(ctx, workspace, scope.ID)
	case pause.Install:
		found, err = tx.q.ResumeInstall(ctx, workspace, scope.ID)
	case pause.Workspace:
		found, err = tx.q.ResumeWorkspace(ctx, workspace)
	}
	return pausedOne(scope, found, err)
}

func pausedOne(scope pause.Scope, found int64, err error) error {
	if err != nil {
		return fmt.Errorf("pause or resume the %s: %w", scope.Of, err)
	}
	if found == 0 {
		return problem.New(problem.NotFound, "this workspace has no %s %s", scope.Of, scope.ID)
	}
	return nil
}

// PauseEverything holds back all sending of every workspace, and settles what was handed out.
func (s *Store) PauseEverything(ctx context.Context, note string) (pause.Settled, error) {
	err := s.inTx(ctx, rule.Operator, uuid.Nil, func(q *db.Queries) error { return q.PauseEverything(ctx, nullable(note)) })
	if err != nil {
		return pause.Settled{}, fmt.Errorf("pause everything: %w", err)
	}
	return s.PauseSettle(ctx, pause.Scope{Of: pause.Everything})
}

// ResumeEverything lets all of it go on, and tells the servers.
func (s *Store) ResumeEverything(ctx context.Context) error {
	err := s.inTx(ctx, rule.Operator, uuid.Nil, func(q *db.Queries) error { return q.ResumeEverything(ctx) })
	if err != nil {
		return fmt.Errorf("resume everything: %w", err)
	}
	return s.queries().Notify(ctx, []string{wakeChannel}, []string{"resumed"})
}

// PauseSettle is what follows a pause once it is committed. It waits for the starts that were decided before, which hold
// their accounts' slots: when it returns, whatever was to begin has begun and is counted, and nothing else will.
func (s *Store) PauseSettle(ctx context.Context, scope pause.Scope) (pause.Settled, error) {
	var held []db.PauseHeldRow
	account, workspace, install := scopeFilters(scope)
	err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
		slots, err := q.PauseSlots(ctx, account, workspace, install)
		if err != nil {
			return fmt.Errorf("wait for the starts under way: %w", err)
		}
		held, err = q.PauseHeld(ctx, slots, install)
		return err
	})
	if isCode(err, lockNotAvailable) || isCode(err, queryCanceled) {
		return pause.Settled{}, problem.New(problem.Busy, "it is paused; what had begun could not be counted in time: pause it again to see")
	}
	if err != nil {
		return pause.Settled{}, fmt.Errorf("settle a pause: %w", err)
	}
	return s.takeBack(ctx, held, refusalOf[scope.Of])
}

func scopeFilters(scope pause.Scope) (account, workspace, install *uuid.UUID) {
	switch scope.Of {
	case pause.Account:
		return &scope.ID, nil, nil
	case pause.Workspace:
		return nil, &scope.ID, nil
	case pause.Install:
		return nil, nil, &scope.ID
	}
	return nil, nil, nil
}

// takeBack puts each lease that was not started back, in a transaction of its own: one that was given back meanwhile is none
// of ours. It is no fault of a browser, so it is not counted as a release.
func (s *Store) takeBack(ctx context.Context, held []db.PauseHeldRow, why rule.Refusal) (pause.Settled, error) {
	var settled pause.Settled
	for _, row := range held {
		if rule.Status(row.Status) != rule.Leased {
			settled.Begun++
			continue
		}
		if !row.IsPaused {
			continue
		}
		err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
			_, err := q.SendSetQueued(ctx, db.SendSetQueuedParams{
				ID: row.ID, Lease: row.LeaseToken, WaitingFor: nullable(string(why)), ParkAfter: config.ReleasesBeforePark,
			})
			return err
		})
		if errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err != nil {
			return settled, fmt.Errorf("take a lease back: %w", err)
		}
		settled.TakenBack++
	}
	return settled, nil
}

// PausesOver reads the pauses that hold the whole workspace: its own, and that of everything. nil is none.
func (s *Store) PausesOver(ctx context.Context, workspace uuid.UUID) (own, everything *pause.Pause, err error) {
	row, err := s.queries().PausesOver(ctx, workspace)
	if err != nil {
		return nil, nil, fmt.Errorf("read the pauses: %w", err)
	}
	if row.PausedAt != nil {
		own = &pause.Pause{At: *row.PausedAt, By: row.PausedBy, Note: row.Note}
	}
	if row.EverythingPausedAt != nil {
		everything = &pause.Pause{At: *row.EverythingPausedAt, Note: row.EverythingNote}
	}
	return own, everything, nil
}
