//go:build chaos

package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"sendonce/e2e/standin"
	"sendonce/server/config"
	"sendonce/server/send"
)

const (
	// askAgainEvery is how often a sender says again what has no answer.
	askAgainEvery = 2 * time.Second
	// restFirst and restMost bound the rest of a sender whose connection broke, as the extension's.
	restFirst, restMost = 4 * time.Second, time.Minute
	// accessFresh is how long it uses an access token before it asks for the next.
	accessFresh = config.AccessTokenLasts / 2
	// heardAtOnce is how many frames wait for a sender.
	heardAtOnce = 16
)

// sender is a scripted install that works as the extension does while its worker lives. What has no answer it says again, also
// over the next connection; for an attempt that was acknowledged it clicks once; it reports until that is recorded.
type sender struct {
	*scripted
	job *job
	// every is how often it says again what has no answer.
	every time.Duration
	// leased and acked are called when it was given a lease, and when its start was acknowledged; it waits for them.
	leased, acked func()
	strangers     int

	mu       sync.Mutex
	welcomed []time.Time // the moments at which it was
}

// job is the attempt in hand. providerID is that of its copy, empty before the click.
type job struct {
	lease               said
	attempt, providerID string
}

// senders are scripted installs of members of their own, so that they work at one time.
func (r *rig) senders(count int) []*sender {
	r.Helper()
	made := make([]*sender, count)
	for i := range made {
		member, err := r.site.AddMember(standin.Person{Slug: fmt.Sprintf("recruiter-%d", i), Name: fmt.Sprintf("Robin Recruiter %d", i)})
		r.must(err)
		account, err := r.api.Account(r.ctx, member.Slug)
		r.must(err)
		s := r.script()
		s.member, s.account = member, account
		made[i] = newSender(s)
	}
	return made
}

func newSender(s *scripted) *sender {
	return &sender{scripted: s, every: askAgainEvery, leased: func() {}, acked: func() {}}
}

// load has senders work through as many messages as so many strikes take, until the returned function is called.
func (r *rig) load(times int) (blows []*blow, end func()) {
	r.Helper()
	senders := r.senders(loadSenders)
	for _, s := range senders {
		blows = append(blows, s.approves(times*loadMessages)...)
	}
	return blows, work(r.ctx, senders...)
}

// approves has messages approved that go out from the sender's account, each to a person of its own.
func (s *sender) approves(count int) []*blow {
	s.Helper()
	made := make([]*blow, count)
	for i := range made {
		made[i] = s.approve(s.stranger())
	}
	return made
}

// stranger is someone to whom nothing was ever sent, and to whom nobody but the sender will write.
func (s *sender) stranger() standin.Person {
	s.Helper()
	s.strangers++
	person, err := s.site.AddPerson(standin.Person{
		Slug: fmt.Sprintf("%s-writes-to-%d", s.member.Slug, s.strangers), Name: fmt.Sprintf("Sam Sample %d", s.strangers), Connected: true,
	})
	s.must(err)
	return person
}

func (s *sender) approve(person standin.Person) *blow {
	s.Helper()
	text := "Hello " + person.Name
	proposed, err := s.api.Propose(s.ctx, s.account, person.Slug, text)
	s.must(err)
	approved, err := s.api.Approve(s.ctx, proposed)
	s.must(err)
	return &blow{m: approved, person: person, text: text}
}

// work runs senders until the returned function is called, which waits for their end.
func work(ctx context.Context, senders ...*sender) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	for _, s := range senders {
		working.Go(func() { s.works(ctx) })
	}
	return func() {
		cancel()
		working.Wait()
	}
}

func (s *sender) works(ctx context.Context) {
	limit, fresh := restFirst, time.Now()
	for ctx.Err() == nil {
		s.connection = nil
		told := time.Duration(-1)
		if time.Since(fresh) > accessFresh && s.refresh() == nil {
			fresh = time.Now()
		}
		if err := s.connect(); err == nil {
			s.welcome()
			limit = restFirst
			told = s.speaks(ctx)
		}
		if s.connection != nil {
			s.connection.Close()
		}
		rest := rand.N(limit)
		limit = min(2*limit, restMost)
		if told >= 0 { // by a server that stopped
			rest = told
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
		}
	}
}

