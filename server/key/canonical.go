// Package key makes readable Idempotency-Keys, and the canonical form of a request by which its repetition is known. The
// same algorithm in JavaScript is docs/examples/key.mjs; both are held against docs/examples/key-vectors.json.
package key

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
	"golang.org/x/text/unicode/norm"
)

// WholeMax is the largest whole number that every program reads as the same one (RFC 7493, section 2.2).
const WholeMax = 1<<53 - 1

// ErrNumber is a number that programs read as different ones.
var ErrNumber = fmt.Errorf("a number is beyond ±%d; write it as a string", WholeMax)

// marksMax is how many marks may follow one another, as Unicode's stream-safe text has it (UAX #15, section 13). Some libraries, Go's
// among them, put a joiner into a longer row when they compose it, and others do not.
const marksMax = 30

// ErrMarks is a row of marks that programs compose to different texts.
var ErrMarks = fmt.Errorf("more than %d marks stand on one letter; take some away", marksMax)

// compose is the text in NFC, or ErrMarks.
func compose(text string) (string, error) {
	row := 0
	for _, r := range norm.NFD.String(text) {
		if row++; !unicode.Is(unicode.M, r) {
			row = 0
		}
		if row > marksMax {
			return "", ErrMarks
		}
	}
	return norm.NFC.String(text), nil
}

// Canonical is the RFC 8785 form of one JSON object whose names and strings were put into Unicode's NFC first: the order of
// members, white space, escapes, the forms of a number (1, 1.0, 1e0) and of a letter (é in one code point or in two) do not
// matter. An error says what there is no one form for: names that are the same, lone surrogates, ErrNumber, ErrMarks.
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
			text, err := compose(token.String())
			if err != nil {
				return nil, err
			}
			token = jsontext.String(text)
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
