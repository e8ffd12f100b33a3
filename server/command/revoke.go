package command

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/install"
)

// Revoke ends an install for good and has its socket closed at once, on whichever server it is.
func (r *Runner) Revoke(ctx context.Context, who access.Principal, once *Once, id uuid.UUID) (Answer, bool, error) {
	answer, replayed, err := r.Run(ctx, who, once, func(tx Tx) (Answer, uuid.UUID, error) {
		return Answer{Status: http.StatusNoContent, Body: []byte{}, Object: id}, uuid.Nil, install.Revoke(ctx, tx, who, id)
	})
	if err == nil && !replayed {
		r.waker.InstallChanged(id)
	}
	return answer, replayed, err
}
