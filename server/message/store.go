package message

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/account"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// Store is one transaction on messages, scoped by workspace. What is not there is problem.NotFound.
type Store interface {
	// ProposalBasis finds the person with these identities, making one when there is none and adding the identities that are new,
	// locks them, and reads what a proposal to them rests on; the target need not name its person and channel yet.
	// problem.NotFound when there is no such account; problem.PersonConflict when the identities belong to different people, and
	// where one who has a profile would get another; the refusal suppressed when one of them is of somebody who was removed.
	ProposalBasis(ctx context.Context, workspace uuid.UUID, target Target, name string, identities []people.Identity) (Basis, error)
	// SendToFollow is problem.NotFound when the workspace has no such send to this person.
	SendToFollow(ctx context.Context, workspace, person, id uuid.UUID) (send.Another, error)
	// MessageInsert makes the message with its first version, proposed. MessageInsertLast leaves that to the commit: it costs no
	// round trip, and nothing that the transaction reads tells of it.
	MessageInsert(ctx context.Context, n New) error
	MessageInsertLast(n New)
	// MessageFacts locks the message, then its sends by id, then the person, and reads what a decision rests on.
	MessageFacts(ctx context.Context, workspace, id uuid.UUID) (Facts, error)
	// VersionAdd makes the next version the current one.
	VersionAdd(ctx context.Context, message uuid.UUID, v Version) error
	AuthoritySet(ctx context.Context, message uuid.UUID, a Authority) error
	// ApprovalVoid voids the standing approval, if there is one. by is uuid.Nil where time ended it.
	ApprovalVoid(ctx context.Context, message, by uuid.UUID, reason string) error
	// RejectionAdd writes a no to one version, which has none.
	RejectionAdd(ctx context.Context, message, by uuid.UUID, no No) error
	ApprovalAdd(ctx context.Context, message uuid.UUID, a NewApproval) (uuid.UUID, error)
	// PersonContact says how freely the person may be written to from the account, where a claim of passedOver (may be uuid.Nil)
	// counts for nothing. The person is locked.
	PersonContact(ctx context.Context, person, account, passedOver uuid.UUID) (people.Contact, error)
	// EarlierTo reads, under the locks of MessageFacts, what other messages reached them, may have, or are about to.
	EarlierTo(ctx context.Context, workspace, message uuid.UUID) ([]Earlier, error)
	// PolicyNow is the workspace's policy, PolicyLock the same with nobody beside who sets another.
	PolicyNow(ctx context.Context, workspace uuid.UUID) (Policy, error)
	PolicyLock(ctx context.Context, workspace uuid.UUID) (Policy, error)
	PolicyAdd(ctx context.Context, workspace, by uuid.UUID, p Policy) error
	IsGranted(ctx context.Context, account, principal uuid.UUID) (bool, error)
	// ClosureAdd closes the message, which has no send that is queued, leased or started.
	ClosureAdd(ctx context.Context, message, by uuid.UUID, why string) error
	// SendCancel cancels a queued or leased send; false when it was neither.
	SendCancel(ctx context.Context, send uuid.UUID, code rule.Refusal) (bool, error)
	// SendAdd queues a send of the current version under that approval.
	SendAdd(ctx context.Context, message uuid.UUID, n NewSend) error
	// MessageGet reads the receipt, as this transaction sees it.
	MessageGet(ctx context.Context, workspace, id uuid.UUID) (Message, error)
}

// New is a message to be made.
type New struct {
	ID        uuid.UUID
	Workspace uuid.UUID
	Target    Target
	Follows   *Follows // may be nil
	Version   Version
	CreatedAt time.Time // by the database's clock
}

// Basis is what a proposal rests on, read while nobody else may begin anything for the person.
type Basis struct {
	Now          time.Time
	Account      account.Account
	Policy       Policy
	Person       Person
	Conversation string            // the thread in which the account last reached the person, or ""
	Rival        *send.IntentRival // the other message for the same intent that decides; nil when there is none
	Contact      people.Contact    // how freely the person may be written to from the account
}

// Version is a version to be made.
type Version struct {
	Number        int
	Content       Content
	Digest        string
	ClientRelease string
	CreatedBy     uuid.UUID
	From          *Origin // nil when no template wrote it
}

