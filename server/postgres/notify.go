package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/config"
)

// The channels on which servers that share a database tell each other. A payload is the sender's name and ids, or the
// name alone when they are too many: then it means all of them.
const (
	wakeChannel    = "sendonce_wake"
	installChannel = "sendonce_installs"
	eventChannel   = "sendonce_events" // of whose notices the name alone means something
)

// Listener hears what this and other servers say. Its methods never block, and hearing something twice does no harm.
type Listener interface {
	// Wake: the account may have work.
	Wake(account uuid.UUID)
	// WakeAll: any account may have work; something may have been missed.
	WakeAll()
	// InstallChanged: the install has a newer session, or was revoked, paused or resumed.
	InstallChanged(install uuid.UUID)
	// InstallsChanged: the same of any install; something may have been missed.
	InstallsChanged()
	// EventsWritten: the feed of events may have grown.
	EventsWritten()
}

// Notifier carries wake-ups: to this server's listener at once, to the others by NOTIFY. Notices are gathered for
// config.WakeCoalesceWindow and leave in a transaction of their own, never in the one that they are about: a NOTIFY in
// it makes every commit wait for a lock that all of them share.
type Notifier struct {
	store     *Store
	listenURL string
	log       *slog.Logger
	name      string // of this server, so that it does not hear itself

	mu       sync.Mutex
	listener Listener
	accounts map[uuid.UUID]bool
	installs map[uuid.UUID]bool
	all      bool          // any account may have work
	events   bool          // the feed may have grown
	waiting  chan struct{} // holds one token while something is gathered

	eventsWaiting chan struct{} // the same while the feed may have grown and that was not gathered yet
}

// NewNotifier speaks over the store's pool and listens on a connection of its own, which must not go through a pooler of
// transactions.
func NewNotifier(store *Store, listenURL string, log *slog.Logger) *Notifier {
	return &Notifier{
		store: store, listenURL: listenURL, log: log, name: rand.Text()[:12],
		accounts: map[uuid.UUID]bool{}, installs: map[uuid.UUID]bool{}, waiting: make(chan struct{}, 1),
		eventsWaiting: make(chan struct{}, 1),
	}
}

// Wake implements send.Waker. Call it after the commit.
func (n *Notifier) Wake(account uuid.UUID) {
	n.mu.Lock()
	n.accounts[account] = true
	listener := n.listener
	n.mu.Unlock()
	n.flag()
	if listener != nil {
		listener.Wake(account)
	}
}

// WakeAll implements command.Waker. Call it after the commit.
func (n *Notifier) WakeAll() {
	n.mu.Lock()
	n.all = true
	listener := n.listener
	n.mu.Unlock()
	n.flag()
	if listener != nil {
		listener.WakeAll()
	}
}

// InstallChanged implements install.Changes and command.Waker. Call it after the commit.
func (n *Notifier) InstallChanged(install uuid.UUID) {
	n.mu.Lock()
	n.installs[install] = true
	listener := n.listener
	n.mu.Unlock()
	n.flag()
	if listener != nil {
		listener.InstallChanged(install)
	}
}

// EventsWritten says to the other servers that the feed of events may have grown. This server's readers know already.
func (n *Notifier) EventsWritten() {
	select {
	case n.eventsWaiting <- struct{}{}:
	default:
	}
}

// gatherEvents lets one notice of the feed through in a while: almost every transaction writes to it.
func (n *Notifier) gatherEvents(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.eventsWaiting:
		}
		n.mu.Lock()
		n.events = true
		n.mu.Unlock()
		n.flag()
		select {
		case <-ctx.Done():
			return
		case <-time.After(config.EventNoticeEvery):
		}
	}
}

func (n *Notifier) flag() {
	select {
	case n.waiting <- struct{}{}:
	default:
	}
}

// Run speaks and listens until ctx ends.
func (n *Notifier) Run(ctx context.Context, listener Listener) {
	n.mu.Lock()
	n.listener = listener
	n.mu.Unlock()
	var speaking sync.WaitGroup
	speaking.Go(func() { n.speak(ctx) })
	speaking.Go(func() { n.gatherEvents(ctx) })
	n.listen(ctx, listener)
	speaking.Wait()
}

