package gateway

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/send"
)

// The newest connection counts, and what becomes of the one before it changes nothing.
func TestASecondHelloSupersedesTheFirst(t *testing.T) {
	t.Parallel()
	s := newScript()
	g, url, _ := serve(t, s, unhurried)
	id := uuid.New()
	first, second := dial(t, url), dial(t, url)
	first.hello(id)
	first.say("ready", "accounts", []any{s.account})
	s.until(t, "asked because it is ready", func() bool { return len(s.asked) == 1 })
	welcome := second.hello(id)
	first.hears("superseded")
	first.hearsClose(closeSuperseded)
	until(t, "the first session is forgotten", func() bool { return len(g.hub.sessions()) == 1 })

	second.say("ready", "accounts", []any{s.account})
	s.until(t, "the second is asked for", func() bool { return len(s.asked) == 2 })
	s.offer(s.lease("Hello Ada"))
	g.Wake(s.account)
	second.hears("lease")
	if got := s.asked[len(s.asked)-1].ID.String(); got != welcome["session"] {
		t.Errorf("the lease was asked for the session %s, want %s", got, welcome["session"])
	}
	second.conn.Close()
	s.until(t, "the second session's leases are given back", func() bool { return len(s.disconnected) == 1 })
	if got := s.disconnected[0].ID.String(); got != welcome["session"] {
		t.Errorf("the leases of the superseded session were given back")
	}
}

// When the database was armed or disarmed, every install comes back and says anew what it remembers; once is enough. So does
// one of which a database that was put back names an older session.
func TestArmingAsksEveryInstallBack(t *testing.T) {
	t.Parallel()
	s := newScript()
	g, url, _ := serve(t, s, unhurried)
	id := uuid.New()
	first, other, older := dial(t, url), dial(t, url), dial(t, url)
	first.hello(id)
	other.hello(uuid.New())
	forgotten := uuid.New()
	older.hello(forgotten)
	_ = s.do(func() error { s.turn, s.newest[forgotten] = 7, uuid.New(); return nil })
	g.InstallsChanged()
	for _, p := range []*peer{first, other, older} {
		if text := p.hearsClose(closeStopping); !strings.HasPrefix(text, "come back in ") {
			t.Errorf("closed with %q", text)
		}
	}
	again := dial(t, url)
	again.hello(id)
	g.InstallsChanged()
	again.say("ping")
	again.hears("pong")
	until(t, "its standing was looked at", func() bool { return g.lookOnce(t.Context()) == nil })
	again.say("ping")
	again.hears("pong")
}

// Another server took the newer hello: only the database knows.
func TestASessionSupersededElsewhere(t *testing.T) {
	t.Parallel()
	s := newScript()
	g, url, _ := serve(t, s, unhurried)
	id := uuid.New()
	p := dial(t, url)
	p.hello(id)
	_ = s.do(func() error { s.newest[id] = uuid.New(); return nil })
	g.InstallChanged(uuid.New()) // not connected here
	g.InstallsChanged()          // as after a lost LISTEN connection
	p.hears("superseded")
	p.hearsClose(closeSuperseded)
}

func TestARevokedInstallIsClosedAtOnce(t *testing.T) {
	t.Parallel()
	s := newScript()
	g, url, _ := serve(t, s, unhurried)
	id := uuid.New()
	p := dial(t, url)
	p.hello(id)
	_ = s.do(func() error { s.revoked[id] = true; return nil })
	g.InstallChanged(id)
	if f := p.hearsError(codeRevoked); f["re"] != nil {
		t.Errorf("%v", f)
	}
	p.hearsClose(closeRevoked)
	s.until(t, "its leases are given back", func() bool { return len(s.disconnected) == 1 })
}

func TestASilentSessionIsClosedAndItsLeasesGoBack(t *testing.T) {
	t.Parallel()
	s := newScript()
	settings := unhurried
	settings.SessionSilenceMax = 200 * time.Millisecond
	_, url, _ := serve(t, s, settings)
	began := time.Now()
	p := dial(t, url)
	p.hello(uuid.New())
	p.hearsClose(closeSilent)
	if took := time.Since(began); took < settings.SessionSilenceMax {
		t.Errorf("closed after %s of silence", took)
	}
	s.until(t, "its leases are given back", func() bool { return len(s.disconnected) == 1 })
}

// Giving back is tried again: the database may be down just then.
func TestLeasesGoBackWhenTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	s := newScript()
	_, url, _ := serve(t, s, unhurried)
	p := dial(t, url)
	p.hello(uuid.New())
	s.setDown(true)
	p.conn.Close()
	s.until(t, "a try failed", func() bool { return s.refused > 0 })
	s.setDown(false)
	s.until(t, "the leases are given back", func() bool { return len(s.disconnected) == 1 })
}

