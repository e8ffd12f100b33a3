// Package send is the life of one send: lease, release, start, report, sweep. Every operation has one shape: a locked
// query loads the facts, a pure function of this package decides, one guarded statement writes. The package knows no
// database, no socket and no HTTP; the stores it needs are declared here and implemented by server/postgres.
package send

import (
	"context"
	"time"

	"github.com/google/uuid"

	"sendonce/server/rule"
)

// Lease is what an install is handed to deliver one send.
type Lease struct {
	Send      uuid.UUID
	Account   uuid.UUID
	Token     string // signed; names the send, the lease and the install
	ExpiresIn time.Duration
	MemberURN string
	Person    Recipient
	// Conversation is the thread in which this person was last written to from this account, or "".
	Conversation   string
	Body           string
	Digest         string // "sha256:" and 64 hex digits
	ApprovedAt     time.Time
	RepeatApproved bool
	// HeldIDs are provider ids that other messages to this person hold: a copy under one of them is not ours.
	HeldIDs []string
}

// Recipient is the person of a lease. URN and Slug are "" when they are not known.
type Recipient struct {
	ID   uuid.UUID
	Name string
	Slug string
	URN  string
}

// Session is one connection of one install, as the gateway knows it.
type Session struct {
	ID               uuid.UUID
	Install          uuid.UUID
	Workspace        uuid.UUID
	ExtensionVersion string
}

// StartAsk is an install's request to begin.
type StartAsk struct {
	Session    Session
	LeaseToken string
	// Attempt is made by the live worker in its memory: 16 to 64 characters.
	Attempt string
	Digest  string
}

// Started is the acknowledgement that the start was committed durably. Nothing may be touched before it arrived.
type Started struct {
	Attempt  string
	Touch    time.Duration
	Deadline time.Duration
	Mark     Mark
}

// Mark is a point in the history of one database: installs remember the highest they were told.
type Mark struct {
	Epoch int64
	Event int64
}

// Refused says that a start was refused and nothing may be touched.
type Refused struct{ Code rule.Refusal }

func (r *Refused) Error() string { return string(r.Code) + ": " + r.Code.Text() }

// Copy is one message that stands in the conversation.
type Copy struct {
	ProviderID string
	SentAt     time.Time // zero when unknown
}

// Report is what an install says happened. Exactly one of Acted and Unacted is set.
type Report struct {
	Session    Session
	LeaseToken string
	Attempt    string // "" when the worker that speaks did not make it
	Acted      *rule.Acted
	Unacted    *rule.Unacted
	Copies     []Copy
	// Conversation is the thread that was seen, or "".
	Conversation string
	OriginToken  string
	RetryAfter   time.Duration
	// Claimed is the outcome by the install's own rule. It decides nothing.
	Claimed rule.Outcome
	// Raw is the frame's evidence as JSON, kept as it came. It holds no message text.
	Raw []byte
}

// Recorded is the acknowledgement of a report: the install may forget it.
type Recorded struct {
	Send   uuid.UUID
	Status rule.Status
	Code   string
	Mark   Mark
}

// Resolved is whom the page turned out to belong to.
type Resolved struct {
	Session      Session
	LeaseToken   string
	Attempt      string
	PersonURN    string
	Slug         string
	Name         string
	Connected    bool
	Participants int
}

// Installs is what the gateway needs of this package. *Service implements it.
type Installs interface {
	// Lease finds the next send of the account and leases it to the session, or returns nil when nothing may be leased.
	Lease(ctx context.Context, session Session, account uuid.UUID) (*Lease, error)
	// Release gives a lease back that was not started. A lease that is no longer current is no error.
	Release(ctx context.Context, session Session, leaseToken, code string) error
	// Start returns a *Refused as its error when the facts forbid it.
	Start(ctx context.Context, ask StartAsk) (Started, error)
	// Resolve joins the person the page shows with the person of the lease; a halt is a reason of the table, "" is proceed.
	Resolve(ctx context.Context, resolved Resolved) (halt string, err error)
	// Report records what happened. ErrBadLease when the token was not issued by this server, ErrForeignLease when it was
	// given to another user's browser: such a report is kept and settles nothing.
	Report(ctx context.Context, report Report) (Recorded, error)
	// Gone records that no tab of the lease's attempt is left.
	Gone(ctx context.Context, session Session, leaseToken string) error
	// OpenLease says what became of a lease that an install still has in its journal.
	OpenLease(ctx context.Context, leaseToken string) (OpenLease, error)
	// NextCheck finds the account's next unconfirmed send that is due to be looked at, or returns nil.
	NextCheck(ctx context.Context, session Session, account uuid.UUID) (*Check, error)
	// Checked records what a look found. ErrBadLease or ErrForeignLease as for a report, but nothing is kept then: it is asked again.
	Checked(ctx context.Context, checked Checked) error
	// Disconnected puts the leases of that session that were not started back in the queue; nothing when a newer session
	// of its install has taken over.
	Disconnected(ctx context.Context, session Session) error
}

// OpenLease is what became of a lease in an install's journal. Held: the row still waits for that lease's end.
type OpenLease struct {
	Status rule.Status
	Held   bool
}
