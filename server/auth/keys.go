package auth

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// KeysFile is the name of the keys' file in the data folder. Whoever can read it can pretend to be any install.
const KeysFile = "keys.json"

const (
	keyBytes  = 32
	keysMode  = 0o600
	kidPrefix = "k"
)

// Key is one signing key. ID stands in the header of what it signed.
type Key struct {
	ID     string `json:"id"`
	Secret []byte `json:"secret"`
}

// Keys are the server's signing keys, kept outside the database: a copy of the database alone can sign nothing. Of each
// list the last key signs and every key verifies, so that a new one can be added while what the old one signed is still
// about, and the old one removed later.
type Keys struct {
	// Access signs the access tokens of installs.
	Access []Key `json:"access"`
	// Lease signs lease tokens. A removed key makes the late reports of its leases unverifiable: keep it for 90 days.
	Lease []Key `json:"lease"`
	// Refresh marks the refresh secrets of installs as made here.
	Refresh []Key `json:"refresh"`
}

// LoadKeys reads the keys from the data folder, and makes them there at the first start.
func LoadKeys(folder string) (Keys, error) {
	var keys Keys
	if err := load(folder, KeysFile, &keys, func() any { return NewKeys() }); err != nil {
		return Keys{}, err
	}
	if err := keys.check(); err != nil {
		return Keys{}, fmt.Errorf("%s: %w", filepath.Join(folder, KeysFile), err)
	}
	return keys, nil
}

// load reads a file of keys into into, and makes it first when it is not there.
func load(folder, name string, into any, fresh func() any) error {
	path := filepath.Join(folder, name)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := createKeys(folder, path, fresh()); err != nil {
			return fmt.Errorf("make the keys: %w", err)
		}
		// Read back, so that of two servers that start at once both use the keys of the one that was first.
		raw, err = os.ReadFile(path)
	}
	if err != nil {
		return fmt.Errorf("read the keys: %w", err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s is damaged, restore it from a backup: %w", path, err)
	}
	return nil
}

// NewKeys makes one key of each kind.
func NewKeys() Keys {
	return Keys{Access: []Key{newKey()}, Lease: []Key{newKey()}, Refresh: []Key{newKey()}}
}

func newKey() Key {
	secret := make([]byte, keyBytes)
	rand.Read(secret) // never fails
	return Key{ID: kidPrefix + rand.Text()[:8], Secret: secret}
}

// createKeys writes the whole file before it gets its name, and never over one that is there.
func createKeys(folder, path string, keys any) error {
	raw, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return err
	}
	draft, err := os.CreateTemp(folder, filepath.Base(path)+".*") // CreateTemp makes files of mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	if err := errors.Join(writeDurably(draft, append(raw, '\n')), draft.Chmod(keysMode), draft.Close()); err != nil {
		return err
	}
	if err := os.Link(draft.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func writeDurably(file *os.File, raw []byte) error {
	if _, err := file.Write(raw); err != nil {
		return err
	}
	return file.Sync()
}

func (k Keys) check() error {
	for name, list := range map[string][]Key{"access": k.Access, "lease": k.Lease, "refresh": k.Refresh} {
		if len(list) == 0 {
			return fmt.Errorf("%s has no key", name)
		}
		seen := map[string]bool{}
		for _, key := range list {
			if key.ID == "" || seen[key.ID] {
				return fmt.Errorf("%s has a key without an id of its own", name)
			}
			if len(key.Secret) < keyBytes {
				return fmt.Errorf("%s: the key %s is shorter than %d bytes", name, key.ID, keyBytes)
			}
			seen[key.ID] = true
		}
	}
	return nil
}

func newest(keys []Key) Key { return keys[len(keys)-1] }
