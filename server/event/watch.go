package event

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// EventsWritten is told that another server may have written something. It never blocks.
func (f *Feed) EventsWritten() {
	select {
	case f.woken <- struct{}{}:
	default:
	}
}

// Watch wakes the readers of a workspace when its feed has grown, until ctx ends. However many wait and however much is written,
// the database is asked one question at a time, and none within config.EventLookRest of the one before.
func (f *Feed) Watch(ctx context.Context) {
	next := config.EventPollEvery
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.store.Written():
			f.tell()
		case <-f.woken:
		case <-time.After(next):
		}
		next = nextLook(f.look(ctx), next)
		select {
		case <-ctx.Done():
			return
		case <-time.After(config.EventLookRest):
		}
	}
}

// nextLook is how long to wait when nothing is heard. What is held back comes with the end of a transaction that may tell nobody
// of it: it is looked for soon, then more and more seldom, and soon again once that is as seldom as the usual look.
func nextLook(heldBack bool, last time.Duration) time.Duration {
	switch {
	case !heldBack:
		return config.EventPollEvery
	case last >= config.EventPollEvery:
		return config.EventLookRest
	}
	return min(2*last, config.EventPollEvery)
}

// look finds the workspaces that have something new for a reader, and wakes those. It says whether anything is held back.
func (f *Feed) look(ctx context.Context) (heldBack bool) {
	workspaces := f.watched()
	if len(workspaces) == 0 {
		return false
	}
	asking, stop := context.WithTimeout(ctx, config.StatementWithin)
	defer stop()
	newest, err := f.store.EventsNewest(asking, workspaces)
	if err != nil {
		if ctx.Err() == nil {
			f.log.Warn("could not look for new events; trying again", "error", err)
		}
		return false
	}
	for _, one := range newest {
		heldBack = heldBack || one.HeldBack
		f.wake(one.Workspace, one.Cursor)
	}
	return heldBack
}

func (f *Feed) watched() []uuid.UUID {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Keys(f.seats))
}

// wake wakes the readers of a workspace who have not come to the end of its feed, or whose history has ended with an arming. It goes by
// how far each has read and not by what it was told before: what one look finds may be held back again when the reader looks.
func (f *Feed) wake(workspace uuid.UUID, end Cursor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for seat := range f.seats[workspace] {
		if seat.upTo.Epoch == end.Epoch && !seat.upTo.before(end.Position) {
			continue
		}
		select {
		case seat.news <- struct{}{}:
		default:
		}
	}
}

// Keep forgets what is older than events are kept, until ctx ends.
func (f *Feed) Keep(ctx context.Context) {
	for {
		for {
			forgotten, err := f.store.EventsForget(ctx, f.kept, config.EventsForgottenAtOnce)
			if err != nil && ctx.Err() == nil {
				f.log.Error("could not forget old events; trying again later", "error", err)
			}
			if err != nil || forgotten < config.EventsForgottenAtOnce {
				break
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(config.EventsForgetEvery):
		}
	}
}
