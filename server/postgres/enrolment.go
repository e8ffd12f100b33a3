package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/pace"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/sequence"
)

// PeopleToEnrol implements sequence.Store.
func (tx transaction) PeopleToEnrol(ctx context.Context, workspace uuid.UUID, people []uuid.UUID) error {
	if err := tx.q.PeopleToEnrol(ctx, workspace, people); err != nil {
		return fmt.Errorf("lock the people: %w", err)
	}
	return nil
}

// EnrolmentOther implements sequence.Store.
func (tx transaction) EnrolmentOther(ctx context.Context, workspace, of, person uuid.UUID) (uuid.UUID, sequence.State, bool, error) {
	known, err := tx.q.PersonIs(ctx, workspace, person)
	if err != nil {
		return uuid.Nil, "", false, fmt.Errorf("look for the person: %w", err)
	}
	if !known {
		return uuid.Nil, "", false, problem.Field("person_id", "there is no such person; GET /v1/people lists them")
	}
	rows, err := tx.q.EnrolmentOther(ctx, person, of)
	if err != nil {
		return uuid.Nil, "", false, fmt.Errorf("look for another enrolment: %w", err)
	}
	if len(rows) == 0 {
		return uuid.Nil, "", false, nil
	}
	return rows[0].ID, sequence.State(rows[0].State), rows[0].HasAnswered, nil
}

// EnrolmentInsert implements sequence.Store.
func (tx transaction) EnrolmentInsert(ctx context.Context, workspace uuid.UUID, n sequence.NewEnrolment) error {
	made, err := tx.q.EnrolmentInsert(ctx, db.EnrolmentInsertParams{
		ID: n.ID, SequenceID: n.Sequence, PersonID: n.Person, CreatedBy: n.By, WorkspaceID: workspace, AccountID: n.Account, Channel: n.Channel,
	})
	if err != nil {
		return fmt.Errorf("enrol the person: %w", err)
	}
	if made == 0 {
		return problem.Field("account_id", "there is no such account on %s; GET /v1/accounts lists them", n.Channel)
	}
	return nil
}

// EnrolmentLock implements sequence.Store.
func (tx transaction) EnrolmentLock(ctx context.Context, workspace, id uuid.UUID) error {
	if _, err := tx.q.EnrolmentLock(ctx, workspace, id); err != nil {
		return notFound(err, "enrolment", id)
	}
	return nil
}

// EnrolmentTake implements sequence.Store.
func (tx transaction) EnrolmentTake(ctx context.Context, id uuid.UUID) (bool, error) {
	taken, err := tx.q.EnrolmentTake(ctx, id)
	if err != nil {
		return false, fmt.Errorf("take an enrolment: %w", err)
	}
	return len(taken) == 1, nil
}

// EnrolmentSet implements sequence.Store.
func (tx transaction) EnrolmentSet(ctx context.Context, id uuid.UUID, v sequence.Verdict) error {
	err := tx.q.EnrolmentSet(ctx, db.EnrolmentSetParams{
		State: string(v.State), Reason: string(v.Reason), Detail: v.Detail, MessageID: nullable(v.Message), DueAt: v.DueAt, LookAt: v.LookAt, ID: id,
	})
	if err != nil {
		return fmt.Errorf("write what became of enrolment %s: %w", id, err)
	}
	return nil
}

// StepSayLast implements sequence.Store.
func (tx transaction) StepSayLast(enrolment, step, of uuid.UUID) {
	queueExec(tx.last, "say whose step the message is", db.StepSay, step, enrolment, of)
}

