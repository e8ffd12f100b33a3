package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/config"
	"sendonce/server/incident"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
	"sendonce/server/send"
)

var _ send.Store = (*Store)(nil)

func noSend(err error, doing string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return send.ErrNoSend
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// LeaseNext implements send.LeaseStore.
func (s *Store) LeaseNext(ctx context.Context, ask send.LeaseAsk, decide func(send.Facts) send.Setback) (uuid.UUID, *send.Leased, error) {
	var due []uuid.UUID
	var facts send.Facts
	var work []db.SendWorkRow
	err := s.inTrips(ctx, rule.Server, uuid.Nil, func(first *pgx.Batch) {
		queueRows(first, "find the next due send", &due, pgx.RowTo[uuid.UUID], db.SendNextDue, ask.Account, ask.Skip, ask.Session.Install)
	}, func(t trips) (err error) {
		if len(due) == 0 {
			return nil
		}
		if facts, err = lockAndRead(ctx, t.conn, due[0], ask.Session); err != nil {
			return err
		}
		if back := decide(facts); back.Refusal != rule.Allow {
			return setBack(ctx, t.q, facts, back)
		}
		return queueLease(t.last, ask, facts.Row, &work)
	})
	switch {
	case err != nil:
		return uuid.Nil, nil, err
	case len(due) == 0:
		return uuid.Nil, nil, nil
	case len(work) == 0:
		return due[0], nil, nil
	}
	return due[0], leasedOf(facts.Row, work[0]), nil
}

func queueLease(last *pgx.Batch, ask send.LeaseAsk, row send.Row, work *[]db.SendWorkRow) error {
	if _, err := rule.Next(row.Status, rule.Leased, rule.Server, row.HasStart()); err != nil {
		return err
	}
	queueExec(last, "write the lease", db.SendSetLeased, &ask.Lease, &ask.Session.Install, ask.Lasts, row.ID)
	queueExec(last, "take the account's slot", db.SlotTake, &row.ID, row.Account)
	queueRows(last, "read the work of a lease", work, pgx.RowToStructByPos[db.SendWorkRow], db.SendWork,
		config.HeldIDsPerLeaseMax, row.ID, &ask.Lease)
	return nil
}

func leasedOf(row send.Row, work db.SendWorkRow) *send.Leased {
	return &send.Leased{
		Row: row, MemberURN: orZero(work.MemberUrn),
		Person:       send.Recipient{ID: row.Person, Name: work.PersonName, Slug: work.Slug, URN: work.Urn},
		Conversation: work.Conversation, Body: work.Body, ApprovedAt: work.ApprovedAt, RepeatApproved: work.RepeatApproved,
		HeldIDs: work.HeldIds,
	}
}

// takeBack is setBack where a sender asked: what becomes of the row is the server's move.
func takeBack(ctx context.Context, q *db.Queries, f send.Facts, back send.Setback) error {
	if err := q.SetActor(ctx, string(rule.Server)); err != nil {
		return fmt.Errorf("act as the server: %w", err)
	}
	return setBack(ctx, q, f, back)
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
	return openIncident(ctx, q, incident.Parked, f.Row.Workspace, f.Row.Message, f.Row.Account)
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
			return openIncident(ctx, q, incident.Parked, back.WorkspaceID, back.MessageID, back.AccountID)
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
	var read factsRead
	var facts send.Facts
	var decision send.StartDecision
	var events []int64
	err := s.inTrips(ctx, rule.Sender, uuid.Nil, func(first *pgx.Batch) {
		read.queue(first, start.Send, start.Session)
	}, func(t trips) (err error) {
		if facts, err = read.result(); err != nil {
			return err
		}
		decision = decide(facts)
		switch {
		case decision.Again:
			return nil
		case decision.Setback.Refusal != rule.Allow:
			return takeBack(ctx, t.q, facts, decision.Setback)
		}
		return queueStart(t.last, start, facts, &events)
	})
	switch {
	case err != nil:
		return send.StartDecision{}, send.StartedRow{}, err
	case decision.Again:
		return decision, send.StartedRow{DeadlineIn: facts.Row.DeadlineAt.Sub(facts.Now), Mark: facts.Mark}, nil
	case decision.Setback.Refusal != rule.Allow:
		return decision, send.StartedRow{}, nil
	case len(events) == 0:
		// The lease ran out between the facts and the write, or the account's hours did, and then it runs out: it is the database's clock
		// that decides.
		return send.StartDecision{Setback: send.Setback{Refusal: rule.LeaseExpired}}, send.StartedRow{}, nil
	}
	mark := send.Mark{Epoch: facts.Mark.Epoch, Event: events[0]}
	s.acknowledged(mark)
	return decision, send.StartedRow{DeadlineIn: start.Deadline, Mark: mark}, nil
}

func queueStart(last *pgx.Batch, start send.StartWrite, facts send.Facts, events *[]int64) error {
	if _, err := rule.Next(facts.Row.Status, rule.Started, rule.Sender, facts.Row.HasStart()); err != nil {
		return err
	}
	queueRows(last, "write the start", events, pgx.RowTo[int64], db.SendSetStarted,
		&start.Attempt, nullable(start.ExtensionVersion), start.Deadline, start.Send, &start.Lease, facts.Pace.OpenUntil)
	return nil
}

// DueAccounts lists which of the accounts have a send that may be leased now.
func (s *Store) DueAccounts(ctx context.Context, accounts []uuid.UUID) ([]uuid.UUID, error) {
	due, err := s.queries().SendDueAccounts(ctx, accounts)
	if err != nil {
		return nil, fmt.Errorf("list due accounts: %w", err)
	}
	return due, nil
}
