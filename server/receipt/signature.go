package receipt

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// alg is the one algorithm there is (RFC 8032), by the name of RFC 8037.
const alg = "Ed25519"

// keyIDBytes of the hash of a public key name it.
const keyIDBytes = 8

// KeyID is the name of a public key: the first 16 hex digits of its SHA-256. It follows from the key, so that two servers
// cannot give one name to two keys.
func KeyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:keyIDBytes])
}

// Signer signs receipts with the last of its keys.
type Signer struct {
	keys []ed25519.PrivateKey
	now  func() time.Time
}

// NewSigner panics without a key or a clock.
func NewSigner(keys []ed25519.PrivateKey, now func() time.Time) *Signer {
	if len(keys) == 0 || now == nil {
		panic("receipt.NewSigner: a part is missing")
	}
	return &Signer{keys: keys, now: now}
}

// Sign fills in the signature.
func (s *Signer) Sign(r Receipt) (Receipt, error) {
	key := s.keys[len(s.keys)-1]
	r.Signature = Signature{Alg: alg, KeyID: KeyID(publicOf(key)), SignedAt: At(s.now())}
	raw, err := json.Marshal(r) // without the value, which is not there yet
	if err != nil {
		return Receipt{}, fmt.Errorf("write the receipt: %w", err)
	}
	signed, err := canonical(raw)
	if err != nil {
		return Receipt{}, fmt.Errorf("sign the receipt: %w", err)
	}
	r.Signature.Value = encode(ed25519.Sign(key, signed))
	return r, nil
}

func publicOf(key ed25519.PrivateKey) ed25519.PublicKey {
	return ed25519.PublicKey(key[ed25519.SeedSize:])
}

// canonical is the RFC 8785 form of a JSON value. It refuses a member that stands there twice, and numbers that are not whole.
func canonical(raw []byte) ([]byte, error) {
	value := jsontext.Value(raw).Clone()
	if err := value.Canonicalize(); err != nil {
		var syntax *jsontext.SyntacticError
		if errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax) {
			return nil, fmt.Errorf("%q stands there twice", syntax.JSONPointer) // quoted: a stranger chose it
		}
		return nil, fmt.Errorf("it is no JSON, or was cut off: %w", err)
	}
	if err := refuseNumbers(raw); err != nil {
		return nil, err
	}
	return value, nil
}

// encode is URL-safe base64 without padding, as JSON Web Keys have it.
func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// decode takes only what encode writes: base64 can spell one value in several ways.
func decode(text string, size int) ([]byte, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	return raw, err == nil && len(raw) == size && encode(raw) == text
}
