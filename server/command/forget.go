package command

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"sendonce/server/config"
)

// Forget forgets, until ctx ends, the answers that were kept for as long as they are worth: they may hold message text. Their
// keys stay.
func (r *Runner) Forget(ctx context.Context, kept time.Duration, log *slog.Logger) {
	every := time.NewTicker(config.AnswersLookEvery)
	defer every.Stop()
	for {
		if err := r.forget(ctx, kept); err != nil && ctx.Err() == nil {
			log.Error("old answers could not be forgotten", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// forget takes small bites, each a transaction of its own: the keys are what every command begins with.
func (r *Runner) forget(ctx context.Context, kept time.Duration) error {
	for {
		forgot, err := r.store.AnswersForget(ctx, kept, config.AnswersForgottenAtOnce)
		if err != nil {
			return fmt.Errorf("forget old answers: %w", err)
		}
		if forgot < config.AnswersForgottenAtOnce {
			return nil
		}
	}
}
