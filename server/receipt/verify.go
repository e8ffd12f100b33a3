package receipt

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sendonce/server/config"
)

// ErrAltered says that a signature does not belong to what stands in the document.
var ErrAltered = errors.New("this is not what was signed: something in it was changed, added or removed")

// Verify reads a receipt and holds it against the signature in it and the keys of whom the reader trusts. White space and the
// order of members do not count. It asks nobody: no database, no network, no clock.
func Verify(raw []byte, keys []ed25519.PublicKey) (Receipt, error) {
	if len(raw) > config.ReceiptBytesMax {
		return Receipt{}, fmt.Errorf("it has %d bytes; no receipt has more than %d", len(raw), config.ReceiptBytesMax)
	}
	signed, signature, err := taken(raw)
	if err != nil {
		return Receipt{}, err
	}
	key, err := signature.by(keys)
	if err != nil {
		return Receipt{}, err
	}
	value, ok := decode(signature.Value, ed25519.SignatureSize)
	if !ok || !ed25519.Verify(key, signed, value) {
		return Receipt{}, ErrAltered
	}
	var r Receipt
	if err := json.Unmarshal(raw, &r); err != nil {
		return Receipt{}, fmt.Errorf("it is signed, but is no receipt of shape %d: %w", ShapeVersion, err)
	}
	if r.ReceiptVersion != ShapeVersion {
		return Receipt{}, fmt.Errorf("its signature is good, but receipt_version is %d and this program reads %d: use a newer one", r.ReceiptVersion, ShapeVersion)
	}
	return r, nil
}

// seal is a signature as it stands in a document.
type seal struct {
	Alg   string `json:"alg"`
	KeyID string `json:"key_id"`
	Value string `json:"value"`
}

// taken takes the signature's value out of a document: what is left, in canonical form, is what was signed.
func taken(raw []byte) (signed []byte, s seal, err error) {
	if _, err := canonical(raw); err != nil {
		return nil, s, err
	}
	var document, signature map[string]jsontext.Value
	if err := json.Unmarshal(raw, &document); err != nil || document == nil {
		return nil, s, errors.New("it is no JSON object")
	}
	if err := json.Unmarshal(document["signature"], &signature); err != nil || signature == nil {
		return nil, s, errors.New("it has no signature")
	}
	if err := json.Unmarshal(document["signature"], &s); err != nil {
		return nil, s, fmt.Errorf("its signature is not readable: %w", err)
	}
	delete(signature, "value")
	if document["signature"], err = json.Marshal(signature); err != nil {
		return nil, s, err
	}
	rest, err := json.Marshal(document)
	if err != nil {
		return nil, s, err
	}
	signed, err = canonical(rest)
	return signed, s, err
}

// by finds the key that the signature names.
func (s seal) by(keys []ed25519.PublicKey) (ed25519.PublicKey, error) {
	if s.Alg != alg {
		return nil, fmt.Errorf("signature.alg is %q; a receipt is signed with %s", s.Alg, alg)
	}
	var known []string
	for _, key := range keys {
		if KeyID(key) == s.KeyID {
			return key, nil
		}
		known = append(known, KeyID(key))
	}
	return nil, fmt.Errorf("it names the key %q, which is none of those it may be signed with: %s", s.KeyID, strings.Join(known, ", "))
}
