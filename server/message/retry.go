package message

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/send"
)

// Retried is a send that follows another.
type Retried struct{ Send, Message, Account uuid.UUID }

// Retry queues the send after one that failed, or was canceled before it began. Two retries at one moment meet at the
// message's lock: the second finds the first's.
func Retry(ctx context.Context, store send.RetryStore, who access.Principal, id uuid.UUID) (Retried, error) {
	if err := who.Require(access.Decide); err != nil {
		return Retried{}, err
	}
	f, err := store.RetryFacts(ctx, who.Workspace, id)
	if err != nil {
		return Retried{}, err
	}
	if refused := send.DecideRetry(f); refused != nil {
		return Retried{}, refused
	}
	next, err := store.RetryAdd(ctx, id)
	if err != nil {
		return Retried{}, fmt.Errorf("retry send %s: %w", id, err)
	}
	return Retried{Send: next, Message: f.Row.Message, Account: f.Row.Account}, nil
}