// EnrolmentFacts implements sequence.Store.
func (tx transaction) EnrolmentFacts(ctx context.Context, id uuid.UUID) (sequence.Facts, error) {
	row, err := tx.q.EnrolmentFacts(ctx, id)
	if err != nil {
		return sequence.Facts{}, fmt.Errorf("read the facts of enrolment %s: %w", id, err)
	}
	f := sequence.Facts{
		Now: row.NowAt, Sequence: sequence.State(row.SequenceState), Name: row.SequenceName, Profile: row.Profile, RepliedAt: sinceEpoch(row.RepliedAt),
		ByHandAt: sinceEpoch(row.ByHandAt), BeganAt: row.BeganAt,
		LastBegun: row.LastBegun, Bounced: row.Bounced, CalledOff: row.CalledOff, Older: row.Older,
		Enrolment: sequence.Enrolment{
			ID: id, Workspace: row.WorkspaceID, Sequence: row.SequenceID, Person: row.PersonID, Account: row.AccountID, State: sequence.State(row.State),
			Reason: sequence.Reason(row.Reason), Message: orZero(row.MessageID), DueAt: row.DueAt, CreatedAt: row.CreatedAt,
			By: access.Principal{ID: row.PrincipalID, Workspace: row.WorkspaceID, Role: access.Role(row.Role), Name: row.PrincipalName},
		},
		Contact: contactOf(db.PersonContactRow{
			Level: row.Level, Because: row.Because, OwnerID: row.OwnerID, FreeFrom: row.FreeFrom, OwnerName: row.OwnerName,
		}),
	}
	steps, err := tx.q.SequenceSteps(ctx, []uuid.UUID{row.SequenceID})
	if err != nil {
		return f, fmt.Errorf("read the steps of a sequence: %w", err)
	}
	for _, step := range steps {
		f.Steps = append(f.Steps, stepOf(step))
	}
	if f.Had, err = tx.StepsHad(ctx, row.SequenceID, row.PersonID); err != nil {
		return f, err
	}
	f.Hours, err = tx.hoursNow(ctx, row.AccountID)
	return f, err
}

// StepsHad implements sequence.Store.
func (tx transaction) StepsHad(ctx context.Context, of, person uuid.UUID) ([]sequence.Had, error) {
	rows, err := tx.q.StepsOfPerson(ctx, of, person)
	if err != nil {
		return nil, fmt.Errorf("read which steps a person has had: %w", err)
	}
	had := make([]sequence.Had, len(rows))
	for i, one := range rows {
		h := sequence.Had{
			Step: one.StepID, Message: one.MessageID, Enrolment: one.EnrolmentID, Authority: message.Authority(one.Authority), Send: one.SendID,
			Status: rule.Status(one.Status), Requeues: one.Requeues,
		}
		if one.SentID != uuid.Nil {
			h.Send, h.SentAt = one.SentID, one.SentAt
		}
		had[i] = h
	}
	return had, nil
}

func (tx transaction) hoursNow(ctx context.Context, account uuid.UUID) (pace.Hours, error) {
	row, err := tx.q.HoursNow(ctx, account)
	if err != nil {
		return pace.Hours{}, fmt.Errorf("read the hours of account %s: %w", account, err)
	}
	hours := pace.Hours{Number: int(row.Number), Zone: row.Zone, LateDays: int(row.LateDays)}
	return hours, readDays(&hours, row.Days, row.Holidays)
}

// PeopleOfImport implements sequence.Store.
func (tx transaction) PeopleOfImport(ctx context.Context, workspace, of uuid.UUID, after, most int) ([]sequence.Enrolling, error) {
	done, err := tx.q.ImportIsDone(ctx, workspace, of)
	if err != nil {
		return nil, notFound(err, "import", of)
	}
	if !done {
		return nil, problem.New(problem.ImportNotReady, "it is not carried out yet; start it, and wait until its state is done")
	}
	rows, err := tx.q.PeopleOfImport(ctx, of, int32(after), int32(most))
	if err != nil {
		return nil, fmt.Errorf("list the people of an import: %w", err)
	}
	all := make([]sequence.Enrolling, len(rows))
	for i, row := range rows {
		all[i] = sequence.Enrolling{Person: row.PersonID, Row: int(row.Number)}
	}
	return all, nil
}

// sinceEpoch is nil for a moment that never was.
func sinceEpoch(at time.Time) *time.Time {
	if !at.After(time.Unix(0, 0)) {
		return nil
	}
	return &at
}