// A peer that does not read holds nobody up: not the dispatchers, not other installs; and it is cut off.
func TestASlowPeerIsCutOff(t *testing.T) {
	t.Parallel()
	s := newScript()
	g, url, _ := serve(t, s, unhurried)
	// A small window, so that few frames fill it.
	dialer := websocket.Dialer{NetDial: func(network, address string) (net.Conn, error) {
		conn, err := net.Dial(network, address)
		if err == nil {
			err = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		}
		return conn, err
	}}
	conn, response, err := dialer.Dial(url, http.Header{"Origin": {origin}})
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	slow := &peer{t: t, conn: conn}
	t.Cleanup(func() { conn.Close() })
	slow.hello(uuid.New())
	session := g.hub.sessions()[0]
	large := leaseFrameOf(*s.lease(strings.Repeat("🙂", config.BodyRunesMax)))
	large.named("s-1")
	raw, err := encode(large)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for session.put(raw) {
		if time.Since(began) > soon {
			t.Fatal("frames are taken without end")
		}
	}
	if took := time.Since(began); took > config.SocketWriteWithin/2 {
		t.Errorf("whoever spoke to it waited: %s", took)
	}
	until(t, "it is cut off", func() bool { return len(g.hub.sessions()) == 0 })
}

func TestStoppingAsksEveryoneToComeBackAtAnotherTime(t *testing.T) {
	t.Parallel()
	s := newScript()
	_, url, stop := serve(t, s, unhurried)
	welcomed, unproven := dial(t, url), dial(t, url)
	welcomed.hello(uuid.New())
	go stop()
	for _, p := range []*peer{welcomed, unproven} {
		if text := p.hearsClose(closeStopping); !strings.HasPrefix(text, "come back in ") {
			t.Errorf("the reason is %q", text)
		}
	}
	stop()
	if len(s.disconnected) != 1 {
		t.Errorf("%d sessions gave their leases back before the end, want 1", len(s.disconnected))
	}
}

// An install whose connection is made in the moment in which the server begins to stop hears the same, also when it has spoken
// already: else it would come back at once, with all the others.
func TestAnInstallThatArrivesWhileStoppingIsAskedBack(t *testing.T) {
	t.Parallel()
	g, url, _ := serve(t, newScript(), unhurried)
	g.mu.Lock()
	g.stopping = true
	g.mu.Unlock()
	silent := dial(t, url)
	if text := silent.hearsClose(closeStopping); !strings.HasPrefix(text, "come back in ") {
		t.Errorf("the reason is %q", text)
	}
	until(t, "it is counted no more", func() bool { return g.unproven.Load() == 0 })

	spoke := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		<-spoke
		newSession(g, conn, "192.0.2.7").turnAway()
	}))
	t.Cleanup(server.Close)
	eager := dial(t, "ws"+strings.TrimPrefix(server.URL, "http"))
	eager.sayHello(uuid.New(), "good")
	close(spoke)
	eager.hearsClose(closeStopping)
}

// A server that stops while its database is down leaves the leases to their expiry: it ends, however many installs it had.
func TestStoppingWaitsForNoDeadDatabase(t *testing.T) {
	t.Parallel()
	s := newScript()
	_, url, stop := serve(t, s, unhurried)
	for range 4 * config.DisconnectsAtOnceMax {
		dial(t, url).hello(uuid.New())
	}
	s.setDown(true)
	began := time.Now()
	stop()
	if took := time.Since(began); took > config.ShutdownWithin/2 {
		t.Errorf("it stopped after %s", took)
	}
}

// A lease that was written while its session closed is given back, and not left to expire.
func TestALeaseForAClosedSessionIsGivenBack(t *testing.T) {
	t.Parallel()
	s := newScript()
	g, url, _ := serve(t, s, unhurried)
	p := dial(t, url)
	p.hello(uuid.New())
	session := g.hub.sessions()[0]
	lease := s.lease("Hello Ada")
	s.offer(lease)
	session.close(closeSilent, "no ping")
	g.hub.setReady(session, []uuid.UUID{s.account}) // as if it had been ready just before
	g.leaseOut(s.account)
	if len(s.released) != 1 {
		t.Errorf("released %q, want the lease", s.released)
	}
}

// The same when the connection broke while the lease was asked for, after its other leases had been given back.
func TestALeaseForABrokenConnectionIsGivenBack(t *testing.T) {
	t.Parallel()
	s := newScript()
	g, url, _ := serve(t, s, unhurried)
	p := dial(t, url)
	p.hello(uuid.New())
	session := g.hub.sessions()[0]
	s.offer(s.lease("Hello Ada"))
	s.onLease = func() {
		p.conn.Close()
		s.until(t, "its leases are given back", func() bool { return len(s.disconnected) == 1 })
	}
	g.hub.setReady(session, []uuid.UUID{s.account})
	g.leaseOut(s.account)
	if len(s.released) != 1 {
		t.Errorf("released %q, want the lease", s.released)
	}
}

// until looks again and again, for what no call of the script shows.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(soon); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in %s: %s", soon, what)
		}
	}
}

var (
	_ send.Installs = (*script)(nil)
	_ Directory     = (*install.Service)(nil)
)
