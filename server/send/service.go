package send

import (
	"log/slog"
	"time"

	"github.com/google/uuid"
)

// Store is everything this package needs of the database. *postgres.Store implements it.
type Store interface {
	LeaseStore
	StartStore
	ReportStore
	ResolveStore
	SweepStore
	CheckStore
	ObservationStore
	ProvidedStore
}

// Waker is told that an account may have work. It never blocks.
type Waker interface{ Wake(account uuid.UUID) }

// Settings are the times of a send's life.
type Settings struct {
	LeaseLasts  time.Duration
	TouchWithin time.Duration
	Deadline    time.Duration
	Breaker     Breaker
}

// Service is the life of a send.
type Service struct {
	store       Store
	tokens      Tokens
	checkTokens Tokens
	waker       Waker
	settings    Settings
	log         *slog.Logger
}

var _ Installs = (*Service)(nil)

// NewService panics on a missing part: a server must not start half built. The token of a lease is none of a check.
func NewService(store Store, tokens, checkTokens Tokens, waker Waker, settings Settings, log *slog.Logger) *Service {
	if store == nil || tokens == nil || checkTokens == nil || waker == nil || log == nil {
		panic("send.NewService: a part is missing")
	}
	return &Service{store: store, tokens: tokens, checkTokens: checkTokens, waker: waker, settings: settings, log: log}
}
