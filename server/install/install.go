// Package install is the enrolment of browser extensions: pairing codes, refresh secrets that rotate, the hello of a
// connection, which accounts it may serve, and revoking. It knows no database and no socket.
package install

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"sendonce/server/auth"
)

// The errors of this package. Their texts are for the person who set the install up.
var (
	ErrBadCode      = errors.New("this pairing code is wrong, used or older than 10 minutes: make a new one in the console")
	ErrTooManyTries = errors.New("too many pairing codes were tried from this address: wait a minute")
	ErrBadSecret    = errors.New("this refresh secret is not the install's: pair the browser again")
	ErrRevoked      = errors.New("this install was revoked: pair the browser again")
)

// Why an install was revoked.
const (
	// RevokedByPerson: someone pressed "revoke".
	RevokedByPerson = "by_person"
	// RevokedSecretReused: a refresh secret was used that had been replaced, so two browsers hold one pairing.
	RevokedSecretReused = "secret_reused"
)

// Info is what people see of an install.
type Info struct {
	ID, Principal    uuid.UUID
	PrincipalName    string
	ExtensionVersion string
	CreatedAt        time.Time
	LastSeenAt       time.Time // zero when it never said hello
	RevokedAt        time.Time // zero while it may connect
	RevokedCode      string
	PausedAt         time.Time // zero while it is not paused
	PausedBy         string    // the principal's name
	PauseNote        string
}

// Standing is what the database says of an install now: its newest session, and whether it was revoked or is paused.
type Standing struct {
	Session uuid.UUID
	Revoked bool
	Paused  bool
	// Turn counts how often the database was armed and disarmed; the same for every install.
	Turn int64
}

// Store is what this package needs of the database. *postgres.Store implements it.
type Store interface {
	PairingStore
	HelloStore

	// ListInstalls lists up to limit installs of the workspace after the id, by id. uuid.Nil begins.
	ListInstalls(ctx context.Context, workspace, after uuid.UUID, limit int) ([]Info, error)
	// InstallGet is problem.NotFound when the workspace has no such install.
	InstallGet(ctx context.Context, workspace, install uuid.UUID) (Info, error)
	// Standings leaves out installs that do not exist.
	Standings(ctx context.Context, installs []uuid.UUID) (map[uuid.UUID]Standing, error)
	// SeenInstalls notes that these are connected now.
	SeenInstalls(ctx context.Context, installs []uuid.UUID) error
}

// Changes is told, after the commit, that an install has a newer session or was revoked, so that every server can close
// what that ended, and that it was paused or resumed. It never blocks.
type Changes interface{ InstallChanged(install uuid.UUID) }

// Service is the enrolment of installs.
type Service struct {
	store   Store
	access  *auth.AccessTokens
	secrets auth.RefreshSecrets
	changes Changes
	tries   *auth.Attempts
	now     func() time.Time
}

// NewService panics on a missing part: a server must not start half built. now is only for the counting of wrong codes;
// whether a code has expired is decided by the database's clock.
func NewService(store Store, access *auth.AccessTokens, secrets auth.RefreshSecrets, changes Changes, tries *auth.Attempts,
	now func() time.Time,
) *Service {
	if store == nil || access == nil || changes == nil || tries == nil || now == nil {
		panic("install.NewService: a part is missing")
	}
	return &Service{store: store, access: access, secrets: secrets, changes: changes, tries: tries, now: now}
}

// List lists the workspace's installs, revoked ones too.
func (s *Service) List(ctx context.Context, workspace, after uuid.UUID, limit int) ([]Info, error) {
	return s.store.ListInstalls(ctx, workspace, after, limit)
}

// MayPair refuses where no browser may be paired. It may here.
func (*Service) MayPair() error { return nil }

// Get reads one of the workspace's installs.
func (s *Service) Get(ctx context.Context, workspace, id uuid.UUID) (Info, error) {
	return s.store.InstallGet(ctx, workspace, id)
}

// Standings says what became of installs that are connected here.
func (s *Service) Standings(ctx context.Context, installs []uuid.UUID) (map[uuid.UUID]Standing, error) {
	return s.store.Standings(ctx, installs)
}

// Seen notes that these installs are connected now.
func (s *Service) Seen(ctx context.Context, installs []uuid.UUID) error {
	return s.store.SeenInstalls(ctx, installs)
}
