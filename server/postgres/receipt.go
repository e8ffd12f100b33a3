package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sendonce/server/account"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/send"
)

var _ message.Reader = (*Store)(nil)

// MessageGet implements message.Store.
func (tx transaction) MessageGet(ctx context.Context, workspace, id uuid.UUID) (message.Message, error) {
	found, err := tx.receipts(ctx, workspace, []uuid.UUID{id}, config.ReceiptRowsMax, true)
	if err != nil {
		return message.Message{}, err
	}
	if len(found) == 0 {
		return message.Message{}, problem.New(problem.NotFound, "this workspace has no message %s", id)
	}
	return found[0], nil
}

// MessageReceipt implements message.Reader.
func (s *Store) MessageReceipt(ctx context.Context, workspace, id uuid.UUID) (m message.Message, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		m, err = tx.MessageGet(ctx, workspace, id)
		return err
	})
	return m, err
}

// MessageList implements message.Reader.
func (s *Store) MessageList(ctx context.Context, workspace uuid.UUID, page message.Page) (list []message.Message, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		ids, err := tx.q.MessagePage(ctx, db.MessagePageParams{
			WorkspaceID: workspace, Before: nullable(page.Before), Statuses: texts(page.Statuses),
			Authorities: texts(page.Authorities), Section: string(page.Section), PersonID: nullable(page.Person), Most: int32(page.Most),
		})
		if err != nil {
			return fmt.Errorf("list messages: %w", err)
		}
		list, err = tx.receipts(ctx, workspace, ids, config.ListedRowsMax, page.History)
		return err
	})
	return list, err
}

// MessageCounts implements message.Reader.
func (s *Store) MessageCounts(ctx context.Context, workspace uuid.UUID) (map[message.Section]int, error) {
	rows, err := s.queries().MessageCounts(ctx, workspace)
	if err != nil {
		return nil, fmt.Errorf("count messages: %w", err)
	}
	counts := map[message.Section]int{}
	for _, row := range rows {
		counts[message.Section(row.Section)] = int(row.Number)
	}
	return counts, nil
}

