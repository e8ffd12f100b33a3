package sim

import (
	"context"
	"log/slog"
	"sync"
)

// alarm is a server's log of which only errors are heard: while its process and its database live there is nothing that it
// could not do. What a guard of the database had to refuse is one as well.
type alarm struct {
	dead *death
	mu   sync.Mutex
	said []string
}

// Enabled implements slog.Handler.
func (a *alarm) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }

// Handle implements slog.Handler.
func (a *alarm) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	r.Attrs(func(attr slog.Attr) bool {
		line += " " + attr.String()
		return true
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	a.said = append(a.said, line)
	return nil
}

// WithAttrs implements slog.Handler.
func (a *alarm) WithAttrs([]slog.Attr) slog.Handler { return a }

// WithGroup implements slog.Handler.
func (a *alarm) WithGroup(string) slog.Handler { return a }

// take gives what was said since by a process that lives; what one says as it dies is of no meaning.
func (a *alarm) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	said := a.said
	a.said = nil
	if a.dead.is.Load() {
		return nil
	}
	return said
}
