package install

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/google/uuid"

	"sendonce/server/auth"
	"sendonce/server/config"
)

// codeAlphabet has 32 letters that are not mistaken for each other: no 0 and O, no 1 and I.
const codeAlphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

// PairingStore is what pairing needs of the database.
type PairingStore interface {
	// AddPairingCode keeps the hash of a code that the principal may use until the returned time.
	AddPairingCode(ctx context.Context, hash []byte, workspace, principal uuid.UUID, lasts time.Duration) (time.Time, error)
	// UsePairingCode uses up the code and adds the install for the code's principal, in one transaction. false: no such
	// code, used, or expired.
	UsePairingCode(ctx context.Context, hash []byte, add Enrolment) (bool, error)
	// RotateSecret locks the install, asks decide what its secrets mean, and does it: see Verdict. It returns the
	// install's workspace.
	RotateSecret(ctx context.Context, install uuid.UUID, next []byte, decide func(Secrets) Verdict) (uuid.UUID, Verdict, error)
}

// Enrolment is a new install.
type Enrolment struct {
	Install          uuid.UUID
	SecretHash       []byte
	ExtensionVersion string
}

// Secrets are the hashes of an install's last two refresh secrets, read under its row lock.
type Secrets struct {
	Found           bool
	Revoked         bool
	Current, Former []byte // Former is nil before the first rotation
}

// Verdict is what the use of a refresh secret comes to.
type Verdict int

// The verdicts.
const (
	// Unknown changes nothing.
	Unknown Verdict = iota
	// Rotate makes the current secret the former one and the next secret the current one.
	Rotate
	// RepeatRotation replaces the current secret, which was never used, and keeps the former one: the answer that brought
	// the current one was lost.
	RepeatRotation
	// Reused revokes the install and opens an incident.
	Reused
	// Gone is a revoked install.
	Gone
)

// PairingCode is shown once, to the person who made it.
type PairingCode struct {
	Code      string // with a dash in the middle, to be read aloud
	ExpiresAt time.Time
}

// NewPairingCode makes a code that enrols one install for the principal.
func (s *Service) NewPairingCode(ctx context.Context, workspace, principal uuid.UUID) (PairingCode, error) {
	random := make([]byte, config.PairingCodeLetters)
	rand.Read(random) // never fails
	code := codeOf(random)
	expires, err := s.store.AddPairingCode(ctx, auth.Hash(canonicalCode(code)), workspace, principal, config.PairingCodeLasts)
	if err != nil {
		return PairingCode{}, err
	}
	return PairingCode{Code: code, ExpiresAt: expires}, nil
}

// codeOf writes as many random bytes as a code has letters.
func codeOf(random []byte) string {
	letters := make([]byte, config.PairingCodeLetters)
	for i := range letters {
		letters[i] = codeAlphabet[int(random[i])%len(codeAlphabet)] // 32 divides 256, so every letter is as likely
	}
	half := len(letters) / 2
	return string(letters[:half]) + "-" + string(letters[half:])
}

// canonicalCode forgives what people do when they copy a code: case, spaces, dashes.
func canonicalCode(typed string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToUpper(strings.TrimSpace(typed)))
}

// Paired is a new install's identity. The secret is shown once.
type Paired struct {
	Install       uuid.UUID
	RefreshSecret string
}

// Pair enrols an install. remote is the address it came from; wrong codes are counted by it.
func (s *Service) Pair(ctx context.Context, remote, code, extensionVersion string) (Paired, error) {
	forgive, ok := s.tries.Try(remote, s.now())
	if !ok {
		return Paired{}, ErrTooManyTries
	}
	install := uuid.New()
	secret, hash := s.secrets.New(install)
	found, err := s.store.UsePairingCode(ctx, auth.Hash(canonicalCode(code)),
		Enrolment{Install: install, SecretHash: hash, ExtensionVersion: extensionVersion})
	if err != nil {
		return Paired{}, err
	}
	if !found {
		return Paired{}, ErrBadCode
	}
	forgive()
	return Paired{Install: install, RefreshSecret: secret}, nil
}

// Token is a fresh access token, and the refresh secret that replaces the one that was used.
type Token struct {
	Access        string
	ExpiresIn     time.Duration
	RefreshSecret string
}

// Token takes a refresh secret for an access token. The secret rotates: the one that was used stays good until its
// successor was used, because the answer may be lost. Any older one proves that two browsers hold one pairing, and ends
// the install.
func (s *Service) Token(ctx context.Context, install uuid.UUID, secret string) (Token, error) {
	next, nextHash := s.secrets.New(install)
	workspace, verdict, err := s.store.RotateSecret(ctx, install, nextHash, func(held Secrets) Verdict {
		return s.judge(install, secret, held)
	})
	if err != nil {
		return Token{}, err
	}
	switch verdict {
	case Rotate, RepeatRotation:
	case Reused:
		s.changes.InstallChanged(install)
		return Token{}, ErrRevoked
	case Gone:
		return Token{}, ErrRevoked
	default:
		return Token{}, ErrBadSecret
	}
	access, err := s.access.Sign(auth.AccessClaims{Install: install, Workspace: workspace})
	if err != nil {
		return Token{}, err
	}
	return Token{Access: access, ExpiresIn: config.AccessTokenLasts, RefreshSecret: next}, nil
}

func (s *Service) judge(install uuid.UUID, secret string, held Secrets) Verdict {
	current, former := auth.Matches(secret, held.Current), auth.Matches(secret, held.Former)
	switch genuine := current || former || s.secrets.IssuedTo(install, secret); {
	case !held.Found || !genuine:
		return Unknown
	case held.Revoked:
		return Gone
	case current:
		return Rotate
	case former:
		return RepeatRotation
	default:
		return Reused
	}
}
