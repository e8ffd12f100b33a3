package message

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// Closure says that the person's or the task's work is done. It is for good, and apart from authority and status.
type Closure struct {
	At  time.Time
	By  string // the principal's name
	Why string
}

// decideClosing says whether the message is to be closed; false when it was before.
func decideClosing(f Facts) (bool, error) {
	if f.Closed {
		return false, nil
	}
	if f.Latest != nil && f.Latest.Status == rule.Started {
		return false, tooLate(f, "close")
	}
	return true, nil
}

// Close has the message begin nothing more: a send that has not begun is canceled. Authority and approval stay as they are,
// and so does what is unconfirmed or sent; evidence still arrives. A message that was closed before is returned as it is, with the first words.
func Close(ctx context.Context, store Store, who access.Principal, id uuid.UUID, why string) (Message, error) {
	if err := who.Require(access.Decide); err != nil {
		return Message{}, err
	}
	why, err := readWhy("why", why, "say why nothing more is to be sent, like \"the place is taken\"")
	if err != nil {
		return Message{}, err
	}
	facts, err := store.MessageFacts(ctx, who.Workspace, id)
	if err != nil {
		return Message{}, err
	}
	closes, err := decideClosing(facts)
	if err != nil {
		return Message{}, err
	}
	if closes {
		if err := cancelWaiting(ctx, store, facts, rule.Closed); err != nil {
			return Message{}, err
		}
		if err := store.ClosureAdd(ctx, id, who.ID, why); err != nil {
			return Message{}, err
		}
	}
	return store.MessageGet(ctx, who.Workspace, id)
}

// readWhy makes a reason canonical. It may not be empty.
func readWhy(field, raw, remedy string) (string, error) {
	why, err := CanonicalLine(field, raw, config.WhyRunesMax)
	if err == nil && Fold(why) == "" {
		return "", problem.Field(field, "it is empty; %s", remedy)
	}
	return why, err
}

func closed() error {
	return problem.New(problem.MessageClosed, "the message is closed and begins nothing more; propose a new one")
}
