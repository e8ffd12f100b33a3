package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
)

// NewMarkKey makes the key under which a workspace marks the addresses of removed people.
func NewMarkKey() []byte {
	key := make([]byte, keyBytes)
	rand.Read(key) // never fails
	return key
}

// Mark is what is kept of an address that nobody may read any more: HMAC-SHA256 of its kind and its value. Without the key nobody can
// try addresses against it.
func Mark(key []byte, kind, value string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(kind))
	mac.Write([]byte{0}) // no kind holds it
	mac.Write([]byte(value))
	return mac.Sum(nil)
}
