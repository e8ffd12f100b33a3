package command

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/person"
)

// Suppress has somebody not be contacted, calls off what waits to go to them, and answers with what show makes of that. As a pause it is
// committed before it is settled: a server that dies in between leaves a mark that stands, and the repeated request settles it.
func (r *Runner) Suppress(ctx context.Context, who access.Principal, once *Once, whom person.Whom, why string,
	show func(person.Suppression, person.Settled) ([]byte, error),
) (Answer, bool, error) {
	var made person.Suppression
	answer, replayed, err := r.Run(ctx, who, once, func(tx Tx) (Answer, uuid.UUID, error) {
		var err error
		made, err = person.Suppress(ctx, tx, who, whom, why)
		return Answer{Status: http.StatusCreated, Object: made.ID}, uuid.Nil, err
	})
	if err != nil || answer.Body != nil || answer.IsForgotten {
		return answer, replayed, err
	}
	settled, err := r.store.SuppressionSettle(ctx, answer.Object)
	if err != nil {
		return Answer{}, false, err
	}
	if replayed { // only its id was kept
		if made, err = r.store.SuppressionRead(ctx, who.Workspace, answer.Object); err != nil {
			return Answer{}, false, err
		}
	}
	if settled.CalledOff > 0 {
		r.waker.WakeAll() // their places are free
	}
	if answer.Body, err = show(made, settled); err != nil || once == nil {
		return answer, replayed, err
	}
	answer.Body, err = r.store.AnswerLate(ctx, who, *once, answer.Body)
	return answer, replayed, err
}
