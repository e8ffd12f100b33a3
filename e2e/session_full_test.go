//go:build full

package e2e_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"sendonce/e2e/harness"
	"sendonce/server/config"
	"sendonce/server/rule"
)

// Goal: an install whose connection only looks open is given up, and its lease goes to another one.
func TestHalfOpenConnection(t *testing.T) {
	r := newRig(t, 0, map[string]string{"SENDONCE_LEASE_LASTS": "9m"})
	silent, alive := r.script(), r.script()
	r.must(silent.connect())
	m := r.approved(ada, "Hello Ada")
	silent.lease()
	r.must(alive.connect())
	alive.ready()
	pinging, stop := context.WithCancel(r.ctx)
	var pings sync.WaitGroup
	pings.Go(func() { alive.pings(pinging) })
	lease, err := alive.hear("lease")
	stop()
	pings.Wait()
	r.must(err)
	if row := r.awaitRow(m, string(rule.Leased)); row.Holder != alive.id || row.ID != lease.Send {
		t.Errorf("the row is %+v, want it held by the install that pings", row)
	}
	r.wantsClosed(silent.connection, 4005)
}

// pings keeps a session open as the extension does.
func (s *scripted) pings(ctx context.Context) {
	ticker := time.NewTicker(config.PingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			_ = s.say("ping", map[string]any{}) // a reader sees that the connection broke
		case <-ctx.Done():
			return
		}
	}
}

// Goal: a browser whose connection only looks open gives it up by itself, and works over the next one.
func TestHalfOpenConnectionOfABrowser(t *testing.T) {
	r := newRig(t, 1, nil)
	in := r.install()
	welcomes := in.proxy.Count(harness.Upstream, "welcome")
	in.proxy.Lose(harness.Install, "ping", -1)
	in.proxy.Lose(harness.Upstream, "pong", -1)
	r.must(in.proxy.Wait(r.ctx, harness.Upstream, "welcome", welcomes+1))
	in.proxy.Heal()
	r.wantsSent(r.approved(ada, "Hello Ada"))
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
}

const (
	// many is the number of installs that come back to a restarted server.
	many = 200
	// spreadParts is into how many equal parts the time of their return is divided, and fewest and most what one may hold:
	// an even spread has 40 in each, and one in a billion lies beyond these.
	spreadParts, fewest, most = 5, 10, 80
)

var comeBack = regexp.MustCompile(`^come back in ([0-9]+) ms$`)

// Goal: a server that stops sends its installs away for different times, so that the next one is not stormed; all are
// back within the longest.
func TestRestartSpreadsItsInstalls(t *testing.T) {
	r := newWorld(t, world{within: matrixWithin})
	installs := make([]*scripted, many)
	for i := range installs {
		installs[i] = r.script()
		r.must(installs[i].connect())
	}
	stopped := make(chan error, 1)
	go func() { stopped <- r.server.Stop() }()
	waits := make([]time.Duration, many)
	var closing sync.WaitGroup
	for i, s := range installs {
		closing.Go(func() { waits[i] = s.sentAway() })
	}
	closing.Wait()
	r.must(<-stopped)
	parts := make([]int, spreadParts)
	for _, wait := range waits {
		if wait < 0 || wait >= config.RestartSpreadMax {
			t.Fatalf("an install was told to come back in %s, want less than %s", wait, config.RestartSpreadMax)
		}
		parts[int(wait*spreadParts/config.RestartSpreadMax)]++
	}
	if slices.Min(parts) < fewest || slices.Max(parts) > most {
		t.Errorf("they come back in parts of %v", parts)
	}
	r.must(r.server.Restart(r.ctx))
	r.api.URL = r.server.URL()
	failed := make(chan error, many)
	var returning sync.WaitGroup
	for i, s := range installs {
		returning.Go(func() {
			select {
			case <-time.After(waits[i]):
				if err := s.connect(); err != nil {
					failed <- err
				}
			case <-r.ctx.Done():
			}
		})
	}
	returning.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
	for _, s := range installs {
		s.connection.Close()
	}
}

// sentAway waits for the word of a stopping server, and returns how long it said to stay away; below zero: no such word.
func (s *scripted) sentAway() time.Duration {
	defer context.AfterFunc(s.ctx, func() { s.connection.Close() })()
	for {
		if _, _, err := s.connection.ReadMessage(); err != nil {
			return toldToStayAway(err)
		}
	}
}

// toldToStayAway reads out of the end of a connection how long a stopping server said to stay away; below zero: it did not.
func toldToStayAway(err error) time.Duration {
	var closed *websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != websocket.CloseGoingAway {
		return -1
	}
	told := comeBack.FindStringSubmatch(closed.Text)
	if told == nil {
		return -1
	}
	ms, err := strconv.Atoi(told[1])
	if err != nil {
		return -1
	}
	return time.Duration(ms) * time.Millisecond
}
