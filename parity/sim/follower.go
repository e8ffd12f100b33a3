package sim

import (
	"fmt"
	"slices"
	"time"
)

// follower is a program that follows the feed of events through whatever happens to the servers. It keeps its cursor with what it has
// taken in; now and then it dies with a page and comes back with the cursor before it.
type follower struct {
	w         *World
	after     string
	lost      []shownEvent        // the page that it died with
	seen      map[int64]bool      // the ids that it has taken in
	moves     map[string][]string // of each send, in the order of the feed
	authority map[string]string   // of each message, by what the feed said last
}

// shownEvent is an event, as far as the follower cares.
type shownEvent struct {
	ID        int64
	Type      string
	MessageID string `json:"message_id"`
	SendID    string `json:"send_id"`
	From, To  string
}

type shownFeed struct {
	Items         []shownEvent
	NextCursor    string     `json:"next_cursor"`
	HeldBackSince *time.Time `json:"held_back_since"`
}

func (w *World) newFollower() *follower {
	f := &follower{w: w, seen: map[int64]bool{}, moves: map[string][]string{}, authority: map[string]string{}}
	f.again()
	return f
}

// again reads a page now and then. What a page holds changes nothing in the world: how far the feed has come by then depends on what
// else its Postgres does.
func (f *follower) again() {
	f.w.later(followEvery, "the follower", "reads the feed", func() {
		dies := f.w.chance(followerDiesShare)
		if page, ok := f.read(); ok && dies {
			f.lost = page.Items
		} else if ok {
			f.take(page)
		}
		f.again()
	}).quiet = true
}

// read reads what follows the cursor. A server that dies over it says nothing, and the cursor stays.
func (f *follower) read() (page shownFeed, ok bool) {
	s := f.w.aliveServer()
	if s == nil {
		return page, false
	}
	got := s.ask(f.w.people.token, "", "GET", fmt.Sprintf("/v1/events?limit=%d&after=%s", followedAtOnce, f.after), nil, &page)
	if got.status != 0 && !got.ok() {
		f.w.breach("the feed is answered %d %s", got.status, got.problem.Code)
	}
	return page, got.ok()
}

// take keeps a page, and holds it against what came before.
func (f *follower) take(page shownFeed) {
	for i := range min(len(f.lost), len(page.Items)) {
		if f.lost[i] != page.Items[i] {
			f.w.breach("after one cursor the feed showed %v, and then %v", f.lost[i], page.Items[i])
		}
		f.w.note(shownAgain)
	}
	f.lost, f.after = nil, page.NextCursor
	for _, e := range page.Items {
		if f.seen[e.ID] {
			f.w.breach("the feed shows event %d a second time", e.ID)
		}
		f.seen[e.ID] = true
		switch e.Type {
		case "send":
			f.moves[e.SendID] = append(f.moves[e.SendID], moveOf(e.ID, e.From, e.To))
		case "authority":
			if before := f.authority[e.MessageID]; e.From != before {
				f.w.breach("the feed has message %s go from %q on with %q", e.MessageID, before, e.From)
			}
			f.authority[e.MessageID] = e.To
		}
	}
}

func moveOf(id int64, from, to string) string { return fmt.Sprintf("%d %s>%s", id, from, to) }

// finallyFollowed: once faults have ended the follower has been shown every move of every send once and in order, and every change
// of a message's authority.
func (w *World) finallyFollowed() {
	f := w.follower
	f.catchUp()
	moves := map[string][]string{}
	rows, err := w.owner.Query(w.ctx, `SELECT id, send_id::text, coalesce(from_status, ''), to_status FROM send_events
		WHERE from_status IS DISTINCT FROM to_status ORDER BY id`)
	w.must(err)
	for rows.Next() {
		var id int64
		var send, from, to string
		w.must(rows.Scan(&id, &send, &from, &to))
		moves[send] = append(moves[send], moveOf(id, from, to))
	}
	w.must(rows.Err())
	for send, want := range moves {
		if got := f.moves[send]; !slices.Equal(got, want) {
			w.breach("the feed shows the moves of send %s as %q, they are %q", send, got, want)
		}
	}
	rows, err = w.owner.Query(w.ctx, "SELECT id::text, authority FROM messages")
	w.must(err)
	for rows.Next() {
		var id, authority string
		w.must(rows.Scan(&id, &authority))
		if got := f.authority[id]; got != authority {
			w.breach("by the feed message %s is %q, it is %q", id, got, authority)
		}
	}
	w.must(rows.Err())
}

// catchUp reads until there is nothing more. Transactions of other worlds on the same Postgres may hold the end back for a moment of
// real time, which the world's clock knows nothing of.
func (f *follower) catchUp() {
	for range followTriesMax {
		page, ok := f.read()
		if !ok {
			return
		}
		f.take(page)
		if len(page.Items) > 0 {
			continue
		}
		if page.HeldBackSince == nil {
			return
		}
		_, err := f.w.owner.Exec(f.w.ctx, "SELECT pg_sleep(0.01)")
		f.w.must(err)
	}
	f.w.breach("the feed does not come to its end")
}