// speak sends what was gathered. A notice that could not be sent is dropped: the slow poll of every server is the net
// under all of them.
func (n *Notifier) speak(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.waiting:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(config.WakeCoalesceWindow):
		}
		if err := n.flush(ctx); err != nil && ctx.Err() == nil {
			n.log.WarnContext(ctx, "could not tell the other servers; their slow poll will find it", "error", err)
		}
	}
}

func (n *Notifier) flush(ctx context.Context) error {
	n.mu.Lock()
	accounts, installs, all, events := n.accounts, n.installs, n.all, n.events
	n.accounts, n.installs, n.all, n.events = map[uuid.UUID]bool{}, map[uuid.UUID]bool{}, false, false
	n.mu.Unlock()
	var channels, payloads []string
	if all {
		channels, payloads = append(channels, wakeChannel), append(payloads, n.name)
	} else if len(accounts) > 0 {
		channels, payloads = append(channels, wakeChannel), append(payloads, n.payload(accounts))
	}
	if len(installs) > 0 {
		channels, payloads = append(channels, installChannel), append(payloads, n.payload(installs))
	}
	if events {
		channels, payloads = append(channels, eventChannel), append(payloads, n.name)
	}
	if len(channels) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, config.StatementWithin)
	defer cancel()
	return n.store.queries().Notify(ctx, channels, payloads)
}

func (n *Notifier) payload(ids map[uuid.UUID]bool) string {
	var b strings.Builder
	b.WriteString(n.name)
	for id := range ids {
		if b.Len()+1+len(id.String()) > config.NotifyPayloadMax {
			return n.name
		}
		b.WriteString(" " + id.String())
	}
	return b.String()
}

// listen reconnects for as long as it must. What was said meanwhile is lost, so everything is woken after each connect.
func (n *Notifier) listen(ctx context.Context, listener Listener) {
	for ctx.Err() == nil {
		err := n.listenOnce(ctx, listener)
		if ctx.Err() != nil {
			return
		}
		n.log.WarnContext(ctx, "lost the connection that listens for wake-ups; connecting again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(config.ListenRetryEvery):
		}
	}
}

func (n *Notifier) listenOnce(ctx context.Context, listener Listener) error {
	connection, err := n.connect(ctx)
	if err != nil {
		return err
	}
	defer connection.Close(context.WithoutCancel(ctx))
	listener.WakeAll()
	listener.InstallsChanged()
	listener.EventsWritten()
	for {
		notice, err := connection.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("wait for wake-ups: %w", err)
		}
		n.hear(notice.Channel, notice.Payload, listener)
	}
}

func (n *Notifier) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, config.RequestWithin)
	defer cancel()
	connection, err := pgx.Connect(ctx, n.listenURL)
	if err != nil {
		return nil, fmt.Errorf("connect to listen for wake-ups: %w", err)
	}
	if _, err := connection.Exec(ctx, "LISTEN "+wakeChannel+"; LISTEN "+installChannel+"; LISTEN "+eventChannel); err != nil {
		return nil, errors.Join(fmt.Errorf("listen for wake-ups: %w", err), connection.Close(ctx))
	}
	return connection, nil
}

func (n *Notifier) hear(channel, payload string, listener Listener) {
	name, rest, named := strings.Cut(payload, " ")
	if name == n.name {
		return
	}
	if channel == eventChannel {
		listener.EventsWritten()
		return
	}
	one, all := listener.Wake, listener.WakeAll
	if channel == installChannel {
		one, all = listener.InstallChanged, listener.InstallsChanged
	}
	if !named {
		all()
		return
	}
	for word := range strings.SplitSeq(rest, " ") {
		id, err := uuid.Parse(word)
		if err != nil {
			all() // a server of another version: whatever it meant, looking is harmless
			return
		}
		one(id)
	}
}
