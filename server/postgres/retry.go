package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/send"
)

var _ send.RetryStore = transaction{}

// lockScoped takes the locks of a cold operation on a send of the workspace.
func (tx transaction) lockScoped(ctx context.Context, workspace, id uuid.UUID) error {
	if _, err := tx.q.SendMessage(ctx, workspace, id); err != nil {
		return notFound(err, "send", id)
	}
	return lockMessageOf(ctx, tx.q, id)
}

// RetryFacts implements send.RetryStore. After the message and its sends come the person and the slot, as in a start.
func (tx transaction) RetryFacts(ctx context.Context, workspace, id uuid.UUID) (send.RetryFacts, error) {
	if err := tx.lockScoped(ctx, workspace, id); err != nil {
		return send.RetryFacts{}, err
	}
	return tx.readRetryFacts(ctx, id)
}

// readRetryFacts needs the locks of the message and its sends.
func (tx transaction) readRetryFacts(ctx context.Context, id uuid.UUID) (send.RetryFacts, error) {
	facts, err := lockAndRead(ctx, tx.conn, id, send.Session{})
	if err != nil {
		return send.RetryFacts{}, err
	}
	more, err := tx.q.SendRetryFacts(ctx, id)
	if err != nil {
		return send.RetryFacts{}, fmt.Errorf("read the facts of a retry: %w", err)
	}
	rivals, err := tx.q.IntentRivalOfSend(ctx, id)
	if err != nil {
		return send.RetryFacts{}, fmt.Errorf("read what else is meant for the person: %w", err)
	}
	return retryFactsOf(facts, more, rivals), nil
}

func retryFactsOf(facts send.Facts, more db.SendRetryFactsRow, rivals []db.IntentRivalOfSendRow) send.RetryFacts {
	intent := send.Intent{Follows: orZero(more.FollowsSend)}
	if len(rivals) > 0 {
		intent.Rival = rivalOf(db.IntentRivalRow(rivals[0]))
	}
	return send.RetryFacts{
		Intent: intent,
		Facts:  facts, Latest: send.Latest{ID: more.LatestID, Status: rule.Status(more.LatestStatus)}, Edited: more.Edited, Closed: more.Closed,
		TextIsGone: more.TextIsGone, StepHeld: problem.Code(more.StepHeld),
		IdenticalWaits: more.IdenticalWaits, TextHash: more.TextHash,
	}
}

// RetryAdd implements send.RetryStore.
func (tx transaction) RetryAdd(ctx context.Context, id uuid.UUID) (uuid.UUID, error) {
	if err := tx.q.SendClearRequeue(ctx, id); err != nil {
		return uuid.Nil, fmt.Errorf("clear the requeue: %w", err)
	}
	next, err := tx.q.SendInsertNext(ctx, false, id)
	if err != nil {
		return uuid.Nil, fmt.Errorf("make the next send: %w", err)
	}
	return next.ID, nil
}
