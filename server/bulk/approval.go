package bulk

import (
	"context"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/message"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

type approvalJudge struct {
	store Store
	who   access.Principal
	// allowed are, by person, the messages that wait to go to them when this run has done what it was allowed so far.
	allowed map[uuid.UUID][]message.Earlier
	// texts are those of them, by person and hash.
	texts map[string]bool
}

func (j approvalJudge) candidates(ctx context.Context, filter Filter, after uuid.UUID, most int) ([]Item, error) {
	return j.store.WaitingMessages(ctx, j.who.Workspace, filter, after, most)
}

// verdicts says no yes to an earlier message: a second message is for a person who has looked at that one.
func (j approvalJudge) verdicts(ctx context.Context, items []Item) ([]problem.Code, error) {
	policy, err := j.store.PolicyNow(ctx, j.who.Workspace)
	if err != nil {
		return nil, err
	}
	facts, err := j.store.ApprovalFactsOf(ctx, j.who, idsOf(items))
	if err != nil {
		return nil, err
	}
	verdicts := make([]problem.Code, len(facts))
	for i, f := range facts {
		f.Earlier = append(f.Earlier, j.allowed[f.Person]...)
		if refused := f.Refuses(policy, j.who, message.Yes{Version: items[i].Version, Digest: items[i].Digest}); refused != nil {
			verdicts[i] = refused.Code
			continue
		}
		same := f.Person.String() + string(f.TextHash)
		if f.IdenticalWaits() || j.texts[same] {
			verdicts[i] = problem.IdenticalWaits
			continue
		}
		j.texts[same] = true
		waits := message.Earlier{Message: f.ID, Status: rule.Queued, At: f.Now, Purpose: f.Target.Purpose}
		j.allowed[f.Person] = append(j.allowed[f.Person], waits)
	}
	return verdicts, nil
}

// approveOne approves the version that was shown. That somebody else has approved it meanwhile is a refusal: the run did not.
func approveOne(ctx context.Context, tx message.Store, who access.Principal, item Item) (account, next uuid.UUID, err error) {
	m, queued, err := message.Approve(ctx, tx, who, item.ID, message.Yes{Version: item.Version, Digest: item.Digest})
	if err != nil {
		return uuid.Nil, uuid.Nil, err
	}
	if !queued {
		return uuid.Nil, uuid.Nil, problem.New(problem.AlreadyApproved, "it was approved meanwhile")
	}
	return m.Target.Account, m.Latest().ID, nil
}
