package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/incident"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// errCold rolls a hot report back that turns out to need the message's lock.
var errCold = errors.New("the row had left its slot")

// RecordReport implements send.ReportStore.
func (s *Store) RecordReport(ctx context.Context, write send.ReportWrite, decide func(send.ReportFacts) send.ReportDecision) (send.Row, send.Mark, error) {
	row, mark, err := s.recordHot(ctx, write, decide)
	if errors.Is(err, errCold) {
		err = retryOnce(func() error {
			row, mark, err = s.recordCold(ctx, write, decide)
			return err
		})
	}
	if err != nil {
		return send.Row{}, send.Mark{}, err
	}
	s.acknowledged(mark)
	return row, mark, nil
}

func (s *Store) recordHot(ctx context.Context, write send.ReportWrite, decide func(send.ReportFacts) send.ReportDecision) (send.Row, send.Mark, error) {
	var read reportRead
	var written reportWritten
	err := s.inTrips(ctx, write.Actor, uuid.Nil, func(first *pgx.Batch) { read.queue(first, write) }, func(t trips) error {
		facts, err := read.result()
		if err != nil {
			return err
		}
		decision := decide(facts)
		if decision.To == rule.Sent && facts.Row.Vacated {
			return errCold
		}
		return writeReport(ctx, t, write, facts, decision, &written)
	})
	return written.result(read, err)
}

