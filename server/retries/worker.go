package retries

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
)

// Runs says which runs are under way. *postgres.Store implements it.
type Runs interface {
	OpenRuns(ctx context.Context) ([]Open, error)
	// WaitingItems lists sends that the run is not through with.
	WaitingItems(ctx context.Context, run uuid.UUID, most int) ([]uuid.UUID, error)
	// EndRun ends a run that is through with every item.
	EndRun(ctx context.Context, run uuid.UUID) error
}

// RetryOne runs One in a transaction of its own, in the name of who began the run.
type RetryOne func(ctx context.Context, who access.Principal, run, send uuid.UUID) (took bool, err error)

// Worker carries out runs, one send after the other. Several servers may work on one run.
type Worker struct {
	runs  Runs
	retry RetryOne
	log   *slog.Logger
	now   chan struct{}
}

// NewWorker panics on a missing part.
func NewWorker(runs Runs, retry RetryOne, log *slog.Logger) *Worker {
	if runs == nil || retry == nil || log == nil {
		panic("retries.NewWorker: a part is missing")
	}
	return &Worker{runs: runs, retry: retry, log: log, now: make(chan struct{}, 1)}
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
	look := time.NewTicker(config.RetryRunsLookEvery)
	defer look.Stop()
	for {
		if err := w.workOnce(ctx); err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, `a "retry all" could not go on; it is taken up again`, "error", err)
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
		sends, err := w.runs.WaitingItems(ctx, run.ID, config.RetryChunkRows)
		if err != nil {
			return err
		}
		if len(sends) == 0 {
			return w.runs.EndRun(ctx, run.ID)
		}
		went := false
		var failed []error
		for _, send := range sends {
			took, err := w.retry(ctx, run.By, run.ID, send)
			if err != nil {
				failed = append(failed, fmt.Errorf("retry send %s: %w", send, err)) // one bad row does not stop the others
			}
			went = went || took
		}
		if len(failed) > 0 || !went { // not went: another server is at it
			return errors.Join(failed...)
		}
	}
}
