package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sendonce/server/callback"
	"sendonce/server/delivery"
	"sendonce/server/message"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
	"sendonce/server/send"
)

func waitingOf(row db.WaitingPageRow) callback.Waiting {
	return callback.Waiting{
		ID: row.ID, Workspace: row.WorkspaceID, Source: row.SourceName, Kind: delivery.Kind(row.Kind), ProviderID: row.ProviderID,
		At: row.At, ReceivedAt: row.ReceivedAt, Message: row.MessageID, Person: row.PersonID,
	}
}

// WaitingAmong implements callback.Store.
func (s *Store) WaitingAmong(ctx context.Context, workspace uuid.UUID, hashes [][]byte) ([]callback.Waiting, error) {
	rows, err := s.queries().WaitingAmong(ctx, workspace, hashes)
	if err != nil {
		return nil, fmt.Errorf("list waiting observations: %w", err)
	}
	waiting := make([]callback.Waiting, len(rows))
	for i, row := range rows {
		waiting[i] = waitingOf(db.WaitingPageRow(row))
	}
	return waiting, nil
}

// WaitingPage implements callback.Store.
func (s *Store) WaitingPage(ctx context.Context, after callback.Place, within time.Duration, most int) ([]callback.Waiting, error) {
	rows, err := s.queries().WaitingPage(ctx, after.At, after.ID, within, int32(most))
	if err != nil {
		return nil, fmt.Errorf("list waiting observations: %w", err)
	}
	waiting := make([]callback.Waiting, len(rows))
	for i, row := range rows {
		waiting[i] = waitingOf(row)
	}
	return waiting, nil
}

// WaitingForget implements command.Store.
func (s *Store) WaitingForget(ctx context.Context, kept time.Duration, most int) (forgot int, err error) {
	err = s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
		n, err := q.WaitingForget(ctx, kept, int32(most))
		forgot = int(n)
		return err
	})
	return forgot, err
}

// ObservationJoin implements callback.Store.
func (s *Store) ObservationJoin(ctx context.Context, id int64, message uuid.UUID) error {
	return s.inTx(ctx, rule.Observer, uuid.Nil, func(q *db.Queries) error { return q.ObservationJoin(ctx, &message, id) })
}

// PersonReplied implements callback.Store.
func (s *Store) PersonReplied(ctx context.Context, workspace, person uuid.UUID, at time.Time) (accounts []uuid.UUID, err error) {
	err = retryOnce(func() error {
		return s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
			messages, err := lockWaitingFor(ctx, q, workspace, person)
			if err == nil {
				accounts, err = markReplied(ctx, q, workspace, person, messages, at)
			}
			return err
		})
	})
	return accounts, err
}

// WrittenByHand implements callback.Store.
func (s *Store) WrittenByHand(ctx context.Context, workspace, person uuid.UUID) (accounts []uuid.UUID, err error) {
	err = retryOnce(func() error {
		accounts = nil
		return s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
			waiting, err := lockWaitingFor(ctx, q, workspace, person)
			if err != nil {
				return err
			}
			answered, err := q.StepsAnswered(ctx, waiting)
			if err != nil {
				return fmt.Errorf("list the steps that wait: %w", err)
			}
			var messages []uuid.UUID
			for _, row := range answered {
				messages, accounts = append(messages, row.MessageID), append(accounts, row.AccountID)
			}
			return transaction{q: q}.TakeBack(ctx, messages, uuid.Nil, "written_by_hand", rule.ApprovalMissing)
		})
	})
	return accounts, err
}

// ReplySeen implements send.ObservationStore.
func (s *Store) ReplySeen(ctx context.Context, reply send.Reply) (accounts []uuid.UUID, err error) {
	said := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", reply.Install, delivery.Replied, reply.Lease))
	err = retryOnce(func() error {
		return s.inTx(ctx, rule.Server, uuid.Nil, func(q *db.Queries) error {
			of, err := q.SendPerson(ctx, reply.Send)
			if err != nil {
				return noSend(err, "read whose reply it is")
			}
			messages, err := lockWaitingFor(ctx, q, of.WorkspaceID, of.PersonID)
			if err != nil {
				return err
			}
			at, err := q.ReplySeenAdd(ctx, &reply.Install, said[:], reply.Send)
			if err != nil {
				return fmt.Errorf("keep the reply: %w", err)
			}
			accounts, err = markReplied(ctx, q, of.WorkspaceID, of.PersonID, messages, at)
			return err
		})
	})
	return accounts, err
}

