package imports

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/rounds"
)

// Runs says which imports have something left to do. *postgres.Store implements it.
type Runs interface {
	ImportsOpen(ctx context.Context) ([]Open, error)
}

// DoStep runs Step in a transaction of its own, in the name of whom the import names.
type DoStep func(ctx context.Context, open Open, twins *Twins) (more bool, err error)

// Worker looks at what is uploaded and carries out what is begun. Several servers may work on one import, one after the other.
type Worker struct {
	runs   Runs
	do     DoStep
	rounds *rounds.Rounds
}

// NewWorker panics on a missing part.
func NewWorker(runs Runs, do DoStep, log *slog.Logger) *Worker {
	if runs == nil || do == nil || log == nil {
		panic("imports.NewWorker: a part is missing")
	}
	return &Worker{runs: runs, do: do, rounds: rounds.New(log, "an import could not go on; it is taken up again")}
}

// Wake says that an import has something to do. It never blocks.
func (w *Worker) Wake() { w.rounds.Wake() }

// Work does what there is, at once and whenever it is woken, until ctx ends.
func (w *Worker) Work(ctx context.Context) { w.rounds.Run(ctx, config.BulkRunsLookEvery, w.workOnce) }

// workOnce gives each import a step in its turn, so that a long one holds up no other.
func (w *Worker) workOnce(ctx context.Context) error {
	all := map[uuid.UUID]*Twins{}
	for {
		open, err := w.runs.ImportsOpen(ctx)
		if err != nil {
			return err
		}
		went := false
		var failed []error
		for _, one := range open {
			if all[one.ID] == nil {
				all[one.ID] = NewTwins()
			}
			more, err := w.step(ctx, one, all[one.ID])
			if err != nil {
				failed = append(failed, fmt.Errorf("import %s: %w", one.ID, err)) // one bad import does not stop the others
			}
			went = went || more && err == nil
		}
		if !went || ctx.Err() != nil {
			return errors.Join(failed...)
		}
	}
}

// step tries again what met others who make the same people.
func (w *Worker) step(ctx context.Context, one Open, twins *Twins) (more bool, err error) {
	for range config.ImportTriesMax {
		if more, err = w.do(ctx, one, twins); !errors.Is(err, ErrMoved) {
			break
		}
	}
	return more, err
}
