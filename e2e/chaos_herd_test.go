//go:build chaos

package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"sendonce/server/config"
)

const (
	// herd is the number of installs that come back at one time; herdMessages are sent meanwhile.
	herd, herdMessages = 1000, 8
	// herdSaysAgain is how often each of the herd says again what it waits for: as often as it pings.
	herdSaysAgain = config.PingEvery
	// herdWithin bounds their return, as often as it is asked for; pairing them takes its time as well.
	herdWithin = 10 * time.Minute
	// lookEvery is the pause between two looks at how many are back.
	lookEvery = time.Second
	// herdBackWithin is how long after the restart the last of them may be back: the spread, and one backoff after it.
	herdBackWithin = config.RestartSpreadMax + restMost
	// herdPeakMost is how many may come back in one second: the even share is herd / 30, and those whose time came while nobody
	// listened come together.
	herdPeakMost = 250
)

// Goal: a thousand installs come back to a server that restarted without storming it, and what they had in hand goes on. A
// server that was killed could not ask them to come back at different times; their backoff alone spreads them.
func TestChaosHerdReturns(t *testing.T) {
	times := chaosTimes(t)
	r := newWorld(t, world{within: time.Duration(2*times+1) * herdWithin})
	members := make([]*sender, herd)
	for i := range members {
		members[i] = newSender(r.script())
		members[i].every = herdSaysAgain
	}
	stop := work(r.ctx, members...)
	r.awaitSessions(herd)
	asked := &chaos{rig: r, fault: stopsServer}
	peak, slowest := asked.herdReturns(times, members, func() { r.must(r.server.Stop()) })
	alsoAsked := spread(peak, slowest)
	if peak > herdPeakMost || slowest > herdBackWithin {
		r.Errorf("%s; want at most %d in one second, and all within %s", alsoAsked, herdPeakMost, herdBackWithin)
	}
	unasked := &chaos{rig: r, fault: crashesServer}
	peak, slowest = unasked.herdReturns(times, members, r.server.Kill)
	alsoUnasked := spread(peak, slowest)
	if slowest > herdBackWithin {
		r.Errorf("%s; want all within %s", alsoUnasked, herdBackWithin)
	}
	rows := append(asked.rows(), unasked.rows()...)
	stop()
	rows[0].times, rows[0].also = times, alsoAsked
	rows[1].times, rows[1].also = times, alsoUnasked
	writeChaos(t, rows...)
}

func spread(peak int, slowest time.Duration) string {
	return fmt.Sprintf("at most %d back in one second, all within %s", peak, slowest.Round(time.Second))
}

// herdReturns ends the server, with messages under way, and starts it again. It returns the most that came back in one second,
// and the longest until all were.
func (c *chaos) herdReturns(times int, members []*sender, end func()) (peak int, slowest time.Duration) {
	c.Helper()
	for n := range times {
		blows := members[0].approves(herdMessages)
		end()
		ended := time.Now()
		c.must(c.server.Restart(c.ctx))
		c.api.URL = c.server.URL()
		c.awaitSessions(herd)
		c.awaitEnds(atWork, blows...)
		most, last := returns(members, ended)
		c.Logf("%s, time %d: %s", c.fault, n+1, spread(most, last.Sub(ended)))
		peak, slowest = max(peak, most), max(slowest, last.Sub(ended))
	}
	return peak, slowest
}

var sessionsLine = regexp.MustCompile(`(?m)^sendonce_installs_connected ([0-9]+)$`)

// awaitSessions reads the server's metrics until so many installs are connected.
func (r *rig) awaitSessions(count int) {
	r.Helper()
	seen := ""
	for {
		if text, err := r.metrics(); err == nil {
			if found := sessionsLine.FindSubmatch(text); found != nil {
				seen = string(found[1])
			}
		}
		if seen == strconv.Itoa(count) {
			return
		}
		select {
		case <-time.After(lookEvery):
		case <-r.ctx.Done():
			r.Fatalf("%s installs are connected, want %d", seen, count)
		}
	}
}

func (r *rig) metrics() ([]byte, error) {
	request, err := http.NewRequestWithContext(r.ctx, http.MethodGet, r.server.URL()+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// returns finds the most that were welcomed within any one second after a moment, and when the last was.
func returns(members []*sender, after time.Time) (peak int, last time.Time) {
	var moments []time.Time
	for _, s := range members {
		moments = append(moments, s.welcomedAfter(after)...)
	}
	slices.SortFunc(moments, time.Time.Compare)
	first := 0
	for i, at := range moments {
		for at.Sub(moments[first]) >= time.Second {
			first++
		}
		peak = max(peak, i-first+1)
		last = at
	}
	return peak, last
}
