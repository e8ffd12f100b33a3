package auth

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/send"
)

func TestKeysAreMadeOnceAndReadBack(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first, err := LoadKeys(folder)
	if err != nil {
		t.Fatal(err)
	}
	second, err := LoadKeys(folder)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second start has other keys (-first +second):\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(folder, KeysFile))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %o, want 600", info.Mode().Perm())
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*.*.*")); len(left) > 0 {
		t.Errorf("drafts are left: %q", left)
	}
}

func TestDamagedKeysStopTheStart(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"cut":       `{"access":[`,
		"empty":     `{}`,
		"short key": `{"access":[{"id":"k1","secret":"AAAA"}],"lease":[{"id":"k1","secret":"AAAA"}],"refresh":[{"id":"k1","secret":"AAAA"}]}`,
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, KeysFile), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadKeys(folder); err == nil {
			t.Errorf("%s: loaded", name)
		}
	}
}

func TestAccessTokens(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	keys := NewKeys()
	tokens := NewAccessTokens(keys.Access, clock)
	want := AccessClaims{Install: uuid.New(), Workspace: uuid.New()}
	token, err := tokens.Sign(want)
	if err != nil {
		t.Fatal(err)
	}
	rotated := NewAccessTokens(append(keys.Access, newKey()), clock)
	for name, verifier := range map[string]*AccessTokens{"same keys": tokens, "a newer key beside": rotated} {
		got, err := verifier.Verify(token)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if newer, _ := rotated.Sign(want); !errors.Is(lastError(tokens.Verify(newer)), ErrBadToken) {
		t.Error("a token of a key that is not known verifies")
	}
	now = now.Add(config.AccessTokenLasts + config.TokenLeeway + time.Second)
	if _, err := tokens.Verify(token); !errors.Is(err, ErrBadToken) {
		t.Errorf("an expired token: %v", err)
	}
}

func TestForgedAccessTokens(t *testing.T) {
	t.Parallel()
	key := newKey()
	tokens := NewAccessTokens([]Key{key}, time.Now)
	good := func() accessClaims {
		return accessClaims{Workspace: uuid.New(), RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Audience: jwt.ClaimStrings{accessAudience}, Subject: uuid.NewString(),
			ExpiresAt: jwt.NewNumericDate(time.Now().Add(time.Minute)),
		}}
	}
	forge := func(method jwt.SigningMethod, secret any, edit func(*accessClaims)) string {
		claims := good()
		edit(&claims)
		token := jwt.NewWithClaims(method, claims)
		token.Header["kid"] = key.ID
		signed, err := token.SignedString(secret)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	same := func(*accessClaims) {}
	if _, err := tokens.Verify(forge(jwt.SigningMethodHS256, key.Secret, same)); err != nil {
		t.Fatalf("the good one: %v", err)
	}
	for name, token := range map[string]string{
		"no algorithm":      forge(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, same),
		"another algorithm": forge(jwt.SigningMethodHS512, key.Secret, same),
		"another secret":    forge(jwt.SigningMethodHS256, newKey().Secret, same),
		"another audience":  forge(jwt.SigningMethodHS256, key.Secret, func(c *accessClaims) { c.Audience = jwt.ClaimStrings{leaseAudience} }),
		"another issuer":    forge(jwt.SigningMethodHS256, key.Secret, func(c *accessClaims) { c.Issuer = "someone" }),
		"no expiry":         forge(jwt.SigningMethodHS256, key.Secret, func(c *accessClaims) { c.ExpiresAt = nil }),
		"no install":        forge(jwt.SigningMethodHS256, key.Secret, func(c *accessClaims) { c.Subject = "me" }),
		"no token":          "",
	} {
		if _, err := tokens.Verify(token); !errors.Is(err, ErrBadToken) {
			t.Errorf("%s: %v, want ErrBadToken", name, err)
		}
	}
}

func TestLeaseTokensOutliveTheirLease(t *testing.T) {
	t.Parallel()
	keys := NewKeys()
	tokens := NewLeaseTokens(keys.Lease)
	want := send.LeaseClaims{Send: uuid.New(), Lease: uuid.New(), Install: uuid.New(), Account: uuid.New(), Workspace: uuid.New()}
	token, err := tokens.Sign(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tokens.Verify(token); err != nil || got != want {
		t.Errorf("%v, %v", got, err)
	}
	access := NewAccessTokens(keys.Lease, time.Now)
	if _, err := access.Verify(token); !errors.Is(err, ErrBadToken) {
		t.Error("a lease token opens a session")
	}
	if _, err := NewLeaseTokens(NewKeys().Lease).Verify(token); !errors.Is(err, send.ErrBadLease) {
		t.Errorf("a lease token of another server: %v", err)
	}
	cut := token[:strings.LastIndexByte(token, '.')+1]
	if _, err := tokens.Verify(cut); !errors.Is(err, send.ErrBadLease) {
		t.Errorf("a lease token without its signature: %v", err)
	}
}

// A lease is no check and a check no lease, though one key signs both; and a check says when it was asked.
func TestALeaseIsNoCheck(t *testing.T) {
	t.Parallel()
	keys := NewKeys()
	asked := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	claims := send.LeaseClaims{Send: uuid.New(), Lease: uuid.New(), Install: uuid.New(), Account: uuid.New(), Workspace: uuid.New(), AskedAt: asked}
	leases, checks := NewLeaseTokens(keys.Lease), NewCheckTokens(keys.Lease)
	for name, c := range map[string]struct{ signs, other *LeaseTokens }{"lease": {leases, checks}, "check": {checks, leases}} {
		token, err := c.signs.Sign(claims)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.signs.Verify(token); err != nil || !got.AskedAt.Equal(asked) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if _, err := c.other.Verify(token); !errors.Is(err, send.ErrBadLease) {
			t.Errorf("the token of a %s is taken for the other: %v", name, err)
		}
	}
}

func TestRefreshSecretsAreKnownForLongerThanTheyAreStored(t *testing.T) {
	t.Parallel()
	keys := NewKeys()
	secrets, install := NewRefreshSecrets(keys.Refresh), uuid.New()
	value, hash := secrets.New(install)
	if !Matches(value, hash) {
		t.Error("the hash is not the value's")
	}
	rotated := NewRefreshSecrets(append(keys.Refresh, newKey()))
	if !secrets.IssuedTo(install, value) || !rotated.IssuedTo(install, value) {
		t.Error("an own secret is not known")
	}
	flipped := []byte(value)
	flipped[0] ^= 1
	for name, other := range map[string]string{"empty": "", "changed": string(flipped), "longer": value + "A"} {
		if secrets.IssuedTo(install, other) {
			t.Errorf("%s: taken for an own secret", name)
		}
	}
	if secrets.IssuedTo(uuid.New(), value) {
		t.Error("it is taken for another install's")
	}
}

func TestAttemptsAreBoundedPerPlace(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	attempts := NewAttempts(3)
	for i := range 4 {
		if _, got := attempts.Try("192.0.2.1", now); got != (i < 3) {
			t.Errorf("try %d: allowed %t", i+1, got)
		}
	}
	if _, ok := attempts.Try("192.0.2.2", now); !ok {
		t.Error("another place is refused")
	}
	if _, ok := attempts.Try("192.0.2.1", now.Add(20*time.Second)); !ok {
		t.Error("no try came back after a third of a minute")
	}
}

func lastError[T any](_ T, err error) error { return err }
