package postgres_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/event"
	"sendonce/server/postgres"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// keptFor is how long the events of these tests are kept.
const keptFor = 90 * 24 * time.Hour

// feed is a server's feed of the world's database.
func (w *world) feed(t *testing.T) (*event.Feed, *postgres.Store) {
	t.Helper()
	store, err := postgres.Open(t.Context(), w.db.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return event.NewFeed(store, keptFor, func() {}, slog.New(slog.DiscardHandler)), store
}

// follower reads a workspace's feed from its beginning, page by page.
type follower struct {
	feed      *event.Feed
	workspace uuid.UUID
	most      int
	after     *event.Cursor
	got       []event.Event
}

func (w *world) follower(t *testing.T, most int) *follower {
	t.Helper()
	feed, _ := w.feed(t)
	return &follower{feed: feed, workspace: uuid.MustParse(w.workspace), most: most}
}

// turn reads one page and goes on behind it.
func (f *follower) turn(t *testing.T) event.Page {
	t.Helper()
	page, err := f.feed.Read(t.Context(), f.workspace, f.after, f.most)
	if err != nil {
		t.Fatal(err)
	}
	f.got, f.after = append(f.got, page.Events...), &page.Next
	return page
}

// until reads until so many events came. Transactions that just ended elsewhere in the cluster may hold the last ones back for a
// moment.
func (f *follower) until(t *testing.T, count int) {
	t.Helper()
	for end := time.Now().Add(noticeWithin); len(f.got) < count; {
		if page := f.turn(t); len(page.Events) == 0 && time.Now().After(end) {
			t.Fatalf("%d events came, want %d", len(f.got), count)
		}
	}
}

// told lists events as "type from>to code", or what of these they have.
func told(events []event.Event) []string {
	var lines []string
	for _, e := range events {
		line := string(e.Type)
		if e.From != nil || e.To != nil {
			line += " " + orEmpty(e.From) + ">" + orEmpty(e.To)
		}
		if e.Code != nil {
			line += " " + *e.Code
		}
		lines = append(lines, line)
	}
	return lines
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// writer is one open transaction, and what it wrote.
type writer struct {
	conn *pgx.Conn
	open bool
	made []string
}

func (o *writer) write(t *testing.T, w *world, hard bool) {
	t.Helper()
	if !o.open {
		exec(t, o.conn, "BEGIN")
		o.open = true
	}
	if hard {
		// To a person of its own: two messages to one person wait for each other.
		person := one(t, o.conn, "INSERT INTO people (workspace_id, name) VALUES ($1, 'Ada Example') RETURNING id::text", w.workspace)
		m, sql := w.newMessage()
		send, insert := w.newSend(m, 1, "")
		if err := simply(t, o.conn, w.fill(sql+";"+insert, send, "{person}", person)); err != nil {
			t.Fatal(err)
		}
		o.made = append(o.made, "authority "+m.id, "approved "+m.id, "send "+m.id)
		return
	}
	person := one(t, o.conn, "INSERT INTO people (workspace_id, name, suppressed_at) VALUES ($1, 'Ada Example', sendonce_now()) RETURNING id::text", w.workspace)
	o.made = append(o.made, "person_suppressed "+person)
}

func (o *writer) end(t *testing.T, how string) (kept []string) {
	t.Helper()
	exec(t, o.conn, how)
	if how == "COMMIT" {
		kept = o.made
	}
	o.open, o.made = false, nil
	return kept
}

// Goal: however transactions overlap and in whatever order they commit or roll back, every reader reads every event once and all
// in one order; a reader that comes back with its cursor is shown the same again.
func TestReadersMissNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const seed = 20260304
	random := rand.New(rand.NewPCG(seed, seed))
	writers := make([]*writer, 6)
	for i := range writers {
		writers[i] = &writer{conn: connect(t, w.db.ServerURL)}
	}
	readers := []*follower{w.follower(t, 1), w.follower(t, 3), w.follower(t, 50)}
	var written []string
	for range 240 {
		o := writers[random.IntN(len(writers))]
		switch n := random.IntN(10); {
		case n < 3 || !o.open && n < 6:
			o.write(t, w, n == 0)
		case n < 5 && o.open:
			written = append(written, o.end(t, "COMMIT")...)
		case n == 5 && o.open:
			o.end(t, "ROLLBACK")
		default:
			readers[random.IntN(len(readers))].turnTwice(t)
		}
	}
	for _, o := range writers {
		if o.open {
			written = append(written, o.end(t, "COMMIT")...)
		}
	}
	var first []event.Event
	for _, r := range readers {
		r.until(t, len(written))
		if page := r.turn(t); len(page.Events) > 0 {
			t.Errorf("seed %d: %d events more than were written", seed, len(page.Events))
		}
		var read []string
		for _, e := range r.got {
			subject := e.Person
			if e.Message != nil {
				subject = e.Message
			}
			read = append(read, string(e.Type)+" "+subject.String())
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(written)), slices.Sorted(slices.Values(read))); diff != "" {
			t.Errorf("seed %d, %d at a time: written and read differ:\n%s", seed, r.most, diff)
		}
		if first == nil {
			first = r.got
		} else if diff := cmp.Diff(first, r.got); diff != "" {
			t.Errorf("seed %d: two readers saw another order:\n%s", seed, diff)
		}
	}
}

