// Package key makes readable Idempotency-Keys, and the canonical form of a request by which its repetition is known. The
// same algorithm in JavaScript is docs/examples/key.mjs; both are held against docs/examples/key-vectors.json.
package key

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
	"golang.org/x/text/unicode/norm"
)

// WholeMax is the largest whole number that every program reads as the same one (RFC 7493, section 2.2).
const WholeMax = 1<<53 - 1

// ErrNumber is a number that programs read as different ones.
var ErrNumber = fmt.Errorf("a number is beyond ±%d; write it as a string", WholeMax)

// Canonical is the RFC 8785 form of one JSON object whose names and strings were put into Unicode's NFC first: the order of
// members, white space, escapes, the forms of a number (1, 1.0, 1e0) and of a letter (é in one code point or in two) do not
// matter. An error says what there is no one form for: names that are the same, lone surrogates, ErrNumber.
func Canonical(object []byte) ([]byte, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(object))
	var composed bytes.Buffer
	encoder := jsontext.NewEncoder(&composed)
	if decoder.PeekKind() != '{' {
		return nil, errors.New("it must be one JSON object")
	}
	for {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch token.Kind() {
		case '"':
			token = jsontext.String(norm.NFC.String(token.String()))
		case '0':
			if math.Abs(token.Float()) > WholeMax {
				return nil, ErrNumber
			}
		}
		if err := encoder.WriteToken(token); err != nil {
			return nil, err
		}
	}
	return jcs.Transform(composed.Bytes())
}
