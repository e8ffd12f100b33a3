package bulk

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/problem"
	"sendonce/server/send"
)

// Store is one transaction on runs, scoped by workspace.
type Store interface {
	RunAdd(ctx context.Context, id uuid.UUID, who access.Principal, kind Kind, filter Filter) error
	// FailedSends lists, by id from after on, the failed sends that a retry would follow.
	FailedSends(ctx context.Context, workspace uuid.UUID, filter Filter, after uuid.UUID, most int) ([]Item, error)
	// RetryFactsOf reads the facts of many sends in their order, without a lock.
	RetryFactsOf(ctx context.Context, sends []uuid.UUID) ([]send.RetryFacts, error)
	// WaitingMessages lists, by id from after on, the messages that wait for approval, in their current version.
	WaitingMessages(ctx context.Context, workspace uuid.UUID, filter Filter, after uuid.UUID, most int) ([]Item, error)
	// ApprovalFactsOf reads the facts of many messages in their order, without a lock.
	ApprovalFactsOf(ctx context.Context, who access.Principal, messages []uuid.UUID) ([]message.ApprovalFacts, error)
	PolicyNow(ctx context.Context, workspace uuid.UUID) (message.Policy, error)
	ItemsAdd(ctx context.Context, run uuid.UUID, kind Kind, items []Item) error
	// RunGet is problem.NotFound when the workspace has no such run of that kind.
	RunGet(ctx context.Context, workspace uuid.UUID, kind Kind, id uuid.UUID) (Run, error)
	// RunLock is RunGet, and keeps every other from beginning the run.
	RunLock(ctx context.Context, workspace uuid.UUID, kind Kind, id uuid.UUID) (Run, error)
	RunBegin(ctx context.Context, id, by uuid.UUID) error
	Items(ctx context.Context, run, after uuid.UUID, most int) ([]Item, error)
	// ItemTake locks an item that the run is not through with; false: another was faster.
	ItemTake(ctx context.Context, run, id uuid.UUID) (Item, bool, error)
	// ItemDone writes what became of a taken item: the send that was queued, or why there is none.
	ItemDone(ctx context.Context, run, id uuid.UUID, why problem.Code, next *uuid.UUID) error
}

// judge finds and decides the rows of one kind of run, one after the other, against facts that include those it has already
// allowed.
type judge interface {
	candidates(ctx context.Context, filter Filter, after uuid.UUID, most int) ([]Item, error)
	verdicts(ctx context.Context, items []Item) ([]problem.Code, error)
}

func newJudge(store Store, who access.Principal, kind Kind) judge {
	if kind == Approval {
		return approvalJudge{store, who, map[uuid.UUID][]message.Earlier{}, map[string]bool{}}
	}
	return retryJudge{store, who, map[string]bool{}}
}

// Preview looks at every row that the filter lets through, says what would become of it, and keeps that. Nothing is sent by it.
func Preview(ctx context.Context, store Store, who access.Principal, kind Kind, filter Filter) (Run, error) {
	if err := who.Require(access.Decide); err != nil {
		return Run{}, err
	}
	id := uuid.Must(uuid.NewV7())
	if err := store.RunAdd(ctx, id, who, kind, filter); err != nil {
		return Run{}, err
	}
	judge := newJudge(store, who, kind)
	for looked, after := 0, uuid.Nil; looked < config.BulkItemsMax; {
		items, err := judge.candidates(ctx, filter, after, config.BulkChunkRows)
		if err != nil {
			return Run{}, err
		}
		if len(items) == 0 {
			break
		}
		looked += len(items)
		after = items[len(items)-1].ID
		verdicts, err := judge.verdicts(ctx, items)
		if err != nil {
			return Run{}, err
		}
		for i := range items {
			items[i].Verdict = verdicts[i]
		}
		if err := store.ItemsAdd(ctx, id, kind, items); err != nil {
			return Run{}, err
		}
	}
	return store.RunGet(ctx, who.Workspace, kind, id)
}

// Begin lets a previewed run do exactly what its preview showed. When a verdict would be another one now, nothing is begun. A
// run that was begun before is returned as it is.
func Begin(ctx context.Context, store Store, who access.Principal, kind Kind, id uuid.UUID) (Run, error) {
	if err := who.Require(access.Decide); err != nil {
		return Run{}, err
	}
	run, err := store.RunLock(ctx, who.Workspace, kind, id)
	if err != nil || run.State() != Previewed {
		return run, err
	}
	moved, err := moved(ctx, store, who, run)
	if err != nil {
		return Run{}, err
	}
	if moved > 0 {
		return Run{}, problem.New(problem.WorldMoved, "%d of %d would come out otherwise now; look at a new preview", moved, run.Total()).
			With("moved", moved)
	}
	if err := store.RunBegin(ctx, id, who.ID); err != nil {
		return Run{}, fmt.Errorf("begin run %s: %w", id, err)
	}
	return store.RunGet(ctx, who.Workspace, kind, id)
}

func moved(ctx context.Context, store Store, who access.Principal, run Run) (count int, err error) {
	judge := newJudge(store, who, run.Kind)
	for after := uuid.Nil; ; {
		items, err := store.Items(ctx, run.ID, after, config.BulkChunkRows)
		if err != nil || len(items) == 0 {
			return count, err
		}
		after = items[len(items)-1].ID
		verdicts, err := judge.verdicts(ctx, items)
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

func idsOf(items []Item) []uuid.UUID {
	ids := make([]uuid.UUID, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	return ids
}
