package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/event"
	"sendonce/server/postgres/db"
)

var _ event.Store = (*Store)(nil)

// EventsAfter implements event.Store. Both questions travel together, the rows first: each sees the tables as they are at its
// own moment, and what a cursor is held against must not be older than the rows.
func (s *Store) EventsAfter(ctx context.Context, workspace uuid.UUID, after *event.Cursor, most int) (event.Reading, error) {
	cursor := orZero(after)
	var rows []db.EventsAfterRow
	var states []db.EventStateRow
	err := trip(ctx, s.pool, func(b *pgx.Batch) {
		queueRows(b, "read events", &rows, pgx.RowToStructByPos[db.EventsAfterRow], db.EventsAfter,
			workspace, cursor.ShownAfter, cursor.ID, int32(most))
		queueRows(b, "read the state of the feed", &states, pgx.RowToStructByPos[db.EventStateRow], db.EventState,
			workspace, cursor.ShownAfter, cursor.ID, cursor.At)
	})
	if err != nil {
		return event.Reading{}, err
	}
	if len(states) != 1 {
		return event.Reading{}, fmt.Errorf("read the state of the feed: %d rows for one instance", len(states))
	}
	state := states[0]
	reading := event.Reading{
		Epoch: state.Epoch, Horizon: event.Position{ShownAfter: state.HorizonAfter, ID: state.HorizonID}, IsKnown: state.Known,
	}
	if state.HeldBackSince.Unix() != 0 {
		reading.HeldBackSince = &state.HeldBackSince
	}
	for _, row := range rows {
		reading.Events = append(reading.Events, eventOf(row, state.Epoch))
	}
	return reading, nil
}

func eventOf(row db.EventsAfterRow, epoch int64) event.Event {
	e := event.Event{
		ID: row.ID, At: row.At, Type: event.Type(row.Type), Message: row.MessageID, Send: row.SendID, Account: row.AccountID,
		Person: row.PersonID, Install: row.InstallID, Incident: row.IncidentID, Sequence: row.SequenceID, Enrolment: row.EnrolmentID, From: row.FromState, To: row.ToState, Code: row.Code, Actor: row.Actor,
		Principal: row.PrincipalName,
		Cursor:    event.Cursor{Epoch: epoch, Position: event.Position{ShownAfter: row.ShownAfter, ID: row.ID}, At: row.At},
	}
	if row.Version != nil {
		version := int(*row.Version)
		e.Version = &version
	}
	return e
}

// EventsNewest implements event.Store.
func (s *Store) EventsNewest(ctx context.Context, workspaces []uuid.UUID) ([]event.Newest, error) {
	rows, err := s.queries().EventsNewest(ctx, workspaces)
	if err != nil {
		return nil, fmt.Errorf("read the newest events: %w", err)
	}
	newest := make([]event.Newest, len(rows))
	for i, row := range rows {
		newest[i] = event.Newest{
			Workspace: row.WorkspaceID, HeldBack: row.HeldBack,
			Cursor: event.Cursor{Epoch: row.Epoch, Position: event.Position{ShownAfter: row.ShownAfter, ID: row.ID}},
		}
		if row.At.Unix() != 0 {
			newest[i].Cursor.At = row.At
		}
	}
	return newest, nil
}

// EventsForget implements event.Store.
func (s *Store) EventsForget(ctx context.Context, kept time.Duration, most int) (int, error) {
	forgotten, err := s.queries().EventsForget(ctx, int32(most), kept)
	if err != nil {
		return 0, fmt.Errorf("forget old events: %w", err)
	}
	return int(forgotten), nil
}

// Written implements event.Store: it yields after transactions of this server have ended, one token for many of them.
func (s *Store) Written() <-chan struct{} { return s.written }

// noteWritten says that a transaction ended, however it did: what had waited for its end can be read now.
func (s *Store) noteWritten() {
	select {
	case s.written <- struct{}{}:
	default:
	}
}
