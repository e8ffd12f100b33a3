package access

import (
	"context"
	"fmt"
	"time"

	"sendonce/server/auth"
	"sendonce/server/config"
	"sendonce/server/problem"
)

// Names of what the first start makes.
const (
	firstWorkspace = "My team"
	firstAdmin     = "admin"
)

// Store keeps principals and the hashes of their secrets. All methods are safe to run in two servers at once.
type Store interface {
	// WorkspaceEnsure returns the admin of the first workspace, making both when there is none. signedIn says whether
	// anybody has ever used a sign-in link.
	WorkspaceEnsure(ctx context.Context, workspace, admin string) (first Principal, signedIn bool, err error)
	// PrincipalEnsure returns the principal of that name in p's workspace, making it with p's role when there is none.
	PrincipalEnsure(ctx context.Context, p Principal) (Principal, error)
	TokenAdd(ctx context.Context, p Principal, hash []byte) error
	LinkAdd(ctx context.Context, p Principal, hash []byte, lasts time.Duration) error
	// LinkUse marks an unused, unexpired link as used and opens a session; false when there is no such link.
	LinkUse(ctx context.Context, link, session []byte, lasts time.Duration) (bool, error)
	// TokenPrincipal and SessionPrincipal say whose secret it is; false when it is nobody's, revoked or expired.
	TokenPrincipal(ctx context.Context, hash []byte) (Principal, bool, error)
	SessionPrincipal(ctx context.Context, hash []byte) (Principal, bool, error)
	SessionEnd(ctx context.Context, hash []byte) error
}

// Service is the use of the store.
type Service struct{ store Store }

// NewService panics without a store.
func NewService(store Store) *Service {
	if store == nil {
		panic("access.NewService: the store is missing")
	}
	return &Service{store: store}
}

// EnsureFirst makes the first workspace and its admin when there is none. Until somebody has signed in it returns a fresh
// one-time link's secret for the admin, at every start: a link that nobody got to see is no reason to be locked out.
// Afterwards it returns "".
func (s *Service) EnsureFirst(ctx context.Context) (link string, err error) {
	admin, signedIn, err := s.store.WorkspaceEnsure(ctx, firstWorkspace, firstAdmin)
	if err != nil {
		return "", fmt.Errorf("make the first workspace: %w", err)
	}
	if signedIn {
		return "", nil
	}
	return s.link(ctx, admin)
}

// FirstAdmin is in whose name the server's own commands act.
func (s *Service) FirstAdmin(ctx context.Context) (Principal, error) {
	admin, _, err := s.store.WorkspaceEnsure(ctx, firstWorkspace, firstAdmin)
	if err != nil {
		return Principal{}, fmt.Errorf("find the workspace: %w", err)
	}
	return admin, nil
}

// CreateToken returns a new API token of the principal with that name, which it makes when there is none. An empty name
// is the role's own: tokens made without a name belong to one principal per role.
func (s *Service) CreateToken(ctx context.Context, role Role, name string) (token string, err error) {
	p, err := s.principal(ctx, role, name)
	if err != nil {
		return "", err
	}
	token, hash := auth.NewSecret(auth.APITokenPrefix)
	if err := s.store.TokenAdd(ctx, p, hash); err != nil {
		return "", fmt.Errorf("keep the token: %w", err)
	}
	return token, nil
}

// CreateLink returns the secret of a new one-time sign-in link, for a principal as in CreateToken.
func (s *Service) CreateLink(ctx context.Context, role Role, name string) (link string, err error) {
	p, err := s.principal(ctx, role, name)
	if err != nil {
		return "", err
	}
	return s.link(ctx, p)
}

func (s *Service) principal(ctx context.Context, role Role, name string) (Principal, error) {
	if name == "" {
		name = string(role)
	}
	first, _, err := s.store.WorkspaceEnsure(ctx, firstWorkspace, firstAdmin)
	if err != nil {
		return Principal{}, fmt.Errorf("find the workspace: %w", err)
	}
	p, err := s.store.PrincipalEnsure(ctx, Principal{Workspace: first.Workspace, Role: role, Name: name})
	if err != nil {
		return Principal{}, fmt.Errorf("make the principal %q: %w", name, err)
	}
	if p.Role != role {
		return Principal{}, fmt.Errorf("%q exists with the role %s; choose another name", name, p.Role)
	}
	return p, nil
}

func (s *Service) link(ctx context.Context, p Principal) (string, error) {
	link, hash := auth.NewSecret(auth.SignInLinkPrefix)
	if err := s.store.LinkAdd(ctx, p, hash, config.SignInLinkLasts); err != nil {
		return "", fmt.Errorf("keep the sign-in link: %w", err)
	}
	return link, nil
}

// Authenticate says whose API token it is.
func (s *Service) Authenticate(ctx context.Context, token string) (Principal, error) {
	return found(s.store.TokenPrincipal(ctx, auth.Hash(token)))
}

// SignedIn says whose console session it is.
func (s *Service) SignedIn(ctx context.Context, session string) (Principal, error) {
	return found(s.store.SessionPrincipal(ctx, auth.Hash(session)))
}

func found(p Principal, ok bool, err error) (Principal, error) {
	if err != nil {
		return Principal{}, fmt.Errorf("find the principal: %w", err)
	}
	if !ok {
		return Principal{}, problem.New(problem.Unauthenticated, "the token is not known, was revoked or has expired")
	}
	return p, nil
}

// SignIn uses a one-time link up and returns the secret of a new console session.
func (s *Service) SignIn(ctx context.Context, link string) (session string, err error) {
	session, hash := auth.NewSecret(auth.SessionPrefix)
	ok, err := s.store.LinkUse(ctx, auth.Hash(link), hash, config.ConsoleSessionLasts)
	if err != nil {
		return "", fmt.Errorf("use the sign-in link: %w", err)
	}
	if !ok {
		return "", problem.New(problem.Unauthenticated, "the link was used or has expired; ask for a new one")
	}
	return session, nil
}

// SignOut ends a console session.
func (s *Service) SignOut(ctx context.Context, session string) error {
	return s.store.SessionEnd(ctx, auth.Hash(session))
}
