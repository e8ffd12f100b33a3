package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/config"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
	"sendonce/server/send"
)

var _ send.Store = (*Store)(nil)

// lockAndRead takes the locks of a hot operation in their order and reads the facts after it holds them.
func lockAndRead(ctx context.Context, q *db.Queries, id uuid.UUID, session send.Session) (send.Facts, error) {
	if _, err := q.SendLock(ctx, id); err != nil {
		return send.Facts{}, noSend(err, "lock the send")
	}
	row, err := q.SendRow(ctx, id)
	if err != nil {
		return send.Facts{}, noSend(err, "read the send")
	}
	facts, err := q.SendFacts(ctx, id)
	if err != nil {
		return send.Facts{}, fmt.Errorf("read the facts: %w", err)
	}
	who, err := q.SessionFacts(ctx, session.ID, session.Install, row.AccountID)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return send.Facts{}, fmt.Errorf("read the session: %w", err)
	}
	return factsOf(rowOf(row), facts, who), nil
}

func noSend(err error, doing string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return send.ErrNoSend
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// LeaseNext implements send.LeaseStore.
func (s *Store) LeaseNext(ctx context.Context, ask send.LeaseAsk, decide func(send.Facts) send.Setback) (uuid.UUID, *send.Leased, error) {
	var id uuid.UUID
	var leased *send.Leased
	err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
		due, err := q.SendNextDue(ctx, ask.Account, ask.Skip)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("find the next due send: %w", err)
		}
		facts, err := lockAndRead(ctx, q, due, ask.Session)
		if err != nil {
			return err
		}
		id = due
		if back := decide(facts); back.Refusal != rule.Allow {
			return setBack(ctx, q, facts, back)
		}
		leased, err = writeLease(ctx, q, ask, facts)
		return err
	})
	if err != nil {
		return uuid.Nil, nil, err
	}
	return id, leased, nil
}

func writeLease(ctx context.Context, q *db.Queries, ask send.LeaseAsk, f send.Facts) (*send.Leased, error) {
	if _, err := rule.Next(f.Row.Status, rule.Leased, rule.Server, f.Row.HasStart()); err != nil {
		return nil, err
	}
	if _, err := q.SendSetLeased(ctx, &ask.Lease, &ask.Session.Install, ask.Lasts, f.Row.ID); err != nil {
		return nil, fmt.Errorf("write the lease: %w", err)
	}
	if err := q.SlotTake(ctx, &f.Row.ID, f.Row.Account); err != nil {
		return nil, fmt.Errorf("take the account's slot: %w", err)
	}
	work, err := q.SendWork(ctx, config.HeldIDsPerLeaseMax, f.Row.ID)
	if err != nil {
		return nil, fmt.Errorf("read the work of a lease: %w", err)
	}
	return &send.Leased{
		Row: f.Row, MemberURN: orZero(work.MemberUrn),
		Person:       send.Recipient{ID: f.Row.Person, Name: work.PersonName, Slug: work.Slug, URN: work.Urn},
		Conversation: work.Conversation, Body: work.Body, ApprovedAt: work.ApprovedAt, RepeatApproved: work.RepeatApproved,
		HeldIDs: work.HeldIds,
	}, nil
}

// setBack writes what a refusal does to its row, which is queued or leased and locked.
func setBack(ctx context.Context, q *db.Queries, f send.Facts, back send.Setback) error {
	switch back.Refusal.Disposition() {
	case rule.None:
		return nil
	case rule.Cancel:
		if _, err := rule.Next(f.Row.Status, rule.Canceled, rule.Server, f.Row.HasStart()); err != nil {
			return err
		}
		if _, err := q.SendSetCanceled(ctx, nullable(string(back.Refusal)), f.Row.ID); err != nil {
			return fmt.Errorf("cancel a refused send: %w", err)
		}
		return nil
	}
	return putBack(ctx, q, f, back)
}

func putBack(ctx context.Context, q *db.Queries, f send.Facts, back send.Setback) error {
	parks := back.Refusal.Disposition() == rule.Park
	waitingFor, due := nullable(string(back.Refusal)), nullableTime(back.Until)
	if f.Row.Status == rule.Queued {
		if err := q.SendDelay(ctx, waitingFor, due, parks, f.Row.ID); err != nil {
			return fmt.Errorf("delay a refused send: %w", err)
		}
	} else {
		_, err := q.SendSetQueued(ctx, db.SendSetQueuedParams{
			ID: f.Row.ID, Lease: &f.Row.LeaseToken, WaitingFor: waitingFor, DueAt: due, Parks: parks,
			ParkAfter: config.ReleasesBeforePark,
		})
		if err != nil {
			return fmt.Errorf("put a refused send back: %w", err)
		}
	}
	if !parks {
		return nil
	}
	return openIncident(ctx, q, incidentParked, f.Row.Workspace, f.Row.Message, f.Row.Account)
}

