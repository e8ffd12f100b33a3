package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"
)

// The purposes keep what is derived here apart from every other use of the same key.
const (
	sourcesPurpose = "sendonce: secrets of callback sources"
	marksPurpose   = "sendonce: keys of the marks of removed people"
)

// Vault seals secrets that the server must read again: a signature can only be verified with the secret itself, a mark only be made
// with the key itself. Its keys come from the data folder, so that a copy of the database alone gives none away. A key that is removed
// there makes what it sealed unreadable.
type Vault struct {
	keys    []Key
	purpose string
}

// NewVault takes the keys of the list Keys.Refresh and derives from them those that seal the secrets of callback sources.
func NewVault(keys []Key) Vault { return Vault{keys, sourcesPurpose} }

// NewMarkVault is the same for the keys of the marks of removed people, which a workspace owns.
func NewMarkVault(keys []Key) Vault { return Vault{keys, marksPurpose} }

// Newest is the id of the key that seals.
func (v Vault) Newest() string { return newest(v.keys).ID }

// Seal encrypts a secret (AES-256-GCM) for one owner, under the newest key.
func (v Vault) Seal(owner uuid.UUID, secret []byte) (keyID string, sealed []byte, err error) {
	key := newest(v.keys)
	box, err := v.boxOf(key)
	if err != nil {
		return "", nil, err
	}
	return key.ID, box.Seal(nil, nil, secret, owner[:]), nil
}

// Open is the other way round. It fails for another owner, for a changed text and when the key is gone.
func (v Vault) Open(owner uuid.UUID, keyID string, sealed []byte) ([]byte, error) {
	for _, key := range v.keys {
		if key.ID != keyID {
			continue
		}
		box, err := v.boxOf(key)
		if err != nil {
			return nil, err
		}
		secret, err := box.Open(nil, nil, sealed, owner[:])
		if err != nil {
			return nil, fmt.Errorf("open a secret sealed under the key %s: %w", keyID, err)
		}
		return secret, nil
	}
	return nil, fmt.Errorf("the key %s is not in %s", keyID, KeysFile)
}

func (v Vault) boxOf(key Key) (cipher.AEAD, error) {
	derived, err := hkdf.Key(sha256.New, key.Secret, nil, v.purpose, keyBytes)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, fmt.Errorf("make the cipher: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}
