// Package message is the operation: one intended communication to one person, its versions, its approval and its
// receipt. It decides what may be proposed, edited, approved and withdrawn; what becomes of a send is package send. It
// knows no database and no HTTP.
package message

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"sendonce/server/account"
	"sendonce/server/delivery"
	"sendonce/server/people"
	"sendonce/server/rule"
)

// Authority is whether a message may go out at all.
type Authority string

// The authorities of a message.
const (
	Proposed  Authority = "proposed"
	Approved  Authority = "approved"
	Rejected  Authority = "rejected"
	Expired   Authority = "expired"
	Withdrawn Authority = "withdrawn"
)

// Authorities lists every authority that a message may have.
func Authorities() []Authority { return []Authority{Proposed, Approved, Rejected, Expired, Withdrawn} }

// Target is whom a message is for, from whom and why. It never changes.
type Target struct {
	Channel string
	Account uuid.UUID
	Person  uuid.UUID
	Purpose string
	Task    *string
}

// Content is what one version says and when it may go out, in canonical form.
type Content struct {
	Subject    *string
	Body       string
	SendAfter  *time.Time
	SendBefore *time.Time
	// ExpiredAt: the text is gone since, by the policy or with its person. Body is "" then, and the digest is still of what it was.
	ExpiredAt *time.Time
}

// Message is an operation with everything that is known about it: the receipt.
type Message struct {
	ID            uuid.UUID
	Target        Target
	Content       Content
	Version       int
	Digest        string
	Authority     Authority
	ClientRelease string
	CreatedBy     string // the principal's name
	CreatedAt     time.Time
	Person        Person
	Account       account.Account
	// InSequence is what the message is a step of; nil when it is of no sequence.
	InSequence *InSequence
	// Origin is the template that the current version was written from; nil when it was not.
	Origin       *Origin
	Conversation string    // the thread in which the account last reached the person, or ""
	Approval     *Approval // the standing one
	Followed     *Followed // the send that it follows, or nil
	Rejection    *Rejection
	Closure      *Closure // nil as long as the message may begin something
	Sends        []Send   // by ordinal
	// Observed is what providers and browsers saw of the message after it had left, in the order in which it was heard.
	Observed []delivery.Observation
	History  []Event // oldest first; empty in lists
	// ObservedLeftOut and HistoryLeftOut count older entries that were not read: there are too many for one answer.
	ObservedLeftOut, HistoryLeftOut int
}

// InSequence is the step of a sequence that a message is, and the enrolment that it was proposed for.
type InSequence struct {
	Sequence  uuid.UUID
	Name      string // of the sequence
	Step      uuid.UUID
	Enrolment uuid.UUID
}

// Person is the recipient as known now.
type Person struct {
	ID         uuid.UUID
	Name       string
	Identities []people.Identity
}

// Approval binds a principal's yes to the digest of one version.
type Approval struct {
	ID             uuid.UUID
	Version        int
	Digest         string
	Approver       string
	ApprovedAt     time.Time
	ExpiresAt      time.Time
	RepeatApproved bool
	YesTo          []uuid.UUID // earlier messages to this person that it was shown and said yes to
	Policy         int         // the policy that approved by itself, in the name of the approver, who set it; or 0
	// OverrideOf is the colleague whose claim on the person it passes over, and OverrideWhy why; "" for nobody's.
	OverrideOf, OverrideWhy string
}

// Rejection is a principal's no to the current version.
type Rejection struct {
	By  string
	At  time.Time
	Why string // may be ""
}