// The kinds of incident that this package opens itself.
const (
	incidentParked        = "parked"
	incidentDoubleRequest = "double_request"
)

func openIncident(ctx context.Context, q *db.Queries, kind string, workspace, message, account uuid.UUID) error {
	err := q.IncidentOpen(ctx, db.IncidentOpenParams{
		WorkspaceID: workspace, Kind: kind, SubjectID: message, MessageID: &message, AccountID: &account,
	})
	if err != nil {
		return fmt.Errorf("open an incident: %w", err)
	}
	return nil
}

// ReleaseLease implements send.LeaseStore.
func (s *Store) ReleaseLease(ctx context.Context, id, lease uuid.UUID, parkAfter int) (uuid.UUID, bool, error) {
	var account uuid.UUID
	err := s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
		back, err := q.SendSetQueued(ctx, db.SendSetQueuedParams{
			ID: id, Lease: &lease, Counts: 1, ParkAfter: int32(parkAfter),
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("put the send back: %w", err)
		}
		account = back.AccountID
		if back.ParkedAt != nil {
			return openIncident(ctx, q, incidentParked, back.WorkspaceID, back.MessageID, back.AccountID)
		}
		return nil
	})
	return account, account != uuid.Nil, err
}

// LeasesOf implements send.LeaseStore.
func (s *Store) LeasesOf(ctx context.Context, session send.Session) ([]send.HeldLease, error) {
	rows, err := s.queries().SendsLeasedTo(ctx, session.Install, session.ID)
	if err != nil {
		return nil, fmt.Errorf("list the leases of an install: %w", err)
	}
	held := make([]send.HeldLease, len(rows))
	for i, row := range rows {
		held[i] = send.HeldLease{Send: row.ID, Lease: orZero(row.LeaseToken)}
	}
	return held, nil
}

// StartSend implements send.StartStore.
func (s *Store) StartSend(ctx context.Context, start send.StartWrite, decide func(send.Facts) send.StartDecision) (send.StartDecision, send.StartedRow, error) {
	var decision send.StartDecision
	var started send.StartedRow
	err := s.inTx(ctx, rule.Sender, uuid.Nil, func(q *db.Queries) error {
		facts, err := lockAndRead(ctx, q, start.Send, start.Session)
		if err != nil {
			return err
		}
		decision = decide(facts)
		switch {
		case decision.Again:
			started = send.StartedRow{DeadlineIn: facts.Row.DeadlineAt.Sub(facts.Now), Mark: facts.Mark}
			return nil
		case decision.Setback.Refusal != rule.Allow:
			return setBack(ctx, q, facts, decision.Setback)
		}
		started, err = writeStart(ctx, q, start, facts)
		if errors.Is(err, pgx.ErrNoRows) {
			// The lease ran out between the facts and the write: it is the database's clock that decides.
			decision = send.StartDecision{Setback: send.Setback{Refusal: rule.LeaseExpired}}
			return nil
		}
		return err
	})
	return decision, started, err
}

func writeStart(ctx context.Context, q *db.Queries, start send.StartWrite, f send.Facts) (send.StartedRow, error) {
	if _, err := rule.Next(f.Row.Status, rule.Started, rule.Sender, f.Row.HasStart()); err != nil {
		return send.StartedRow{}, err
	}
	event, err := q.SendSetStarted(ctx, db.SendSetStartedParams{
		ID: start.Send, Lease: &start.Lease, Attempt: &start.Attempt, SenderVersion: nullable(start.ExtensionVersion),
		Deadline: start.Deadline,
	})
	if err != nil {
		return send.StartedRow{}, fmt.Errorf("write the start: %w", err)
	}
	return send.StartedRow{DeadlineIn: start.Deadline, Mark: send.Mark{Epoch: f.Mark.Epoch, Event: event}}, nil
}

// DueAccounts lists which of the accounts have a send that may be leased now.
func (s *Store) DueAccounts(ctx context.Context, accounts []uuid.UUID) ([]uuid.UUID, error) {
	due, err := s.queries().SendDueAccounts(ctx, accounts)
	if err != nil {
		return nil, fmt.Errorf("list due accounts: %w", err)
	}
	return due, nil
}
