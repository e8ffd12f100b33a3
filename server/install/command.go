package install

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/auth"
	"sendonce/server/config"
	"sendonce/server/problem"
)

// CommandStore is one transaction of a command about installs.
type CommandStore interface {
	// InstallRevoke marks it once: a later revoke keeps the first reason. false: no such install in the workspace.
	InstallRevoke(ctx context.Context, workspace, install uuid.UUID, code string) (bool, error)
	// PairingCodeAdd keeps the hash of a code that the principal may use until the returned time.
	PairingCodeAdd(ctx context.Context, hash []byte, workspace, principal uuid.UUID, lasts time.Duration) (time.Time, error)
}

// Revoke ends an install for good, in the caller's transaction.
func Revoke(ctx context.Context, store CommandStore, who access.Principal, id uuid.UUID) error {
	if err := who.Require(access.Manage); err != nil {
		return err
	}
	found, err := store.InstallRevoke(ctx, who.Workspace, id, RevokedByPerson)
	if err == nil && !found {
		return problem.New(problem.NotFound, "this workspace has no install %s", id)
	}
	return err
}

// CodeUnder is the pairing code that a principal gets under an Idempotency-Key: the same for the same key, so that a repeated
// request is shown the first code, which is stored nowhere. Only this server's key can make it.
func (s *Service) CodeUnder(who access.Principal, key string) string {
	return codeOf(s.secrets.Derived("pairing code", who.Workspace.String(), who.ID.String(), key))
}

// AddCode lets the code enrol one install for the principal, in the caller's transaction.
func AddCode(ctx context.Context, store CommandStore, who access.Principal, code string) (expires time.Time, err error) {
	if err := who.Require(access.Manage); err != nil {
		return time.Time{}, err
	}
	return store.PairingCodeAdd(ctx, auth.Hash(canonicalCode(code)), who.Workspace, who.ID, config.PairingCodeLasts)
}
