package retries

import (
	"context"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/message"
	"sendonce/server/problem"
	"sendonce/server/send"
)

// One retries one send of a run and writes what became of it, in the same transaction. account is the one that may have work
// now, or uuid.Nil. took is false when another server was faster.
func One(ctx context.Context, tx interface {
	Store
	send.RetryStore
}, who access.Principal, run, id uuid.UUID,
) (account uuid.UUID, took bool, err error) {
	if took, err = tx.ItemTake(ctx, run, id); err != nil || !took {
		return uuid.Nil, false, err
	}
	next, err := message.Retry(ctx, tx, who, id)
	// A refusal has written nothing, so what it says can be kept; that somebody was in the way says nothing about the send.
	if p := problem.As(err); p != nil && p.Code != problem.Busy {
		return uuid.Nil, true, tx.ItemDone(ctx, run, id, p.Code, nil)
	}
	if err != nil {
		return uuid.Nil, false, err
	}
	return next.Account, true, tx.ItemDone(ctx, run, id, "", &next.Send)
}
