package postgres_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
)

// noticeWithin is how long a test waits for a notice, with a busy machine and one reconnection in mind.
const noticeWithin = 20 * time.Second

// listener passes on what it hears. uuid.Nil stands for all.
type listener struct{ accounts, installs, events chan uuid.UUID }

func newListener() *listener {
	return &listener{accounts: make(chan uuid.UUID, 10_000), installs: make(chan uuid.UUID, 10_000), events: make(chan uuid.UUID, 10_000)}
}

func (l *listener) Wake(account uuid.UUID)           { l.accounts <- account }
func (l *listener) WakeAll()                         { l.accounts <- uuid.Nil }
func (l *listener) InstallChanged(install uuid.UUID) { l.installs <- install }
func (l *listener) InstallsChanged()                 { l.installs <- uuid.Nil }
func (l *listener) EventsWritten()                   { l.events <- uuid.Nil }

func hears(t *testing.T, from chan uuid.UUID, want uuid.UUID) {
	t.Helper()
	for {
		select {
		case got := <-from:
			if got == want {
				return
			}
		case <-time.After(noticeWithin):
			t.Fatalf("%s was not heard", want)
		}
	}
}

// notifier runs one server's notifier until the test ends, and waits until it listens.
func notifier(t *testing.T, database *pgtest.DB) (*postgres.Notifier, *listener) {
	t.Helper()
	store, err := postgres.Open(t.Context(), database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	n, l := postgres.NewNotifier(store, database.ServerURL, slog.New(slog.DiscardHandler)), newListener()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); n.Run(ctx, l) }()
	t.Cleanup(func() { stop(); <-ended; store.Close() })
	hears(t, l.accounts, uuid.Nil)
	hears(t, l.installs, uuid.Nil)
	hears(t, l.events, uuid.Nil)
	return n, l
}

func TestNoticesReachThisServerOnceAndTheOthers(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	here, hereHears := notifier(t, database)
	_, thereHears := notifier(t, database)
	account, install, last := uuid.New(), uuid.New(), uuid.New()
	here.Wake(account)
	here.InstallChanged(install)
	hears(t, thereHears.accounts, account)
	hears(t, thereHears.installs, install)
	here.Wake(last)
	hears(t, thereHears.accounts, last)
	// Had this server heard its own first notice, it would have come before the other server heard the second.
	if got := len(hereHears.accounts); got != 2 {
		t.Errorf("this server heard %d wake-ups, want its own 2", got)
	}
}

// Goal: the other servers are told that the feed may have grown, once for much that was written, and again for what came after.
func TestNoticesOfTheFeedReachTheOthers(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	here, _ := notifier(t, database)
	_, thereHears := notifier(t, database)
	for range 2 {
		for range 100 {
			here.EventsWritten()
		}
		hears(t, thereHears.events, uuid.Nil)
	}
	if more := len(thereHears.events); more > 1 {
		t.Errorf("%d notices more: each write was told apart", more)
	}
}

func TestMoreAccountsThanANoticeHoldsMeansAll(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	here, _ := notifier(t, database)
	_, thereHears := notifier(t, database)
	const accounts = 2 * config.NotifyPayloadMax / len("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
	for range accounts {
		here.Wake(uuid.New())
	}
	hears(t, thereHears.accounts, uuid.Nil)
}

// A dropped connection loses what was said meanwhile, so everything is woken when it stands again, and it goes on.
func TestALostListenConnectionIsMadeAnew(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	here, _ := notifier(t, database)
	_, thereHears := notifier(t, database)
	admin := connect(t, database.AdminURL)
	killed := one(t, admin, `SELECT count(pg_terminate_backend(pid))::text FROM pg_stat_activity
		WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
	if killed != "2" {
		t.Fatalf("%s connections were listening, want 2", killed)
	}
	hears(t, thereHears.accounts, uuid.Nil)
	hears(t, thereHears.installs, uuid.Nil)
	account := uuid.New()
	here.Wake(account)
	hears(t, thereHears.accounts, account)
}
