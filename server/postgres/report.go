package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/postgres/db"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// errCold rolls a hot report back that turns out to need the message's lock.
var errCold = errors.New("the row had left its slot")

// RecordReport implements send.ReportStore.
func (s *Store) RecordReport(ctx context.Context, write send.ReportWrite, decide func(send.ReportFacts) send.ReportDecision) (send.Row, send.Mark, error) {
	var row send.Row
	var mark send.Mark
	record := func(cold bool) error {
		return s.inTx(ctx, rule.Sender, uuid.Nil, func(q *db.Queries) (err error) {
			row, mark, err = recordReport(ctx, q, write, decide, cold)
			return err
		})
	}
	err := record(false)
	if errors.Is(err, errCold) {
		err = retryOnce(func() error { return record(true) })
	}
	if err != nil {
		return send.Row{}, send.Mark{}, err
	}
	return row, mark, nil
}

func recordReport(ctx context.Context, q *db.Queries, write send.ReportWrite, decide func(send.ReportFacts) send.ReportDecision, cold bool) (send.Row, send.Mark, error) {
	if cold {
		if err := lockMessageOf(ctx, q, write.Send); err != nil {
			return send.Row{}, send.Mark{}, err
		}
	}
	facts, err := reportFacts(ctx, q, write)
	if err != nil {
		return send.Row{}, send.Mark{}, err
	}
	decision := decide(facts)
	if decision.To == rule.Sent && facts.Row.Vacated && !cold {
		return send.Row{}, send.Mark{}, errCold
	}
	if err := writeReport(ctx, q, write, facts, decision); err != nil {
		return send.Row{}, send.Mark{}, err
	}
	after, err := q.SendRow(ctx, write.Send)
	if err != nil {
		return send.Row{}, send.Mark{}, fmt.Errorf("read the send after its report: %w", err)
	}
	row := rowOf(after)
	return row, send.Mark{Epoch: facts.Mark.Epoch, Event: row.Event}, nil
}

// lockMessageOf takes the locks of a cold operation: the message, then all its sends.
func lockMessageOf(ctx context.Context, q *db.Queries, id uuid.UUID) error {
	message, err := q.MessageLockOfSend(ctx, id)
	if err != nil {
		return noSend(err, "lock the message")
	}
	if _, err := q.SendsLockOfMessage(ctx, message); err != nil {
		return fmt.Errorf("lock the message's sends: %w", err)
	}
	return nil
}

func reportFacts(ctx context.Context, q *db.Queries, write send.ReportWrite) (send.ReportFacts, error) {
	locked, err := q.SendRowLock(ctx, write.Send)
	if err != nil {
		return send.ReportFacts{}, noSend(err, "lock the send")
	}
	row := rowOf(db.SendRowRow(locked))
	now, err := q.Now(ctx)
	if err != nil {
		return send.ReportFacts{}, fmt.Errorf("read the time: %w", err)
	}
	instance, err := q.InstanceGet(ctx)
	if err != nil {
		return send.ReportFacts{}, fmt.Errorf("read the instance: %w", err)
	}
	facts := send.ReportFacts{Now: now, Row: row, Mark: send.Mark{Epoch: instance.Epoch, Event: row.Event}, Held: map[string]bool{}}
	if len(write.ProviderIDs) == 0 {
		return facts, nil
	}
	held, err := q.DeliveriesHeldByOthers(ctx, row.Account, write.ProviderIDs, row.Message)
	if err != nil {
		return send.ReportFacts{}, fmt.Errorf("read whose the copies are: %w", err)
	}
	for _, id := range held {
		facts.Held[id] = true
	}
	return facts, nil
}

func writeReport(ctx context.Context, q *db.Queries, write send.ReportWrite, f send.ReportFacts, d send.ReportDecision) error {
	evidence, isNew, err := addEvidence(ctx, q, write, f.Row, d)
	if err != nil {
		return err
	}
	// The move does not ask whether the report is new: one that overtook its start moved nothing then, and may now.
	if d.To != "" {
		if err := moveByReport(ctx, q, write, f.Row, d, evidence); err != nil {
			return err
		}
	}
	if !isNew {
		return nil
	}
	if err := addDeliveries(ctx, q, f.Row, d.Copies); err != nil {
		return err
	}
	return reportSideFacts(ctx, q, write, f.Row, d)
}