func (s *Store) recordCold(ctx context.Context, write send.ReportWrite, decide func(send.ReportFacts) send.ReportDecision) (send.Row, send.Mark, error) {
	var read reportRead
	var written reportWritten
	err := s.inTrips(ctx, write.Actor, uuid.Nil, noQuestion, func(t trips) error {
		if err := lockMessageOf(ctx, t.q, write.Send); err != nil {
			return err
		}
		if err := trip(ctx, t.conn, func(b *pgx.Batch) { read.queue(b, write) }); err != nil {
			return err
		}
		facts, err := read.result()
		if err != nil {
			return err
		}
		return writeReport(ctx, t, write, facts, decide(facts), &written)
	})
	return written.result(read, err)
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

// reportRead is what a report asks first, in one trip: the lock of its send, and what it reads once it holds it.
type reportRead struct {
	rows      []db.SendRowRow
	now       []time.Time
	instances []db.InstanceGetRow
	held      []string
	approved  []time.Time
}

func (r *reportRead) queue(b *pgx.Batch, write send.ReportWrite) {
	queueRows(b, "lock the send", &r.rows, pgx.RowToStructByPos[db.SendRowRow], db.SendRowLock, write.Send)
	queueRows(b, "read the time", &r.now, pgx.RowTo[time.Time], db.Now)
	queueRows(b, "read the instance", &r.instances, pgx.RowToStructByPos[db.InstanceGetRow], db.InstanceGet)
	if len(write.ProviderIDs) > 0 {
		queueRows(b, "read whose the copies are", &r.held, pgx.RowTo[string], db.DeliveriesHeldByOthers, write.Send, write.ProviderIDs)
		queueRows(b, "read when it was approved", &r.approved, pgx.RowTo[time.Time], db.SendApprovedAt, write.Send)
	}
}

func (r *reportRead) result() (send.ReportFacts, error) {
	if len(r.rows) == 0 || len(r.now) == 0 || len(r.instances) == 0 {
		return send.ReportFacts{}, send.ErrNoSend
	}
	row := rowOf(r.rows[0])
	facts := send.ReportFacts{
		Now: r.now[0], Row: row, Mark: send.Mark{Epoch: r.instances[0].Epoch, Event: row.Event}, Held: map[string]bool{},
	}
	for _, id := range r.held {
		facts.Held[id] = true
	}
	if len(r.approved) > 0 {
		facts.ApprovedAt = r.approved[0]
	}
	return facts, nil
}

// reportWritten is what travelled with the commit of a report.
type reportWritten struct {
	moves  bool
	events []int64 // of the move
	rows   []db.SendRowRow
}

func (w *reportWritten) result(read reportRead, err error) (send.Row, send.Mark, error) {
	if err != nil {
		return send.Row{}, send.Mark{}, err
	}
	if len(w.rows) == 0 || w.moves && len(w.events) == 0 {
		// The row was locked since it was read, so this is a mistake of ours. The evidence is kept; the report comes again.
		return send.Row{}, send.Mark{}, errors.New("the report is recorded, but its send did not move")
	}
	row := rowOf(w.rows[0])
	return row, send.Mark{Epoch: read.instances[0].Epoch, Event: row.Event}, nil
}

func writeReport(ctx context.Context, t trips, write send.ReportWrite, f send.ReportFacts, d send.ReportDecision, written *reportWritten) error {
	if d.Kind != "" {
		if err := writeDecision(ctx, t, write, f, d, written); err != nil {
			return err
		}
	}
	queueRows(t.last, "read the send after its report", &written.rows, pgx.RowToStructByPos[db.SendRowRow], db.SendRow, write.Send)
	return nil
}

func writeDecision(ctx context.Context, t trips, write send.ReportWrite, f send.ReportFacts, d send.ReportDecision, written *reportWritten) error {
	evidence, isNew, err := addEvidence(ctx, t.q, write, f.Row, d)
	if err != nil {
		return err
	}
	// The move does not ask whether the report is new: one that overtook its start moved nothing then, and may now.
	if d.To != "" {
		if err := queueReportedMove(t.last, write, f.Row, d, evidence, written); err != nil {
			return err
		}
	}
	if isNew {
		queueDeliveries(t.last, f.Row, d.Copies)
		if write.Conversation != "" && d.Outcome.Status == rule.Sent {
			queueExec(t.last, "remember the conversation", db.ConversationRemember, f.Row.Account, f.Row.Person, write.Conversation)
		}
		if err := reportEffects(ctx, t.q, write.Breaker, f.Row, d); err != nil {
			return err
		}
	}
	return nil
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
	isNew := !errors.Is(err, pgx.ErrNoRows)
	if !isNew {
		id, err = q.EvidenceSaid(ctx, row.ID, said[:])
	}
	if err != nil {
		return 0, false, fmt.Errorf("record the evidence: %w", err)
	}
	return id, isNew, nil
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

func queueDeliveries(b *pgx.Batch, row send.Row, copies []send.Copy) {
	for _, c := range copies {
		queueExec(b, "record a delivery", db.DeliveryAdd,
			row.Workspace, row.Account, c.ProviderID, row.Message, row.ID, nullableTime(c.SentAt))
		queueExec(b, "record who saw a delivery", db.DeliverySeenBy, row.ID, c.ProviderID)
	}
}

func queueReportedMove(b *pgx.Batch, write send.ReportWrite, row send.Row, d send.ReportDecision, evidence int64, written *reportWritten) error {
	to, err := rule.Next(row.Status, d.To, write.Actor, row.HasStart())
	if err != nil {
		return err
	}
	written.moves = true
	if to == rule.Sent {
		queueRows(b, "move the send by its report", &written.events, pgx.RowTo[int64], db.SendSetSent,
			&d.Outcome.Code, &evidence, row.ID, string(row.Status))
		return nil
	}
	queueRows(b, "move the send by its report", &written.events, pgx.RowTo[int64], db.SendSetEnded,
		string(to), nullable(d.Outcome.Code), nullable(d.Outcome.Reason), d.RequeueIn, row.ID, string(row.Status), &write.Lease)
	return nil
}

// reportEffects writes what the answer does to the account, and the incident that the outcome asks for. They are rare, and
// take trips of their own. Copies are counted by the database itself.
func reportEffects(ctx context.Context, q *db.Queries, breaker send.Breaker, row send.Row, d send.ReportDecision) error {
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
	if d.Trouble != "" {
		if err := noteTrouble(ctx, q, breaker, row.Account, d.Trouble); err != nil {
			return err
		}
	}
	if kind := incident.Kind(d.Outcome.Incident); kind != incident.DoubleRequest {
		return nil
	}
	return openIncident(ctx, q, incident.DoubleRequest, row.Workspace, row.Message, row.Account)
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
