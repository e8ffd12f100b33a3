package app

import (
	"context"
	"log/slog"
	"time"

	"sendonce/server/send"
)

// sweepUntil settles what time has overtaken, at once and then again and again until ctx ends.
func sweepUntil(ctx context.Context, sends *send.Service, every time.Duration, count func(send.Swept), log *slog.Logger) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		swept, err := sends.Sweep(ctx)
		if err != nil && ctx.Err() == nil {
			log.Error("the sweep could not settle everything", "error", err)
		}
		if swept != (send.Swept{}) {
			count(swept)
			log.Info("swept", "leases", swept.Leases, "deadlines", swept.Deadlines, "requeued", swept.Requeued, "expired", swept.Expired)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
