package postgres

import (
	"time"

	"sendonce/server/people"
	"sendonce/server/postgres/db"
	"sendonce/server/rule"
	"sendonce/server/send"
)

func rowOf(r db.SendRowRow) send.Row {
	return send.Row{
		ID: r.ID, Workspace: r.WorkspaceID, Message: r.MessageID, Account: r.AccountID, Person: r.PersonID,
		Ordinal: int(r.Ordinal), Status: rule.Status(r.Status), Digest: r.Digest,
		LeaseToken: orZero(r.LeaseToken), LeaseHolder: orZero(r.LeaseHolder), LeaseExpiresAt: orZero(r.LeaseExpiresAt),
		Attempt: orZero(r.Attempt), StartedAt: orZero(r.StartedAt), DeadlineAt: orZero(r.DeadlineAt),
		Vacated: r.VacatedAt != nil, Parked: r.ParkedAt != nil, Releases: int(r.Releases), Requeues: int(r.Requeues), Code: orZero(r.Code),
		Event: r.LastEventID,
	}
}

func factsOf(row send.Row, f db.SendFactsRow, c db.SendContactRow, p db.SendPaceRow) send.Facts {
	facts := send.Facts{
		Now: f.NowAt, Row: row, Mark: send.Mark{Epoch: f.Epoch, Event: row.Event}, Armed: f.ArmedAt != nil,
		Withdrawn: f.Withdrawn, Delivered: f.Delivered, SendAfter: orZero(f.SendAfter), SendBefore: orZero(f.SendBefore),
		ApprovalStands: f.VoidedAt == nil, ApprovedAt: f.ApprovedAt, ApprovalEnds: f.ApprovalEnds,
		ApprovedDigest: f.ApprovedDigest, RepeatApproved: f.RepeatApproved,
		Suppressed: people.Level(c.Level) == people.DoNotContact, OwnedByColleague: people.Level(c.Level) == people.Owned,
		RepliedAt:      orZero(f.RepliedAt),
		AccountStopped: f.StoppedAt != nil, AccountTripped: rule.IsBurst(orZero(f.StoppedCode)), AccountPaused: f.PausedAt != nil, AccountCoolUntil: orZero(f.CoolUntil),
		WorkspacePaused: f.WorkspacePausedAt != nil, EverythingPaused: f.EverythingPausedAt != nil,
		InstallPaused: f.InstallPausedAt != nil, AccountBusy: f.AccountBusy, FollowedSent: f.FollowedSent, IdenticalDelivered: f.IdenticalDelivered,
		IdenticalMayHaveReached: f.IdenticalMayHaveReached,
		Pace:                    send.Pace{Because: rule.Refusal(p.Because), FreeAt: p.FreeAt, OpenUntil: p.OpenUntil},
		ScheduleEnds:            orNone(p.ScheduleEnds),
		SessionIsNewest:         f.SessionIsNewest, InstallRevoked: f.RevokedAt != nil, IsGranted: f.Granted,
	}
	if people.Level(c.Level) == people.TooOften {
		facts.PersonFreeFrom = c.FreeFrom
	}
	return facts
}

// orNone is the zero time for the epoch, which stands for no moment where a query cannot say NULL.
func orNone(at time.Time) time.Time {
	if at.Unix() == 0 {
		return time.Time{}
	}
	return at
}

// orZero is the value behind a nullable column, or the type's zero.
func orZero[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// nullable is the other way round: the zero value is NULL.
func nullable[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func nullableTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
