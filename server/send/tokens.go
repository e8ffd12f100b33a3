package send

import (
	"errors"
	"time"

	"github.com/google/uuid"
)

// LeaseClaims is what a lease token says. The token is signed by a key that stands outside the database, so that a report
// for a row which the database has forgotten can still be told from a made-up one.
type LeaseClaims struct {
	Send, Lease, Install, Account, Workspace uuid.UUID
	// AskedAt is when a check was asked, by the database's clock and to the second; zero for a lease, and for a check of a
	// server that did not say it.
	AskedAt time.Time
}

// Tokens signs and verifies lease tokens. Verify does not look at any expiry: the database decides that.
type Tokens interface {
	Sign(LeaseClaims) (string, error)
	Verify(token string) (LeaseClaims, error)
}

// ErrBadLease says that a lease token was not issued by this server. Nothing is settled by it.
var ErrBadLease = errors.New("the lease token was not issued by this server")
