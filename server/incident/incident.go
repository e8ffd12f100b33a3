// Package incident is what a person must know: one open incident per kind and subject, with a count and a timeline. A fact
// has happened and stays open until a person has seen it; a condition lasts, and its incident ends with it.
package incident

import (
	"time"

	"github.com/google/uuid"

	"sendonce/server/rule"
)

// Incident is one episode. ClosedAt is nil while it is open; what comes back later is another incident.
type Incident struct {
	ID        uuid.UUID
	Workspace uuid.UUID
	Kind      Kind
	Subject   uuid.UUID
	// Message is the last one that it concerned.
	Message *uuid.UUID
	Account *uuid.UUID
	Install *uuid.UUID
	// Count is how often a fact happened, or the most that a condition concerned at one time.
	Count    int
	OpenedAt time.Time
	LastAt   time.Time
	ClosedAt *time.Time
	// ClosedBy and Note are the person who closed a fact and what they wrote.
	ClosedBy *string
	Note     *string
	// StoppedCode is why its account is stopped, while it is open about that.
	StoppedCode *string
}

// Why is the plain reason of this one, where its kind alone does not say it, or "".
func (i Incident) Why() string {
	if i.Kind != AccountStopped || i.StoppedCode == nil {
		return ""
	}
	if why := rule.StopText(*i.StoppedCode); why != "" {
		return why
	}
	return "LinkedIn refused this account."
}

// IsOpen reports whether it still asks for someone.
func (i Incident) IsOpen() bool { return i.ClosedAt == nil }

// Event is one entry of a timeline: opened, counted or closed. By is nil where the server or the database wrote it.
type Event struct {
	At      time.Time
	What    string
	Count   int
	Message *uuid.UUID
	By      *string
	Note    *string
}

// Story is an incident with its timeline, oldest first, and the earlier ones of the same kind and subject, newest first.
type Story struct {
	Incident
	Timeline []Event
	Earlier  []Incident
}

// Page is a part of a list: open ones first, each newest first.
type Page struct {
	Open, Closed bool
	After        uuid.UUID // the last of the page before, or uuid.Nil
	Most         int
}
