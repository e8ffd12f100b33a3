// Package auth makes and checks what installs, programs and people prove themselves with: random secrets that are stored
// as hashes, access tokens, lease tokens, and the keys in the data folder that sign them.
package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
)

// secretBytes is 192 bits: more than can be guessed, and base64 of it needs no padding.
const secretBytes = 24

// Prefixes by which a secret that leaked into a log or a repository can be recognized.
const (
	APITokenPrefix   = "so_"
	SignInLinkPrefix = "sol_"
	SessionPrefix    = "sos_"
)

// NewSecret makes a secret: the prefix, then 192 random bits in URL-safe base64. The value is shown once; the hash is what
// is stored.
func NewSecret(prefix string) (value string, hash []byte) {
	random := make([]byte, secretBytes)
	rand.Read(random) // never fails: the runtime ends the process when the system has no randomness
	value = prefix + base64.RawURLEncoding.EncodeToString(random)
	return value, Hash(value)
}

// Hash is how a secret is stored and found again: SHA-256. A slow hash would add nothing, because the secrets are random.
func Hash(value string) []byte {
	sum := sha256.Sum256([]byte(value))
	return sum[:]
}

// Matches compares in constant time a secret that was presented with the hash that was stored.
func Matches(value string, hash []byte) bool {
	return subtle.ConstantTimeCompare(Hash(value), hash) == 1
}
