package incident

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// Store closes facts, in one transaction.
type Store interface {
	// IncidentLock is problem.NotFound when the workspace has no such incident.
	IncidentLock(ctx context.Context, workspace, id uuid.UUID) (Incident, error)
	IncidentClose(ctx context.Context, id, by uuid.UUID, note *string) error
	IncidentGet(ctx context.Context, workspace, id uuid.UUID) (Incident, error)
}

// Close says that a person has seen a fact. note may be empty.
func Close(ctx context.Context, store Store, who access.Principal, id uuid.UUID, note string) (Incident, error) {
	if err := who.Require(access.Decide); err != nil {
		return Incident{}, err
	}
	note, err := message.CanonicalNote("note", note)
	if err != nil {
		return Incident{}, err
	}
	found, err := store.IncidentLock(ctx, who.Workspace, id)
	if err != nil {
		return Incident{}, err
	}
	if refused := mayBeClosed(found); refused != nil {
		return Incident{}, refused
	}
	var kept *string
	if note != "" {
		kept = &note
	}
	if err := store.IncidentClose(ctx, id, who.ID, kept); err != nil {
		return Incident{}, fmt.Errorf("close incident %s: %w", id, err)
	}
	return store.IncidentGet(ctx, who.Workspace, id)
}

// mayBeClosed says why a person may not close it, or nil.
func mayBeClosed(i Incident) *problem.Problem {
	switch {
	case !i.IsOpen():
		return problem.New(problem.AlreadyClosed, "it is closed already; what comes back is a new incident").With("closed_at", *i.ClosedAt)
	case i.Kind.IsCondition():
		return problem.New(problem.EndsByItself, "it ends by itself with %s", i.Kind.Ends())
	}
	return nil
}
