// Package callback takes what providers say about messages, and what browsers see of them, again and again and in any order: each
// fact once, joined to its message as soon as that is known. None makes a send. It moves one only as proof that the provider has
// it, by the way of every other confirmation.
package callback

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"sendonce/server/delivery"
	"sendonce/server/send"
)

// PathPrefix and the id of a source are where its provider calls back.
const PathPrefix = "/v1/callbacks/"

// Source is a provider that may say what became of a workspace's messages.
type Source struct {
	ID        uuid.UUID
	Workspace uuid.UUID
	Name      string
	CreatedAt time.Time
	EndedAt   *time.Time // from then on nothing of it is taken
}

// Sealed is a secret as it is stored.
type Sealed struct {
	KeyID  string
	Secret []byte
}

// Event is one thing that a provider says, as it came.
type Event struct {
	ID         string // the provider's; "" when it has none
	Kind       delivery.Kind
	ProviderID string
	Message    uuid.UUID // the message that it names, or uuid.Nil
	At         time.Time
	Detail     string
}

// Taken counts what became of a callback's events.
type Taken struct {
	New   int // facts that were not known before
	Known int // told before, or twice in this callback
	Kept  int // of all, those about no message that is known yet: they are joined when it is
}

// Waiting is a fact that is not joined to its message. Message and Person are uuid.Nil while nobody knows which it is.
type Waiting struct {
	ID              int64
	Workspace       uuid.UUID
	Source          string // "" for a browser
	Kind            delivery.Kind
	ProviderID      string
	At, ReceivedAt  time.Time
	Message, Person uuid.UUID
}

// Place is where a walk through all waiting facts has come to. The zero Place is its beginning.
type Place struct {
	At time.Time
	ID int64
}

// SourceStore keeps the sources. *postgres.Store implements it.
type SourceStore interface {
	// SourceAdd makes a source with its first secret; false when the workspace has one of that name.
	SourceAdd(ctx context.Context, source Source, by uuid.UUID, secret Sealed) (Source, bool, error)
	// SourceList lists the workspace's sources, the newest first, the ended ones too.
	SourceList(ctx context.Context, workspace uuid.UUID, most int) ([]Source, error)
	// SecretAdd gives a source one more secret and lets the others end after overlap. problem.NotFound when there is no such
	// source, problem.SourceEnded when it has ended.
	SecretAdd(ctx context.Context, workspace, source uuid.UUID, secret Sealed, overlap time.Duration) (Source, error)
	// SourceEnd ends a source. Again: nothing. problem.NotFound when there is none.
	SourceEnd(ctx context.Context, workspace, source uuid.UUID) error
	// SourceSecrets reads a source of any workspace with the secrets that are good now, the newest first. problem.NotFound.
	SourceSecrets(ctx context.Context, source uuid.UUID, most int) (Source, []Sealed, error)
}

// Store keeps what the sources and the browsers say. *postgres.Store implements it.
type Store interface {
	// EventsTake keeps each fact once, all or none, and says how many were new.
	EventsTake(ctx context.Context, source Source, events []Event) (isNew int, err error)
	// SeenTake keeps each fact once, all or none; but no more than config.ObservedWaitingMax of one browser that are about no
	// known message, and no more than config.ObservedPerCopyMax about one copy. ErrNotTheirs when the account is not the browser's principal's, the member not the account's, or the person
	// known by another URN.
	SeenTake(ctx context.Context, write SeenWrite) error
	// WaitingAmong lists those of the facts, by their hashes, that are not joined.
	WaitingAmong(ctx context.Context, workspace uuid.UUID, hashes [][]byte) ([]Waiting, error)
	// WaitingPage lists what was received within a time, of all sources, after a place.
	WaitingPage(ctx context.Context, after Place, within time.Duration, most int) ([]Waiting, error)
	// PersonReplied notes that the person has replied at that time, and calls off what waits to go to them under an approval
	// from before it. It returns the accounts of those sends.
	PersonReplied(ctx context.Context, workspace, person uuid.UUID, at time.Time) (accounts []uuid.UUID, err error)
	// WrittenByHand takes back what of sequences waits to go to a person who was written to by hand since they were in it. It returns the
	// accounts of those sends.
	WrittenByHand(ctx context.Context, workspace, person uuid.UUID) (accounts []uuid.UUID, err error)
	// ObservationJoin writes once which message a fact is about.
	ObservationJoin(ctx context.Context, id int64, message uuid.UUID) error
}

// Sends is who confirms a send, and knows which lease or check a token is of. *send.Service implements it.
type Sends interface {
	ClaimsOf(ctx context.Context, session send.Session, token string) (send.LeaseClaims, error)
	Provided(ctx context.Context, p send.Provided) error
}

// Service takes callbacks, and what browsers observe.
type Service struct {
	*Sources
	store Store
	sends Sends
	waker send.Waker

	walk sync.Mutex
	at   Place // of the walk through what waits
}

// NewService panics on a missing part.
func NewService(sources *Sources, store Store, sends Sends, waker send.Waker) *Service {
	if sources == nil || store == nil || sends == nil || waker == nil {
		panic("callback.NewService: a part is missing")
	}
	return &Service{Sources: sources, store: store, sends: sends, waker: waker}
}
