package send_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/person"
	"sendonce/server/postgres"
	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// suppress says it as a person does, on one server.
func (p pauser) suppress(ctx context.Context, who uuid.UUID) (settled person.Settled, err error) {
	_, _, err = p.runner.Suppress(ctx, p.who, nil, person.Whom{Person: who}, "", func(_ person.Suppression, met person.Settled) ([]byte, error) {
		settled = met
		return []byte("{}"), nil
	})
	return settled, err
}

// Goal: a start and a mark at one moment, on two servers: either the start was acknowledged and the mark says that it has begun, or it
// is refused. After the answer to the mark nothing begins.
func TestRaceOfStartAndSuppression(t *testing.T) {
	t.Parallel()
	const rounds, seed = 60, 20261201
	b := setup(t)
	other, err := postgres.Open(t.Context(), b.db.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	second, p := b.pauser(other), rand.New(rand.NewPCG(seed, 0))
	began, refused := 0, 0
	for round := range rounds {
		m := b.AddMessage(t, fmt.Sprintf("Hello %d", round))
		l := b.lease(t)
		ahead := p.IntN(7) - 3
		var both sync.WaitGroup
		var startErr, markErr error
		var settled person.Settled
		both.Go(func() {
			b.wait(t, ahead)
			_, startErr = b.service.Start(t.Context(), b.ask(l, attemptOne))
		})
		both.Go(func() {
			b.wait(t, -ahead)
			settled, markErr = second.suppress(t.Context(), m.Person)
		})
		both.Wait()
		if markErr != nil {
			t.Fatalf("round %d: mark: %v", round, markErr)
		}
		var no *send.Refused
		switch {
		case startErr == nil:
			began++
			if settled != (person.Settled{Begun: 1}) {
				t.Errorf("round %d: the start was acknowledged, and the mark says %+v", round, settled)
			}
			b.wantReport(t, b.report(l, attemptOne, found(), "urn:"+l.Send.String()), rule.Sent, "confirmed")
		case errors.As(startErr, &no):
			refused++
			if settled.Begun != 0 {
				t.Errorf("round %d: the start was refused with %s, and the mark says %+v", round, no.Code, settled)
			}
			b.wantStatus(t, m.Send, rule.Canceled)
		default:
			t.Fatalf("round %d: start: %v", round, startErr)
		}
	}
	if began == 0 || refused == 0 {
		t.Errorf("%d began, %d were refused: the two never met", began, refused)
	}
	b.wantNoDeadlock(t)
}

// Goal: a start and a merge at one moment: what the merge did not see begun is taken back and does not begin, and what it saw begun ends
// where it began. Neither waits for the other for ever.
func TestRaceOfStartAndMerge(t *testing.T) {
	t.Parallel()
	const rounds, seed = 60, 20261202
	b := setup(t)
	p, runner := rand.New(rand.NewPCG(seed, 0)), b.pauser(b.store)
	began, refused := 0, 0
	for round := range rounds {
		kept, gone := b.AddMessage(t, fmt.Sprintf("Kept %d", round)), b.AddMessage(t, fmt.Sprintf("Gone %d", round))
		l := b.lease(t)
		behind := p.IntN(20) // a merge looks, and locks, before it takes anything back
		var both sync.WaitGroup
		var startErr, mergeErr error
		both.Go(func() {
			b.wait(t, behind)
			_, startErr = b.service.Start(t.Context(), b.ask(l, attemptOne))
		})
		both.Go(func() {
			mergeErr = runner.mergeAsSeen(t.Context(), b.store, kept.Person, gone.Person)
		})
		both.Wait()
		if mergeErr != nil {
			t.Fatalf("round %d: merge: %v", round, mergeErr)
		}
		var no *send.Refused
		switch {
		case startErr == nil:
			began++
			b.wantStatus(t, l.Send, rule.Started)
			b.wantReport(t, b.report(l, attemptOne, found(), "urn:"+l.Send.String()), rule.Sent, "confirmed")
		case errors.As(startErr, &no):
			refused++
			b.wantStatus(t, l.Send, rule.Canceled)
		default:
			t.Fatalf("round %d: start: %v", round, startErr)
		}
		if n := b.Count(t, `SELECT count(*) FROM sends WHERE status IN ('queued', 'leased')`); n != 0 {
			t.Errorf("round %d: %d sends wait after the merge", round, n)
		}
	}
	if began == 0 || refused == 0 {
		t.Errorf("%d began, %d were refused: the two never met", began, refused)
	}
	b.wantNoDeadlock(t)
}

// mergeAsSeen looks and merges, and looks again when something moved in between.
func (p pauser) mergeAsSeen(ctx context.Context, store *postgres.Store, kept, gone uuid.UUID) error {
	for {
		shown, err := store.MergePreview(ctx, p.who.Workspace, kept, gone)
		if err != nil {
			return err
		}
		_, _, err = p.runner.Run(ctx, p.who, nil, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
			_, err := person.Merge(ctx, tx, p.who, kept, gone, shown.Seen())
			return command.Answer{}, uuid.Nil, err
		})
		if !problem.Is(err, problem.WorldMoved) {
			return err
		}
	}
}
