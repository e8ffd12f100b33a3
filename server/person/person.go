// Package person is what is done about one person: saying that they must not be contacted, who of the team owns them, that two are one,
// and that one has asked to be forgotten. Whom an address means is package people; what goes out to them is packages message and send.
package person

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// Event is one line of what was done about a person.
type Event struct {
	At    time.Time
	What  Did
	By    string // the principal's name, or ""
	Other string // the owner's name, or the id of the person they were merged into
}

// Did is what was done.
type Did string

// What may be done about a person, as the history has it.
const (
	WasSuppressed   Did = "suppressed"
	WasUnsuppressed Did = "unsuppressed"
	WasOwned        Did = "owned"
	WasDisowned     Did = "disowned"
	WasMerged       Did = "merged"
	WasRemoved      Did = "removed"
)

// Story is a person with what was said and done about them.
type Story struct {
	people.Person
	// Suppressions are those that stand and are about them: by name, address, domain or company.
	Suppressions []Suppression
	History      []Event // the newest first
}

// Store is one transaction on people. What is not there is problem.NotFound. Any row of a person names the person.
type Store interface {
	PersonGet(ctx context.Context, workspace, id uuid.UUID) (people.Person, error)
	// PersonHold locks the person, and no message.
	PersonHold(ctx context.Context, id uuid.UUID) error
	PersonSet(ctx context.Context, workspace uuid.UUID, p people.Person) error
	// OwnerName is the name of a principal of the workspace who may own people: an admin or a recruiter.
	OwnerName(ctx context.Context, workspace, principal uuid.UUID) (string, error)

	// SuppressionAdd writes it, unless one like it stands already: its id is returned then.
	SuppressionAdd(ctx context.Context, workspace, by uuid.UUID, s Suppression) (uuid.UUID, error)
	SuppressionGet(ctx context.Context, workspace, id uuid.UUID) (Suppression, error)
	// SuppressionLift is false when it was lifted before.
	SuppressionLift(ctx context.Context, workspace, id, by uuid.UUID, why string) (bool, error)

	// PersonStakes is what a merge or a removal would meet.
	PersonStakes(ctx context.Context, workspace, id uuid.UUID) (Stakes, error)
	// IntentsOfBoth lists messages of two people, by their rows, for one intent that may both still go out: some of them, if many.
	IntentsOfBoth(ctx context.Context, kept, gone []uuid.UUID) ([]Meeting, error)
	// PeopleHold locks every message to these people, then their sends, then the people, and returns the messages. problem.WorldMoved when
	// one of them was merged meanwhile.
	PeopleHold(ctx context.Context, workspace uuid.UUID, of ...Stakes) ([]uuid.UUID, error)
	// TakeBack cancels what of these messages has not begun, or what a machine would send again, and voids its approval: they are proposed
	// again. It needs PeopleHold.
	TakeBack(ctx context.Context, messages []uuid.UUID, by uuid.UUID, reason string, code rule.Refusal) error
	// PersonMerge has every row of gone be a row of kept.
	PersonMerge(ctx context.Context, kept, gone, by uuid.UUID) error
	// PersonForget withdraws these messages, which are all to the person, empties whatever names the person and leaves the mark of each
	// address. It needs PeopleHold and TakeBack.
	PersonForget(ctx context.Context, workspace uuid.UUID, p people.Person, messages []uuid.UUID, by uuid.UUID) error
}

// Reader reads outside a command, each time from one snapshot.
type Reader interface {
	PeopleList(ctx context.Context, workspace uuid.UUID, page people.Page) ([]people.Person, error)
	PersonStory(ctx context.Context, workspace, id uuid.UUID) (Story, error)
	SuppressionRead(ctx context.Context, workspace, id uuid.UUID) (Suppression, error)
	SuppressionList(ctx context.Context, workspace uuid.UUID, page SuppressionPage) ([]Suppression, error)
	MergePreview(ctx context.Context, workspace, kept, gone uuid.UUID) (Merging, error)
	RemovalPreview(ctx context.Context, workspace, id uuid.UUID) (Removal, error)
}

// Change is a change of what is known about a person. A nil field stays as it is; an owner behind a non-nil pointer that is nil is
// taken away.
type Change struct {
	Name    *string
	Company *string
	Owner   **uuid.UUID
	// Fields are set beside those that there are; "" takes one away.
	Fields map[string]string
}

// Amend changes what is known about a person.
func Amend(ctx context.Context, store Store, who access.Principal, id uuid.UUID, c Change) (people.Person, error) {
	if err := who.Require(access.Decide); err != nil {
		return people.Person{}, err
	}
	if err := store.PersonHold(ctx, id); err != nil {
		return people.Person{}, err
	}
	p, err := store.PersonGet(ctx, who.Workspace, id)
	if err != nil {
		return people.Person{}, err
	}
	if p.RemovedAt != nil {
		return people.Person{}, removed()
	}
	if c.Name != nil {
		if p.Name, err = message.CanonicalLine("name", *c.Name, config.PersonNameRunesMax); err != nil {
			return people.Person{}, err
		}
	}
	if c.Company != nil {
		if p.Company, err = message.CanonicalLine("company", *c.Company, config.CompanyRunesMax); err != nil {
			return people.Person{}, err
		}
	}
	if err := setFields(&p, c.Fields); err != nil {
		return people.Person{}, err
	}
	if c.Owner != nil {
		if err := own(ctx, store, who, &p, *c.Owner); err != nil {
			return people.Person{}, err
		}
	}
	if err := store.PersonSet(ctx, who.Workspace, p); err != nil {
		return people.Person{}, err
	}
	return store.PersonGet(ctx, who.Workspace, id)
}

// own sets who owns the person. Whoever is not an admin takes nobody from a colleague, and gives away only what is theirs.
func own(ctx context.Context, store Store, who access.Principal, p *people.Person, owner *uuid.UUID) error {
	isTheirs := p.Owner == uuid.Nil && owner != nil && *owner == who.ID || p.Owner == who.ID
	if who.Role != access.Admin && !isTheirs {
		return problem.New(problem.OwnedByAnother, "%s; an admin says whose they are", owned(*p)).With("owner", p.OwnerName)
	}
	p.Owner = uuid.Nil
	if owner == nil {
		return nil
	}
	if _, err := store.OwnerName(ctx, who.Workspace, *owner); err != nil {
		if problem.Is(err, problem.NotFound) {
			return problem.Field("owner_id", "this workspace has no admin or recruiter of that id")
		}
		return err
	}
	p.Owner = *owner
	return nil
}

func owned(p people.Person) string {
	if p.Owner == uuid.Nil {
		return "nobody owns this person, and a recruiter takes them for nobody else"
	}
	return p.OwnerName + " owns this person"
}

func removed() *problem.Problem {
	return problem.New(problem.PersonRemoved, "they asked to be forgotten, and were: nothing is known of them, and nobody writes to them")
}
