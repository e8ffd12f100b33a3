package message

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/send"
)

// Settle settles an unconfirmed send by what a person saw. Of two that answer at one moment the first wins, and the second
// hears the first's words.
func Settle(ctx context.Context, store send.ResolutionStore, who access.Principal, id uuid.UUID, r send.Resolution) (message uuid.UUID, err error) {
	if err := who.Require(access.Decide); err != nil {
		return uuid.Nil, err
	}
	note, err := CanonicalNote("note", r.Note)
	if err != nil {
		return uuid.Nil, err
	}
	r.Note = note
	f, err := store.ResolutionFacts(ctx, who.Workspace, id)
	if err != nil {
		return uuid.Nil, err
	}
	if refused := send.DecideResolution(f, r); refused != nil {
		return uuid.Nil, refused
	}
	if err := store.ResolutionAdd(ctx, f.Row, who.ID, r); err != nil {
		return uuid.Nil, fmt.Errorf("settle send %s: %w", id, err)
	}
	return f.Row.Message, nil
}

// CheckAgain has an unconfirmed send looked at as soon as an install of its account can.
func CheckAgain(ctx context.Context, store send.CheckAgainStore, who access.Principal, id uuid.UUID) (message, account uuid.UUID, err error) {
	if err := who.Require(access.Decide); err != nil {
		return uuid.Nil, uuid.Nil, err
	}
	return store.CheckAgain(ctx, who.Workspace, id)
}
