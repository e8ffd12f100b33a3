package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/access"
	"sendonce/server/bulk"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/postgres/db"
	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// FailedSends implements bulk.Store.
func (tx transaction) FailedSends(ctx context.Context, workspace uuid.UUID, filter bulk.Filter, after uuid.UUID, most int) ([]bulk.Item, error) {
	ids, err := tx.q.RetryCandidates(ctx, db.RetryCandidatesParams{
		WorkspaceID: workspace, After: after, AccountID: nullable(filter.Account), Code: nullable(filter.Code), Most: int32(most),
		SequenceID: nullable(filter.Sequence), StepID: nullable(filter.Step), Enrolments: filter.Enrolments,
	})
	if err != nil {
		return nil, fmt.Errorf("list failed sends: %w", err)
	}
	items := make([]bulk.Item, len(ids))
	for i, id := range ids {
		items[i].ID = id
	}
	return items, nil
}

// RetryFactsOf implements bulk.Store.
func (tx transaction) RetryFactsOf(ctx context.Context, ids []uuid.UUID) ([]send.RetryFacts, error) {
	reads := make([]factsRead, len(ids))
	more := make([][]db.SendRetryFactsRow, len(ids))
	rivals := make([][]db.IntentRivalOfSendRow, len(ids))
	err := trip(ctx, tx.conn, func(b *pgx.Batch) {
		for i, id := range ids {
			reads[i].queueReads(b, id, send.Session{})
			queueRows(b, "read the facts of a retry", &more[i], pgx.RowToStructByPos[db.SendRetryFactsRow], db.SendRetryFacts, id)
			queueRows(b, "read what else is meant for the person", &rivals[i], pgx.RowToStructByPos[db.IntentRivalOfSendRow], db.IntentRivalOfSend, id)
		}
	})
	if err != nil {
		return nil, err
	}
	facts := make([]send.RetryFacts, len(ids))
	for i := range ids {
		one, err := reads[i].read()
		if err != nil {
			return nil, err
		}
		facts[i] = retryFactsOf(one, more[i][0], rivals[i])
	}
	return facts, nil
}

// WaitingMessages implements bulk.Store.
func (tx transaction) WaitingMessages(ctx context.Context, workspace uuid.UUID, filter bulk.Filter, after uuid.UUID, most int) ([]bulk.Item, error) {
	rows, err := tx.q.ApprovalCandidates(ctx, db.ApprovalCandidatesParams{
		WorkspaceID: workspace, After: after, AccountID: nullable(filter.Account), Purpose: nullable(message.Fold(filter.Purpose)), Most: int32(most),
		SequenceID: nullable(filter.Sequence), StepID: nullable(filter.Step), Enrolments: filter.Enrolments,
	})
	if err != nil {
		return nil, fmt.Errorf("list messages that wait for approval: %w", err)
	}
	items := make([]bulk.Item, len(rows))
	for i, row := range rows {
		items[i] = bulk.Item{ID: row.ID, Version: int(row.Version), Digest: row.Digest}
	}
	return items, nil
}

// ApprovalFactsOf implements bulk.Store.
func (tx transaction) ApprovalFactsOf(ctx context.Context, who access.Principal, ids []uuid.UUID) ([]message.ApprovalFacts, error) {
	rows, err := tx.q.ApprovalFacts(ctx, who.ID, who.Workspace, ids)
	if err != nil {
		return nil, fmt.Errorf("read the facts of approvals: %w", err)
	}
	earlier, err := tx.earlierTo(ctx, who.Workspace, ids)
	if err != nil {
		return nil, err
	}
	rivals := make([][]db.IntentRivalRow, len(rows))
	err = trip(ctx, tx.conn, func(b *pgx.Batch) {
		for i, row := range rows {
			queueRows(b, "read what else is meant for the person", &rivals[i], pgx.RowToStructByPos[db.IntentRivalRow], db.IntentRival,
				row.PersonID, row.ID, message.Fold(row.Purpose), row.Task)
		}
	})
	if err != nil {
		return nil, err
	}
	of := make(map[uuid.UUID]*message.ApprovalFacts, len(rows))
	for i, row := range rows {
		f := approvalFactsOf(row)
		for _, rival := range rivals[i] {
			f.Intent.Rival = rivalOf(rival)
		}
		of[row.ID] = &message.ApprovalFacts{Facts: f, TextHash: row.TextHash, Person: row.OneID, IsGranted: row.Granted}
	}
	for _, row := range earlier {
		f := of[row.ForMessage]
		f.Earlier = append(f.Earlier, earlierOf(row))
	}
	facts := make([]message.ApprovalFacts, len(ids))
	for i, id := range ids {
		facts[i] = *of[id]
	}
	return facts, nil
}

func approvalFactsOf(row db.ApprovalFactsRow) message.Facts {
	f := message.Facts{
		Now: row.NowAt, ID: row.ID, Version: int(row.Version), Digest: row.Digest, Authority: message.Authority(row.Authority),
		Target:  message.Target{Account: row.AccountID, Person: row.PersonID, Purpose: row.Purpose},
		Content: message.Content{SendBefore: row.SendBefore, ExpiredAt: row.ExpiredAt}, Delivered: row.Delivered, StepHeld: problem.Code(row.StepHeld), Closed: row.ClosedAt != nil,
		Intent: send.Intent{Follows: orZero(row.FollowsSend)}, Contact: people.Contact{Level: people.Level(row.Level), Because: row.Because},
	}
	if row.ApprovedVersion != nil {
		f.Approval = &message.Standing{Version: int(*row.ApprovedVersion), ExpiresAt: orZero(row.ApprovalEnds)}
	}
	if row.RejectedAt != nil {
		f.Rejection = &message.Rejection{At: *row.RejectedAt}
	}
	if row.LatestID != nil {
		f.Latest = &message.LatestSend{
			ID: *row.LatestID, Ordinal: int(orZero(row.LatestOrdinal)), Status: rule.Status(orZero(row.LatestStatus)), Parked: row.LatestParked != nil,
		}
	}
	return f
}