// receipts reads many messages with a fixed number of statements, newest id first. What programs, browsers and providers add to without
// a person is read up to the newest most of each list, of copies the first; sends, approvals and rejections are as many as people decided.
func (tx transaction) receipts(ctx context.Context, workspace uuid.UUID, ids []uuid.UUID, most int, history bool) ([]message.Message, error) {
	rows, err := tx.q.MessagesByID(ctx, workspace, ids)
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	now, err := tx.Now(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]message.Message, len(rows))
	index := make(map[uuid.UUID]*message.Message, len(rows))
	persons := make([]uuid.UUID, len(rows))
	own := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		list[i] = messageOf(row)
		index[row.ID] = &list[i]
		persons[i], own[i] = row.PersonID, row.ID
	}
	if err := tx.addIdentities(ctx, workspace, list, persons); err != nil {
		return nil, err
	}
	sends, err := tx.addSends(ctx, index, own, now, most)
	if err != nil {
		return nil, err
	}
	if err := tx.addApprovals(ctx, index, own, history); err != nil {
		return nil, err
	}
	if err := tx.addObserved(ctx, index, own, most, history); err != nil {
		return nil, err
	}
	if err := tx.addRejections(ctx, index, own, history); err != nil {
		return nil, err
	}
	if history {
		if err := tx.addHistory(ctx, index, own, sends, most); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func messageOf(row db.MessagesByIDRow) message.Message {
	m := message.Message{
		ID:        row.ID,
		Target:    message.Target{Channel: row.Channel, Account: row.AccountID, Person: row.PersonID, Purpose: row.Purpose, Task: row.Task},
		Content:   message.Content{Subject: row.Subject, Body: row.Body, SendAfter: row.SendAfter, SendBefore: row.SendBefore, ExpiredAt: row.ExpiredAt},
		Version:   int(row.Version),
		Digest:    row.Digest,
		Authority: message.Authority(row.Authority), ClientRelease: row.ClientRelease, CreatedBy: row.Proposer, CreatedAt: row.CreatedAt,
		Person: message.Person{ID: row.PersonID, Name: row.PersonName}, Conversation: row.Conversation,
		Account: account.Account{
			ID: row.AccountID, Channel: row.Channel, Handle: row.Handle, MemberURN: row.MemberUrn, MemberName: row.MemberName,
			StoppedAt: row.StoppedAt, StoppedCode: row.StoppedCode, CoolUntil: row.CoolUntil, PausedAt: row.PausedAt,
			CreatedAt: row.AccountCreatedAt,
		},
	}
	if row.SequenceID != nil {
		m.InSequence = &message.InSequence{Sequence: *row.SequenceID, Name: orZero(row.SequenceName), Step: orZero(row.StepID), Enrolment: orZero(row.EnrolmentID)}
	}
	if row.TemplateID != nil {
		m.Origin = &message.Origin{Template: *row.TemplateID, Version: int(orZero(row.TemplateVersion))}
	}
	if row.FollowsSend != nil {
		m.Followed = &message.Followed{
			Follows: message.Follows{Send: *row.FollowsSend, Why: orZero(row.FollowsWhy)},
			Message: orZero(row.FollowsMessage), Status: rule.Status(orZero(row.FollowsStatus)),
		}
	}
	if row.ClosedAt != nil {
		m.Closure = &message.Closure{At: *row.ClosedAt, By: orZero(row.Closer), Why: orZero(row.ClosedWhy)}
	}
	return m
}

func (tx transaction) addIdentities(ctx context.Context, workspace uuid.UUID, list []message.Message, persons []uuid.UUID) error {
	rows, err := tx.q.IdentitiesOfPeople(ctx, workspace, persons)
	if err != nil {
		return fmt.Errorf("read identities: %w", err)
	}
	of := map[uuid.UUID][]people.Identity{}
	for _, row := range rows {
		of[row.PersonID] = append(of[row.PersonID], people.Identity{Kind: people.Kind(row.Kind), Value: row.Value})
	}
	for i := range list {
		list[i].Person.Identities = of[list[i].Person.ID]
	}
	return nil
}

// addSends returns the ids of the sends it added.
func (tx transaction) addSends(ctx context.Context, index map[uuid.UUID]*message.Message, own []uuid.UUID, now time.Time, most int) ([]uuid.UUID, error) {
	rows, err := tx.q.SendsOfMessages(ctx, own)
	if err != nil {
		return nil, fmt.Errorf("read sends: %w", err)
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		m := index[row.MessageID]
		if before := m.Latest(); before != nil {
			before.IsFollowed = true
		}
		m.Sends = append(m.Sends, sendOf(row, *m, now))
		ids[i] = row.ID
	}
	sends := map[uuid.UUID]*message.Send{}
	for _, m := range index {
		for i := range m.Sends {
			sends[m.Sends[i].ID] = &m.Sends[i]
		}
	}
	return ids, tx.addEvidence(ctx, sends, ids, most)
}

func sendOf(row db.SendsOfMessagesRow, m message.Message, now time.Time) message.Send {
	s := message.Send{
		ID: row.ID, Message: row.MessageID, Ordinal: int(row.Ordinal), RetryOf: row.RetryOf, Version: int(row.Version),
		Status: rule.Status(row.Status), Code: orZero(row.Code), Reason: orZero(row.Reason),
		Instruction: rule.Instruction(rule.Status(row.Status), m.Target.Channel),
		Attempt:     row.Attempt, Install: row.LeaseHolder, SenderVersion: row.SenderVersion, CreatedAt: row.CreatedAt,
		StartedAt: row.StartedAt, DeadlineAt: row.DeadlineAt, EndedAt: row.EndedAt, ConfirmedAt: row.ConfirmedAt,
		RequeueAt: row.RequeueAt,
	}
	if row.DeadlineAt != nil {
		quiet := send.Quiet{Grace: row.Grace, Unseen: row.Unseen}
		counts, from := quiet.AbsenceCountsFrom(*row.DeadlineAt, row.GoneAt), quiet.NotDeliveredFrom(*row.DeadlineAt, row.GoneAt)
		s.AbsenceCountsFrom = &counts
		if s.Status == rule.Unconfirmed {
			s.NotDeliveredFrom, s.TabGone, s.NextCheckAt = &from, row.GoneAt != nil, row.NextCheckAt
			s.NeedsYes = quiet.NeedsYes(*row.DeadlineAt, row.GoneAt, now)
		}
	}
	s.Parked = s.Status == rule.Queued && row.ParkedAt != nil
	if s.Status == rule.Queued {
		s.WaitingFor, s.WaitingUntil = waitsFor(row, m, now)
	}
	return s
}

// waitsFor is derived when it is read, from the facts that a lease would rest on now: what the row last waited for may have
// ended, and something else begun, without anyone having looked at the row. until is nil when it is not known.
func waitsFor(row db.SendsOfMessagesRow, m message.Message, now time.Time) (why rule.Refusal, until *time.Time) {
	said := rule.Refusal(row.WaitingFor)
	if row.ParkedAt != nil {
		return said, nil
	}
	why, ends := send.WaitsFor(send.Facts{
		Now: now, Armed: row.Armed, SendAfter: orZero(m.Content.SendAfter), AccountStopped: m.Account.StoppedAt != nil,
		AccountTripped: m.Account.Tripped(),
		AccountPaused:  m.Account.PausedAt != nil, AccountCoolUntil: orZero(m.Account.CoolUntil), AccountBusy: row.AccountBusy,
		EverythingPaused: row.EverythingPaused, WorkspacePaused: row.WorkspacePaused, InstallPaused: row.InstallPaused,
		Pace: send.Pace{Because: rule.Refusal(row.PaceBecause), FreeAt: row.PaceFreeAt},
	})
	switch {
	case why != rule.Allow:
		return why, nullableTime(ends)
	case row.CheckFirst:
		return rule.CheckFirst, nil
	case row.NotDue:
		return said, &row.DueAt
	}
	return rule.Allow, nil
}

func (tx transaction) addEvidence(ctx context.Context, sends map[uuid.UUID]*message.Send, ids []uuid.UUID, most int) error {
	if len(ids) == 0 {
		return nil
	}
	deliveries, err := tx.q.DeliveriesOfSends(ctx, int32(most), ids)
	if err != nil {
		return fmt.Errorf("read deliveries: %w", err)
	}
	for _, d := range deliveries {
		s := sends[d.SendID]
		s.Deliveries = append(s.Deliveries, message.Delivery{ProviderID: d.ProviderID, DeliveredAt: d.DeliveredAt})
		s.DeliveriesLeftOut = int(d.Total) - len(s.Deliveries)
	}
	evidence, err := tx.q.EvidenceOfSends(ctx, int32(most), ids)
	if err != nil {
		return fmt.Errorf("read evidence: %w", err)
	}
	for _, e := range evidence {
		s := sends[e.SendID]
		s.Evidence = append(s.Evidence, message.Evidence{
			Kind: e.Kind, Outcome: e.Outcome, Note: e.Note, By: orZero(e.ByName), ReceivedAt: e.ReceivedAt, AskedAt: e.AskedAt,
			Install: e.InstallID, Attempt: e.Attempt, AcceptUnseen: e.AcceptUnseen, Body: e.Body,
		})
		s.EvidenceLeftOut = int(e.Total) - len(s.Evidence)
	}
	return nil
}

// SendReceipt returns the message of a send of the workspace.
func (s *Store) SendReceipt(ctx context.Context, workspace, id uuid.UUID) (m message.Message, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		of, err := tx.q.SendMessage(ctx, workspace, id)
		if err != nil {
			return notFound(err, "send", id)
		}
		m, err = tx.MessageGet(ctx, workspace, of)
		return err
	})
	return m, err
}

// SendList returns the sends of the workspace that have one of the statuses (none: any), the newest first, from the one
// before the id before on (uuid.Nil: from the newest).
func (s *Store) SendList(ctx context.Context, workspace uuid.UUID, statuses []rule.Status, before uuid.UUID, most int) (list []message.Send, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		rows, err := tx.q.SendPage(ctx, workspace, nullable(before), texts(statuses), int32(most))
		if err != nil {
			return fmt.Errorf("list sends: %w", err)
		}
		messages := make([]uuid.UUID, len(rows))
		for i, row := range rows {
			messages[i] = row.MessageID
		}
		receipts, err := tx.receipts(ctx, workspace, messages, config.ListedRowsMax, false)
		if err != nil {
			return err
		}
		byID := map[uuid.UUID]message.Send{}
		for _, m := range receipts {
			for _, one := range m.Sends {
				byID[one.ID] = one
			}
		}
		for _, row := range rows {
			list = append(list, byID[row.ID])
		}
		return nil
	})
	return list, err
}

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
