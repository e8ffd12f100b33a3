package harness_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"sendonce/e2e/harness"
)

const patience = 20 * time.Second

// echoing is a server that answers every frame with itself.
func echoing(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
		connection, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer connection.Close()
		for {
			kind, data, err := connection.ReadMessage()
			if err != nil || connection.WriteMessage(kind, data) != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// speaker is an install that says frames by their types alone.
type speaker struct {
	*testing.T
	connection *websocket.Conn
}

func connect(t *testing.T, p *harness.Proxy) speaker {
	t.Helper()
	connection, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(p.Address(), "http")+"/socket", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return speaker{t, connection}
}

func (s speaker) say(types ...string) {
	s.Helper()
	for _, kind := range types {
		if err := s.connection.WriteJSON(map[string]string{"type": kind}); err != nil {
			s.Fatal(err)
		}
	}
}

// hears reads as many frames as are wanted and compares their types.
func (s speaker) hears(want ...string) {
	s.Helper()
	var got []string
	for range want {
		var frame map[string]string
		s.connection.SetReadDeadline(time.Now().Add(patience))
		if err := s.connection.ReadJSON(&frame); err != nil {
			s.Fatal(err)
		}
		got = append(got, frame["type"])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("heard (-want +got):\n%s", diff)
	}
}

func start(t *testing.T) *harness.Proxy {
	t.Helper()
	p, err := harness.StartProxy(echoing(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// Goal: the proxy loses what it was told to lose and nothing else, and remembers what came.
func TestProxyLosesAndHolds(t *testing.T) {
	t.Parallel()
	p := start(t)
	s := connect(t, p)
	p.Lose(harness.Install, "report", 2)
	s.say("report", "ping", "report", "report")
	s.hears("ping", "report")

	release := p.Hold(harness.Upstream, "started")
	s.say("started", "pong")
	s.hears("pong")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := p.Wait(ctx, harness.Upstream, "started", 1); err != nil {
		t.Fatal(err)
	}
	release()
	s.hears("started")
	s.say("started")
	s.hears("started")

	p.Lose(harness.Upstream, "recorded", -1)
	s.say("recorded", "noted")
	s.hears("noted")
	p.Heal()
	s.say("recorded")
	s.hears("recorded")
	if got := p.Count(harness.Install, "report"); got != 3 {
		t.Errorf("%d reports came, want 3 with those that were lost", got)
	}
}

// Goal: a cut is seen at once, and nobody gets through a shut proxy until it is open again.
func TestProxyCutsAndShuts(t *testing.T) {
	t.Parallel()
	p := start(t)
	s := connect(t, p)
	s.say("ping")
	s.hears("ping")
	p.Shut()
	s.connection.SetReadDeadline(time.Now().Add(patience))
	if _, _, err := s.connection.ReadMessage(); err == nil {
		t.Error("the connection outlived the cut")
	}
	address := "ws" + strings.TrimPrefix(p.Address(), "http")
	if _, _, err := websocket.DefaultDialer.Dial(address, nil); err == nil {
		t.Error("a shut proxy lets someone through")
	}
	p.Open()
	again := connect(t, p)
	again.say("ping")
	again.hears("ping")
}

// Goal: a frame can be said again on a later connection, and what was held of an earlier one is gone with it.
func TestProxyRepeatsFramesAndForgetsHeldOnes(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p := start(t)
	first := connect(t, p)
	first.say("lease")
	first.hears("lease")
	release := p.Hold(harness.Upstream, "started")
	first.say("started")
	if err := p.Wait(ctx, harness.Upstream, "started", 1); err != nil {
		t.Fatal(err)
	}
	first.connection.Close()
	if err := p.WaitEnded(ctx, 1); err != nil {
		t.Fatal(err)
	}
	release()
	second := connect(t, p)
	second.say("hello")
	second.hears("hello")
	if err := p.Repeat(p.Frames()[1]); err != nil {
		t.Fatal(err)
	}
	second.hears("lease")
}

// Goal: a hold for new leases lets pass what is said about one that was there before, and in answer to it.
func TestProxyHoldsOnlyNewLeases(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p := start(t)
	s := connect(t, p)
	about := func(kind, id, lease string) {
		t.Helper()
		if err := s.connection.WriteJSON(map[string]string{"type": kind, "id": id, "lease_token": lease}); err != nil {
			t.Fatal(err)
		}
	}
	about("report", "1", "old")
	s.hears("report")
	arrived, release := p.HoldNew(harness.Install, "gone")
	_, releaseAnswers := p.HoldNew(harness.Upstream, "recorded")
	defer releaseAnswers()
	if err := s.connection.WriteJSON(map[string]string{"type": "recorded", "re": "1"}); err != nil {
		t.Fatal(err)
	}
	s.hears("recorded")
	about("gone", "2", "old")
	s.hears("gone")
	early, stop := context.WithCancel(ctx)
	stop()
	if err := arrived(early); err == nil {
		t.Error("a frame about an old lease was held")
	}
	about("gone", "3", "new")
	if err := arrived(ctx); err != nil {
		t.Fatal(err)
	}
	s.say("ping")
	s.hears("ping")
	release()
	s.hears("gone")
}
