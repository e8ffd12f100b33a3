// Package incident is what a person must know: one open incident per kind and subject, with a count. The database opens
// them; this package only says what they are.
package incident

import (
	"time"

	"github.com/google/uuid"
)

// Incident is one of them. ClosedAt is nil while it is open.
type Incident struct {
	ID       uuid.UUID
	Kind     string
	Subject  uuid.UUID
	Message  *uuid.UUID
	Account  *uuid.UUID
	Install  *uuid.UUID
	Count    int
	OpenedAt time.Time
	LastAt   time.Time
	ClosedAt *time.Time
}
