package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"sendonce/server/message"
	"sendonce/server/rule"
)

// addApprovals sets the standing approval, and with history every approval and its end.
func (tx transaction) addApprovals(ctx context.Context, index map[uuid.UUID]*message.Message, own []uuid.UUID, history bool) error {
	rows, err := tx.q.ApprovalsOfMessages(ctx, own)
	if err != nil {
		return fmt.Errorf("read approvals: %w", err)
	}
	for _, row := range rows {
		m := index[row.MessageID]
		if row.VoidedAt == nil {
			m.Approval = &message.Approval{
				ID: row.ID, Version: int(row.Version), Digest: row.Digest, Approver: row.ApproverName,
				ApprovedAt: row.ApprovedAt, ExpiresAt: row.ExpiresAt, RepeatApproved: row.RepeatApproved, YesTo: row.YesTo,
				Policy: int(orZero(row.PolicyNumber)), OverrideOf: orZero(row.OverrideOf), OverrideWhy: orZero(row.OverrideWhy),
			}
		}
		if !history {
			continue
		}
		approved := message.Event{At: row.ApprovedAt, What: message.WasApproved, By: row.ApproverName, Version: int(row.Version)}
		if row.PolicyNumber != nil {
			approved.Reason = fmt.Sprintf("by policy %d", *row.PolicyNumber)
		}
		if row.OverrideOf != nil {
			approved.Reason = fmt.Sprintf("although %s has a claim on the person: %s", *row.OverrideOf, orZero(row.OverrideWhy))
		}
		m.History = append(m.History, approved)
		if row.VoidedAt != nil {
			m.History = append(m.History, message.Event{
				At: *row.VoidedAt, What: message.ApprovalVoided, By: orZero(row.VoidedByName), Version: int(row.Version),
				Reason: orZero(row.VoidReason),
			})
		}
	}
	return nil
}

// addHistory tells the story of each message, oldest first: the newest most lines of it.
func (tx transaction) addHistory(ctx context.Context, index map[uuid.UUID]*message.Message, own, sends []uuid.UUID, most int) error {
	versions, err := tx.q.VersionsOfMessages(ctx, int32(most), own)
	if err != nil {
		return fmt.Errorf("read versions: %w", err)
	}
	for _, v := range versions {
		what := message.WasEdited
		if v.Version == 1 {
			what = message.WasProposed
		}
		m := index[v.MessageID]
		m.History = append(m.History, message.Event{At: v.CreatedAt, What: what, By: v.Author, Version: int(v.Version)})
	}
	if err := tx.addMoves(ctx, index, sends, most); err != nil {
		return err
	}
	for _, m := range index {
		if f := m.Followed; f != nil {
			m.History = append(m.History, message.Event{At: m.CreatedAt, What: message.DidFollow, By: m.CreatedBy, Send: &f.Send, Reason: f.Why})
		}
		if c := m.Closure; c != nil {
			m.History = append(m.History, message.Event{At: c.At, What: message.WasClosed, By: c.By, Reason: c.Why})
		}
		slices.SortStableFunc(m.History, func(a, b message.Event) int { return a.At.Compare(b.At) })
		tooMany := max(0, len(m.History)-most)
		m.History = m.History[tooMany:]
		m.HistoryLeftOut += tooMany + max(0, m.Version-most) + m.ObservedLeftOut
	}
	return nil
}

// addMoves adds the moves of each send to the history of its message.
func (tx transaction) addMoves(ctx context.Context, index map[uuid.UUID]*message.Message, sends []uuid.UUID, most int) error {
	events, err := tx.q.EventsOfSends(ctx, int32(most), sends)
	if err != nil {
		return fmt.Errorf("read the history of sends: %w", err)
	}
	counted := map[uuid.UUID]bool{}
	for _, e := range events {
		m := index[e.MessageID]
		if !counted[e.SendID] {
			counted[e.SendID] = true
			m.HistoryLeftOut += max(0, int(e.Total)-most)
		}
		by := e.Actor
		if e.ByName != nil {
			by = *e.ByName
		}
		m.History = append(m.History, message.Event{
			At: e.At, What: message.SendMoved, By: by, Send: &e.SendID, From: rule.Status(orZero(e.FromStatus)),
			To: rule.Status(e.ToStatus), Code: orZero(e.Code), Reason: orZero(e.Reason),
			WaitingFor: orZero(e.WaitingFor), Install: e.LeaseHolder,
		})
	}
	return nil
}
