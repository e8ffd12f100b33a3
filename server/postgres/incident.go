package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/incident"
	"sendonce/server/postgres/db"
)

var _ incident.Store = transaction{}

func incidentOf(row db.IncidentGetRow) incident.Incident {
	return incident.Incident{
		ID: row.ID, Workspace: row.WorkspaceID, Kind: incident.Kind(row.Kind), Subject: row.SubjectID, Message: row.MessageID,
		Account: row.AccountID, Install: row.InstallID, Count: int(row.Count), OpenedAt: row.OpenedAt, LastAt: row.LastAt,
		ClosedAt: row.ClosedAt, ClosedBy: row.ClosedByName, Note: row.Note, StoppedCode: row.StoppedCode,
	}
}

// openIncident opens one about a message, or counts it again while it is open.
func openIncident(ctx context.Context, q *db.Queries, kind incident.Kind, workspace, message, account uuid.UUID) error {
	err := q.IncidentOpen(ctx, db.IncidentOpenParams{
		WorkspaceID: workspace, Kind: string(kind), SubjectID: message, MessageID: &message, AccountID: &account,
	})
	if err != nil {
		return fmt.Errorf("open an incident: %w", err)
	}
	return nil
}

// IncidentList returns a part of the workspace's incidents.
func (s *Store) IncidentList(ctx context.Context, workspace uuid.UUID, page incident.Page) ([]incident.Incident, error) {
	rows, err := s.queries().IncidentList(ctx, db.IncidentListParams{
		WorkspaceID: workspace, WithOpen: page.Open, WithClosed: page.Closed, After: nullable(page.After), Most: int32(page.Most),
	})
	if err != nil {
		return nil, fmt.Errorf("list incidents: %w", err)
	}
	list := make([]incident.Incident, len(rows))
	for i, row := range rows {
		list[i] = incidentOf(db.IncidentGetRow(row))
	}
	return list, nil
}

// IncidentsOpen counts the workspace's open incidents.
func (s *Store) IncidentsOpen(ctx context.Context, workspace uuid.UUID) (int, error) {
	count, err := s.queries().IncidentsOpenCount(ctx, workspace)
	if err != nil {
		return 0, fmt.Errorf("count open incidents: %w", err)
	}
	return int(count), nil
}

// IncidentStory reads an incident with its timeline. problem.NotFound when the workspace has no such incident.
func (s *Store) IncidentStory(ctx context.Context, workspace, id uuid.UUID) (story incident.Story, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		if story.Incident, err = tx.IncidentGet(ctx, workspace, id); err != nil {
			return err
		}
		events, err := tx.q.IncidentEvents(ctx, id, config.IncidentEventsMax)
		if err != nil {
			return fmt.Errorf("read the timeline: %w", err)
		}
		for _, row := range slices.Backward(events) {
			story.Timeline = append(story.Timeline, incident.Event{
				At: row.At, What: row.What, Count: int(row.Count), Message: row.MessageID, By: row.ByName, Note: row.Note,
			})
		}
		earlier, err := tx.q.IncidentsEarlier(ctx, id, config.IncidentsEarlierMax)
		if err != nil {
			return fmt.Errorf("read earlier incidents: %w", err)
		}
		for _, row := range earlier {
			story.Earlier = append(story.Earlier, incidentOf(db.IncidentGetRow(row)))
		}
		return nil
	})
	return story, err
}

// IncidentGet implements incident.Store.
func (tx transaction) IncidentGet(ctx context.Context, workspace, id uuid.UUID) (incident.Incident, error) {
	row, err := tx.q.IncidentGet(ctx, workspace, id)
	if err != nil {
		return incident.Incident{}, notFound(err, "incident", id)
	}
	return incidentOf(row), nil
}

// IncidentLock implements incident.Store.
func (tx transaction) IncidentLock(ctx context.Context, workspace, id uuid.UUID) (incident.Incident, error) {
	if _, err := tx.q.IncidentLock(ctx, workspace, id); err != nil {
		return incident.Incident{}, notFound(err, "incident", id)
	}
	return tx.IncidentGet(ctx, workspace, id)
}

// IncidentClose implements incident.Store.
func (tx transaction) IncidentClose(ctx context.Context, id, by uuid.UUID, note *string) error {
	return tx.q.IncidentClose(ctx, by, note, id)
}
