package bulk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/rounds"
)

// Runs says which runs are under way. *postgres.Store implements it.
type Runs interface {
	OpenRuns(ctx context.Context) ([]Open, error)
	// WaitingItems lists rows that the run is not through with.
	WaitingItems(ctx context.Context, run uuid.UUID, most int) ([]uuid.UUID, error)
	// EndRun ends a run that is through with every item.
	EndRun(ctx context.Context, run uuid.UUID) error
}

// DoOne runs One in a transaction of its own, in the name of who began the run.
type DoOne func(ctx context.Context, run Open, id uuid.UUID) (took bool, err error)

// Worker carries out runs, one row after the other. Several servers may work on one run.
type Worker struct {
	runs   Runs
	do     DoOne
	rounds *rounds.Rounds
}

// NewWorker panics on a missing part.
func NewWorker(runs Runs, do DoOne, log *slog.Logger) *Worker {
	if runs == nil || do == nil || log == nil {
		panic("bulk.NewWorker: a part is missing")
	}
	return &Worker{runs: runs, do: do, rounds: rounds.New(log, `a "retry all" or "approve all" could not go on; it is taken up again`)}
}

// Wake says that a run was begun. It never blocks.
func (w *Worker) Wake() { w.rounds.Wake() }

// Work carries out what is under way, at once and whenever it is woken, until ctx ends.
func (w *Worker) Work(ctx context.Context) { w.rounds.Run(ctx, config.BulkRunsLookEvery, w.workOnce) }

func (w *Worker) workOnce(ctx context.Context) error {
	open, err := w.runs.OpenRuns(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, run := range open {
		if err := w.carryOut(ctx, run); err != nil {
			failed = append(failed, fmt.Errorf("run %s: %w", run.ID, err))
		}
	}
	return errors.Join(failed...)
}

func (w *Worker) carryOut(ctx context.Context, run Open) error {
	for {
		ids, err := w.runs.WaitingItems(ctx, run.ID, config.BulkChunkRows)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return w.runs.EndRun(ctx, run.ID)
		}
		went := false
		var failed []error
		for _, id := range ids {
			took, err := w.do(ctx, run, id)
			if err != nil {
				failed = append(failed, fmt.Errorf("%s of %s: %w", run.Kind, id, err)) // one bad row does not stop the others
			}
			went = went || took
		}
		if len(failed) > 0 || !went { // not went: another server is at it
			return errors.Join(failed...)
		}
	}
}
