package bulk

import (
	"context"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/message"
	"sendonce/server/problem"
	"sendonce/server/send"
)

type retryJudge struct {
	store   Store
	who     access.Principal
	allowed map[string]bool
}

func (j retryJudge) candidates(ctx context.Context, filter Filter, after uuid.UUID, most int) ([]Item, error) {
	return j.store.FailedSends(ctx, j.who.Workspace, filter, after, most)
}

func (j retryJudge) verdicts(ctx context.Context, items []Item) ([]problem.Code, error) {
	facts, err := j.store.RetryFactsOf(ctx, idsOf(items))
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

// retryOne queues the send after a failed one.
func retryOne(ctx context.Context, tx send.RetryStore, who access.Principal, item Item) (account, next uuid.UUID, err error) {
	made, err := message.Retry(ctx, tx, who, item.ID)
	return made.Account, made.Send, err
}
