//go:build chaos

package e2e_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/config"
	"sendonce/server/rule"
)

const (
	// listenPoll is the slow poll under a lost notice: here the usual one.
	listenPoll = 5 * time.Second
	// listening is one connection of each of two servers.
	listening = 2
	// leaseSlack is what a busy machine may add to it.
	leaseSlack = 5 * time.Second
	// goneWithin bounds the wait until an install whose connection only looks open was given up.
	goneWithin = 3 * time.Minute
)

// Goal: when the connection that listens for notices is ended, and a message is approved on another server at once, it is
// leased within the slow poll.
func TestChaosListenEnds(t *testing.T) {
	times := chaosTimes(t)
	r, cluster := newStoppableWorld(t, world{
		within: patience + time.Duration(times)*caseWithin, changed: map[string]string{"SENDONCE_POLL_EVERY": listenPoll.String()},
	})
	worker := r.senders(1)[0]
	worker.every = config.PingEvery // saying that it is ready would find the message as well
	approver := newSender(&scripted{rig: r.beside(cluster), member: worker.member, account: worker.account})
	defer work(r.ctx, worker)()
	c := &chaos{rig: r, fault: endsListen}
	longest := time.Duration(0)
	for range times {
		person := approver.stranger()
		r.must(r.database.EndListening(r.ctx, listening))
		b := approver.approve(person)
		c.awaitEnds(onOther, b)
		longest = max(longest, r.waitedForLease(b.m))
	}
	rows := c.rows()
	rows[0].also = fmt.Sprintf("leased at most %s after the approval", longest.Round(100*time.Millisecond))
	if longest > listenPoll+leaseSlack {
		r.Errorf("a lease was given %s after the approval, want within the poll of %s", longest, listenPoll)
	}
	writeChaos(t, rows...)
}

// beside starts another server on the same database, and returns a rig that speaks to it.
func (r *rig) beside(cluster *harness.Cluster) *rig {
	r.Helper()
	path, err := program()
	r.must(err)
	server, err := harness.StartServer(r.ctx, harness.ServerOptions{
		Program: path, Data: r.TempDir(), DatabaseURL: cluster.ServerURL(), Settings: windows,
	})
	r.must(err)
	r.Cleanup(server.Kill)
	other := *r
	other.server, other.api = server, &harness.API{URL: server.URL(), Token: r.api.Token}
	return &other
}

// waitedForLease is how long a message was queued, by the database's clock.
func (r *rig) waitedForLease(m harness.Message) time.Duration {
	r.Helper()
	read, err := r.api.Message(r.ctx, m.ID)
	r.must(err)
	at := map[string]time.Time{}
	for _, event := range read.History {
		if _, known := at[event.To]; !known {
			at[event.To] = event.At
		}
	}
	return at[string(rule.Leased)].Sub(at[string(rule.Queued)])
}

// Goal: an install whose connection only looks open holds nothing up for ever: an untouched lease goes to another install, and
// what was begun is reported over the next connection.
func TestChaosHalfOpen(t *testing.T) {
	times := chaosTimes(t)
	r := newWorld(t, world{
		within: goneWithin + chaosEndWithin + looksWithin, changed: map[string]string{"SENDONCE_LEASE_LASTS": "9m"},
	})
	wire, err := harness.StartWire("tcp", "127.0.0.1:0", strings.TrimPrefix(r.server.URL(), "http://"))
	r.must(err)
	r.Cleanup(wire.Close)
	c := &chaos{rig: r, fault: freezesSocket}
	silent := r.senders(2 * times)
	others := make([]*sender, times)
	for i, s := range silent {
		s.via = "http://" + wire.Address()
		if i < times {
			others[i] = newSender(r.script())
			others[i].member, others[i].account = s.member, s.account
		}
	}
	leased, begun, release := r.hold(silent)
	thaw := wire.Freeze()
	release()
	defer work(r.ctx, others...)()
	c.awaitEnds(leaseGiven, leased...)
	c.awaitEnds(startAcked, begun...)
	thaw()
	writeChaos(t, c.rows()...)
}

// hold gives each sender a message and lets it work until its half's point: a lease was given, or a start was acknowledged.
// There they stand until release. They work until the test ends.
func (r *rig) hold(senders []*sender) (leased, begun []*blow, release func()) {
	r.Helper()
	reached, gate := make(chan struct{}), standin.NewGate()
	half := len(senders) / 2
	for i, s := range senders {
		stands := sync.OnceFunc(func() {
			select {
			case reached <- struct{}{}:
			case <-r.ctx.Done():
			}
			gate.Wait(r.ctx)
		})
		if i < half {
			s.leased = stands
			leased = append(leased, s.approves(1)...)
		} else {
			s.acked = stands
			begun = append(begun, s.approves(1)...)
		}
	}
	stop := work(r.ctx, senders...)
	r.Cleanup(stop)
	r.Cleanup(gate.Release)
	for range senders {
		select {
		case <-reached:
		case <-r.ctx.Done():
			r.Fatal("not every sender came to where it was to stand")
		}
	}
	return leased, begun, gate.Release
}

// Goal: when the database's clock jumps an hour ahead, a lease that was given permits nothing any more, and what was begun is
// unconfirmed until its report, which wins.
func TestChaosClockJumps(t *testing.T) {
	const jump = time.Hour
	times := chaosTimes(t)
	r := newWorld(t, world{within: chaosEndWithin + looksWithin})
	c := &chaos{rig: r, fault: jumpsClock}
	leased, begun, release := r.hold(r.senders(2 * times))
	r.must(r.database.Advance(r.ctx, jump))
	for _, b := range begun {
		_, err := r.database.AwaitRow(r.ctx, b.m.ID, hasEnded)
		r.must(err)
	}
	release()
	c.awaitEnds(leaseGiven, leased...)
	for _, b := range begun {
		r.await(b.m, string(rule.Sent))
	}
	c.awaitEnds(startAcked, begun...)
	writeChaos(t, c.rows()...)
}
