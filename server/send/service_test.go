package send_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/rule"
	"sendonce/server/send"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// plainTokens writes the claims as they are: what is under test here is the database's side of a lease. Its text is what
// they are tokens of.
type plainTokens string

const leaseTokens, checkTokens plainTokens = "lease", "check"

func (of plainTokens) Sign(c send.LeaseClaims) (string, error) {
	ids := []string{c.Send.String(), c.Lease.String(), c.Install.String(), c.Account.String(), c.Workspace.String()}
	return strings.Join(append([]string{string(of), c.AskedAt.Format(time.RFC3339)}, ids...), "/"), nil
}

func (of plainTokens) Verify(token string) (send.LeaseClaims, error) {
	parts := strings.Split(token, "/")
	if len(parts) != 7 || parts[0] != string(of) {
		return send.LeaseClaims{}, errors.New("no such token")
	}
	asked, err := time.Parse(time.RFC3339, parts[1])
	if err != nil {
		return send.LeaseClaims{}, err
	}
	var ids [5]uuid.UUID
	for i, part := range parts[2:] {
		id, err := uuid.Parse(part)
		if err != nil {
			return send.LeaseClaims{}, err
		}
		ids[i] = id
	}
	return send.LeaseClaims{Send: ids[0], Lease: ids[1], Install: ids[2], Account: ids[3], Workspace: ids[4], AskedAt: asked}, nil
}

type woken struct {
	mu       sync.Mutex
	accounts map[uuid.UUID]int
}

func (w *woken) Wake(account uuid.UUID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.accounts[account]++
}

func (w *woken) WakeAll() { w.Wake(uuid.Nil) }

func (w *woken) InstallChanged(uuid.UUID) {}

// bundle is a service over a real database with one account and one install.
type bundle struct {
	*pgtest.Seed
	store   *postgres.Store
	service *send.Service
	woken   *woken
	session send.Session
	db      *pgtest.DB
	breaker send.Breaker
}

// patient is a breaker that no test trips by the way.
var patient = send.Breaker{After: 1000, Within: time.Hour}

func setup(t *testing.T) *bundle {
	t.Helper()
	db := pgtest.New(t)
	seed := pgtest.NewSeed(t, db)
	store, err := postgres.Open(t.Context(), db.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	b := &bundle{Seed: seed, store: store, woken: &woken{accounts: map[uuid.UUID]int{}}, db: db, breaker: patient}
	b.service = b.serviceOver(store)
	b.session = b.sessionOf(seed.Install, seed.Session)
	return b
}

func (b *bundle) serviceOver(store *postgres.Store) *send.Service {
	return send.NewService(store, leaseTokens, checkTokens, b.woken, send.Settings{
		LeaseLasts: time.Minute, TouchWithin: 90 * time.Second, Deadline: 6 * time.Minute,
		Breaker: b.breaker,
	}, slog.New(slog.NewTextHandler(io.Discard, nil)))
}

func (b *bundle) sessionOf(install, session uuid.UUID) send.Session {
	return send.Session{ID: session, Install: install, Workspace: b.Workspace, ExtensionVersion: "1.0.0"}
}

// lease fails the test when nothing is leased.
func (b *bundle) lease(t *testing.T) *send.Lease {
	t.Helper()
	lease, err := b.service.Lease(t.Context(), b.session, b.Account)
	if err != nil || lease == nil {
		t.Fatalf("lease: %v, %v", lease, err)
	}
	return lease
}

const attemptOne, attemptTwo = "attempt-one-0001", "attempt-two-0002"

func (b *bundle) ask(l *send.Lease, attempt string) send.StartAsk {
	return send.StartAsk{Session: b.session, LeaseToken: l.Token, Attempt: attempt, Digest: l.Digest}
}

func (b *bundle) start(t *testing.T, l *send.Lease, attempt string) {
	t.Helper()
	if _, err := b.service.Start(t.Context(), b.ask(l, attempt)); err != nil {
		t.Fatalf("start: %v", err)
	}
}

// report is an acted report; its evidence is told apart by what it says.
func (b *bundle) report(l *send.Lease, attempt string, acted rule.Acted, ids ...string) send.Report {
	r := send.Report{Session: b.session, LeaseToken: l.Token, Attempt: attempt, Acted: &acted}
	for _, id := range ids {
		r.Copies = append(r.Copies, send.Copy{ProviderID: id})
	}
	r.Raw = []byte(`{"look":"` + string(acted.Look) + `","copies":"` + strings.Join(ids, " ") + `","kind":"` + acted.Answer.Kind + `"}`)
	return r
}

func found() rule.Acted {
	return rule.Acted{Answer: rule.Answer{Kind: rule.AnswerStatus, Status: 200}, Look: rule.LookFound}
}

func answered(status int, look rule.Look) rule.Acted {
	return rule.Acted{Answer: rule.Answer{Kind: rule.AnswerStatus, Status: status}, Look: look}
}

func (b *bundle) wantReport(t *testing.T, r send.Report, want rule.Status, code string) {
	t.Helper()
	got, err := b.service.Report(t.Context(), r)
	if err != nil {
		t.Fatalf("report: %v", err)
	}
	if got.Status != want || got.Code != code {
		t.Errorf("recorded %s %s, want %s %s", got.Status, got.Code, want, code)
	}
}

func (b *bundle) wantStatus(t *testing.T, id uuid.UUID, want rule.Status) {
	t.Helper()
	if got := rule.Status(b.Status(t, id)); got != want {
		t.Errorf("send is %s, want %s", got, want)
	}
}

func (b *bundle) wantRefused(t *testing.T, ask send.StartAsk, want rule.Refusal) {
	t.Helper()
	_, err := b.service.Start(t.Context(), ask)
	var refused *send.Refused
	if !errors.As(err, &refused) || refused.Code != want {
		t.Fatalf("start: %v, want refused %s", err, want)
	}
}

func (b *bundle) sweep(t *testing.T) send.Swept {
	t.Helper()
	swept, err := b.service.Sweep(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatalf("sweep: %v", err)
	}
	return swept
}
