package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"sendonce/server/config"
)

// Forget forgets, until ctx ends, what was kept for as long as it is worth: the answers to commands, which may hold message text and
// whose keys stay; the texts of messages, as each workspace's policy says; uploaded files; and what providers and browsers said about
// messages that never came to be known.
func (r *Runner) Forget(ctx context.Context, kept time.Duration, log *slog.Logger) {
	answers := func() (int, error) { return r.store.AnswersForget(ctx, kept, config.AnswersForgottenAtOnce) }
	texts := func() (int, error) { return r.store.ContentExpire(ctx, config.TextsExpiredAtOnce) }
	waiting := func() (int, error) {
		return r.store.WaitingForget(ctx, config.CallbackJoinWithin, config.WaitingForgottenAtOnce)
	}
	files := func() (int, error) {
		return r.store.ImportsForget(ctx, config.ImportsKept, config.ImportsForgottenAtOnce)
	}
	every := time.NewTicker(config.AnswersLookEvery)
	defer every.Stop()
	for {
		err := errors.Join(forget(config.AnswersForgottenAtOnce, answers), forget(config.TextsExpiredAtOnce, texts),
			forget(config.WaitingForgottenAtOnce, waiting), forget(config.ImportsForgottenAtOnce, files))
		if err != nil && ctx.Err() == nil {
			log.Error("what is old could not be forgotten", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// forget takes small bites, each a transaction of its own: keys are what every command begins with, and messages are what it is about.
func forget(atOnce int, some func() (int, error)) error {
	for {
		forgot, err := some()
		if err != nil {
			return fmt.Errorf("forget what is old: %w", err)
		}
		if forgot < atOnce {
			return nil
		}
	}
}
