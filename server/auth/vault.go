package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"
)

// vaultPurpose keeps what is derived here apart from every other use of the same key.
const vaultPurpose = "sendonce: secrets of callback sources"

// Vault seals secrets that the server must read again: a signature can only be verified with the secret itself. Its keys come
// from the data folder, so that a copy of the database alone gives none away. A key that is removed there makes what it sealed
// unreadable: give the source a new secret then.
type Vault struct{ keys []Key }

// NewVault takes the keys of the list Keys.Refresh and derives its own from them.
func NewVault(keys []Key) Vault { return Vault{keys: keys} }

// Seal encrypts a secret (AES-256-GCM) for one owner, under the newest key.
func (v Vault) Seal(owner uuid.UUID, secret []byte) (keyID string, sealed []byte, err error) {
	key := newest(v.keys)
	box, err := boxOf(key)
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
		box, err := boxOf(key)
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

func boxOf(key Key) (cipher.AEAD, error) {
	derived, err := hkdf.Key(sha256.New, key.Secret, nil, vaultPurpose, keyBytes)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, fmt.Errorf("make the cipher: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}