// turnTwice reads a page as a reader that dies with it, and then reads it again.
func (f *follower) turnTwice(t *testing.T) {
	t.Helper()
	lost, err := f.feed.Read(t.Context(), f.workspace, f.after, f.most)
	if err != nil {
		t.Fatal(err)
	}
	again := f.turn(t)
	// A transaction of another database that ends just now may hold the end of the page back for one read: of an ended one nobody can
	// say where it ran (see events_settled). The order is the same, and what is held back comes with a later page.
	both := min(len(lost.Events), len(again.Events))
	if !cmp.Equal(again.Events[:both], lost.Events[:both]) {
		t.Errorf("read again from one cursor: %v, then %v", told(lost.Events), told(again.Events))
	}
}

// Goal: whatever came after another change is shown after it, also where its transaction has the lower number because it had begun to
// write before.
func TestEventsComeInTheOrderOfWhatHappened(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reader := w.follower(t, 3)
	_, send := w.sendIn(t, rule.Queued)
	other, _ := w.newMessage()
	of := func(sql string) string {
		return w.fill(sql, send, "{message}", other.id, "{digest}", other.digest, "{hash}", other.textHash, "{approval}", other.approval)
	}
	w.run(t, send, of(proposeIt))
	reader.to(t, w.landmark(t))

	early := connect(t, w.db.ServerURL)
	exec(t, early, "BEGIN")
	exec(t, early, "SELECT pg_current_xact_id()")
	w.run(t, send, toLeased)
	w.run(t, send, of(approveIt))
	for _, sql := range []string{of(toCanceled), of("UPDATE messages SET authority = 'withdrawn' WHERE id = '{message}'"), "COMMIT"} {
		exec(t, early, sql)
	}
	if diff := cmp.Diff([]string{
		"send queued>leased", "approved", "authority proposed>approved", "send leased>canceled withdrawn", "authority approved>withdrawn",
		"completed >canceled withdrawn", "completed >withdrawn",
	}, told(reader.to(t, w.landmark(t)))); diff != "" {
		t.Error(diff)
	}
}

// Goal: what was committed is held back as long as an older transaction of this database runs, and says so; one of another
// database of the cluster holds nothing back.
func TestOnlyOurOwnTransactionsHoldBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reader := w.follower(t, 10)
	elsewhere, err := url.Parse(w.db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere.Path = "/postgres"
	other := connect(t, elsewhere.String())
	exec(t, other, "BEGIN")
	exec(t, other, "SELECT pg_current_xact_id()")
	exec(t, w.hand, "UPDATE accounts SET paused_at = sendonce_now()")
	reader.until(t, 1)

	own := connect(t, w.db.ServerURL)
	exec(t, own, "BEGIN")
	exec(t, own, "SELECT pg_current_xact_id()")
	exec(t, w.hand, "UPDATE accounts SET paused_at = NULL")
	if page := reader.turn(t); len(page.Events) > 0 || page.HeldBackSince == nil {
		t.Errorf("while an older transaction runs: %v, held back since %v", told(page.Events), page.HeldBackSince)
	}
	exec(t, own, "ROLLBACK")
	reader.until(t, 2)
	if page := reader.turn(t); page.HeldBackSince != nil {
		t.Errorf("held back since %v by nobody", page.HeldBackSince)
	}
	if diff := cmp.Diff([]string{"account_paused", "account_resumed"}, told(reader.got)); diff != "" {
		t.Error(diff)
	}
}

// Goal: a workspace's events are its own, and so are its cursors.
func TestEventsStayInTheirWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reader := w.follower(t, 10)
	exec(t, w.hand, "UPDATE accounts SET paused_at = sendonce_now()")
	reader.until(t, 1)
	others := &follower{feed: reader.feed, workspace: uuid.MustParse(w.one(t, "INSERT INTO workspaces (name) VALUES ('Others') RETURNING id::text")), most: 10}
	if page := others.turn(t); len(page.Events) > 0 {
		t.Errorf("another workspace's events are shown: %v", told(page.Events))
	}
	if _, err := reader.feed.Read(t.Context(), others.workspace, reader.after, 10); !problem.Is(err, problem.CursorOfAnother) {
		t.Errorf("another workspace's cursor: %v", err)
	}
}

