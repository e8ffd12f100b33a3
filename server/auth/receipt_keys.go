package auth

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReceiptKeysFile is the name of the file in the data folder with the keys that sign receipts. Whoever can read it can make
// receipts of what never happened. It is a file of its own, so that it can be there for servers that had keys before there
// were receipts, and without those keys.
const ReceiptKeysFile = "receipt-keys.json"

// receiptSeeds are the private keys, as RFC 8032 calls them, of which the last signs. The others are kept for their public
// halves, so that what they signed can still be verified.
type receiptSeeds struct {
	Seeds [][]byte `json:"seeds"`
}

func newReceiptSeeds() receiptSeeds { return receiptSeeds{[][]byte{newKey().Secret}} }

// LoadReceiptKeys reads the keys that sign receipts from the data folder, and makes one there at the first start. The last
// signs.
func LoadReceiptKeys(folder string) ([]ed25519.PrivateKey, error) {
	var file receiptSeeds
	if err := load(folder, ReceiptKeysFile, &file, func() any { return newReceiptSeeds() }); err != nil {
		return nil, err
	}
	return file.keys(filepath.Join(folder, ReceiptKeysFile))
}

// ReadReceiptKeys is LoadReceiptKeys for who only asks: it makes nothing.
func ReadReceiptKeys(folder string) ([]ed25519.PrivateKey, error) {
	path := filepath.Join(folder, ReceiptKeysFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s: the server makes it when it starts, in its folder SENDONCE_DATA", path)
	}
	return LoadReceiptKeys(folder)
}

// AddReceiptKey makes one key more, which signs from the next start of the server on.
func AddReceiptKey(folder string) ([]ed25519.PrivateKey, error) {
	path := filepath.Join(folder, ReceiptKeysFile)
	// Two at once would each forget the other's key: only one makes the draft.
	draft, err := os.OpenFile(path+".next", os.O_WRONLY|os.O_CREATE|os.O_EXCL, keysMode)
	if err != nil {
		return nil, fmt.Errorf("begin the new keys, which somebody else may be doing (else remove the file): %w", err)
	}
	keys, err := writeOneMore(folder, draft)
	if err = errors.Join(err, draft.Close()); err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(draft.Name()))
	}
	return keys, nil
}

// writeOneMore writes the keys that there are and a new one into draft.
func writeOneMore(folder string, draft *os.File) ([]ed25519.PrivateKey, error) {
	keys, err := ReadReceiptKeys(folder)
	if err != nil {
		return nil, err
	}
	keys = append(keys, ed25519.NewKeyFromSeed(newKey().Secret))
	var file receiptSeeds
	for _, key := range keys {
		file.Seeds = append(file.Seeds, key.Seed())
	}
	raw, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := writeDurably(draft, append(raw, '\n')); err != nil {
		return nil, fmt.Errorf("write the keys: %w", err)
	}
	return keys, nil
}

func (f receiptSeeds) keys(path string) ([]ed25519.PrivateKey, error) {
	var keys []ed25519.PrivateKey
	for _, seed := range f.Seeds {
		if len(seed) != ed25519.SeedSize {
			return nil, fmt.Errorf("%s: a seed has %d bytes, not %d", path, len(seed), ed25519.SeedSize)
		}
		keys = append(keys, ed25519.NewKeyFromSeed(seed))
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s has no key", path)
	}
	return keys, nil
}
