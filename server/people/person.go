package people

import (
	"time"

	"github.com/google/uuid"
)

// Person is somebody whom the workspace has written to, or was asked to. Two who proved to be one are one Person.
type Person struct {
	ID      uuid.UUID
	Name    string
	Company string
	// Fields is what else is known of them, by the names that templates have for it.
	Fields map[string]string
	// Identities are those of all Rows.
	Identities []Identity
	// Contact is how freely they may be written to by whoever has no claim on them.
	Contact   Contact
	Owner     uuid.UUID // who of the team owns them; uuid.Nil for nobody
	OwnerName string
	// Rows are the ids under which messages may name them: ID first, then those that were merged into it.
	Rows      []uuid.UUID
	RepliedAt *time.Time // the last time
	CreatedAt time.Time
	// RemovedAt: they asked to be forgotten, and were.
	RemovedAt *time.Time
}

// DoNotContact reports whether nobody may write to them.
func (p Person) DoNotContact() bool { return p.Contact.Level == DoNotContact }

// Page asks for people whose ids follow After (uuid.Nil: from the first on). Who is nil and Name is "" for everybody.
type Page struct {
	Who   *Identity
	Name  string // a part of it, in any case of its letters
	After uuid.UUID
	Most  int
}
