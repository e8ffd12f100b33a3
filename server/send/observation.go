package send

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
)

// ErrForeignLease says that a lease was given to a browser of another user. Nothing is settled by it.
var ErrForeignLease = errors.New("the lease was given to another user's browser; nothing was changed")

// Observation is a report that settles nothing. It is kept for a person to read.
type Observation struct {
	Session Session
	Token   string
	Why     ObservationWhy
	// Raw is the frame's evidence as JSON. It holds no message text.
	Raw []byte
}

// ObservationWhy is why a report settles nothing.
type ObservationWhy string

// The reasons for which a report is only kept.
const (
	UnknownLease ObservationWhy = "unknown_lease" // its token was not issued by this server
	ForeignLease ObservationWhy = "foreign_lease" // it was given to another user's browser
)

// Reply is that an attempt saw, before it acted, that the person has replied.
type Reply struct{ Send, Lease, Install uuid.UUID }

// ObservationStore keeps what was seen and settles no send by itself.
type ObservationStore interface {
	// MaySpeakFor says whether the install may speak of a lease of holder: both are one user's, or holder is forgotten.
	MaySpeakFor(ctx context.Context, install, holder uuid.UUID) (bool, error)
	// Observe keeps it once, and no more than config.ObservationsPerInstallMax of one install. isNew: it was kept now.
	Observe(ctx context.Context, o Observation) (isNew bool, err error)
	// ReplySeen keeps once that an attempt saw a reply of its person, and calls off what waits to go to them under an approval
	// from before it. It returns the accounts of those sends.
	ReplySeen(ctx context.Context, reply Reply) (accounts []uuid.UUID, err error)
}

// claimsOf reads a token of which the session says something. ErrBadLease, or ErrForeignLease. A browser that was paired
// anew is another install and still has reports of its earlier leases to bring.
func (s *Service) claimsOf(ctx context.Context, tokens Tokens, session Session, token string) (LeaseClaims, error) {
	claims, err := tokens.Verify(token)
	if err != nil {
		return LeaseClaims{}, ErrBadLease
	}
	if claims.Install == session.Install {
		return claims, nil
	}
	if claims.Workspace != session.Workspace {
		return LeaseClaims{}, ErrForeignLease
	}
	may, err := s.store.MaySpeakFor(ctx, session.Install, claims.Install)
	if err != nil {
		return LeaseClaims{}, fmt.Errorf("look whose lease it is: %w", err)
	}
	if !may {
		return LeaseClaims{}, ErrForeignLease
	}
	return claims, nil
}

// ClaimsOf reads the token of a lease, or of a check, in whose tab the session saw something. ErrBadLease, or ErrForeignLease.
func (s *Service) ClaimsOf(ctx context.Context, session Session, token string) (LeaseClaims, error) {
	claims, err := s.claimsOf(ctx, s.tokens, session, token)
	if errors.Is(err, ErrBadLease) {
		return s.claimsOf(ctx, s.checkTokens, session, token)
	}
	return claims, err
}

// noteReply does for a reply that a browser saw what a provider's notice of one does.
func (s *Service) noteReply(ctx context.Context, reply Reply) error {
	accounts, err := s.store.ReplySeen(ctx, reply)
	if err != nil {
		return fmt.Errorf("note the reply that an attempt saw: %w", err)
	}
	for _, account := range accounts {
		s.waker.Wake(account)
	}
	return nil
}

// observe keeps a report for the reason that it was refused for. Any other error is none of its business.
func (s *Service) observe(ctx context.Context, report Report, refused error) error {
	o := Observation{Session: report.Session, Token: report.LeaseToken, Raw: report.Raw}
	switch {
	case errors.Is(refused, ErrBadLease):
		o.Why = UnknownLease
	case errors.Is(refused, ErrForeignLease):
		o.Why = ForeignLease
	default:
		return refused
	}
	isNew, err := s.store.Observe(ctx, o)
	if err != nil {
		return fmt.Errorf("keep a report that settles nothing: %w", err)
	}
	if isNew {
		s.log.Warn("a report was kept and settles nothing", slog.String("why", string(o.Why)),
			slog.String("install_id", report.Session.Install.String()))
	}
	return refused
}