// EnrolmentGet implements sequence.Store.
func (tx transaction) EnrolmentGet(ctx context.Context, workspace, id uuid.UUID) (sequence.Enrolment, error) {
	list, err := tx.enrolments(ctx, db.EnrolmentPageParams{WorkspaceID: workspace, ID: &id, Most: 1})
	if err == nil && len(list) == 0 {
		err = notFound(pgx.ErrNoRows, "enrolment", id)
	}
	if err != nil {
		return sequence.Enrolment{}, err
	}
	e := list[0]
	rows, err := tx.q.EnrolmentEvents(ctx, id, config.EnrolmentEventsMax)
	if err != nil {
		return e, fmt.Errorf("read the history of an enrolment: %w", err)
	}
	slices.Reverse(rows)
	for _, row := range rows {
		e.History = append(e.History, sequence.Event{
			At: row.At, State: sequence.State(row.State), Reason: sequence.Reason(row.Reason), Message: orZero(row.MessageID), By: orZero(row.ByName),
		})
	}
	return e, nil
}

func (tx transaction) enrolments(ctx context.Context, page db.EnrolmentPageParams) ([]sequence.Enrolment, error) {
	rows, err := tx.q.EnrolmentPage(ctx, page)
	if err != nil {
		return nil, fmt.Errorf("list enrolments: %w", err)
	}
	list := make([]sequence.Enrolment, len(rows))
	for i, row := range rows {
		list[i] = sequence.Enrolment{
			ID: row.ID, Workspace: row.WorkspaceID, Sequence: row.SequenceID, Person: row.PersonID, Name: row.PersonName, Account: row.AccountID,
			State: sequence.State(row.State), Reason: sequence.Reason(row.Reason), Detail: row.Detail, Message: orZero(row.MessageID), DueAt: row.DueAt,
			CreatedAt: row.CreatedAt, ChangedAt: row.ChangedAt, SequenceName: row.SequenceName, Handle: row.AccountHandle,
			By: access.Principal{ID: row.PrincipalID, Workspace: row.WorkspaceID, Role: access.Role(row.Role), Name: row.PrincipalName},
		}
	}
	return list, nil
}

// EnrolmentRead implements sequence.Reader.
func (s *Store) EnrolmentRead(ctx context.Context, workspace, id uuid.UUID) (e sequence.Enrolment, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		e, err = tx.EnrolmentGet(ctx, workspace, id)
		return err
	})
	return e, err
}

// EnrolmentList implements sequence.Reader.
func (s *Store) EnrolmentList(ctx context.Context, workspace uuid.UUID, page sequence.Page) (list []sequence.Enrolment, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		list, err = tx.enrolments(ctx, db.EnrolmentPageParams{
			WorkspaceID: workspace, SequenceID: nullable(page.Sequence), PersonID: nullable(page.Person), State: nullable(string(page.State)),
			After: nullable(page.After), Most: int32(page.Most),
		})
		return err
	})
	return list, err
}

// EnrolmentsToLook implements sequence.Looks.
func (s *Store) EnrolmentsToLook(ctx context.Context, most int) ([]sequence.Open, error) {
	rows, err := s.queries().EnrolmentsToLook(ctx, int32(most))
	if err != nil {
		return nil, fmt.Errorf("list the enrolments to look at: %w", err)
	}
	open := make([]sequence.Open, len(rows))
	for i, row := range rows {
		open[i] = sequence.Open{ID: row.ID, By: access.Principal{ID: row.PrincipalID, Workspace: row.WorkspaceID, Role: access.Role(row.Role), Name: row.Name}}
	}
	return open, nil
}

// EnrolmentLater implements sequence.Looks.
func (s *Store) EnrolmentLater(ctx context.Context, id uuid.UUID, by time.Duration) error {
	if err := s.queries().EnrolmentLater(ctx, by, id); err != nil {
		return fmt.Errorf("have enrolment %s stand back: %w", id, err)
	}
	return nil
}
