package auth

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/send"
)

const (
	issuer         = "sendonce"
	accessAudience = "sendonce-install"
	leaseAudience  = "sendonce-lease"
	checkAudience  = "sendonce-check"
)

// ErrBadToken says that an access token is forged, expired or meant for something else.
var ErrBadToken = errors.New("the access token is not valid: ask for a new one")

// AccessClaims is who an access token speaks for.
type AccessClaims struct{ Install, Workspace uuid.UUID }

type accessClaims struct {
	Workspace uuid.UUID `json:"workspace"`
	jwt.RegisteredClaims
}

// AccessTokens signs and verifies the access tokens of installs.
type AccessTokens struct {
	keys   []Key
	now    func() time.Time
	parser *jwt.Parser
}

// NewAccessTokens takes the keys of the list Keys.Access, and the clock by which tokens expire.
func NewAccessTokens(keys []Key, now func() time.Time) *AccessTokens {
	return &AccessTokens{keys: keys, now: now, parser: newParser(accessAudience,
		jwt.WithTimeFunc(now), jwt.WithExpirationRequired(), jwt.WithLeeway(config.TokenLeeway))}
}

// Sign makes a token that lasts config.AccessTokenLasts.
func (t *AccessTokens) Sign(claims AccessClaims) (string, error) {
	return sign(t.keys, accessClaims{
		Workspace: claims.Workspace,
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Audience: jwt.ClaimStrings{accessAudience}, Subject: claims.Install.String(),
			ExpiresAt: jwt.NewNumericDate(t.now().Add(config.AccessTokenLasts)),
		},
	})
}

// Verify returns ErrBadToken for anything but a token that Sign made and that has not expired.
func (t *AccessTokens) Verify(token string) (AccessClaims, error) {
	var claims accessClaims
	if _, err := t.parser.ParseWithClaims(token, &claims, keyOf(t.keys)); err != nil {
		return AccessClaims{}, ErrBadToken
	}
	install, err := uuid.Parse(claims.Subject)
	if err != nil {
		return AccessClaims{}, ErrBadToken
	}
	return AccessClaims{Install: install, Workspace: claims.Workspace}, nil
}

type leaseClaims struct {
	Send      uuid.UUID `json:"send"`
	Install   uuid.UUID `json:"install"`
	Account   uuid.UUID `json:"account"`
	Workspace uuid.UUID `json:"workspace"`
	jwt.RegisteredClaims
}

// LeaseTokens signs and verifies lease tokens. They have no expiry: what a lease is worth is decided by the database, and
// a late report is evidence for as long as it can be told from a made-up one.
type LeaseTokens struct {
	keys     []Key
	audience string
	parser   *jwt.Parser
}

var _ send.Tokens = (*LeaseTokens)(nil)

// NewLeaseTokens takes the keys of the list Keys.Lease.
func NewLeaseTokens(keys []Key) *LeaseTokens {
	return &LeaseTokens{keys: keys, audience: leaseAudience, parser: newParser(leaseAudience)}
}

// NewCheckTokens takes the same keys; its tokens name a check and are no leases.
func NewCheckTokens(keys []Key) *LeaseTokens {
	return &LeaseTokens{keys: keys, audience: checkAudience, parser: newParser(checkAudience)}
}

// Sign implements send.Tokens.
func (t *LeaseTokens) Sign(claims send.LeaseClaims) (string, error) {
	registered := jwt.RegisteredClaims{Issuer: issuer, Audience: jwt.ClaimStrings{t.audience}, ID: claims.Lease.String()}
	if !claims.AskedAt.IsZero() {
		registered.IssuedAt = jwt.NewNumericDate(claims.AskedAt)
	}
	return sign(t.keys, leaseClaims{
		Send: claims.Send, Install: claims.Install, Account: claims.Account, Workspace: claims.Workspace, RegisteredClaims: registered,
	})
}

// Verify implements send.Tokens. It returns send.ErrBadLease for anything but a token that Sign made.
func (t *LeaseTokens) Verify(token string) (send.LeaseClaims, error) {
	var claims leaseClaims
	if _, err := t.parser.ParseWithClaims(token, &claims, keyOf(t.keys)); err != nil {
		return send.LeaseClaims{}, send.ErrBadLease
	}
	lease, err := uuid.Parse(claims.ID)
	if err != nil {
		return send.LeaseClaims{}, send.ErrBadLease
	}
	said := send.LeaseClaims{
		Send: claims.Send, Lease: lease, Install: claims.Install, Account: claims.Account, Workspace: claims.Workspace,
	}
	if claims.IssuedAt != nil {
		said.AskedAt = claims.IssuedAt.Time
	}
	return said, nil
}

// method is the one algorithm: a token's header may not choose another.
var method = jwt.SigningMethodHS256

func newParser(audience string, options ...jwt.ParserOption) *jwt.Parser {
	return jwt.NewParser(append(options, jwt.WithValidMethods([]string{method.Alg()}), jwt.WithIssuer(issuer),
		jwt.WithAudience(audience), jwt.WithStrictDecoding())...)
}

func sign(keys []Key, claims jwt.Claims) (string, error) {
	key := newest(keys)
	token := jwt.NewWithClaims(method, claims)
	token.Header["kid"] = key.ID
	signed, err := token.SignedString(key.Secret)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return signed, nil
}

func keyOf(keys []Key) jwt.Keyfunc {
	return func(token *jwt.Token) (any, error) {
		for _, key := range keys {
			if token.Header["kid"] == key.ID {
				return key.Secret, nil
			}
		}
		return nil, errors.New("no key of this server has the id in the token's header")
	}
}
