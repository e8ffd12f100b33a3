package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
	"sendonce/server/send"
)

var _ send.ObservationStore = (*Store)(nil)

// MaySpeakFor implements send.ObservationStore.
func (s *Store) MaySpeakFor(ctx context.Context, install, holder uuid.UUID) (bool, error) {
	return s.queries().InstallMaySpeakFor(ctx, install, holder)
}

// Observe implements send.ObservationStore.
func (s *Store) Observe(ctx context.Context, o send.Observation) (isNew bool, err error) {
	body, err := keepable(o.Raw)
	if err != nil {
		return false, fmt.Errorf("read the evidence: %w", err)
	}
	said := sha256.Sum256(fmt.Appendf(nil, "%s\n%s", o.Token, o.Raw))
	err = s.inTx(ctx, rule.Observer, uuid.Nil, func(q *db.Queries) error {
		added, err := q.ObservationAdd(ctx, db.ObservationAddParams{
			WorkspaceID: o.Session.Workspace, InstallID: o.Session.Install, Why: string(o.Why), Body: body, SaidHash: said[:],
			Most: config.ObservationsPerInstallMax,
		})
		isNew = added == 1
		return err
	})
	return isNew, err
}
