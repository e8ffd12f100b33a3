package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// StepsWaiting implements sequence.Reader.
func (s *Store) StepsWaiting(ctx context.Context, workspace, sequence uuid.UUID) (map[uuid.UUID]int, error) {
	rows, err := s.queries().StepsWaiting(ctx, workspace, sequence)
	if err != nil {
		return nil, fmt.Errorf("count what waits of a sequence: %w", err)
	}
	waiting := map[uuid.UUID]int{}
	for _, row := range rows {
		waiting[row.StepID] = int(row.Number)
	}
	return waiting, nil
}

// PeopleCalled implements sequence.Reader.
func (s *Store) PeopleCalled(ctx context.Context, workspace uuid.UUID, people []uuid.UUID) (map[uuid.UUID]string, error) {
	rows, err := s.queries().PeopleCalled(ctx, workspace, people)
	if err != nil {
		return nil, fmt.Errorf("read what people are called: %w", err)
	}
	called := map[uuid.UUID]string{}
	for _, row := range rows {
		called[row.ID] = row.Called
	}
	return called, nil
}
