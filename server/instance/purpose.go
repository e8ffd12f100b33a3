package instance

import (
	"context"
	"errors"
	"fmt"
)

// Purpose is what a database is for. The first server that serves it says so, for good.
type Purpose string

// The purposes.
const (
	// Real: its messages go to people.
	Real Purpose = "real"
	// Sandbox: its browsers and its LinkedIn are made up.
	Sandbox Purpose = "sandbox"
)

// PurposeStore keeps what a database is for.
type PurposeStore interface {
	// PurposeClaim writes the purpose where none stands yet, and returns the one that stands.
	PurposeClaim(ctx context.Context, want Purpose) (Purpose, error)
}

// Claim refuses a database that serves another purpose: the sandbox calls sent what nobody received, and a real server would
// send what was only tried out.
func Claim(ctx context.Context, store PurposeStore, want Purpose) error {
	is, err := store.PurposeClaim(ctx, want)
	switch {
	case err != nil:
		return fmt.Errorf("read what the database is for: %w", err)
	case is == want:
		return nil
	case want == Sandbox:
		return errors.New("this database has been used for real messages, so it is never a sandbox: give the sandbox a data folder of its own (SENDONCE_DATA)")
	default:
		return errors.New("this database is a sandbox's, so no real message is ever sent from it: serve with --sandbox, or name another data folder (SENDONCE_DATA) or database (DATABASE_URL)")
	}
}