func (s *sender) welcome() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.welcomed = append(s.welcomed, time.Now())
}

// welcomedAfter are the moments after the given one at which it was welcomed.
func (s *sender) welcomedAfter(moment time.Time) []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.welcomed), func(at time.Time) bool { return !at.After(moment) })
}

// speaks works over one connection until it breaks, or nothing was heard for too long. It returns how long the server said to
// stay away; below zero: it did not.
func (s *sender) speaks(ctx context.Context) (told time.Duration) {
	ctx, cancel := context.WithCancel(ctx)
	heard, ended := make(chan said, heardAtOnce), make(chan error, 1)
	connection := s.connection
	defer connection.Close()
	defer cancel()
	go func() { ended <- reads(ctx, connection, heard) }()
	again := time.NewTicker(s.every)
	defer again.Stop()
	last := time.Now()
	// What cannot be said any more is said over the next connection: the reader sees the end of this one.
	_ = s.saysAgain()
	for {
		select {
		case <-ctx.Done():
			return -1
		case err := <-ended:
			return toldToStayAway(err)
		case f := <-heard:
			last = time.Now()
			_ = s.takes(f)
		case <-again.C:
			if time.Since(last) > config.SessionSilenceMax {
				return -1
			}
			_ = s.say("ping", map[string]any{})
			_ = s.saysAgain()
		}
	}
}

// reads hands on what is heard until the connection ends, and returns how it did.
func reads(ctx context.Context, connection *websocket.Conn, heard chan<- said) error {
	for {
		var f said
		if err := connection.ReadJSON(&f); err != nil {
			return err
		}
		select {
		case heard <- f:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// saysAgain says what has no answer yet.
func (s *sender) saysAgain() error {
	switch {
	case s.job == nil:
		return s.say("ready", map[string]any{"accounts": []string{s.account}})
	case s.job.providerID == "":
		return s.say("start", map[string]any{
			"lease_token": s.job.lease.LeaseToken, "attempt": s.job.attempt, "digest": s.job.lease.Digest,
		})
	default:
		return s.sayReport(s.job.lease, s.job.attempt, s.job.providerID)
	}
}

func (s *sender) takes(f said) error {
	switch f.Type {
	case "lease":
		if s.job == nil {
			s.leased()
			s.job = &job{lease: f, attempt: uuid.NewString()}
			return s.saysAgain()
		}
	case "started":
		if s.job != nil && s.job.attempt == f.Attempt && s.job.providerID == "" {
			return s.clicks()
		}
	case "refused":
		if s.job != nil && s.job.providerID == "" {
			s.job = nil
			return s.saysAgain()
		}
	case "recorded":
		if s.job != nil && s.job.lease.Send == f.Send {
			token := s.job.lease.LeaseToken
			s.job = nil
			if err := s.say("gone", map[string]any{"lease_token": token}); err != nil {
				return err
			}
			return s.saysAgain()
		}
	case "check":
		return s.looks(f)
	}
	return nil
}

// clicks is the act.
func (s *sender) clicks() error {
	s.acked()
	person, err := s.site.Person(s.job.lease.Person.Slug)
	if err != nil {
		return err
	}
	s.job.providerID = s.site.Deliver(s.member, person, s.job.lease.Body).ProviderID()
	return s.saysAgain()
}

// looks answers a check by the ledger.
func (s *sender) looks(check said) error {
	person, err := s.site.Person(check.Person.Slug)
	if err != nil {
		return err
	}
	var found []any
	for _, wanted := range check.Wanted {
		for _, c := range s.site.State().To(person.ID, wanted.Body).Copies {
			found = append(found, map[string]any{
				"version": wanted.Version, "provider_id": c.ProviderID(), "sent_at_ms": c.AcceptedAt.UnixMilli(),
			})
		}
	}
	result := send.CheckAbsent
	if len(found) > 0 {
		result = send.CheckFound
	}
	return s.sayChecked(check, result, found...)
}
