package send_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/postgres"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// secondService is another server process on the same database: its own pool, its own waker.
func (b *bundle) secondService(t *testing.T) *send.Service {
	t.Helper()
	store, err := postgres.Open(t.Context(), b.db.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return b.serviceOver(store)
}

// TestTwoServersLeaseEveryRowOnce: 40 rows of 4 accounts, two servers with two senders an account each, all at once.
func TestTwoServersLeaseEveryRowOnce(t *testing.T) {
	t.Parallel()
	const accounts, rows = 4, 10
	b := setup(t)
	servers := []*send.Service{b.service, b.secondService(t)}
	var senders sync.WaitGroup
	var mu sync.Mutex
	leases := map[uuid.UUID]int{}
	for a := range accounts {
		account := b.AddAccount(t, fmt.Sprintf("account-%d", a))
		for i := range rows {
			first := b.AddMessage(t, "never sent")
			b.Exec(t, `UPDATE messages SET authority = 'withdrawn' WHERE id = $1`, first.ID)
			b.AddMessageTo(t, first.Person, account, fmt.Sprintf("Hello %d", i))
		}
		for i := range 4 {
			install, session := b.AddInstall(t)
			sender := b.sessionOf(install, session)
			senders.Go(func() {
				for idle := 0; idle < 20; {
					lease, err := servers[i%2].Lease(t.Context(), sender, account)
					if err != nil {
						t.Errorf("lease: %v", err)
						return
					}
					if lease == nil {
						idle++
						continue
					}
					mu.Lock()
					leases[lease.Send]++
					mu.Unlock()
					if err := deliver(t.Context(), servers[i%2], sender, lease); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	senders.Wait()
	for id, n := range leases {
		if n != 1 {
			t.Errorf("send %s was leased %d times", id, n)
		}
	}
	if n := b.Count(t, `SELECT count(*) FROM sends WHERE status = 'sent'`); n != accounts*rows {
		t.Errorf("%d sent, want %d", n, accounts*rows)
	}
	b.wantNoDeadlock(t)
}

func deliver(ctx context.Context, s *send.Service, sender send.Session, l *send.Lease) error {
	attempt := "attempt-" + uuid.NewString()
	ask := send.StartAsk{Session: sender, LeaseToken: l.Token, Attempt: attempt, Digest: l.Digest}
	if _, err := s.Start(ctx, ask); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	acted := found()
	report := send.Report{
		Session: sender, LeaseToken: l.Token, Attempt: attempt, Acted: &acted,
		Copies: []send.Copy{{ProviderID: "urn:" + l.Send.String()}}, Raw: []byte(`{"sent":true}`),
	}
	_, err := s.Report(ctx, report)
	return err
}

// TestAConfirmationBeatsTheSweepInTheSameInstant: the deadline has passed for every row, and the confirmations arrive
// while two servers sweep.
func TestAConfirmationBeatsTheSweepInTheSameInstant(t *testing.T) {
	t.Parallel()
	const rows = 60
	b := setup(t)
	second := b.secondService(t)
	started := make([]*send.Lease, rows)
	for i := range rows {
		account := b.AddAccount(t, fmt.Sprintf("account-%d", i))
		other := b.AddMessage(t, "never sent")
		b.Exec(t, `UPDATE messages SET authority = 'withdrawn' WHERE id = $1`, other.ID)
		b.AddMessageTo(t, other.Person, account, "Hello Ada")
		lease, err := b.service.Lease(t.Context(), b.session, account)
		if err != nil || lease == nil {
			t.Fatalf("lease: %v, %v", lease, err)
		}
		b.start(t, lease, attemptOne)
		started[i] = lease
	}
	b.Advance(t, 7*time.Minute)
	var all sync.WaitGroup
	for _, server := range []*send.Service{b.service, second} {
		all.Go(func() {
			if _, err := server.Sweep(t.Context()); err != nil {
				t.Errorf("sweep: %v", err)
			}
		})
	}
	for _, lease := range started {
		all.Go(func() {
			if _, err := second.Report(t.Context(), b.report(lease, attemptOne, found(), "urn:"+lease.Send.String())); err != nil {
				t.Errorf("report: %v", err)
			}
		})
	}
	all.Wait()
	if n := b.Count(t, `SELECT count(*) FROM sends WHERE status = 'sent'`); n != rows {
		t.Errorf("%d sent, want %d", n, rows)
	}
	if n := b.Count(t, `SELECT count(*) FROM send_events WHERE from_status = 'started' AND to_status = 'queued'`); n != 0 {
		t.Errorf("%d started rows went back to the queue", n)
	}
	b.wantNoDeadlock(t)
}

// TestTheLockOrderHolds mixes every hot operation with the cold ones on a few rows, from two servers and from one seed,
// and counts the deadlocks that Postgres had to break.
func TestTheLockOrderHolds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	servers := []*send.Service{b.service, b.secondService(t)}
	messages := make([]uuid.UUID, 12)
	var person uuid.UUID
	for i := range messages {
		if i%3 == 0 {
			person = b.AddMessage(t, fmt.Sprintf("first %d", i)).Person
		}
		messages[i] = b.AddMessageTo(t, person, b.Account, fmt.Sprintf("text %d", i)).ID
	}
	var all sync.WaitGroup
	for worker := range 8 {
		random := rand.New(rand.NewPCG(42, uint64(worker)))
		all.Go(func() {
			var held []*send.Lease
			for range 40 {
				held = b.oneStep(t, random, servers[worker%2], held, messages)
			}
		})
	}
	all.Wait()
	b.wantNoDeadlock(t)
}

func (b *bundle) oneStep(t *testing.T, random *rand.Rand, s *send.Service, held []*send.Lease, messages []uuid.UUID) []*send.Lease {
	ctx := t.Context()
	switch random.IntN(14) / 2 { // what a provider says is rarer: it ends what it is about
	case 0, 1:
		lease, err := s.Lease(ctx, b.session, b.Account)
		if err != nil {
			t.Errorf("lease: %v", err)
		}
		if lease != nil {
			held = append(held, lease)
		}
	case 2:
		if len(held) > 0 {
			l := held[random.IntN(len(held))]
			var refused *send.Refused
			if _, err := s.Start(ctx, b.ask(l, attemptOne)); err != nil && !errors.As(err, &refused) {
				t.Errorf("start: %v", err)
			}
		}
	case 3:
		if len(held) > 0 {
			l := held[random.IntN(len(held))]
			outcome := []rule.Acted{answered(429, rule.LookAbsent), answered(503, rule.LookAbsent), found()}[random.IntN(3)]
			if _, err := s.Report(ctx, b.report(l, attemptOne, outcome, "urn:"+l.Send.String())); err != nil {
				t.Errorf("report: %v", err)
			}
		}
	case 4:
		if _, err := s.Sweep(ctx); err != nil {
			t.Errorf("sweep: %v", err)
		}
	case 5:
		// As a withdrawal does: the message, then its sends.
		b.Exec(t, `WITH m AS MATERIALIZED (SELECT id FROM messages WHERE id = $1 FOR NO KEY UPDATE)
			UPDATE sends SET status = 'canceled', code = 'withdrawn'
			WHERE message_id = (SELECT id FROM m) AND status IN ('queued', 'leased')`, messages[random.IntN(len(messages))])
	case 6:
		b.sayAsAProvider(t, random, s, messages[random.IntN(len(messages))])
	}
	return held
}

// sayAsAProvider tells of a copy of the message, or of a reply from before or after its approval.
func (b *bundle) sayAsAProvider(t *testing.T, random *rand.Rand, s *send.Service, message uuid.UUID) {
	at := time.Now().Add(-time.Duration(random.IntN(3)) * time.Hour)
	if random.IntN(3) == 0 {
		if err := s.Provided(t.Context(), send.Provided{Message: message, ProviderID: "urn:" + message.String(), SentAt: at, SeenAt: at, Raw: []byte(`{}`)}); err != nil {
			t.Errorf("a copy that a provider has: %v", err)
		}
		return
	}
	var person uuid.UUID
	if err := b.Pool.QueryRow(t.Context(), `SELECT person_id FROM messages WHERE id = $1`, message).Scan(&person); err != nil {
		t.Errorf("read the person: %v", err)
	}
	if _, err := b.store.PersonReplied(t.Context(), b.Workspace, person, at); err != nil {
		t.Errorf("a reply: %v", err)
	}
}

func (b *bundle) wantNoDeadlock(t *testing.T) {
	t.Helper()
	if n := b.Count(t, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); n != 0 {
		t.Errorf("Postgres broke %d deadlocks", n)
	}
}
