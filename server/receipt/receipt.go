// Package receipt is the whole story of one message as a document: what was intended, who approved which bytes, what each
// attempt did and on what evidence it ended. The server signs it, so that whoever holds it can see that nobody changed it.
// docs/receipt.md says what each member means; where nothing is known the member is null.
package receipt

import (
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"sendonce/server/incident"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/rule"
)

// ShapeVersion is the shape of the document. It changes when a member goes or means something else; a new member is no new
// shape.
const ShapeVersion = 1

// Receipt is one document. Its lists are in the order in which things happened.
type Receipt struct {
	ReceiptVersion int `json:"receipt_version"`
	// ReadAt is the moment whose state this is, by the clock that stamped every other moment but Signature.SignedAt.
	ReadAt           Moment           `json:"read_at"`
	Message          Message          `json:"message"`
	Versions         []Version        `json:"versions"`
	Approvals        []Approval       `json:"approvals"`
	Sends            []Send           `json:"sends"`
	DeliveryEvidence DeliveryEvidence `json:"delivery_evidence"`
	Reply            *Reply           `json:"reply"`
	Incidents        []Incident       `json:"incidents"`
	Retries          []Retry          `json:"retries"`
	History          []Event          `json:"history"`
	LeftOut          LeftOut          `json:"left_out"`
	Signature        Signature        `json:"signature"`
}

// Message is the intent, and what has become of it.
type Message struct {
	ID            uuid.UUID         `json:"id"`
	Workspace     Workspace         `json:"workspace"`
	Channel       string            `json:"channel"`
	Account       Account           `json:"account"`
	Person        Person            `json:"person"`
	Purpose       string            `json:"purpose"`
	Task          *string           `json:"task"`
	Sequence      *Sequence         `json:"sequence"`
	Audience      string            `json:"audience"`
	Version       int               `json:"version"`
	Digest        string            `json:"digest"`
	SendAfter     *Moment           `json:"send_after"`
	SendBefore    *Moment           `json:"send_before"`
	Authority     message.Authority `json:"authority"`
	Status        *rule.Status      `json:"status"`
	Text          string            `json:"text"`
	Instruction   *string           `json:"instruction"`
	Follows       *Follows          `json:"follows"`
	Rejection     *Rejection        `json:"rejection"`
	Closure       *Closure          `json:"closure"`
	ClientRelease *string           `json:"client_release"`
	CreatedBy     string            `json:"created_by"`
	CreatedAt     Moment            `json:"created_at"`
}

// Sequence is what the message is a step of, and the enrolment that it was proposed for.
type Sequence struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	StepID      uuid.UUID `json:"step_id"`
	EnrolmentID uuid.UUID `json:"enrolment_id"`
}

// Follows is the earlier send that this message was decided on in the knowledge of, and why.
type Follows struct {
	SendID    uuid.UUID `json:"send_id"`
	MessageID uuid.UUID `json:"message_id"`
	Why       string    `json:"why"`
}

// Rejection is a person's no to the current version.
type Rejection struct {
	RejectedAt Moment  `json:"rejected_at"`
	RejectedBy string  `json:"rejected_by"`
	Why        *string `json:"why"`
}

// Closure says that what the message was for is done, however it ended.
type Closure struct {
	ClosedAt Moment `json:"closed_at"`
	ClosedBy string `json:"closed_by"`
	Why      string `json:"why"`
}

// Workspace is the team.
type Workspace struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Account is who the message is from. The member is null until a browser has shown who is signed in.
type Account struct {
	ID         uuid.UUID `json:"id"`
	Handle     string    `json:"handle"`
	MemberURN  *string   `json:"member_urn"`
	MemberName *string   `json:"member_name"`
}

// Person is who it is for, as known at ReadAt.
type Person struct {
	ID         uuid.UUID  `json:"id"`
	Name       *string    `json:"name"`
	Identities []Identity `json:"identities"`
}

// Identity is one name of a person.
type Identity struct {
	Kind  people.Kind `json:"kind"`
	Value string      `json:"value"`
}

// Version is one wording. An edit makes the next. From ExpiredAt on its text is gone: Body is empty then, and Digest is of what it was.
// Template is null where no template wrote it.
type Version struct {
	Version       int       `json:"version"`
	Digest        string    `json:"digest"`
	Subject       *string   `json:"subject"`
	Body          string    `json:"body"`
	Template      *Template `json:"template"`
	SendAfter     *Moment   `json:"send_after"`
	SendBefore    *Moment   `json:"send_before"`
	ClientRelease *string   `json:"client_release"`
	CreatedBy     string    `json:"created_by"`
	CreatedAt     Moment    `json:"created_at"`
	ExpiredAt     *Moment   `json:"expired_at"`
}

// Template is a template in one version.
type Template struct {
	ID      uuid.UUID `json:"id"`
	Version int       `json:"version"`
}

// Approval is a person's yes to the bytes of one version. It stands as long as VoidedAt is null. YesTo are earlier messages to
// this person that it was shown; Policy is the number of the policy that approved by itself, in the name of who set it; OverrideOf is
// the colleague whose claim on the person it passes over, and OverrideWhy why.
type Approval struct {
	ID             uuid.UUID   `json:"id"`
	Version        int         `json:"version"`
	Digest         string      `json:"digest"`
	Approver       string      `json:"approver"`
	RepeatApproved bool        `json:"repeat_approved"`
	YesTo          []uuid.UUID `json:"yes_to"`
	Policy         *int        `json:"policy"`
	OverrideOf     *string     `json:"override_of"`
	OverrideWhy    *string     `json:"override_why"`
	ApprovedAt     Moment      `json:"approved_at"`
	ExpiresAt      Moment      `json:"expires_at"`
	VoidedAt       *Moment     `json:"voided_at"`
	VoidedBy       *string     `json:"voided_by"`
	VoidReason     *string     `json:"void_reason"`
}

