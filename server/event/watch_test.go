package event

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
)

// Goal: a reader is woken as long as the feed goes on behind what they have read, and when their history has ended; nobody is woken
// for nothing, nor for another workspace.
func TestWhoIsWoken(t *testing.T) {
	t.Parallel()
	f := NewFeed(struct{ Store }{}, time.Hour, func() {}, slog.New(slog.DiscardHandler))
	who := access.Principal{ID: uuid.New(), Workspace: uuid.New()}
	seat, err := f.Sit(who)
	if err != nil {
		t.Fatal(err)
	}
	defer seat.Leave()
	seat.upTo = Cursor{Epoch: 2, Position: Position{10, 5}}
	for name, c := range map[string]struct {
		workspace uuid.UUID
		end       Cursor
		woken     bool
	}{
		"a later event":                  {who.Workspace, Cursor{Epoch: 2, Position: Position{10, 6}}, true},
		"a later transaction":            {who.Workspace, Cursor{Epoch: 2, Position: Position{11, 1}}, true},
		"the event that was read":        {who.Workspace, Cursor{Epoch: 2, Position: Position{10, 5}}, false},
		"held back again":                {who.Workspace, Cursor{Epoch: 2, Position: Position{9, 9}}, false},
		"an arming":                      {who.Workspace, Cursor{Epoch: 3}, true},
		"a later event of somebody else": {uuid.New(), Cursor{Epoch: 2, Position: Position{10, 6}}, false},
	} {
		for range 2 { // also when they were woken before and saw nothing yet
			f.wake(c.workspace, c.end)
			if woken := len(seat.News()) == 1; woken != c.woken {
				t.Errorf("%s: woken is %v, want %v", name, woken, c.woken)
			}
			select {
			case <-seat.News():
			default:
			}
		}
	}
}

// Goal: what is held back is looked for soon, and with more patience the longer it lasts; all else as usual.
func TestNextLook(t *testing.T) {
	t.Parallel()
	usual := nextLook(false, 0)
	last := usual
	for range 3 {
		next := nextLook(true, last)
		if last != usual && next <= last || next >= usual {
			t.Errorf("after %s comes %s, and the usual is %s", last, next, usual)
		}
		last = next
	}
	if next := nextLook(true, usual/2+1); next != usual {
		t.Errorf("it goes beyond the usual: %s", next)
	}
}