// addEvidence says whether the report is new. One that arrives again is the same observation and has no second effect, so
// that a resent refusal does not stop an account which a person has cleared since. Its kind is part of what it says: what
// was a mere report before its start may be a proof after it.
func addEvidence(ctx context.Context, q *db.Queries, write send.ReportWrite, row send.Row, d send.ReportDecision) (int64, bool, error) {
	said := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%s", d.Kind, write.Lease, write.Attempt, write.Raw))
	body, err := keepable(write.Raw)
	if err != nil {
		return 0, false, fmt.Errorf("read the evidence: %w", err)
	}
	id, err := q.EvidenceAdd(ctx, db.EvidenceAddParams{
		WorkspaceID: row.Workspace, SendID: row.ID, Kind: d.Kind, Attempt: nullable(write.Attempt),
		InstallID: nullable(write.Install), Outcome: d.Outcome.Code, Body: body, SaidHash: said[:],
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("record the evidence: %w", err)
	}
	return id, true, nil
}

// keepable is the same JSON as Postgres can keep it. Half a surrogate pair, which a page may cut off and JSON may spell,
// is refused by jsonb: it becomes U+FFFD.
func keepable(raw []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var said any
	if err := decoder.Decode(&said); err != nil {
		return nil, err
	}
	return json.Marshal(said)
}

func addDeliveries(ctx context.Context, q *db.Queries, row send.Row, copies []send.Copy) error {
	for _, c := range copies {
		err := q.DeliveryAdd(ctx, db.DeliveryAddParams{
			WorkspaceID: row.Workspace, AccountID: row.Account, ProviderID: c.ProviderID, MessageID: row.Message,
			SendID: row.ID, DeliveredAt: nullableTime(c.SentAt),
		})
		if err != nil {
			return fmt.Errorf("record a delivery: %w", err)
		}
		if err := q.DeliverySeenBy(ctx, row.ID, c.ProviderID); err != nil {
			return fmt.Errorf("record who saw a delivery: %w", err)
		}
	}
	return nil
}

func moveByReport(ctx context.Context, q *db.Queries, write send.ReportWrite, row send.Row, d send.ReportDecision, evidence int64) error {
	to, err := rule.Next(row.Status, d.To, rule.Sender, row.HasStart())
	if err != nil {
		return err
	}
	if to == rule.Sent {
		_, err = q.SendSetSent(ctx, &d.Outcome.Code, &evidence, row.ID, string(row.Status))
	} else {
		_, err = q.SendSetEnded(ctx, db.SendSetEndedParams{
			ID: row.ID, Lease: &write.Lease, FromStatus: string(row.Status), ToStatus: string(to),
			Code: nullable(d.Outcome.Code), Reason: nullable(d.Outcome.Reason), RequeueIn: d.RequeueIn,
		})
	}
	if err != nil {
		return fmt.Errorf("move the send by its report: %w", err)
	}
	return nil
}

// reportSideFacts writes what the report says beside its send: the conversation to open next time, what the answer does
// to the account, and the incident that the outcome asks for. Copies are counted by the database itself.
func reportSideFacts(ctx context.Context, q *db.Queries, write send.ReportWrite, row send.Row, d send.ReportDecision) error {
	if write.Conversation != "" && d.Outcome.Status == rule.Sent {
		if err := q.ConversationRemember(ctx, row.Account, row.Person, write.Conversation); err != nil {
			return fmt.Errorf("remember the conversation: %w", err)
		}
	}
	switch d.Effect {
	case rule.EffectStop:
		if err := q.AccountStop(ctx, nullable(d.EffectCause), row.Account); err != nil {
			return fmt.Errorf("stop the account: %w", err)
		}
	case rule.EffectCoolDown:
		if err := q.AccountCoolDown(ctx, d.CoolFor, row.Account); err != nil {
			return fmt.Errorf("cool the account down: %w", err)
		}
	}
	if d.Outcome.Incident != incidentDoubleRequest {
		return nil
	}
	return openIncident(ctx, q, incidentDoubleRequest, row.Workspace, row.Message, row.Account)
}

// MarkGone implements send.ReportStore.
func (s *Store) MarkGone(ctx context.Context, id, lease uuid.UUID) error {
	return s.inTx(ctx, rule.Sender, uuid.Nil, func(q *db.Queries) error { return q.SendMarkGone(ctx, id, &lease) })
}

// SendRow implements send.ReportStore.
func (s *Store) SendRow(ctx context.Context, id uuid.UUID) (send.Row, error) {
	row, err := s.queries().SendRow(ctx, id)
	if err != nil {
		return send.Row{}, noSend(err, "read the send")
	}
	return rowOf(row), nil
}
