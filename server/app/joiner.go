package app

import (
	"context"
	"log/slog"
	"time"

	"sendonce/server/callback"
)

// joinUntil joins what providers said before its message was known, again and again until ctx ends.
func joinUntil(ctx context.Context, callbacks *callback.Service, every time.Duration, log *slog.Logger) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		joined, err := callbacks.Sweep(ctx)
		if err != nil && ctx.Err() == nil {
			log.Error("not everything that providers said could be joined", "error", err)
		}
		if joined > 0 {
			log.Info("joined what providers said early", "observations", joined)
		}
	}
}