// NewApproval is an approval to be written. YesTo are the earlier messages that it was shown and covers. Policy is the number of
// the policy that approved by itself, or 0.
type NewApproval struct {
	Approver       uuid.UUID
	Version        int
	Digest         string
	RepeatApproved bool
	YesTo          []uuid.UUID
	Policy         int
	Override       *Override // of a colleague's claim on the person; may be nil
}

// NewSend is a send to be queued. Due is when it may first be leased.
type NewSend struct {
	ID         uuid.UUID
	Ordinal    int
	RetryOf    *uuid.UUID
	Approval   uuid.UUID
	Due        time.Time
	WaitingFor rule.Refusal
}

// Facts are what a decision about a message rests on, read under its lock.
type Facts struct {
	Now       time.Time
	ID        uuid.UUID
	Target    Target
	Intent    send.Intent
	Content   Content
	Version   int
	Digest    string
	Authority Authority
	Closed    bool
	Delivered bool // a send of it is sent, or a copy is known
	// StepHeld is why nobody approves it, where it is a step of a sequence: problem.StepHad, problem.EnrolmentOver or
	// problem.SequencePaused; "" is nothing.
	StepHeld problem.Code
	// Contact is how freely the person may be written to from the account, with no claim passed over.
	Contact   people.Contact
	Approval  *Standing
	Rejection *Rejection // of this version
	Latest    *LatestSend
}

// Standing is the approval that was not voided. It may have expired.
type Standing struct {
	Version   int
	ExpiresAt time.Time
	By        string // the approver's name
	At        time.Time
}

// LatestSend is the send with the highest ordinal.
type LatestSend struct {
	ID      uuid.UUID
	Ordinal int
	Status  rule.Status
	Parked  bool // it waits for a person
}

// inQueue reports whether the latest send exists and has not begun.
func (f Facts) inQueue() bool {
	return f.Latest != nil && (f.Latest.Status == rule.Queued || f.Latest.Status == rule.Leased)
}

// begun reports whether the latest send exists and may have reached the person: it is started, unconfirmed or sent.
func (f Facts) begun() bool {
	return f.Delivered || f.Latest != nil && f.Latest.Status.Live() && !f.inQueue()
}

// approved reports whether an approval stands and has not expired.
func (f Facts) approved() bool { return f.Approval != nil && f.Approval.ExpiresAt.After(f.Now) }

// isCurrent refuses a word on another version than the current one.
func (f Facts) isCurrent(version int, digest string) error {
	if version == f.Version && digest == f.Digest {
		return nil
	}
	return problem.New(problem.VersionNotCurrent, "the current version is %d; read it and decide on that one", f.Version).
		With("current_version", f.Version).With("current_digest", f.Digest)
}

// Reader reads receipts outside a command, each from one snapshot.
type Reader interface {
	// MessageReceipt is problem.NotFound when the workspace has no such message.
	MessageReceipt(ctx context.Context, workspace, id uuid.UUID) (Message, error)
	// MessageList returns the newest first, without history unless asked for.
	MessageList(ctx context.Context, workspace uuid.UUID, page Page) ([]Message, error)
	// MessagesAsk says, of those messages that need one, what an approval must say yes to.
	MessagesAsk(ctx context.Context, workspace uuid.UUID, ids []uuid.UUID) (map[uuid.UUID][]Asked, error)
	// MessagesContact says, of messages, how freely their people may be written to from their accounts.
	MessagesContact(ctx context.Context, workspace uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]people.Contact, error)
	// PolicyGet reads the workspace's policy.
	PolicyGet(ctx context.Context, workspace uuid.UUID) (Policy, error)
	// MessageCounts counts the messages of each section.
	MessageCounts(ctx context.Context, workspace uuid.UUID) (map[Section]int, error)
}

// Page asks for messages that are older than Before (uuid.Nil: from the newest on). Empty filters let everything through.
type Page struct {
	Statuses    []rule.Status
	Authorities []Authority
	Section     Section
	Person      uuid.UUID // any row of them; uuid.Nil is anybody
	Before      uuid.UUID
	Most        int
	History     bool
}

// Section is how a person looks at messages: each is in exactly one. The view message_sections says which.
type Section string

// The sections in the order in which a person needs them.
const (
	NeedsALook Section = "needs_a_look"
	Waiting    Section = "waiting"
	InQueue    Section = "in_queue"
	Done       Section = "done"
	NotSent    Section = "not_sent"
	CalledOff  Section = "called_off"
)

// Sections lists every section in order.
func Sections() []Section { return []Section{NeedsALook, Waiting, InQueue, Done, NotSent, CalledOff} }
