package people

import (
	"time"

	"github.com/google/uuid"
)

// Person is somebody whom the workspace has written to, or was asked to.
type Person struct {
	ID           uuid.UUID
	Name         string
	Identities   []Identity
	DoNotContact bool
	RepliedAt    *time.Time // the last time
	CreatedAt    time.Time
}

// Page asks for people whose ids follow After (uuid.Nil: from the first on). Who is nil for everybody.
type Page struct {
	Who   *Identity
	After uuid.UUID
	Most  int
}
