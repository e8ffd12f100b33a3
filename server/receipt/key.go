package receipt

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// PublicKey is a key as it is published. Signs says that new receipts are signed with it; the others were used before.
type PublicKey struct {
	KeyID     string `json:"key_id"`
	Alg       string `json:"alg"`
	PublicKey string `json:"public_key"` // its 32 bytes as URL-safe base64 without padding: "x" of a JSON Web Key
	Signs     bool   `json:"signs"`
}

// Published are the public halves of keys of which the last one signs.
func Published(keys []ed25519.PrivateKey) []PublicKey {
	out := make([]PublicKey, len(keys))
	for i, key := range keys {
		public := publicOf(key)
		out[i] = PublicKey{KeyID: KeyID(public), Alg: alg, PublicKey: encode(public), Signs: i == len(keys)-1}
	}
	return out
}

// ParseKeys reads public keys: the answer of GET /v1/receipt-keys, or lines as `sendonce receipt key` prints them, or one key.
func ParseKeys(text string) ([]ed25519.PublicKey, error) {
	encoded, err := encodedKeys(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	var keys []ed25519.PublicKey
	for _, one := range encoded {
		raw, ok := decode(one, ed25519.PublicKeySize)
		if !ok {
			return nil, fmt.Errorf("%q is no public key: it has %d bytes in URL-safe base64, as `sendonce receipt key` prints it", one, ed25519.PublicKeySize)
		}
		keys = append(keys, raw)
	}
	return keys, nil
}

func encodedKeys(text string) (encoded []string, err error) {
	if strings.HasPrefix(text, "{") {
		var list struct {
			Items []PublicKey `json:"items"`
		}
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return nil, fmt.Errorf("the keys are not as GET /v1/receipt-keys answers them: %w", err)
		}
		for _, key := range list.Items {
			encoded = append(encoded, key.PublicKey)
		}
	} else {
		for line := range strings.Lines(text) {
			if fields := strings.Fields(line); len(fields) > 0 {
				encoded = append(encoded, fields[len(fields)-1])
			}
		}
	}
	if len(encoded) == 0 {
		return nil, errors.New("there is no key in it")
	}
	return encoded, nil
}
