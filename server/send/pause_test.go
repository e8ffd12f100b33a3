package send_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/command"
	"sendonce/server/pause"
	"sendonce/server/postgres"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// pauser pauses as a person of the workspace does, on one server.
type pauser struct {
	runner *command.Runner
	who    access.Principal
}

func (b *bundle) pauser(store *postgres.Store) pauser {
	return pauser{command.NewRunner(store, b.woken), access.Principal{ID: b.Principal, Workspace: b.Workspace, Role: access.Admin}}
}

// pause returns what it met when it was settled, and nothing when its answer was there already.
func (p pauser) pause(ctx context.Context, once *command.Once, scope pause.Scope) (settled pause.Settled, err error) {
	_, _, err = p.runner.Pause(ctx, p.who, once, scope, "", func(met pause.Settled) ([]byte, error) {
		settled = met
		return []byte("{}"), nil
	})
	return settled, err
}

func (b *bundle) pause(t *testing.T, scope pause.Scope) pause.Settled {
	t.Helper()
	if scope.Of == pause.Everything {
		settled, err := b.store.PauseEverything(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return settled
	}
	settled, err := b.pauser(b.store).pause(t.Context(), nil, scope)
	if err != nil {
		t.Fatal(err)
	}
	return settled
}

func (b *bundle) resume(t *testing.T, scope pause.Scope) {
	t.Helper()
	p := b.pauser(b.store)
	err := b.store.ResumeEverything(t.Context())
	if scope.Of != pause.Everything {
		_, _, err = p.runner.Resume(t.Context(), p.who, nil, scope, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// scopes are all there are that hold the bundle's account.
func (b *bundle) scopes() []pause.Scope {
	return []pause.Scope{{Of: pause.Account, ID: b.Account}, {Of: pause.Install, ID: b.Install}, {Of: pause.Workspace, ID: b.Workspace}, {Of: pause.Everything}}
}

// A pause takes back what has not begun, once, whoever holds it; the install's start with it is refused, nothing is leased,
// and asking in vain writes nothing. After the resume it goes out.
func TestAPauseTakesBackWhatHasNotBegun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, scope := range b.scopes() {
		m := b.AddMessage(t, "Hello "+string(scope.Of))
		l := b.lease(t)
		if got := b.pause(t, scope); got != (pause.Settled{TakenBack: 1}) {
			t.Errorf("%s: %+v, want one taken back", scope.Of, got)
		}
		b.wantStatus(t, m.Send, rule.Queued)
		b.wantRefused(t, b.ask(l, attemptOne), rule.StaleLease)
		before := b.Count(t, untouched)
		for range 3 {
			if l, err := b.service.Lease(t.Context(), b.session, b.Account); err != nil || l != nil {
				t.Fatalf("%s: leased %v, %v", scope.Of, l, err)
			}
		}
		if after := b.Count(t, untouched); after != before {
			t.Errorf("%s: asking in vain wrote %d events", scope.Of, after-before)
		}
		if n := b.Count(t, `SELECT releases FROM sends WHERE id = $1`, m.Send); n != 0 {
			t.Errorf("%s: it counts %d releases: a pause is no fault of a browser", scope.Of, n)
		}
		b.resume(t, scope)
		if err := deliver(t.Context(), b.service, b.session, b.lease(t)); err != nil {
			t.Errorf("%s: after the resume: %v", scope.Of, err)
		}
	}
}

// What has begun ends by itself: it may go on to its person, and its report counts.
func TestAPauseLeavesAloneWhatHasBegun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i, scope := range b.scopes() {
		m := b.AddMessage(t, "Hello "+string(scope.Of))
		l := b.lease(t)
		b.start(t, l, attemptOne)
		settled := b.pause(t, scope)
		if settled != (pause.Settled{Begun: 1}) || settled.Text() != "Paused. 1 send has begun and will end by itself." {
			t.Errorf("%s: %+v %s", scope.Of, settled, settled.Text())
		}
		b.wantStatus(t, m.Send, rule.Started)
		urn := fmt.Sprintf("urn:li:fsd_profile:ACo%036d", i)
		seen := send.Resolved{Session: b.session, LeaseToken: l.Token, Attempt: attemptOne, PersonURN: urn, Name: "Ada Example", Connected: true, Participants: 1}
		if halt, err := b.service.Resolve(t.Context(), seen); err != nil || halt != "" {
			t.Errorf("%s: resolve: %q, %v", scope.Of, halt, err)
		}
		b.wantReport(t, b.report(l, attemptOne, found(), "urn:"+l.Send.String()), rule.Sent, "confirmed")
		b.resume(t, scope)
	}
}

// One paused browser leaves the account to the others.
func TestAPausedInstallLeavesTheOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	install, session := b.AddInstall(t)
	b.pause(t, pause.Scope{Of: pause.Install, ID: b.Install})
	if l, err := b.service.Lease(t.Context(), b.session, b.Account); err != nil || l != nil {
		t.Fatalf("the paused one leased %v, %v", l, err)
	}
	if l, err := b.service.Lease(t.Context(), b.sessionOf(install, session), b.Account); err != nil || l == nil {
		t.Errorf("the other one leased %v, %v", l, err)
	}
}

// A start and a pause at one moment, on two servers: either the start was acknowledged and the pause says that it has begun,
// or it is refused and the send is queued.
func TestRaceOfStartAndPause(t *testing.T) {
	t.Parallel()
	const rounds, seed = 80, 20261130
	b := setup(t)
	other, err := postgres.Open(t.Context(), b.db.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	second, p := b.pauser(other), rand.New(rand.NewPCG(seed, 0))
	began, refused := 0, 0
	for round := range rounds {
		scope := b.scopes()[round%4]
		m := b.AddMessage(t, fmt.Sprintf("Hello %d", round))
		l := b.lease(t)
		ahead := p.IntN(7) - 3
		var both sync.WaitGroup
		var startErr, pauseErr error
		var settled pause.Settled
		both.Go(func() {
			b.wait(t, ahead)
			_, startErr = b.service.Start(t.Context(), b.ask(l, attemptOne))
		})
		both.Go(func() {
			b.wait(t, -ahead)
			if scope.Of == pause.Everything {
				settled, pauseErr = other.PauseEverything(t.Context(), "")
			} else {
				settled, pauseErr = second.pause(t.Context(), nil, scope)
			}
		})
		both.Wait()
		if pauseErr != nil {
			t.Fatalf("round %d: pause: %v", round, pauseErr)
		}
		var no *send.Refused
		switch {
		case startErr == nil:
			began++
			if settled != (pause.Settled{Begun: 1}) {
				t.Errorf("round %d, %s: the start was acknowledged, and the pause says %+v", round, scope.Of, settled)
			}
			b.wantReport(t, b.report(l, attemptOne, found(), "urn:"+l.Send.String()), rule.Sent, "confirmed")
		case errors.As(startErr, &no):
			refused++
			if settled.Begun != 0 {
				t.Errorf("round %d, %s: the start was refused with %s, and the pause says %+v", round, scope.Of, no.Code, settled)
			}
			b.wantStatus(t, m.Send, rule.Queued)
		default:
			t.Fatalf("round %d: start: %v", round, startErr)
		}
		b.resume(t, scope)
		b.Exec(t, `UPDATE sends SET status = 'canceled', code = 'withdrawn' WHERE status = 'queued'`)
	}
	if began == 0 || refused == 0 {
		t.Errorf("%d began, %d were refused: the two never met", began, refused)
	}
	b.wantNoDeadlock(t)
}

// wait is some empty round trips behind the other side, so that the two meet at every point.
func (b *bundle) wait(t *testing.T, trips int) {
	for range trips {
		if _, err := b.Pool.Exec(t.Context(), "SELECT 1"); err != nil {
			t.Error(err)
		}
	}
}

// A key pauses once. A server died between a pause and its answer: said again after the resume, it takes back nothing.
func TestARepeatedPauseAfterItsResumeTakesBackNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	scope := pause.Scope{Of: pause.Account, ID: b.Account}
	p := b.pauser(b.store)
	once := &command.Once{Route: "POST /pause", Key: uuid.NewString(), Payload: []byte("x")}
	_, _, err := p.runner.Run(t.Context(), p.who, once, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		return command.Answer{Status: http.StatusOK}, uuid.Nil, pause.Set(t.Context(), tx, p.who, scope, "")
	})
	if err != nil {
		t.Fatal(err)
	}
	b.resume(t, scope)
	b.lease(t)
	if settled, err := p.pause(t.Context(), once, scope); err != nil || settled != (pause.Settled{}) {
		t.Errorf("%+v, %v", settled, err)
	}
	b.wantStatus(t, m.Send, rule.Leased)
}
