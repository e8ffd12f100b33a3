package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"sendonce/bench/scripted"
	"sendonce/client"
	"sendonce/e2e/harness"
)

const (
	accounts = 8
	// proposeEvery is the pace of all accounts together: far above a team's, far below what the server can do.
	proposeEvery = 250 * time.Millisecond
	pingEvery    = 20 * time.Second
	// silenceMax bounds a wait for the server's next word: it answers every ping.
	silenceMax = 50 * time.Second
	// restMax is how long an install that lost its connection stays away.
	restMax = 3 * time.Second
	// resolveEvery is how often a person looks through what needs a look.
	resolveEvery = 10 * time.Second
	// comebacksMax bounds how often in a row an install fails to come back: a cut connection of the server costs it one try or two.
	comebacksMax = 10
)

// load is people who propose and approve, and installs that live and fail.
type load struct {
	world    *scripted.World
	accounts []string
	running  sync.WaitGroup
	proposed atomic.Int64
	lives    atomic.Int64
	faults   atomic.Int64
	resolved atomic.Int64

	mu     sync.Mutex
	failed error
}

func beginLoad(ctx context.Context, w *scripted.World) (*load, error) {
	l := &load{world: w}
	for n := range accounts {
		slug := fmt.Sprintf("recruiter-%d", n)
		account, err := w.API.Account(ctx, slug)
		if err != nil {
			return nil, err
		}
		l.accounts = append(l.accounts, account)
		i, err := scripted.Connect(ctx, w, slug)
		if err != nil {
			return nil, err
		}
		random := rand.New(rand.NewPCG(uint64(n), 1))
		l.runs(ctx, func() error { return l.serve(ctx, i, random) })
	}
	l.runs(ctx, func() error { return l.propose(ctx) })
	l.runs(ctx, func() error { return l.resolve(ctx) })
	return l, nil
}

// runs does one part of the load until ctx ends. What fails before that is a finding.
func (l *load) runs(ctx context.Context, do func() error) {
	l.running.Go(func() {
		if err := do(); err != nil && ctx.Err() == nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.failed = errors.Join(l.failed, err)
		}
	})
}

// trouble is what has failed so far, if anything has.
func (l *load) trouble() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

func (l *load) end() error {
	l.running.Wait()
	fmt.Printf("%d messages approved, %d lives to the end, %d faults, %d settled by a person\n",
		l.proposed.Load(), l.lives.Load(), l.faults.Load(), l.resolved.Load())
	return l.failed
}

// propose is a program that asks again with the same key when an answer is lost with a connection of the server.
func (l *load) propose(ctx context.Context) error {
	program, err := client.New(l.world.API.URL, l.world.API.Token)
	if err != nil {
		return err
	}
	pace := time.NewTicker(proposeEvery)
	defer pace.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-pace.C:
		}
		if err := l.approve(ctx, program, l.accounts[n%accounts], fmt.Sprintf("ada-%d", n)); err != nil {
			return fmt.Errorf("propose and approve: %w", err)
		}
		l.proposed.Add(1)
	}
}

func (l *load) approve(ctx context.Context, program *client.Client, account, slug string) error {
	m, _, err := program.Propose(ctx, slug, client.Proposal{
		AccountID: account, Person: client.Recipient{LinkedIn: harness.LinkedIn + "/in/" + slug}, Purpose: "a soak", Body: "Hello " + slug,
	})
	if err != nil {
		return err
	}
	_, err = program.Do(ctx, client.Request{
		Method: http.MethodPost, Path: "/v1/messages/" + m.ID + "/approval", Key: "yes to " + slug, Body: map[string]any{"version": m.Version, "digest": m.Digest},
	}, nil)
	return err
}

// resolve is a person who says of what needs a look that it arrived.
func (l *load) resolve(ctx context.Context) error {
	pace := time.NewTicker(resolveEvery)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-pace.C:
		}
		sends, err := l.world.API.Sends(ctx, "unconfirmed")
		if err != nil {
			continue // its connection was cut: the person looks again
		}
		for _, send := range sends {
			// An error means that a late report was faster.
			if err := l.world.API.Resolve(ctx, send.ID, "delivered", "It stands there."); err == nil {
				l.resolved.Add(1)
			}
		}
	}
}

