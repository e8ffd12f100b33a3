// Package pause is how a person holds sending back: one account, one browser, a whole workspace, or everything. A pause takes
// back what was handed out and has not begun, leaves alone what has begun, and says how much of that there is. What a pause
// holds is decided with the other facts of a lease and of a start, in package send.
package pause

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/message"
)

// Kind is what a pause is of.
type Kind string

// The kinds, from one to all.
const (
	Account    Kind = "account"
	Install    Kind = "install"
	Workspace  Kind = "workspace"
	Everything Kind = "everything"
)

// Scope is what is paused. ID is the account's or the install's; of a workspace it is the workspace's, of everything none.
type Scope struct {
	Of Kind
	ID uuid.UUID
}

// Pause is one that stands.
type Pause struct {
	At   time.Time
	By   string // the principal's name; "" for everything, which is paused where the server runs
	Note string
}

// Store is one transaction on pauses. Both methods are problem.NotFound when the workspace has no such thing, and leave
// what is already so as it is.
type Store interface {
	PauseSet(ctx context.Context, workspace uuid.UUID, scope Scope, by uuid.UUID, note string) error
	PauseEnd(ctx context.Context, workspace uuid.UUID, scope Scope) error
}

// Settled is what a pause met.
type Settled struct {
	// TakenBack were handed out and had not begun: they are queued again. Begun are under way and end by themselves.
	TakenBack, Begun int
}

// Text says it to a person.
func (s Settled) Text() string {
	said := []string{"Paused."}
	if s.TakenBack > 0 {
		said = append(said, counted(s.TakenBack, "message was taken back before it began.", "messages were taken back before they began."))
	}
	if s.Begun > 0 {
		said = append(said, counted(s.Begun, "send has begun and will end by itself.", "sends have begun and will end by themselves."))
	}
	return strings.Join(said, " ")
}

func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// Set pauses, in the caller's transaction. What had been handed out is settled after its commit.
func Set(ctx context.Context, store Store, who access.Principal, scope Scope, note string) error {
	if err := who.Require(access.Manage); err != nil {
		return err
	}
	note, err := message.CanonicalLine("note", note, config.PauseNoteRunesMax)
	if err != nil {
		return err
	}
	return store.PauseSet(ctx, who.Workspace, scope, who.ID, note)
}

// End lets what was paused go on.
func End(ctx context.Context, store Store, who access.Principal, scope Scope) error {
	if err := who.Require(access.Manage); err != nil {
		return err
	}
	return store.PauseEnd(ctx, who.Workspace, scope)
}
