package bulk

import (
	"context"

	"github.com/google/uuid"

	"sendonce/server/message"
	"sendonce/server/problem"
	"sendonce/server/send"
)

// Tx is the transaction of one row of a run.
type Tx interface {
	Store
	message.Store
	send.RetryStore
}

// One does one row of a run and writes what became of it, in the same transaction. account is the one that may have work now,
// or uuid.Nil. took is false when another server was faster.
func One(ctx context.Context, tx Tx, run Open, id uuid.UUID) (account uuid.UUID, took bool, err error) {
	item, took, err := tx.ItemTake(ctx, run.ID, id)
	if err != nil || !took {
		return uuid.Nil, false, err
	}
	var next uuid.UUID
	if run.Kind == Approval {
		account, next, err = approveOne(ctx, tx, run.By, item)
	} else {
		account, next, err = retryOne(ctx, tx, run.By, item)
	}
	// A refusal has written nothing, so what it says can be kept; that somebody was in the way says nothing about the row.
	if p := problem.As(err); p != nil && p.Code != problem.Busy {
		return uuid.Nil, true, tx.ItemDone(ctx, run.ID, id, p.Code, nil)
	}
	if err != nil {
		return uuid.Nil, false, err
	}
	return account, true, tx.ItemDone(ctx, run.ID, id, "", &next)
}
