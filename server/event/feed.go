package event

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/problem"
)

// Feed reads the feed, lets readers wait for what comes, and forgets what is too old.
type Feed struct {
	store Store
	kept  time.Duration
	tell  func()
	log   *slog.Logger

	woken  chan struct{} // holds one token while another server has told of something
	ended  chan struct{} // closed when the server stops
	ending sync.Once

	mu      sync.Mutex
	seats   map[uuid.UUID]map[*Seat]struct{} // by workspace
	readers map[uuid.UUID]int                // seats by principal
	seated  int
}

// NewFeed panics on a missing part. Events are kept for so long. tell says to the other servers that there may be something
// new; it must not block.
func NewFeed(store Store, kept time.Duration, tell func(), log *slog.Logger) *Feed {
	if store == nil || kept <= 0 || tell == nil || log == nil {
		panic("event.NewFeed: a part is missing")
	}
	return &Feed{
		store: store, kept: kept, tell: tell, log: log, woken: make(chan struct{}, 1), ended: make(chan struct{}),
		seats: map[uuid.UUID]map[*Seat]struct{}{}, readers: map[uuid.UUID]int{},
	}
}

// Read returns at most so many events after the cursor, at once; nil begins with the oldest that is kept. A cursor that the feed
// cannot go on from is a problem.
func (f *Feed) Read(ctx context.Context, workspace uuid.UUID, after *Cursor, most int) (Page, error) {
	ctx, stop := context.WithTimeout(ctx, config.RequestWithin)
	defer stop()
	r, err := f.store.EventsAfter(ctx, workspace, after, most)
	if err != nil {
		return Page{}, fmt.Errorf("read events: %w", err)
	}
	if refused := judge(after, r); refused != nil {
		return Page{}, refused
	}
	page := Page{Events: r.Events, HeldBackSince: r.HeldBackSince}
	switch {
	case len(r.Events) > 0:
		page.Next = r.Events[len(r.Events)-1].Cursor
	case after != nil:
		page.Next = *after
	default:
		page.Next = Cursor{Epoch: r.Epoch, Position: r.Horizon}
	}
	return page, nil
}

// Latest is the cursor of the last event.
func (f *Feed) Latest(ctx context.Context, workspace uuid.UUID) (Cursor, error) {
	ctx, stop := context.WithTimeout(ctx, config.RequestWithin)
	defer stop()
	newest, err := f.store.EventsNewest(ctx, []uuid.UUID{workspace})
	if err != nil {
		return Cursor{}, fmt.Errorf("find the newest event: %w", err)
	}
	if len(newest) != 1 {
		return Cursor{}, fmt.Errorf("find the newest event: %d answers for one workspace", len(newest))
	}
	return newest[0].Cursor, nil
}

// Await is Read that waits so long for the first event. It answers with none when the server stops.
func (f *Feed) Await(ctx context.Context, who access.Principal, after *Cursor, most int, wait time.Duration) (Page, error) {
	if wait <= 0 {
		return f.Read(ctx, who.Workspace, after, most)
	}
	seat, err := f.Sit(who)
	if err != nil {
		return Page{}, err
	}
	defer seat.Leave()
	over := time.NewTimer(wait)
	defer over.Stop()
	for {
		page, err := seat.Read(ctx, after, most)
		if err != nil || len(page.Events) > 0 {
			return page, err
		}
		select {
		case <-seat.News():
		case <-over.C:
			return page, nil
		case <-f.ended:
			return page, nil
		case <-ctx.Done():
			return Page{}, ctx.Err()
		}
	}
}

// Seat is the place of one reader who waits.
type Seat struct {
	feed *Feed
	who  access.Principal
	news chan struct{} // holds one token while there may be something new
	upTo Cursor        // how far the reader has come; of the feed's mutex
}

// Sit takes a place. Sit first and read then: what comes in between is not missed. The places are few, so that readers cannot
// crowd out the rest of the server.
func (f *Feed) Sit(who access.Principal) (*Seat, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.readers[who.ID] >= config.EventReadersPerPrincipal {
		return nil, problem.New(problem.TooManyReaders, "%d requests of %s wait or stream here already; end one, or ask without wait",
			config.EventReadersPerPrincipal, who.Name)
	}
	if f.seated >= config.EventReadersMax {
		return nil, problem.New(problem.TooManyReaders, "%d readers wait at this server already; ask without wait", config.EventReadersMax)
	}
	seat := &Seat{feed: f, who: who, news: make(chan struct{}, 1)}
	if f.seats[who.Workspace] == nil {
		f.seats[who.Workspace] = map[*Seat]struct{}{}
	}
	f.seats[who.Workspace][seat] = struct{}{}
	f.readers[who.ID]++
	f.seated++
	return seat, nil
}

// Leave gives the place back. Call it once.
func (s *Seat) Leave() {
	f := s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.seats[s.who.Workspace], s)
	if len(f.seats[s.who.Workspace]) == 0 {
		delete(f.seats, s.who.Workspace)
	}
	if f.readers[s.who.ID]--; f.readers[s.who.ID] == 0 {
		delete(f.readers, s.who.ID)
	}
	f.seated--
}

// Read is Feed.Read for the reader of this place, who is told in News of what comes after it.
func (s *Seat) Read(ctx context.Context, after *Cursor, most int) (Page, error) {
	page, err := s.feed.Read(ctx, s.who.Workspace, after, most)
	if err != nil {
		return Page{}, err
	}
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	s.upTo = page.Next
	return page, nil
}

// News yields when there may be something new for the reader of this place.
func (s *Seat) News() <-chan struct{} { return s.news }

// Ended is closed when the server stops: readers then come back to another one.
func (f *Feed) Ended() <-chan struct{} { return f.ended }

// End lets every reader go.
func (f *Feed) End() { f.ending.Do(func() { close(f.ended) }) }

// Readers counts those who wait now.
func (f *Feed) Readers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seated
}
