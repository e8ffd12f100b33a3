package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/message"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// rivalLocked locks the person, and returns the other message for the same intent that decides; nil when there is none.
func (tx transaction) rivalLocked(ctx context.Context, target message.Target, besides uuid.UUID) (*send.IntentRival, error) {
	var rows []db.IntentRivalRow
	err := trip(ctx, tx.conn, func(b *pgx.Batch) { queueRival(b, &rows, target, besides) })
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rivalOf(rows[0]), nil
}

// queueRival asks for the person's lock and then for the rival: the second statement begins once the first has its lock.
func queueRival(b *pgx.Batch, rows *[]db.IntentRivalRow, target message.Target, besides uuid.UUID) {
	queueExec(b, "lock the person", db.PersonLock, target.Person)
	queueRows(b, "read what else is meant for the person", rows, pgx.RowToStructByPos[db.IntentRivalRow], db.IntentRival,
		target.Person, besides, message.Fold(target.Purpose), target.Task)
}

func rivalOf(row db.IntentRivalRow) *send.IntentRival {
	another := func(id uuid.UUID, status string) *send.Another {
		if id == uuid.Nil {
			return nil
		}
		return &send.Another{ID: id, Message: row.MessageID, Status: rule.Status(status), Channel: row.Channel}
	}
	return &send.IntentRival{
		Message: row.MessageID, Waits: row.Waits, Live: another(row.LiveSend, row.LiveStatus), Begun: another(row.BegunSend, row.BegunStatus),
	}
}

// SendToFollow implements message.Store.
func (tx transaction) SendToFollow(ctx context.Context, workspace, person, id uuid.UUID) (send.Another, error) {
	row, err := tx.q.SendToFollow(ctx, workspace, person, id)
	if err != nil {
		return send.Another{}, notFound(err, "send to this person", id)
	}
	return send.Another{ID: row.ID, Message: row.MessageID, Status: rule.Status(row.Status), Channel: row.Channel}, nil
}