// Send is one row of delivery of the message.
type Send struct {
	ID            uuid.UUID
	Message       uuid.UUID
	Ordinal       int
	RetryOf       *uuid.UUID
	Version       int
	Status        rule.Status
	Code          string
	Reason        string
	WaitingFor    rule.Refusal // only while it is queued
	WaitingUntil  *time.Time   // the earliest end of that; nil when it is not known
	Parked        bool         // it waits for a person: approving the message again sets it free
	Instruction   string       // what a person must do, or ""
	Attempt       *string
	Install       *uuid.UUID
	SenderVersion *string
	CreatedAt     time.Time
	StartedAt     *time.Time
	DeadlineAt    *time.Time
	EndedAt       *time.Time
	ConfirmedAt   *time.Time
	// NotDeliveredFrom is when a person may say that it was not delivered, while it is unconfirmed. NeedsYes: from then on, or
	// now when that is past, only with an explicit yes. TabGone: its browser has said that the tab of the attempt is closed.
	NotDeliveredFrom  *time.Time
	NeedsYes, TabGone bool
	// AbsenceCountsFrom is from when on a look that finds nothing means something; nil before the start.
	AbsenceCountsFrom *time.Time
	// NextCheckAt is when an install is asked to look again, while one will be.
	NextCheckAt *time.Time
	// RequeueAt is when a machine makes the next send after a rate limit; nil when none will. IsFollowed: the next is there.
	RequeueAt  *time.Time
	IsFollowed bool
	Deliveries []Delivery
	Evidence   []Evidence
	// EvidenceLeftOut counts older evidence that was not read, DeliveriesLeftOut later copies.
	EvidenceLeftOut, DeliveriesLeftOut int
}

// Text is the sentence for what became of the send, or for what its status means.
func (s Send) Text() string {
	if s.Status == rule.Canceled {
		if text := rule.Refusal(s.Code).Text(); text != "" {
			return text
		}
	}
	if text := rule.CodeText(s.Code, s.Reason); s.Code != "" && text != "" {
		if rule.Requeued(s.Code) && !s.IsFollowed {
			text += " " + rule.RequeueText(s.RequeueAt != nil)
		}
		return text
	}
	return s.Status.Text()
}

// Delivery is one copy that the provider really has.
type Delivery struct {
	ProviderID  string
	DeliveredAt *time.Time
	Reached     delivery.Evidence // how far this copy came
}

// Evidence is something that was said about a send.
type Evidence struct {
	Kind       string
	Outcome    string
	Note       *string
	By         string // a person's name, or "" for an install
	Install    *uuid.UUID
	Attempt    *string // which it names, if it names one
	ReceivedAt time.Time
	AskedAt    *time.Time // of a check: when it was asked for, by the server's clock
	// AcceptUnseen is the explicit yes of a resolution to what may still arrive.
	AcceptUnseen bool
	Body         json.RawMessage
}

// Event is one line of the history.
type Event struct {
	At      time.Time
	What    string
	By      string // the principal's name, or the kind of actor
	Version int
	Send    *uuid.UUID
	From    rule.Status
	To      rule.Status
	Code    string
	Reason  string
	// WaitingFor is why the send waits from then on; Install is the browser that had its lease.
	WaitingFor string
	Install    *uuid.UUID
}

// What an event says.
const (
	WasProposed    = "proposed"
	WasEdited      = "edited"
	WasApproved    = "approved"
	WasRejected    = "rejected"
	ApprovalVoided = "approval_voided"
	WasClosed      = "closed"
	// DidFollow is beside WasProposed: Send is the one that the message follows, Reason why.
	DidFollow = "follows"
	// SendMoved is a move of a send, or its birth when From is "".
	SendMoved = "send"
	// WasObserved is what a provider or a browser saw of it; Code says what.
	WasObserved = "observed"
)

// Status is sent if any send is, else the latest send's; nil before the first.
func (m Message) Status() *rule.Status {
	if len(m.Sends) == 0 {
		return nil
	}
	for _, s := range m.Sends {
		if s.Status == rule.Sent {
			return &s.Status
		}
	}
	return &m.Sends[len(m.Sends)-1].Status
}

// Latest is the send with the highest ordinal, or nil.
func (m Message) Latest() *Send {
	if len(m.Sends) == 0 {
		return nil
	}
	return &m.Sends[len(m.Sends)-1]
}
