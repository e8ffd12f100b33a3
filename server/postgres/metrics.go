package postgres

import (
	"context"
	"fmt"

	"sendonce/server/incident"
	"sendonce/server/rule"
)

// SendsLive counts the sends that have not ended or are unconfirmed, by status, of all workspaces: at most most in the queue
// and most that are unconfirmed.
func (s *Store) SendsLive(ctx context.Context, most int) (map[rule.Status]int, error) {
	rows, err := s.queries().SendsLive(ctx, int32(most))
	if err != nil {
		return nil, fmt.Errorf("count live sends: %w", err)
	}
	counts := map[rule.Status]int{}
	for _, row := range rows {
		counts[rule.Status(row.Status)] = int(row.Number)
	}
	return counts, nil
}

// IncidentsByKind counts the open incidents of all workspaces.
func (s *Store) IncidentsByKind(ctx context.Context) (map[incident.Kind]int, error) {
	rows, err := s.queries().IncidentsByKind(ctx)
	if err != nil {
		return nil, fmt.Errorf("count open incidents: %w", err)
	}
	counts := map[incident.Kind]int{}
	for _, row := range rows {
		counts[incident.Kind(row.Kind)] = int(row.Number)
	}
	return counts, nil
}

// Connections says how many connections of the pool work, wait for work, and there may be.
func (s *Store) Connections() (busy, idle, most int) {
	stat := s.pool.Stat()
	return int(stat.AcquiredConns()), int(stat.IdleConns()), int(stat.MaxConns())
}
