// Package pace is when an account may begin a message and how many: its working hours in its own time zone, and its limits. People set
// them here; what they come to at a moment the database says, in one function that a lease and a start ask as well.
package pace

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/rule"
)

// Pace is what holds for an account, and what it comes to at a moment.
type Pace struct {
	Account uuid.UUID
	Hours   Hours
	Limits  Limits
	// Usual are the limits of its channel before anybody has set any.
	Usual Limits
	// Now is the moment that the rest is of, by the database's clock.
	Now time.Time
	// WaitingFor holds the account until FreeAt; rule.Allow is nothing, until OpenUntil.
	WaitingFor        rule.Refusal
	FreeAt, OpenUntil time.Time
	// DayBegun messages of at most DayMost have begun on this day in the account's zone.
	DayBegun, DayMost int
}

// Waits is until when the account begins nothing, or nil when it may now.
func (p Pace) Waits() *time.Time {
	if p.WaitingFor == rule.Allow {
		return nil
	}
	return &p.FreeAt
}

// Store is one transaction on hours and limits.
type Store interface {
	// PaceLock keeps others from setting hours or limits of the account, and starts from being decided, until the transaction ends.
	// problem.NotFound when the workspace has no such account.
	PaceLock(ctx context.Context, workspace, account uuid.UUID) error
	PaceGet(ctx context.Context, workspace, account uuid.UUID) (Pace, error)
	ZoneIsKnown(ctx context.Context, zone string) (bool, error)
	HoursAdd(ctx context.Context, account, by uuid.UUID, hours Hours) error
	LimitsAdd(ctx context.Context, account, by uuid.UUID, limits Limits) error
}

// SetHours writes the next hours of the account. They count from their commit on, for what waits as well.
func SetHours(ctx context.Context, store Store, who access.Principal, account uuid.UUID, asked NewHours) (Pace, error) {
	if err := who.Require(access.Manage); err != nil {
		return Pace{}, err
	}
	if err := store.PaceLock(ctx, who.Workspace, account); err != nil {
		return Pace{}, err
	}
	hours, err := asked.hours()
	if err != nil {
		return Pace{}, err
	}
	known, err := store.ZoneIsKnown(ctx, hours.Zone)
	if err != nil {
		return Pace{}, err
	}
	if !known {
		return Pace{}, noZone()
	}
	if err := store.HoursAdd(ctx, account, who.ID, hours); err != nil {
		return Pace{}, err
	}
	return store.PaceGet(ctx, who.Workspace, account)
}

// SetLimits writes the next limits of the account. More than is usual takes an admin, and a reason.
func SetLimits(ctx context.Context, store Store, who access.Principal, account uuid.UUID, asked NewLimits) (Pace, error) {
	if err := who.Require(access.Manage); err != nil {
		return Pace{}, err
	}
	if err := store.PaceLock(ctx, who.Workspace, account); err != nil {
		return Pace{}, err
	}
	limits, err := asked.limits()
	if err != nil {
		return Pace{}, err
	}
	before, err := store.PaceGet(ctx, who.Workspace, account)
	if err != nil {
		return Pace{}, err
	}
	if err := mayRaise(who, limits, before.Usual); err != nil {
		return Pace{}, err
	}
	if err := store.LimitsAdd(ctx, account, who.ID, limits); err != nil {
		return Pace{}, err
	}
	return store.PaceGet(ctx, who.Workspace, account)
}
