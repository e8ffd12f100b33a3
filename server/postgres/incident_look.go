package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/config"
	"sendonce/server/incident"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
)

var _ incident.LookStore = (*Store)(nil)

// IncidentLook implements incident.LookStore.
func (s *Store) IncidentLook(ctx context.Context, limits incident.Limits, most int, decide func(incident.Seen) incident.Changes) (looked bool, err error) {
	err = s.inTrips(ctx, rule.Server, uuid.Nil, noQuestion, func(t trips) error {
		begin, err := t.q.IncidentLookBegin(ctx)
		if err != nil {
			return fmt.Errorf("begin the look: %w", err)
		}
		if looked = begin.Mine; !looked {
			return nil
		}
		seen := incident.Seen{Now: begin.NowAt}
		if seen.Open, err = conditionsOpen(ctx, t.q); err != nil {
			return err
		}
		// One more than is wanted, to know whether something was left out.
		rows, err := t.q.IncidentConditions(ctx, db.IncidentConditionsParams{
			Most: int32(most + 1), CountMax: config.IncidentCountMax, DueNotMoving: limits.DueNotMoving,
			UnconfirmedTooLong: limits.UnconfirmedTooLong, InstallSilent: limits.InstallSilent,
		})
		if err != nil {
			return fmt.Errorf("read what holds: %w", err)
		}
		seen.All = len(rows) <= most
		for _, row := range rows[:min(len(rows), most)] {
			seen.Holding = append(seen.Holding, incident.Condition{
				Kind: incident.Kind(row.Kind), Workspace: row.WorkspaceID, Subject: row.SubjectID, Message: row.MessageID,
				Account: row.AccountID, Install: row.InstallID, Count: int(row.Number),
			})
		}
		return writeChanges(ctx, t.conn, decide(seen))
	})
	return looked, err
}

func conditionsOpen(ctx context.Context, q *db.Queries) ([]incident.Incident, error) {
	var kinds []string
	for _, kind := range incident.Conditions() {
		kinds = append(kinds, string(kind))
	}
	rows, err := q.IncidentConditionsOpen(ctx, kinds)
	if err != nil {
		return nil, fmt.Errorf("read open incidents: %w", err)
	}
	open := make([]incident.Incident, len(rows))
	for i, row := range rows {
		open[i] = incident.Incident{ID: row.ID, Kind: incident.Kind(row.Kind), Subject: row.SubjectID, Count: int(row.Count), LastAt: row.LastAt}
	}
	return open, nil
}

func writeChanges(ctx context.Context, conn batchSender, changes incident.Changes) error {
	return trip(ctx, conn, func(b *pgx.Batch) {
		for _, c := range changes.Open {
			queueExec(b, "open an incident", db.IncidentOpenCondition, c.Workspace, string(c.Kind), c.Subject, c.Message, c.Account, c.Install, c.Count)
		}
		for _, counted := range changes.Count {
			queueExec(b, "count an incident", db.IncidentCount, counted.Count, counted.ID)
		}
		for _, one := range changes.Close {
			queueExec(b, "close an incident", db.IncidentEnd, one.ID, one.LastAt)
		}
	})
}

// IncidentsUnlogged implements incident.LookStore. Its own transaction: it takes rows in no order, and waits for none.
func (s *Store) IncidentsUnlogged(ctx context.Context, most int) (opened, closed []incident.Incident, err error) {
	err = s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
		opening, err := q.IncidentsLogOpening(ctx, int32(most))
		if err != nil {
			return fmt.Errorf("mark openings: %w", err)
		}
		closing, err := q.IncidentsLogClosing(ctx, int32(most))
		if err != nil {
			return fmt.Errorf("mark closings: %w", err)
		}
		for _, row := range opening {
			opened = append(opened, loggedOf(row))
		}
		for _, row := range closing {
			closed = append(closed, loggedOf(db.IncidentsLogOpeningRow(row)))
		}
		return nil
	})
	return opened, closed, err
}

func loggedOf(row db.IncidentsLogOpeningRow) incident.Incident {
	return incident.Incident{ID: row.ID, Workspace: row.WorkspaceID, Kind: incident.Kind(row.Kind), Subject: row.SubjectID}
}
