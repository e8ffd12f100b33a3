package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"
)

const (
	refreshRandomBytes = 24
	refreshMarkBytes   = 16
)

// RefreshSecrets makes the refresh secrets of installs. Each carries a mark of this server and of its install, so that a
// secret that was issued once and has been replaced since, a copied profile, can be told from a guess. The database keeps
// only the hashes of the last two.
type RefreshSecrets struct{ keys []Key }

// NewRefreshSecrets takes the keys of the list Keys.Refresh.
func NewRefreshSecrets(keys []Key) RefreshSecrets { return RefreshSecrets{keys: keys} }

// New makes the next secret of an install.
func (r RefreshSecrets) New(install uuid.UUID) (value string, hash []byte) {
	random := make([]byte, refreshRandomBytes)
	rand.Read(random) // never fails
	value = base64.RawURLEncoding.EncodeToString(append(random, mark(newest(r.keys), install, random)...))
	return value, Hash(value)
}

// IssuedTo reports whether New made the secret for that install, however long ago.
func (r RefreshSecrets) IssuedTo(install uuid.UUID, value string) bool {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(value)
	if err != nil || len(raw) != refreshRandomBytes+refreshMarkBytes {
		return false
	}
	random, marked := raw[:refreshRandomBytes], raw[refreshRandomBytes:]
	for _, key := range r.keys {
		if hmac.Equal(mark(key, install, random), marked) {
			return true
		}
	}
	return false
}

// Derived is 32 bytes that only who has the newest key can make, the same for the same words.
func (r RefreshSecrets) Derived(words ...string) []byte {
	mac := hmac.New(sha256.New, newest(r.keys).Secret)
	for _, word := range words {
		mac.Write([]byte(word))
		mac.Write([]byte{0}) // no word holds it
	}
	return mac.Sum(nil)
}

func mark(key Key, install uuid.UUID, random []byte) []byte {
	mac := hmac.New(sha256.New, key.Secret)
	mac.Write(install[:])
	mac.Write(random)
	return mac.Sum(nil)[:refreshMarkBytes]
}
