package bulk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
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
	runs Runs
	do   DoOne
	log  *slog.Logger
	now  chan struct{}
}

// NewWorker panics on a missing part.
func NewWorker(runs Runs, do DoOne, log *slog.Logger) *Worker {
	if runs == nil || do == nil || log == nil {
		panic("bulk.NewWorker: a part is missing")
	}
	return &Worker{runs: runs, do: do, log: log, now: make(chan struct{}, 1)}
}

// Wake says that a run was begun. It never blocks.
func (w *Worker) Wake() {
	select {
	case w.now <- struct{}{}:
	default:
	}
}

// Work carries out what is under way, at once and whenever it is woken, until ctx ends.
func (w *Worker) Work(ctx context.Context) {
	look := time.NewTicker(config.BulkRunsLookEvery)
	defer look.Stop()
	for {
		if err := w.workOnce(ctx); err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, `a "retry all" or "approve all" could not go on; it is taken up again`, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		case <-w.now:
		}
	}
}

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
