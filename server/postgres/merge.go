package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/people"
	"sendonce/server/person"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// PersonStakes implements person.Store.
func (tx transaction) PersonStakes(ctx context.Context, workspace, id uuid.UUID) (person.Stakes, error) {
	row, err := tx.q.PersonStakes(ctx, workspace, id)
	if err != nil {
		return person.Stakes{}, notFound(err, "person", id)
	}
	return person.Stakes{
		ID: row.ID, Name: row.Name, Owner: orZero(row.OwnerID), OwnerName: row.OwnerName, Level: people.Level(row.Level), Rows: row.Ids,
		Messages: int(row.Messages), Proposed: int(row.Proposed), Waiting: int(row.Waiting), Started: int(row.Started),
		Unconfirmed: int(row.Unconfirmed), Sent: int(row.Sent), Intents: int(row.Intents), IsRemoved: row.RemovedAt != nil,
	}, nil
}

// IntentsOfBoth implements person.Store.
func (tx transaction) IntentsOfBoth(ctx context.Context, kept, gone []uuid.UUID) ([]person.Meeting, error) {
	rows, err := tx.q.IntentsOfBoth(ctx, kept, gone, config.MeetingsShownMax)
	if err != nil {
		return nil, fmt.Errorf("read what is meant for both: %w", err)
	}
	meetings := make([]person.Meeting, len(rows))
	for i, row := range rows {
		meetings[i] = person.Meeting{Kept: row.KeptMessage, Gone: row.GoneMessage, Purpose: row.Purpose}
	}
	return meetings, nil
}

// PeopleHold implements person.Store.
func (tx transaction) PeopleHold(ctx context.Context, workspace uuid.UUID, of ...person.Stakes) ([]uuid.UUID, error) {
	var rows, ids []uuid.UUID
	for _, one := range of {
		rows, ids = append(rows, one.Rows...), append(ids, one.ID)
	}
	messages, err := tx.q.MessagesLockOfPeople(ctx, workspace, rows)
	if err != nil {
		return nil, fmt.Errorf("lock the messages of people: %w", err)
	}
	if _, err := tx.q.SendsLockOfMessages(ctx, messages); err != nil {
		return nil, fmt.Errorf("lock their sends: %w", err)
	}
	held, err := tx.q.PeopleLock(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("lock people: %w", err)
	}
	if len(held) != len(ids) { // to follow a pointer here would be to lock in another order
		return nil, problem.New(problem.WorldMoved, "one of them was merged in the moment between; look at a new preview")
	}
	return messages, nil
}

// TakeBack implements person.Store.
func (tx transaction) TakeBack(ctx context.Context, messages []uuid.UUID, by uuid.UUID, reason string, code rule.Refusal) error {
	waiting, err := tx.q.SendsWaitingOf(ctx, messages)
	if err != nil {
		return fmt.Errorf("list what waits to go out: %w", err)
	}
	var back []uuid.UUID
	for _, row := range waiting {
		if _, err := rule.Next(rule.Status(row.Status), rule.Canceled, rule.Operator, false); err != nil {
			return err
		}
		if _, err := tx.q.SendSetCanceled(ctx, nullable(string(code)), row.ID); err != nil {
			return fmt.Errorf("cancel a send that waits: %w", err)
		}
		back = append(back, row.MessageID)
	}
	again, err := tx.q.RequeuesClearOf(ctx, messages)
	if err != nil {
		return fmt.Errorf("clear what a machine would send again: %w", err)
	}
	back = append(back, again...)
	if err := tx.q.ApprovalsVoidOf(ctx, reason, nullable(by), back); err != nil {
		return fmt.Errorf("void the approvals: %w", err)
	}
	if err := tx.q.MessagesProposeAgain(ctx, back); err != nil {
		return fmt.Errorf("propose what was taken back: %w", err)
	}
	return nil
}

// PersonMerge implements person.Store. The database looks once more whether it may be.
func (tx transaction) PersonMerge(ctx context.Context, kept, gone, by uuid.UUID) error {
	if err := tx.q.PersonMerge(ctx, kept, by, gone); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	if err := tx.q.PersonInherit(ctx, config.PersonFieldsMax, kept, gone); err != nil {
		return fmt.Errorf("hand on what is known: %w", err)
	}
	return nil
}

// PersonForget implements person.Store.
func (tx transaction) PersonForget(ctx context.Context, workspace uuid.UUID, p people.Person, messages []uuid.UUID, by uuid.UUID) error {
	key, err := tx.ensureMarkKey(ctx, workspace)
	if err != nil {
		return err
	}
	if err := tx.q.ApprovalsVoidOf(ctx, "removed", nullable(by), messages); err != nil {
		return fmt.Errorf("void the approvals: %w", err)
	}
	if err := tx.q.MessagesWithdrawOf(ctx, messages); err != nil {
		return fmt.Errorf("withdraw the messages: %w", err)
	}
	if err := tx.q.PersonForget(ctx, p.ID, by, marksOf(key, p.Identities)); err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	return nil
}

// MergePreview implements person.Reader.
func (s *Store) MergePreview(ctx context.Context, workspace, kept, gone uuid.UUID) (m person.Merging, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		m, err = person.Preview(ctx, tx, workspace, kept, gone)
		return err
	})
	return m, err
}

// RemovalPreview implements person.Reader.
func (s *Store) RemovalPreview(ctx context.Context, workspace, id uuid.UUID) (r person.Removal, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		if r.Stakes, err = tx.PersonStakes(ctx, workspace, id); err != nil {
			return err
		}
		files, err := tx.q.PersonFiles(ctx, workspace, r.Rows)
		if err != nil {
			return fmt.Errorf("count the files that name them: %w", err)
		}
		r.Files = int(files)
		return nil
	})
	return r, err
}
