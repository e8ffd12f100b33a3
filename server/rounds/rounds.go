// Package rounds has work done in rounds: at once, whenever somebody wakes it, and again after a while.
package rounds

import (
	"context"
	"log/slog"
	"time"
)

// Rounds are those of one kind of work in one server.
type Rounds struct {
	now     chan struct{}
	log     *slog.Logger
	failure string // what the log says where one could not be ended
}

// New makes rounds whose failures are logged with these words.
func New(log *slog.Logger, failure string) *Rounds {
	return &Rounds{now: make(chan struct{}, 1), log: log, failure: failure}
}

// Wake says that there is something to do. It never blocks.
func (r *Rounds) Wake() {
	select {
	case r.now <- struct{}{}:
	default:
	}
}

// Run does one round after the other until ctx ends. One that fails is logged, and the next one follows in its time.
func (r *Rounds) Run(ctx context.Context, every time.Duration, do func(context.Context) error) {
	look := time.NewTicker(every)
	defer look.Stop()
	for {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			r.log.WarnContext(ctx, r.failure, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		case <-r.now:
		}
	}
}
