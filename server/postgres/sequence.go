package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/message"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
	"sendonce/server/sequence"
)

var (
	_ sequence.Store  = transaction{}
	_ sequence.Reader = (*Store)(nil)
	_ sequence.Looks  = (*Store)(nil)
)

// SequenceInsert implements sequence.Store.
func (tx transaction) SequenceInsert(ctx context.Context, workspace, id, by uuid.UUID, name string) error {
	if err := tx.q.SequenceInsert(ctx, id, workspace, name, by); err != nil {
		return fmt.Errorf("make the sequence: %w", err)
	}
	return nil
}

// SequenceLock implements sequence.Store.
func (tx transaction) SequenceLock(ctx context.Context, workspace, id uuid.UUID) error {
	if _, err := tx.q.SequenceLock(ctx, workspace, id); err != nil {
		return notFound(err, "sequence", id)
	}
	return nil
}

// SequenceGet implements sequence.Store.
func (tx transaction) SequenceGet(ctx context.Context, workspace, id uuid.UUID) (sequence.Sequence, error) {
	list, err := tx.sequences(ctx, workspace, &id, nil, 1)
	if err == nil && len(list) == 0 {
		err = notFound(pgx.ErrNoRows, "sequence", id)
	}
	if err != nil {
		return sequence.Sequence{}, err
	}
	return list[0], nil
}

func (tx transaction) sequences(ctx context.Context, workspace uuid.UUID, id, after *uuid.UUID, most int) ([]sequence.Sequence, error) {
	rows, err := tx.q.SequencePage(ctx, workspace, id, after, int32(most))
	if err != nil {
		return nil, fmt.Errorf("list sequences: %w", err)
	}
	list, ids := make([]sequence.Sequence, len(rows)), make([]uuid.UUID, len(rows))
	at := map[uuid.UUID]*sequence.Sequence{}
	for i, row := range rows {
		list[i] = sequence.Sequence{
			ID: row.ID, Name: row.Name, State: sequence.State(row.State), Version: int(row.Version), CreatedBy: row.CreatedBy, CreatedAt: row.CreatedAt,
			ChangedBy: row.ChangedBy, ChangedAt: row.ChangedAt, Counts: map[sequence.State]int{},
		}
		ids[i], at[row.ID] = row.ID, &list[i]
	}
	steps, err := tx.q.SequenceSteps(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("list the steps of sequences: %w", err)
	}
	for _, row := range steps {
		s := at[row.SequenceID]
		s.Steps = append(s.Steps, stepOf(row))
	}
	counts, err := tx.q.SequenceCounts(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("count the enrolments of sequences: %w", err)
	}
	for _, row := range counts {
		at[row.SequenceID].Counts[sequence.State(row.State)] = int(row.Number)
	}
	return list, nil
}

func stepOf(row db.SequenceStepsRow) sequence.Step {
	return sequence.Step{
		ID: row.ID, Purpose: row.Purpose, Channel: row.Channel, Template: row.TemplateID,
		Delay: sequence.Delay{Count: int(row.DelayCount), Unit: sequence.Unit(row.DelayUnit)},
	}
}

// SequenceSet implements sequence.Store.
func (tx transaction) SequenceSet(ctx context.Context, id, by uuid.UUID, to sequence.State) error {
	if err := tx.q.SequenceSet(ctx, string(to), by, id); err != nil {
		return fmt.Errorf("move the sequence: %w", err)
	}
	if err := tx.q.EnrolmentsLookNow(ctx, id); err != nil {
		return fmt.Errorf("have the enrolments of the sequence looked at: %w", err)
	}
	if to != sequence.Stopped {
		return nil
	}
	if err := tx.q.EnrolmentsEnd(ctx, id); err != nil {
		return fmt.Errorf("have those who are held or paused looked at: %w", err)
	}
	return nil
}

// SequenceCallBack implements sequence.Store.
func (tx transaction) SequenceCallBack(ctx context.Context, id, by uuid.UUID) error {
	messages, err := tx.q.MessagesLockOfSequence(ctx, id)
	if err != nil {
		return fmt.Errorf("lock the messages of the sequence: %w", err)
	}
	if _, err := tx.q.SendsLockOfMessages(ctx, messages); err != nil {
		return fmt.Errorf("lock their sends: %w", err)
	}
	return tx.TakeBack(ctx, messages, by, "revoked", rule.ApprovalMissing)
}

// StepsEver implements sequence.Store.
func (tx transaction) StepsEver(ctx context.Context, id uuid.UUID) ([]sequence.Step, error) {
	rows, err := tx.q.StepsEver(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list all steps that the sequence had: %w", err)
	}
	steps := make([]sequence.Step, len(rows))
	for i, row := range rows {
		steps[i] = sequence.Step{ID: row.ID, Purpose: row.Purpose}
	}
	return steps, nil
}

// StepsSet implements sequence.Store.
func (tx transaction) StepsSet(ctx context.Context, workspace, id, by uuid.UUID, steps []sequence.Step) error {
	kept := make([]uuid.UUID, len(steps))
	for i, step := range steps {
		kept[i] = step.ID
	}
	if err := tx.q.StepsRemove(ctx, id, kept); err != nil {
		return fmt.Errorf("take steps out: %w", err)
	}
	for i, step := range steps {
		err := tx.q.StepSet(ctx, db.StepSetParams{
			ID: step.ID, WorkspaceID: workspace, SequenceID: id, Place: int32(i + 1), Purpose: step.Purpose, PurposeKey: message.Fold(step.Purpose),
			Channel: step.Channel, TemplateID: step.Template, DelayCount: int32(step.Delay.Count), DelayUnit: string(step.Delay.Unit),
		})
		if err != nil {
			return fmt.Errorf("set a step: %w", err)
		}
	}
	if err := tx.q.SequenceChanged(ctx, by, id); err != nil {
		return fmt.Errorf("say that the steps changed: %w", err)
	}
	if err := tx.q.EnrolmentsLookNow(ctx, id); err != nil {
		return fmt.Errorf("have the enrolments of the sequence looked at: %w", err)
	}
	return nil
}

// StepIs implements sequence.Store.
func (tx transaction) StepIs(ctx context.Context, workspace, id uuid.UUID) (bool, error) {
	known, err := tx.q.StepIs(ctx, workspace, id)
	if err != nil {
		return false, fmt.Errorf("look for the step: %w", err)
	}
	return known, nil
}

// TemplateIs implements sequence.Store.
func (tx transaction) TemplateIs(ctx context.Context, workspace, id uuid.UUID) (bool, error) {
	known, err := tx.q.TemplateIs(ctx, workspace, id)
	if err != nil {
		return false, fmt.Errorf("look for the template: %w", err)
	}
	return known, nil
}

// SequenceRead implements sequence.Reader.
func (s *Store) SequenceRead(ctx context.Context, workspace, id uuid.UUID) (found sequence.Sequence, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		found, err = tx.SequenceGet(ctx, workspace, id)
		return err
	})
	return found, err
}

// SequenceList implements sequence.Reader.
func (s *Store) SequenceList(ctx context.Context, workspace, after uuid.UUID, most int) (list []sequence.Sequence, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		list, err = tx.sequences(ctx, workspace, nil, nullable(after), most)
		return err
	})
	return list, err
}
