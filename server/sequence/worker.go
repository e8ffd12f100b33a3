package sequence

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/rounds"
)

// Open is an enrolment that is to be looked at, with the one who enrolled the person.
type Open struct {
	ID uuid.UUID
	By access.Principal
}

// Looks says whom to look at. *postgres.Store implements it.
type Looks interface {
	// EnrolmentsToLook lists those whose moment has come, the longest due first.
	EnrolmentsToLook(ctx context.Context, most int) ([]Open, error)
	// EnrolmentLater has one that could not be looked at stand back for a while.
	EnrolmentLater(ctx context.Context, id uuid.UUID, by time.Duration) error
}

// DoOne runs Look in a transaction of its own, in the name of who enrolled the person.
type DoOne func(ctx context.Context, of Open) (took bool, err error)

// Worker looks at enrolments, one after the other. Several servers may do so.
type Worker struct {
	looks  Looks
	do     DoOne
	rounds *rounds.Rounds
}

// NewWorker panics on a missing part.
func NewWorker(looks Looks, do DoOne, log *slog.Logger) *Worker {
	if looks == nil || do == nil || log == nil {
		panic("sequence.NewWorker: a part is missing")
	}
	return &Worker{looks: looks, do: do, rounds: rounds.New(log, "an enrolment could not go on; it is looked at again")}
}

// Wake says that somebody was enrolled, or that a sequence changed. It never blocks.
func (w *Worker) Wake() { w.rounds.Wake() }

// Work looks at what is due, at once and again and again, until ctx ends.
func (w *Worker) Work(ctx context.Context) { w.rounds.Run(ctx, config.EnrolmentsPollEvery, w.WorkOnce) }

// WorkOnce looks at all that is due.
func (w *Worker) WorkOnce(ctx context.Context) error {
	for {
		open, err := w.looks.EnrolmentsToLook(ctx, config.EnrolmentChunkRows)
		if err != nil {
			return err
		}
		went := false
		var failed []error
		for _, one := range open {
			took, err := w.do(ctx, one)
			if err != nil { // one that is bad does not stop the others
				failed = append(failed, fmt.Errorf("enrolment %s: %w", one.ID, err), w.looks.EnrolmentLater(ctx, one.ID, config.EnrolmentTryAgain))
			}
			went = went || took
		}
		if err := errors.Join(failed...); err != nil || !went { // not went: another server is at it
			return err
		}
	}
}
