package retries

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/problem"
	"sendonce/server/send"
)

// Store is one transaction on runs, scoped by workspace.
type Store interface {
	RunAdd(ctx context.Context, id uuid.UUID, who access.Principal, filter Filter) error
	// FailedSends lists, by id from after on, the failed sends that a retry would follow.
	FailedSends(ctx context.Context, workspace uuid.UUID, filter Filter, after uuid.UUID, most int) ([]uuid.UUID, error)
	// RetryFactsOf reads the facts of many sends in their order, without a lock.
	RetryFactsOf(ctx context.Context, sends []uuid.UUID) ([]send.RetryFacts, error)
	ItemsAdd(ctx context.Context, run uuid.UUID, items []Item) error
	// RunGet is problem.NotFound when the workspace has no such run.
	RunGet(ctx context.Context, workspace, id uuid.UUID) (Run, error)
	// RunLock is RunGet, and keeps every other from beginning the run.
	RunLock(ctx context.Context, workspace, id uuid.UUID) (Run, error)
	RunBegin(ctx context.Context, id uuid.UUID) error
	Items(ctx context.Context, run, after uuid.UUID, most int) ([]Item, error)
	// ItemTake locks an item that the run is not through with; false: another was faster.
	ItemTake(ctx context.Context, run, send uuid.UUID) (bool, error)
	// ItemDone writes what became of a taken item: the next send, or why there is none.
	ItemDone(ctx context.Context, run, send uuid.UUID, why problem.Code, next *uuid.UUID) error
}

// Preview looks at every failed send that the filter lets through, says what a retry of it would come to, and keeps that.
// Nothing is sent by it.
func Preview(ctx context.Context, store Store, who access.Principal, filter Filter) (Run, error) {
	if err := who.Require(access.Decide); err != nil {
		return Run{}, err
	}
	id := uuid.Must(uuid.NewV7())
	if err := store.RunAdd(ctx, id, who, filter); err != nil {
		return Run{}, err
	}
	judge := newJudge()
	for looked, after := 0, uuid.Nil; ; {
		sends, err := store.FailedSends(ctx, who.Workspace, filter, after, config.RetryChunkRows)
		if err != nil {
			return Run{}, err
		}
		if len(sends) == 0 || looked >= config.RetryItemsMax {
			return store.RunGet(ctx, who.Workspace, id)
		}
		looked += len(sends)
		after = sends[len(sends)-1]
		verdicts, err := judge.verdicts(ctx, store, sends)
		if err != nil {
			return Run{}, err
		}
		items := make([]Item, len(sends))
		for i, one := range sends {
			items[i] = Item{Send: one, Verdict: verdicts[i]}
		}
		if err := store.ItemsAdd(ctx, id, items); err != nil {
			return Run{}, err
		}
	}
}

// judge decides sends one after the other, against facts that include those it has already allowed.
type judge struct{ allowed map[string]bool }

func newJudge() judge { return judge{allowed: map[string]bool{}} }

func (j judge) verdicts(ctx context.Context, store Store, sends []uuid.UUID) ([]problem.Code, error) {
	facts, err := store.RetryFactsOf(ctx, sends)
	if err != nil {
		return nil, err
	}
	verdicts := make([]problem.Code, len(facts))
	for i, f := range facts {
		same := f.Row.Person.String() + string(f.TextHash)
		f.IdenticalWaits = f.IdenticalWaits || j.allowed[same]
		if refused := send.DecideRetry(f); refused != nil {
			verdicts[i] = refused.Code
			continue
		}
		j.allowed[same] = true
	}
	return verdicts, nil
}

// Begin lets a previewed run retry exactly what its preview showed. When a verdict would be another one now, nothing is
// begun. A run that was begun before is returned as it is.
func Begin(ctx context.Context, store Store, who access.Principal, id uuid.UUID) (Run, error) {
	if err := who.Require(access.Decide); err != nil {
		return Run{}, err
	}
	run, err := store.RunLock(ctx, who.Workspace, id)
	if err != nil || run.State() != Previewed {
		return run, err
	}
	moved, err := moved(ctx, store, id)
	if err != nil {
		return Run{}, err
	}
	if moved > 0 {
		return Run{}, problem.New(problem.WorldMoved, "%d of %d would come out otherwise now; look at a new preview", moved, run.Total()).
			With("moved", moved)
	}
	if err := store.RunBegin(ctx, id); err != nil {
		return Run{}, fmt.Errorf("begin run %s: %w", id, err)
	}
	return store.RunGet(ctx, who.Workspace, id)
}

func moved(ctx context.Context, store Store, id uuid.UUID) (count int, err error) {
	judge := newJudge()
	for after := uuid.Nil; ; {
		items, err := store.Items(ctx, id, after, config.RetryChunkRows)
		if err != nil || len(items) == 0 {
			return count, err
		}
		after = items[len(items)-1].Send
		sends := make([]uuid.UUID, len(items))
		for i, item := range items {
			sends[i] = item.Send
		}
		verdicts, err := judge.verdicts(ctx, store, sends)
		if err != nil {
			return 0, err
		}
		for i, item := range items {
			if item.Verdict != verdicts[i] {
				count++
			}
		}
	}
}
