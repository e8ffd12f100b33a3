package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/postgres/db"
	"sendonce/server/send"
)

// factsRead is what a hot operation asks first, in one trip: its locks in their order, and what it reads once it holds
// them. Each statement sees what was committed before it began, so that those behind the lock see what the lock waited for.
type factsRead struct {
	locked []uuid.UUID
	rows   []db.SendRowRow
	facts  []db.SendFactsRow
	levels []db.SendContactRow
	paces  []db.SendPaceRow
}

func (r *factsRead) queue(b *pgx.Batch, id uuid.UUID, session send.Session) {
	queueRows(b, "lock the send", &r.locked, pgx.RowTo[uuid.UUID], db.SendLock, id)
	r.queueReads(b, id, session)
}

// queueReads asks the same without a lock, for a preview.
func (r *factsRead) queueReads(b *pgx.Batch, id uuid.UUID, session send.Session) {
	queueRows(b, "read the send", &r.rows, pgx.RowToStructByPos[db.SendRowRow], db.SendRow, id)
	queueRows(b, "read the facts", &r.facts, pgx.RowToStructByPos[db.SendFactsRow], db.SendFacts, session.ID, session.Install, id)
	queueRows(b, "read how freely the person may be written to", &r.levels, pgx.RowToStructByPos[db.SendContactRow], db.SendContact, id)
	queueRows(b, "read when the account may begin something", &r.paces, pgx.RowToStructByPos[db.SendPaceRow], db.SendPace, id)
}

// result is what was read under the locks.
func (r *factsRead) result() (send.Facts, error) {
	if len(r.locked) == 0 {
		return send.Facts{}, send.ErrNoSend
	}
	return r.read()
}

func (r *factsRead) read() (send.Facts, error) {
	if len(r.rows) == 0 || len(r.facts) == 0 || len(r.levels) == 0 || len(r.paces) == 0 {
		return send.Facts{}, send.ErrNoSend
	}
	return factsOf(rowOf(r.rows[0]), r.facts[0], r.levels[0], r.paces[0]), nil
}

// lockAndRead is factsRead for an operation that learns only inside its transaction which send it is about.
func lockAndRead(ctx context.Context, conn batchSender, id uuid.UUID, session send.Session) (send.Facts, error) {
	var read factsRead
	if err := trip(ctx, conn, func(b *pgx.Batch) { read.queue(b, id, session) }); err != nil {
		return send.Facts{}, err
	}
	return read.result()
}
