package gateway

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/send"
)

// noDeadline is how the net package spells "wait for ever".
var noDeadline time.Time

// Directory is who may connect. *install.Service implements it.
type Directory interface {
	Pair(ctx context.Context, remote, code, extensionVersion string) (install.Paired, error)
	Token(ctx context.Context, id uuid.UUID, secret string) (install.Token, error)
	Hello(ctx context.Context, ask install.HelloAsk) (install.Welcome, error)
	Renew(ctx context.Context, session send.Session) (token string, expiresIn time.Duration, err error)
	Standings(ctx context.Context, installs []uuid.UUID) (map[uuid.UUID]install.Standing, error)
	Seen(ctx context.Context, installs []uuid.UUID) error
}

// Queue says where there is work. *postgres.Store implements it.
type Queue interface {
	// DueAccounts lists which of the accounts have a send that may be leased now.
	DueAccounts(ctx context.Context, accounts []uuid.UUID) ([]uuid.UUID, error)
}

// Settings are the times that installs are told, and how often the queue is looked at when nothing woke an account.
type Settings struct {
	TouchWithin, AnswerWithin, LookWithin time.Duration
	PollEvery                             time.Duration
	// PingEvery and SessionSilenceMax are those of config; they are here so that tests can change them.
	PingEvery, SessionSilenceMax time.Duration
}

// Gateway holds the connections of this server's installs.
type Gateway struct {
	installs  send.Installs
	directory Directory
	queue     Queue
	observers Observers
	settings  Settings
	log       *slog.Logger
	began     time.Time
	unproven  atomic.Int64  // connections without a good hello
	goodbyes  chan struct{} // one token for each closed session whose leases are being given back
	ending    chan struct{} // closed when the gateway begins to stop
	overdue   chan struct{} // closed when it has waited long enough for what was under way
	pollNow   chan struct{}
	lookNow   chan struct{}
	hub       hub

	mu          sync.Mutex
	stopping    bool
	connections map[*session]bool
	running     sync.WaitGroup
}

// Connected is how many installs are connected to this server.
func (g *Gateway) Connected() int { return g.hub.installs() }

// age is how long the gateway has been there, by a clock that no one sets.
func (g *Gateway) age() time.Duration { return time.Since(g.began) }

// New panics on a missing part: a server must not start half built. Run must be called once.
func New(installs send.Installs, directory Directory, queue Queue, observers Observers, settings Settings, log *slog.Logger) *Gateway {
	if installs == nil || directory == nil || queue == nil || observers == nil || log == nil {
		panic("gateway.New: a part is missing")
	}
	if settings.PollEvery <= 0 || settings.PingEvery <= 0 || settings.SessionSilenceMax <= 0 {
		panic("gateway.New: PollEvery, PingEvery and SessionSilenceMax must be above zero")
	}
	return &Gateway{
		installs: installs, directory: directory, queue: queue, observers: observers, settings: settings, log: log, began: time.Now(),
		goodbyes: make(chan struct{}, config.DisconnectsAtOnceMax),
		ending:   make(chan struct{}), overdue: make(chan struct{}), pollNow: make(chan struct{}, 1),
		lookNow: make(chan struct{}, 1), hub: newHub(), connections: map[*session]bool{},
	}
}

// Run looks after the connections until ctx ends. It then closes them, asking each install to come back at another time,
// and waits until what they had under way is finished, at most config.ShutdownWithin.
func (g *Gateway) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { g.pollQueue(ctx) })
	loops.Go(func() { g.lookAtStandings(ctx) })
	loops.Go(func() { g.lookForSilence(ctx) })
	loops.Go(func() { g.noteSeen(ctx) })
	loops.Wait()
	g.stop()
}

func (g *Gateway) stop() {
	close(g.ending)
	g.mu.Lock()
	g.stopping = true
	for s := range g.connections {
		s.askBack()
	}
	g.mu.Unlock()
	finished := make(chan struct{})
	go func() { g.running.Wait(); close(finished) }()
	select {
	case <-finished:
		return
	case <-time.After(config.ShutdownWithin):
	}
	g.log.Warn("connections did not end in time and are cut", "waited", config.ShutdownWithin)
	close(g.overdue)
	g.mu.Lock()
	for s := range g.connections {
		_ = s.conn.Close()
	}
	g.mu.Unlock()
	<-finished // bounded: every operation has config.RequestWithin
}

// spawn runs work that Run waits for. Only work that belongs to an entered connection may be spawned, so that none can
// begin after the wait is over.
func (g *Gateway) spawn(work func()) { g.running.Go(work) }

// mayConnect counts a connection as unproven. Until leave or a good hello it is one of a bounded number.
func (g *Gateway) mayConnect() bool {
	if g.unproven.Add(1) > config.SocketsUnprovenMax {
		g.unproven.Add(-1)
		return false
	}
	return true
}

// enter begins the connection's life. false: the server is stopping.
func (g *Gateway) enter(s *session) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopping {
		return false
	}
	g.connections[s] = true
	g.spawn(s.read)
	return true
}

// leave ends it. The leases of a session that was its install's newest go back to the queue.
func (g *Gateway) leave(s *session) {
	_ = s.conn.Close()
	if s.isWelcomed() {
		if replaced := g.hub.remove(s); !replaced {
			g.spawn(func() { g.giveBack(s) })
		}
	} else {
		g.unproven.Add(-1)
	}
	g.mu.Lock()
	delete(g.connections, s)
	g.mu.Unlock()
}

// welcome makes a session with a good hello known. The one that it replaces is found by the look at the standings, which
// alone knows the order in which the database took two hellos.
func (g *Gateway) welcome(s *session) {
	g.unproven.Add(-1)
	g.hub.add(s)
	g.InstallChanged(s.info.Install)
}

// InstallChanged says that the install has a newer session, or was revoked, paused or resumed. It never blocks.
func (g *Gateway) InstallChanged(install uuid.UUID) {
	if g.hub.doubt(install) {
		signal(g.lookNow)
	}
}

// InstallsChanged says that any install may have; something may have been missed. It never blocks.
func (g *Gateway) InstallsChanged() {
	g.hub.doubtAll()
	signal(g.lookNow)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // one is enough
	}
}

// giveBack puts the leases of an ended session that were not started back in the queue. After the last try, and when the
// server stops without a database, the sweep of expired leases does it.
func (g *Gateway) giveBack(s *session) {
	select {
	case g.goodbyes <- struct{}{}:
	case <-g.overdue:
		return
	}
	defer func() { <-g.goodbyes }()
	wait := config.DisconnectRetryFirst
	for try := 1; ; try++ {
		err := g.tryGiveBack(s)
		if err == nil {
			return
		}
		if try == config.DisconnectTriesMax {
			g.log.Error("the leases of a closed session were not given back; they will expire", "install", s.info.Install,
				"session", s.info.ID, "error", err)
			return
		}
		select {
		case <-time.After(wait):
		case <-g.ending:
			return
		}
		wait *= 2
	}
}

func (g *Gateway) tryGiveBack(s *session) error {
	ctx, cancel := context.WithTimeout(context.Background(), config.StatementWithin)
	defer cancel()
	standings, err := g.directory.Standings(ctx, []uuid.UUID{s.info.Install})
	if err != nil {
		return err
	}
	// A newer session, here or on another server, has the leases now.
	if standing := standings[s.info.Install]; standing.Session != s.info.ID {
		return nil
	}
	return g.installs.Disconnected(ctx, s.info)
}
