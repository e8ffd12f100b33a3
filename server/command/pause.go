package command

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/pause"
)

// Pause holds the scope back and settles what was handed out. Under a key it pauses once, and settles each time: what it
// says has begun is of that moment.
func (r *Runner) Pause(ctx context.Context, who access.Principal, once *Once, scope pause.Scope, note string) (pause.Settled, error) {
	_, _, err := r.Run(ctx, who, once, func(tx Tx) (Answer, uuid.UUID, error) {
		return Answer{Status: http.StatusOK, Object: scope.ID}, uuid.Nil, pause.Set(ctx, tx, who, scope, note)
	})
	if err != nil {
		return pause.Settled{}, err
	}
	if scope.Of == pause.Install {
		r.waker.InstallChanged(scope.ID)
	}
	settled, err := r.store.PauseSettle(ctx, scope)
	if err == nil && scope.Of == pause.Install {
		r.waker.WakeAll() // another browser may take what this one gave back
	}
	return settled, err
}

// Resume lets the scope go on and wakes what waited for it.
func (r *Runner) Resume(ctx context.Context, who access.Principal, once *Once, scope pause.Scope) error {
	_, replayed, err := r.Run(ctx, who, once, func(tx Tx) (Answer, uuid.UUID, error) {
		return Answer{Status: http.StatusOK, Object: scope.ID}, uuid.Nil, pause.End(ctx, tx, who, scope)
	})
	if err != nil || replayed {
		return err
	}
	if scope.Of == pause.Install {
		r.waker.InstallChanged(scope.ID)
	}
	if scope.Of == pause.Account {
		r.waker.Wake(scope.ID)
	} else {
		r.waker.WakeAll()
	}
	return nil
}
