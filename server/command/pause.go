package command

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/pause"
)

// Pause holds the scope back, settles what was handed out, and answers with what show makes of that. It is committed before
// it is settled, so its answer is kept afterwards: a server that dies in between leaves a pause that stands, and the repeated
// request settles it.
func (r *Runner) Pause(ctx context.Context, who access.Principal, once *Once, scope pause.Scope, note string,
	show func(pause.Settled) ([]byte, error),
) (Answer, bool, error) {
	answer, replayed, err := r.Run(ctx, who, once, func(tx Tx) (Answer, uuid.UUID, error) {
		return Answer{Status: http.StatusOK, Object: scope.ID}, uuid.Nil, pause.Set(ctx, tx, who, scope, note)
	})
	if err != nil || answer.Body != nil || answer.IsForgotten {
		return answer, replayed, err
	}
	settled, err := r.settle(ctx, scope)
	if err != nil {
		return Answer{}, false, err
	}
	if answer.Body, err = show(settled); err != nil || once == nil {
		return answer, replayed, err
	}
	answer.Body, err = r.store.AnswerLate(ctx, who, *once, answer.Body)
	return answer, replayed, err
}

func (r *Runner) settle(ctx context.Context, scope pause.Scope) (pause.Settled, error) {
	if scope.Of == pause.Install {
		r.waker.InstallChanged(scope.ID)
	}
	settled, err := r.store.PauseSettle(ctx, scope)
	if err == nil && scope.Of == pause.Install {
		r.waker.WakeAll() // another browser may take what this one gave back
	}
	return settled, err
}

// Resume lets the scope go on, wakes what waited for it, and answers with body.
func (r *Runner) Resume(ctx context.Context, who access.Principal, once *Once, scope pause.Scope, body []byte) (Answer, bool, error) {
	answer, replayed, err := r.Run(ctx, who, once, func(tx Tx) (Answer, uuid.UUID, error) {
		return Answer{Status: http.StatusOK, Body: body, Object: scope.ID}, uuid.Nil, pause.End(ctx, tx, who, scope)
	})
	if err != nil || replayed {
		return answer, replayed, err
	}
	if scope.Of == pause.Install {
		r.waker.InstallChanged(scope.ID)
	}
	if scope.Of == pause.Account {
		r.waker.Wake(scope.ID)
	} else {
		r.waker.WakeAll()
	}
	return answer, false, nil
}