// lockWaitingFor takes the locks of a cold operation on every message that has a send waiting to go to the person.
func lockWaitingFor(ctx context.Context, q *db.Queries, workspace, person uuid.UUID) ([]uuid.UUID, error) {
	messages, err := q.MessagesWaitingFor(ctx, workspace, person)
	if err != nil {
		return nil, fmt.Errorf("lock the messages that wait: %w", err)
	}
	if _, err := q.SendsLockOfMessages(ctx, messages); err != nil {
		return nil, fmt.Errorf("lock their sends: %w", err)
	}
	return messages, nil
}

// markReplied needs the locks of lockWaitingFor, and takes the person's. What is approved or queued meanwhile is refused by its
// start, which reads the reply.
func markReplied(ctx context.Context, q *db.Queries, workspace, person uuid.UUID, messages []uuid.UUID, at time.Time) ([]uuid.UUID, error) {
	if err := q.PersonLock(ctx, person); err != nil {
		return nil, fmt.Errorf("lock the person: %w", err)
	}
	if err := q.PersonReplied(ctx, at, workspace, person); err != nil {
		return nil, fmt.Errorf("note that the person replied: %w", err)
	}
	waiting, err := q.SendsRepliedTo(ctx, messages)
	if err != nil {
		return nil, fmt.Errorf("list what the reply calls off: %w", err)
	}
	var accounts []uuid.UUID
	for _, row := range waiting {
		if _, err := rule.Next(rule.Status(row.Status), rule.Canceled, rule.Server, false); err != nil {
			return nil, err
		}
		if _, err := q.SendSetCanceled(ctx, nullable(string(rule.Replied)), row.ID); err != nil {
			return nil, fmt.Errorf("cancel a send whose person replied: %w", err)
		}
		accounts = append(accounts, row.AccountID)
	}
	return accounts, nil
}

// SendsOfCopy implements send.ProvidedStore.
func (s *Store) SendsOfCopy(ctx context.Context, message uuid.UUID, providerID string) ([]send.OfCopy, error) {
	rows, err := s.queries().SendsOfCopy(ctx, providerID, message)
	if err != nil {
		return nil, fmt.Errorf("list the sends of a message: %w", err)
	}
	sends := make([]send.OfCopy, len(rows))
	for i, row := range rows {
		sends[i] = send.OfCopy{Send: row.ID, Status: rule.Status(row.Status), StartedAt: orZero(row.StartedAt), HasCopy: row.HasCopy}
	}
	return sends, nil
}

// addObserved adds to each message what was seen of it after it had left, the newest most and whatever says how far it came; with history as a line of that too. Its sends and
// their deliveries are there already.
func (tx transaction) addObserved(ctx context.Context, index map[uuid.UUID]*message.Message, own []uuid.UUID, most int, history bool) error {
	rows, err := tx.q.ObservationsOfMessages(ctx, own, int64(most))
	if err != nil {
		return fmt.Errorf("read what was observed: %w", err)
	}
	seen := map[uuid.UUID][]delivery.Observation{}
	for _, row := range rows {
		id := *row.MessageID
		m := index[id]
		seen[id] = append(seen[id], delivery.Observation{
			Kind: delivery.Kind(row.Kind), ProviderID: row.ProviderID, SeenID: row.SeenID, At: row.At, Detail: row.Detail,
			Source: row.SourceName, ReceivedAt: row.ReceivedAt,
		})
		m.ObservedLeftOut = int(row.Total) - len(seen[id])
		if history {
			m.History = append(m.History, message.Event{At: row.ReceivedAt, What: message.WasObserved, By: row.SourceName, Code: row.Kind})
		}
	}
	for id, m := range index {
		m.Observe(seen[id])
	}
	return nil
}
