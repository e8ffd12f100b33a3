package person

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// Removal is what the removal of a person would do.
type Removal struct {
	Stakes
	Files int // that were uploaded and name them in a row
}

// Seen names what a person was shown.
func (r Removal) Seen() string { return seen(r.Stakes) }

// Refused says why they cannot be removed as things stand, or nil: what may have reached them is settled first, because nobody can look
// for it afterwards.
func (r Removal) Refused() *problem.Problem {
	switch {
	case r.Started > 0:
		return problem.New(problem.NotEnded, "a send to them has begun; it ends by itself, as sent, as failed, or as one that needs a look")
	case r.Unconfirmed > 0:
		return problem.New(problem.NeedsALook, "a send may have reached them; look, and say what you saw: afterwards nobody can look for it any more")
	}
	return nil
}

// Effects says to a person what the removal would do.
func (r Removal) Effects() []string {
	said := []string{
		fmt.Sprintf("Everything that names %s is emptied for good: name, company, addresses, the texts of their %s, and what people wrote about these.",
			called(r.Stakes), messages(r.Messages)),
		"Ids, moments, digests and what became of each send stay, so that receipts still verify: they say that the text is gone.",
		"Each address leaves a mark that nobody can read. Whoever names it again is told that they must not be contacted.",
	}
	if r.Files > 0 {
		said = append(said, counted(r.Files, "uploaded file names them: their rows in it are emptied. What a row of somebody else says of them goes with the file, in time.",
			"uploaded files name them: their rows in them are emptied. What a row of somebody else says of them goes with the file, in time."))
	}
	if r.Waiting > 0 {
		said = append(said, counted(r.Waiting, "message that waits to go out is called off.", "messages that wait to go out are called off."))
	}
	if r.Proposed > 0 {
		said = append(said, counted(r.Proposed, "message that waits for approval is withdrawn.", "messages that wait for approval are withdrawn."))
	}
	return append(said, "What LinkedIn keeps, and what programs have read before, is not in reach.")
}

func messages(count int) string { return counted(count, "message", "messages") }

// Remove forgets a person who asks for it, exactly as it was shown under seen. Nobody writes to them any more, whoever names them.
func Remove(ctx context.Context, store Store, who access.Principal, id uuid.UUID, seen string) (people.Person, error) {
	if err := who.Require(access.Forget); err != nil {
		return people.Person{}, err
	}
	found, err := store.PersonStakes(ctx, who.Workspace, id)
	if err != nil {
		return people.Person{}, err
	}
	if found.IsRemoved {
		return store.PersonGet(ctx, who.Workspace, id)
	}
	theirs, err := store.PeopleHold(ctx, who.Workspace, found)
	if err != nil {
		return people.Person{}, err
	}
	held, err := store.PersonStakes(ctx, who.Workspace, id)
	if err != nil {
		return people.Person{}, err
	}
	if len(theirs) != held.Messages || (Removal{Stakes: held}).Seen() != seen {
		return people.Person{}, moved()
	}
	if refused := (Removal{Stakes: held}).Refused(); refused != nil {
		return people.Person{}, refused
	}
	if err := store.TakeBack(ctx, theirs, who.ID, voidedByRemoval, rule.Suppressed); err != nil {
		return people.Person{}, err
	}
	p, err := store.PersonGet(ctx, who.Workspace, id)
	if err != nil {
		return people.Person{}, err
	}
	if err := store.PersonForget(ctx, who.Workspace, p, theirs, who.ID); err != nil {
		return people.Person{}, fmt.Errorf("remove person %s: %w", id, err)
	}
	return store.PersonGet(ctx, who.Workspace, id)
}