// serve is one install for as long as ctx lasts: it answers what it is given, and now and then does what a browser does
// that dies.
func (l *load) serve(ctx context.Context, i *scripted.Install, random *rand.Rand) error {
	for ctx.Err() == nil {
		err := l.session(ctx, i, random)
		i.Conn.Close()
		if !errors.Is(err, errLost) && ctx.Err() == nil {
			return err
		}
		l.faults.Add(1)
		if err := l.comeBack(ctx, i, random); err != nil {
			return err
		}
	}
	return nil
}

// comeBack connects anew after a rest, and again when the server could not say welcome.
func (l *load) comeBack(ctx context.Context, i *scripted.Install, random *rand.Rand) (err error) {
	for range comebacksMax {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Duration(random.Int64N(int64(restMax)))):
		}
		if err = i.Again(ctx); err == nil {
			return nil
		}
		i.Conn.Close()
	}
	return fmt.Errorf("an install could not come back: %w", err)
}

// errLost ends a session as a fault does.
var errLost = errors.New("the connection is lost")

func (l *load) session(ctx context.Context, i *scripted.Install, random *rand.Rand) error {
	lasts, end := context.WithCancel(ctx)
	defer end()
	stop := context.AfterFunc(ctx, func() { i.Conn.Close() })
	defer stop()
	if err := i.Ready(); err != nil {
		return err
	}
	l.running.Go(func() { pings(lasts, i) })
	for {
		f, err := i.Next(silenceMax)
		if err != nil {
			return err
		}
		switch f.Type {
		case "lease":
			err = l.live(i, f, random)
		case "check":
			err = i.Say("checked", map[string]any{"check_token": f.CheckToken, "result": "could_not_check", "evidence": map[string]any{
				"reason": "busy", "copies": []any{}, "conversation": nil, "messages": 0, "oldest_at_ms": nil, "looked_at_ms": time.Now().UnixMilli(),
			}})
		}
		if err != nil {
			return err
		}
	}
}

// pings says that the install is there until ctx ends or the connection does.
func pings(ctx context.Context, i *scripted.Install) {
	pace := time.NewTicker(pingEvery)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pace.C:
			if i.Say("ping", map[string]any{}) != nil {
				return
			}
		}
	}
}

// hear waits for an answer of one of the types, past whatever else is said.
func hear(i *scripted.Install, kinds ...string) (scripted.Frame, error) {
	for {
		f, err := i.Next(silenceMax)
		if err != nil {
			return f, err
		}
		if slices.Contains(kinds, f.Type) {
			return f, nil
		}
		if f.Type == "error" {
			return f, fmt.Errorf("wait for %v: %w: the server says %s", kinds, errLost, f.Code)
		}
	}
}

// live takes one lease to its end, or as far as its fault lets it.
func (l *load) live(i *scripted.Install, lease scripted.Frame, random *rand.Rand) error {
	fault := random.IntN(100)
	if fault < 5 {
		return errLost // before it asks
	}
	if fault < 10 {
		l.faults.Add(1)
		return i.Say("release", map[string]any{"lease_token": lease.LeaseToken, "code": "busy"})
	}
	attempt := uuid.NewString()
	if err := i.Start(lease, attempt); err != nil {
		return err
	}
	started, err := hear(i, "started", "refused")
	if err != nil || started.Type == "refused" {
		return err
	}
	switch {
	case fault < 15:
		return errLost // and never says what came of it
	case fault < 20:
		l.faults.Add(1)
		err = i.Unknown(lease, attempt)
	default:
		err = i.Found(lease, attempt)
	}
	if err != nil {
		return err
	}
	if fault < 25 {
		return errLost // before it hears that the report was recorded
	}
	if _, err := hear(i, "recorded"); err != nil {
		return err
	}
	l.lives.Add(1)
	return i.Say("gone", map[string]any{"lease_token": lease.LeaseToken})
}
