package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/postgres/db"
	"sendonce/server/rule"
	"sendonce/server/send"
)

var _ send.ResolutionStore = transaction{}

// ResolutionFacts implements send.ResolutionStore.
func (tx transaction) ResolutionFacts(ctx context.Context, workspace, id uuid.UUID) (send.ResolutionFacts, error) {
	if err := tx.lockScoped(ctx, workspace, id); err != nil {
		return send.ResolutionFacts{}, err
	}
	row, err := tx.q.SendRow(ctx, id)
	if err != nil {
		return send.ResolutionFacts{}, fmt.Errorf("read the send: %w", err)
	}
	quiet, err := tx.q.SendResolutionFacts(ctx, id)
	if err != nil {
		return send.ResolutionFacts{}, fmt.Errorf("read the quiet time: %w", err)
	}
	facts := send.ResolutionFacts{
		Now: quiet.NowAt, Row: rowOf(row), GoneAt: quiet.GoneAt, Quiet: send.Quiet{Grace: quiet.Grace, Unseen: quiet.Unseen},
	}
	first, err := tx.q.SendFirstResolution(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return facts, nil
	}
	if err != nil {
		return send.ResolutionFacts{}, fmt.Errorf("read the first resolution: %w", err)
	}
	facts.First = &send.Said{
		By: first.ByName, Delivered: first.Outcome == send.AnswerDelivered, Note: orZero(first.Note), At: first.ReceivedAt,
	}
	return facts, nil
}

// ResolutionAdd implements send.ResolutionStore.
func (tx transaction) ResolutionAdd(ctx context.Context, row send.Row, who uuid.UUID, r send.Resolution) error {
	outcome, to, code := send.AnswerNotDelivered, rule.Failed, rule.CodeResolvedNotDelivered
	if r.Delivered {
		outcome, to, code = send.AnswerDelivered, rule.Sent, rule.CodeResolvedDelivered
	}
	if _, err := rule.Next(row.Status, to, rule.Operator, row.HasStart()); err != nil {
		return err
	}
	evidence, err := tx.q.ResolutionAdd(ctx, db.ResolutionAddParams{
		WorkspaceID: row.Workspace, SendID: row.ID, PrincipalID: &who, Outcome: outcome, Note: &r.Note, AcceptUnseen: r.AcceptUnseen,
	})
	if err != nil {
		return fmt.Errorf("record the resolution: %w", err)
	}
	if r.Delivered {
		_, err = tx.q.SendSetSent(ctx, &code, &evidence, row.ID, string(row.Status))
	} else {
		_, err = tx.q.SendSetEnded(ctx, db.SendSetEndedParams{
			ID: row.ID, Lease: &row.LeaseToken, FromStatus: string(row.Status), ToStatus: string(to), Code: &code,
		})
	}
	if err != nil {
		return fmt.Errorf("move the send by its resolution: %w", err)
	}
	return nil
}
