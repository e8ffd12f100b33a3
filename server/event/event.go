// Package event is the feed of what happened in a workspace: every change of a state once, in one order that never changes, for
// programs that follow it. An event is a notice. Whether it is read, lost or read twice changes nothing of what it tells of.
package event

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Type is what kind of thing happened.
type Type string

// The types of events.
const (
	// Send: a send moved, or was made when From is nil.
	Send Type = "send"
	// Authority: whether the message may go out has changed, or the message was made when From is nil.
	Authority Type = "authority"
	// Closed: nothing more is to be sent of the message.
	Closed Type = "closed"
	// ApprovalRequested: a version of a message waits for a person. Each request is an event of its own.
	ApprovalRequested Type = "approval_requested"
	Approved          Type = "approved"
	ApprovalVoided    Type = "approval_voided"
	// Completed: the message has come to its end, To, or needs a person to look; no machine goes on with it. It may come
	// again: after a person's retry, or when late evidence arrives.
	Completed Type = "completed"
	// Delivery: the message was seen to have come further. DeliveryTrouble: it is said not to have arrived, as Code has it, for the
	// first time.
	Delivery           Type = "delivery"
	DeliveryTrouble    Type = "delivery_trouble"
	WrittenByHand      Type = "written_by_hand" // its member wrote to the person by hand after the message
	IncidentOpened     Type = "incident_opened"
	IncidentClosed     Type = "incident_closed"
	AccountStopped     Type = "account_stopped"
	AccountCleared     Type = "account_cleared"
	AccountPaused      Type = "account_paused"
	AccountResumed     Type = "account_resumed"
	InstallRevoked     Type = "install_revoked"
	InstallPaused      Type = "install_paused"
	InstallResumed     Type = "install_resumed"
	WorkspacePaused    Type = "workspace_paused"
	WorkspaceResumed   Type = "workspace_resumed"
	EverythingPaused   Type = "everything_paused"
	EverythingResumed  Type = "everything_resumed"
	PersonReplied      Type = "person_replied"
	PersonSuppressed   Type = "person_suppressed"
	PersonUnsuppressed Type = "person_unsuppressed"
	// PersonMerged: the person is another one from then on, whose id is To.
	PersonMerged  Type = "person_merged"
	PersonRemoved Type = "person_removed"
	// Sequence and Enrolment: its state changed, or it was made when From is nil. Of an enrolment Code says why.
	Sequence  Type = "sequence"
	Enrolment Type = "enrolment"
)

// Event is one change. What it is not about is nil.
type Event struct {
	ID      int64
	Cursor  Cursor
	At      time.Time
	Type    Type
	Message *uuid.UUID
	Version *int
	Send    *uuid.UUID
	Account *uuid.UUID
	Person  *uuid.UUID
	Install *uuid.UUID
	// Incident is the incident that was opened or closed; its kind is in Code.
	Incident  *uuid.UUID
	Sequence  *uuid.UUID
	Enrolment *uuid.UUID
	From, To  *string
	Code      *string
	Actor     string
	Principal *string // the name of the person or program behind it
}

// Page is a part of the feed.
type Page struct {
	Events []Event
	// Next is where the feed goes on.
	Next Cursor
	// HeldBackSince is set while committed events wait for an older transaction to end: when the first of them happened.
	HeldBackSince *time.Time
}

// Reading is what the tables say at one moment about the feed after a cursor.
type Reading struct {
	Events []Event
	Epoch  int64
	// Horizon is the last event that was forgotten; the zero position when none was.
	Horizon Position
	// IsKnown: the event that the cursor names is in this history, as the cursor has it.
	IsKnown       bool
	HeldBackSince *time.Time
}

// Newest is the last event of a workspace's feed.
type Newest struct {
	Workspace uuid.UUID
	Cursor    Cursor
	HeldBack  bool // another is there that waits for an older transaction to end
}

// Store reads the feed and forgets its oldest part. *postgres.Store implements it.
type Store interface {
	// EventsAfter reads at most so many events after the cursor; nil begins with the oldest that is kept.
	EventsAfter(ctx context.Context, workspace uuid.UUID, after *Cursor, most int) (Reading, error)
	EventsNewest(ctx context.Context, workspaces []uuid.UUID) ([]Newest, error)
	// EventsForget deletes at most so many events that are older than kept, and says how many there were.
	EventsForget(ctx context.Context, kept time.Duration, most int) (int, error)
	// Written yields after transactions of this server; one for many.
	Written() <-chan struct{}
}