// Goal: events are forgotten after their time and not before. Whoever has read up to there goes on; whoever has not is told, also
// when a hand has deleted them.
func TestForgottenEventsAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feed, store := w.feed(t)
	slow, prompt := w.follower(t, 1), w.follower(t, 10)
	slow.feed, prompt.feed = feed, feed
	exec(t, w.hand, "UPDATE accounts SET paused_at = sendonce_now()")
	exec(t, w.hand, "UPDATE accounts SET paused_at = NULL")
	slow.until(t, 1)
	prompt.until(t, 2)
	w.forward(t, keptFor-time.Hour)
	forget := func() int {
		forgotten, err := store.EventsForget(t.Context(), keptFor, 10)
		if err != nil {
			t.Fatal(err)
		}
		return forgotten
	}
	if n := forget(); n != 0 {
		t.Fatalf("%d events were forgotten before their time", n)
	}
	w.forward(t, 2*time.Hour)
	exec(t, w.hand, "UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'signed_out'")
	if n := forget(); n != 2 {
		t.Fatalf("%d events were forgotten, want 2", n)
	}
	prompt.until(t, 3)
	if _, err := feed.Read(t.Context(), slow.workspace, slow.after, 1); !problem.Is(err, problem.CursorExpired) {
		t.Errorf("a cursor before what was forgotten: %v", err)
	}
	fresh := &follower{feed: feed, workspace: slow.workspace, most: 10}
	fresh.until(t, 1)
	if diff := cmp.Diff([]string{"account_stopped signed_out"}, told(fresh.got)); diff != "" {
		t.Error(diff)
	}
	empty, err := feed.Latest(t.Context(), uuid.MustParse(w.one(t, "INSERT INTO workspaces (name) VALUES ('Others') RETURNING id::text")))
	if err != nil || empty.ShownAfter != 0 || empty.ID != 0 {
		t.Errorf("the end of an empty feed: %+v, %v", empty, err)
	}
	exec(t, w.hand, "DELETE FROM events")
	if _, err := feed.Read(t.Context(), slow.workspace, slow.after, 1); !problem.Is(err, problem.CursorExpired) {
		t.Errorf("after a hand has deleted them: %v", err)
	}
}

// Goal: after an arming every older cursor is refused, and the feed begins anew, also where the numbers of transactions that came
// with the rows are above those that are given now. Nothing that was being written is lost between the two.
func TestArmingBeginsAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sendIn(t, rule.Queued)
	reader := w.follower(t, 10)
	exec(t, w.hand, "UPDATE accounts SET paused_at = sendonce_now()")
	reader.to(t, w.landmark(t))
	exec(t, w.admin, fmt.Sprintf(`INSERT INTO events (workspace_id, type, shown_after) VALUES ('%s', 'account_resumed',
		pg_current_xact_id()::text::bigint + 1000000)`, w.workspace))
	exec(t, w.hand, "INSERT INTO instance_events (what, code) VALUES ('disarmed', 'restored_or_copied')")
	arm := fmt.Sprintf("INSERT INTO instance_events (what, principal_id, accept_unseen) VALUES ('armed', '%s', true)", w.principal)

	busy := connect(t, w.db.ServerURL)
	exec(t, busy, "BEGIN")
	exec(t, busy, "UPDATE accounts SET paused_at = NULL")
	if err := simply(t, w.hand, "BEGIN; SET LOCAL lock_timeout = '50ms'; "+arm); err == nil {
		t.Error("it was armed while somebody was writing an event")
	}
	exec(t, w.hand, "ROLLBACK")
	exec(t, busy, "COMMIT")

	// An update of a send has drawn its event's number before it writes that event, and may wait in between.
	exec(t, busy, "BEGIN")
	exec(t, busy, "SELECT FROM sends FOR NO KEY UPDATE")
	moved := make(chan error, 1)
	mover := connect(t, w.db.ServerURL)
	go func() { moved <- simply(t, mover, "UPDATE sends SET status = 'canceled', code = 'suppressed'") }()
	w.waitForALock(t)
	if err := simply(t, w.hand, "BEGIN; SET LOCAL lock_timeout = '50ms'; "+arm); err == nil {
		t.Error("it was armed while somebody was moving a send")
	}
	exec(t, w.hand, "ROLLBACK")
	exec(t, busy, "COMMIT")
	if err := <-moved; err != nil {
		t.Fatal(err)
	}

	exec(t, w.hand, arm)
	if _, err := reader.feed.Read(t.Context(), reader.workspace, reader.after, 10); !problem.Is(err, problem.CursorOfAnother) {
		t.Errorf("a cursor from before the arming: %v", err)
	}
	exec(t, w.hand, "UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'signed_out'")
	fresh := &follower{feed: reader.feed, workspace: reader.workspace, most: 10}
	fresh.until(t, 1)
	if page := fresh.turn(t); page.HeldBackSince != nil {
		t.Errorf("held back by a transaction of another cluster since %v", page.HeldBackSince)
	}
	if diff := cmp.Diff([]string{"account_stopped signed_out"}, told(fresh.got)); diff != "" {
		t.Error(diff)
	}
	exec(t, w.hand, "DELETE FROM events WHERE type = 'account_resumed'")
	fresh.turn(t) // what was deleted from before the arming makes nobody miss anything
}