// Send is one delivery that was tried, or waits.
type Send struct {
	ID               uuid.UUID     `json:"id"`
	Ordinal          int           `json:"ordinal"`
	RetryOf          *uuid.UUID    `json:"retry_of"`
	Version          int           `json:"version"`
	Digest           string        `json:"digest"`
	ApprovalID       uuid.UUID     `json:"approval_id"`
	Status           rule.Status   `json:"status"`
	Code             *string       `json:"code"`
	Reason           *string       `json:"reason"`
	Text             string        `json:"text"`
	Instruction      *string       `json:"instruction"`
	WaitingFor       *rule.Refusal `json:"waiting_for"`
	WaitingUntil     *Moment       `json:"waiting_until"`
	Holder           *Holder       `json:"holder"`
	ExtensionVersion *string       `json:"extension_version"`
	Attempt          *string       `json:"attempt"`
	CreatedAt        Moment        `json:"created_at"`
	LeasedAt         *Moment       `json:"leased_at"`
	LeaseExpiresAt   *Moment       `json:"lease_expires_at"`
	StartedAt        *Moment       `json:"started_at"`
	DeadlineAt       *Moment       `json:"deadline_at"`
	EndedAt          *Moment       `json:"ended_at"`
	GoneAt           *Moment       `json:"gone_at"`
	ConfirmedAt      *Moment       `json:"confirmed_at"`
	RequeueAt        *Moment       `json:"requeue_at"`
	Deliveries       []Delivery    `json:"deliveries"`
	Evidence         []Evidence    `json:"evidence"`
}

// Holder is the browser that has, or had, the lease.
type Holder struct {
	InstallID uuid.UUID `json:"install_id"`
	PairedBy  string    `json:"paired_by"`
}

// Delivery is one copy that the provider really has.
type Delivery struct {
	ProviderID  string  `json:"provider_id"`
	DeliveredAt *Moment `json:"delivered_at"`
}

// Evidence is something that was said about a send. Counts is null unless it is a look that found nothing. Body is what the
// browser said, without any text of the message.
type Evidence struct {
	Kind         string         `json:"kind"`
	Outcome      string         `json:"outcome"`
	Text         string         `json:"text"`
	By           *string        `json:"by"`
	InstallID    *uuid.UUID     `json:"install_id"`
	Attempt      *string        `json:"attempt"`
	Note         *string        `json:"note"`
	AcceptUnseen bool           `json:"accept_unseen"`
	Counts       *bool          `json:"counts"`
	AskedAt      *Moment        `json:"asked_at"`
	ReceivedAt   Moment         `json:"received_at"`
	Body         jsontext.Value `json:"body"`
}

// Reply is the newest that is known of the person.
type Reply struct {
	RepliedAt Moment `json:"replied_at"`
}

// Incident is what a person was told about this message.
type Incident struct {
	ID       uuid.UUID     `json:"id"`
	Kind     incident.Kind `json:"kind"`
	Text     string        `json:"text"`
	Count    int           `json:"count"`
	OpenedAt Moment        `json:"opened_at"`
	LastAt   Moment        `json:"last_at"`
	ClosedAt *Moment       `json:"closed_at"`
	ClosedBy *string       `json:"closed_by"`
	Note     *string       `json:"note"`
}

// Retry is what a "retry all" made of one of the sends. Refused is why the preview left it out, Outcome why the run did; each
// is null when it did not. NextSendID is the send that was made.
type Retry struct {
	RunID      uuid.UUID  `json:"run_id"`
	SendID     uuid.UUID  `json:"send_id"`
	AskedBy    string     `json:"asked_by"`
	AskedAt    Moment     `json:"asked_at"`
	BegunAt    *Moment    `json:"begun_at"`
	Refused    *string    `json:"refused"`
	Outcome    *string    `json:"outcome"`
	NextSendID *uuid.UUID `json:"next_send_id"`
}

// Event is one line of the history. From is null where a send is born; InstallID is the browser that had the lease.
type Event struct {
	At         Moment       `json:"at"`
	What       string       `json:"what"`
	By         *string      `json:"by"`
	Version    *int         `json:"version"`
	SendID     *uuid.UUID   `json:"send_id"`
	From       *rule.Status `json:"from"`
	To         *rule.Status `json:"to"`
	Code       *string      `json:"code"`
	Reason     *string      `json:"reason"`
	WaitingFor *string      `json:"waiting_for"`
	InstallID  *uuid.UUID   `json:"install_id"`
}

// LeftOut counts the oldest entries of lists that are too long for a document: 0 almost always.
type LeftOut struct {
	Versions     int `json:"versions"`
	Approvals    int `json:"approvals"`
	Sends        int `json:"sends"`
	Deliveries   int `json:"deliveries"`
	Evidence     int `json:"evidence"`
	Observations int `json:"observations"`
	Incidents    int `json:"incidents"`
	Retries      int `json:"retries"`
	History      int `json:"history"`
}

// Signature is Ed25519 over the RFC 8785 canonical JSON of the whole document without Value, as URL-safe base64 without
// padding. It says that this server, at SignedAt by its own clock, knew this and no more.
type Signature struct {
	Alg      string `json:"alg"`
	KeyID    string `json:"key_id"`
	SignedAt Moment `json:"signed_at"`
	Value    string `json:"value,omitzero"`
}
