package callback_test

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/auth"
	"sendonce/server/callback"
	"sendonce/server/message"
	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/rule"
	"sendonce/server/send"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	member = "urn:li:fsd_profile:ACorita-recruiter" // of the seed's account
	person = "urn:li:fsd_profile:ACoAAA1"
)

type woken struct {
	mu       sync.Mutex
	accounts map[uuid.UUID]int
}

func (w *woken) Wake(account uuid.UUID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.accounts[account]++
}

// world is the service over a real database and the real life of a send, with one browser.
type world struct {
	*testing.T
	*pgtest.Seed
	store   *postgres.Store
	tokens  *auth.LeaseTokens
	sends   *send.Service
	service *callback.Service
	session send.Session
	woken   *woken
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := pgtest.New(t)
	store, err := postgres.Open(t.Context(), db.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	keys, log := auth.NewKeys(), slog.New(slog.DiscardHandler)
	w := &world{T: t, Seed: pgtest.NewSeed(t, db), store: store, tokens: auth.NewLeaseTokens(keys.Lease), woken: &woken{accounts: map[uuid.UUID]int{}}}
	w.sends = send.NewService(store, w.tokens, auth.NewCheckTokens(keys.Lease), w.woken, send.Settings{
		LeaseLasts: time.Minute, TouchWithin: time.Minute, Deadline: 5 * time.Minute, Breaker: send.Breaker{After: 1000, Within: time.Hour},
	}, log)
	w.service = callback.NewService(callback.NewSources(store, auth.NewVault(keys.Refresh), time.Now, log), store, w.sends, w.woken)
	w.session = w.sessionOf(w.Install, w.Session)
	return w
}

func (w *world) sessionOf(install, session uuid.UUID) send.Session {
	return send.Session{ID: session, Install: install, Workspace: w.Workspace, ExtensionVersion: "1.0.0"}
}

func (w *world) now() (now time.Time) {
	w.Helper()
	if err := w.Pool.QueryRow(w.Context(), `SELECT sendonce_now()`).Scan(&now); err != nil {
		w.Fatal(err)
	}
	return now
}

const attempt = "attempt-one-0001"

// begin leases and starts the account's next send.
func (w *world) begin() *send.Lease {
	w.Helper()
	lease, err := w.sends.Lease(w.Context(), w.session, w.Account)
	if err != nil || lease == nil {
		w.Fatalf("lease: %v, %v", lease, err)
	}
	if _, err := w.sends.Start(w.Context(), send.StartAsk{Session: w.session, LeaseToken: lease.Token, Attempt: attempt, Digest: lease.Digest}); err != nil {
		w.Fatal(err)
	}
	return lease
}

// confirm reports that the copy stands there.
func (w *world) confirm(lease *send.Lease, providerID string) {
	w.Helper()
	recorded, err := w.sends.Report(w.Context(), send.Report{
		Session: w.session, LeaseToken: lease.Token, Attempt: attempt, Copies: []send.Copy{{ProviderID: providerID, SentAt: w.now()}}, Raw: []byte(`{}`),
		Acted: &rule.Acted{Answer: rule.Answer{Kind: rule.AnswerStatus, Status: 200}, Look: rule.LookFound},
	})
	if err != nil || recorded.Status != rule.Sent {
		w.Fatalf("report: %v, %v", recorded, err)
	}
}

func (w *world) observe(o callback.Observed) {
	w.Helper()
	if err := w.service.Observe(w.Context(), o); err != nil {
		w.Fatal(err)
	}
}

func (w *world) sweep(want int) {
	w.Helper()
	if joined, err := w.service.Sweep(w.Context()); err != nil || joined != want {
		w.Errorf("swept %d, %v, want %d", joined, err, want)
	}
}

// kept counts what browsers saw, and how much of it is joined.
func (w *world) kept() [2]int {
	w.Helper()
	const all = `SELECT count(*) FROM delivery_observations WHERE account_id IS NOT NULL`
	return [2]int{w.Count(w.T, all), w.Count(w.T, all+` AND message_id IS NOT NULL`)}
}

func (w *world) wantKept(all, joined int) {
	w.Helper()
	if got := w.kept(); got != [2]int{all, joined} {
		w.Errorf("%d facts are kept, %d of them joined, want %d and %d", got[0], got[1], all, joined)
	}
}

func (w *world) message(id uuid.UUID) message.Message {
	w.Helper()
	m, err := w.store.MessageReceipt(w.Context(), w.Workspace, id)
	if err != nil {
		w.Fatal(err)
	}
	return m
}

// byHand lists the messages by hand that are shown with a message.
func (w *world) byHand(id uuid.UUID) (seen []string) {
	w.Helper()
	for _, o := range w.message(id).Observed {
		if o.Kind == "manual" {
			seen = append(seen, o.SeenID)
		}
	}
	return seen
}
