package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/incident"
	"sendonce/server/receipt"
)

var _ receipt.Store = (*Store)(nil)

// ReceiptRead implements receipt.Store.
func (s *Store) ReceiptRead(ctx context.Context, workspace, id uuid.UUID) (r receipt.Receipt, err error) {
	err = s.inSnapshot(ctx, func(tx transaction) error {
		m, err := tx.MessageGet(ctx, workspace, id) // says whether the message is this workspace's; the rest asks by its id alone
		if err != nil {
			return err
		}
		rows, err := tx.receiptRows(ctx, id)
		if err != nil {
			return fmt.Errorf("read the receipt of message %s: %w", id, err)
		}
		r = receipt.Of(m, rows)
		return nil
	})
	return r, err
}

func (tx transaction) receiptRows(ctx context.Context, id uuid.UUID) (rows receipt.Rows, err error) {
	head, err := tx.q.ReceiptHead(ctx, id)
	if err != nil {
		return rows, err
	}
	rows.ReadAt, rows.RepliedAt = head.NowAt, head.RepliedAt
	rows.Workspace = receipt.Workspace{ID: head.WorkspaceID, Name: head.WorkspaceName}
	if rows.Versions, err = tx.receiptVersions(ctx, id); err != nil {
		return rows, err
	}
	if rows.Approvals, err = tx.receiptApprovals(ctx, id); err != nil {
		return rows, err
	}
	if rows.Leases, err = tx.receiptLeases(ctx, id); err != nil {
		return rows, err
	}
	if rows.Incidents, err = tx.receiptIncidents(ctx, id); err != nil {
		return rows, err
	}
	rows.Retries, err = tx.receiptRetries(ctx, id)
	return rows, err
}

func (tx transaction) receiptVersions(ctx context.Context, id uuid.UUID) (list []receipt.Version, err error) {
	found, err := tx.q.ReceiptVersions(ctx, config.ReceiptRowsMax, id)
	for _, v := range found {
		list = append(list, receipt.Version{
			Version: int(v.Version), Digest: v.Digest, Subject: v.Subject, Body: v.Body, SendAfter: receipt.AtOrNull(v.SendAfter),
			SendBefore: receipt.AtOrNull(v.SendBefore), ClientRelease: nullable(v.ClientRelease), CreatedBy: v.Author, CreatedAt: receipt.At(v.CreatedAt),
			ExpiredAt: receipt.AtOrNull(v.ExpiredAt),
		})
		if v.TemplateID != nil {
			list[len(list)-1].Template = &receipt.Template{ID: *v.TemplateID, Version: int(orZero(v.TemplateVersion))}
		}
	}
	return list, err
}

func (tx transaction) receiptApprovals(ctx context.Context, id uuid.UUID) (list []receipt.Approval, err error) {
	found, err := tx.q.ApprovalsOfMessages(ctx, []uuid.UUID{id})
	for _, a := range found {
		list = append(list, receipt.Approval{
			ID: a.ID, Version: int(a.Version), Digest: a.Digest, Approver: a.ApproverName, RepeatApproved: a.RepeatApproved,
			YesTo: a.YesTo, VoidedBy: a.VoidedByName,
			ApprovedAt: receipt.At(a.ApprovedAt), ExpiresAt: receipt.At(a.ExpiresAt), VoidedAt: receipt.AtOrNull(a.VoidedAt),
			VoidReason: a.VoidReason, OverrideOf: a.OverrideOf, OverrideWhy: a.OverrideWhy,
		})
		if a.PolicyNumber != nil {
			policy := int(*a.PolicyNumber)
			list[len(list)-1].Policy = &policy
		}
	}
	return list, err
}

func (tx transaction) receiptLeases(ctx context.Context, id uuid.UUID) (map[uuid.UUID]receipt.Lease, error) {
	found, err := tx.q.ReceiptLeases(ctx, id)
	leases := map[uuid.UUID]receipt.Lease{}
	for _, s := range found {
		lease := receipt.Lease{
			Digest: s.Digest, Approval: s.ApprovalID, LeasedAt: s.LeasedAt, ExpiresAt: s.LeaseExpiresAt, GoneAt: s.GoneAt,
		}
		if s.LeaseHolder != nil {
			lease.Holder = &receipt.Holder{InstallID: *s.LeaseHolder, PairedBy: orZero(s.PairedBy)}
		}
		leases[s.ID] = lease
	}
	return leases, err
}

func (tx transaction) receiptIncidents(ctx context.Context, id uuid.UUID) (list []incident.Incident, err error) {
	found, err := tx.q.ReceiptIncidents(ctx, &id)
	for _, i := range found {
		list = append(list, incident.Incident{
			ID: i.ID, Kind: incident.Kind(i.Kind), Count: int(i.Count), OpenedAt: i.OpenedAt, LastAt: i.LastAt,
			ClosedAt: i.ClosedAt, ClosedBy: i.ClosedByName, Note: i.Note,
		})
	}
	return list, err
}

func (tx transaction) receiptRetries(ctx context.Context, id uuid.UUID) (list []receipt.Retry, err error) {
	found, err := tx.q.ReceiptRetries(ctx, id)
	for _, i := range found {
		retry := receipt.Retry{
			RunID: i.RunID, SendID: i.SendID, AskedBy: i.AskedBy, AskedAt: receipt.At(i.CreatedAt), BegunAt: receipt.AtOrNull(i.BegunAt),
			Refused: nullable(i.Verdict), Outcome: i.Outcome, NextSendID: i.NextID,
		}
		if orZero(retry.Outcome) == "" {
			retry.Outcome = nil // it made a send, or has not been done
		}
		list = append(list, retry)
	}
	return list, err
}
