package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/incident"
)

// IncidentList returns up to most incidents of the workspace: the open ones first, each newest first.
func (s *Store) IncidentList(ctx context.Context, workspace uuid.UUID, withClosed bool, most int) ([]incident.Incident, error) {
	rows, err := s.queries().IncidentList(ctx, workspace, withClosed, int32(most))
	if err != nil {
		return nil, fmt.Errorf("list incidents: %w", err)
	}
	list := make([]incident.Incident, len(rows))
	for i, row := range rows {
		list[i] = incident.Incident{
			ID: row.ID, Kind: row.Kind, Subject: row.SubjectID, Message: row.MessageID, Account: row.AccountID,
			Install: row.InstallID, Count: int(row.Count), OpenedAt: row.OpenedAt, LastAt: row.LastAt, ClosedAt: row.ClosedAt,
		}
	}
	return list, nil
}
