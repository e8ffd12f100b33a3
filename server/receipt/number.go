package receipt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"sendonce/server/key"
)

// number is the kind of a JSON number, as jsontext has it.
const number = jsontext.Kind('0')

func isWhole(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && -key.WholeMax <= n && n <= key.WholeMax && strconv.FormatInt(n, 10) == text
}

// wholeNumbers is a JSON value in which every number that is no such integer is written as a string: what a browser says is
// for it to choose, and a document in which two libraries read two numbers could not be signed. It is null for what is no JSON.
func wholeNumbers(raw []byte) jsontext.Value {
	var out bytes.Buffer
	in, to := jsontext.NewDecoder(bytes.NewReader(raw)), jsontext.NewEncoder(&out)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) && out.Len() > 0 {
			return bytes.TrimSpace(out.Bytes())
		}
		if err == nil && token.Kind() == number && !isWhole(token.String()) {
			token = jsontext.String(token.String())
		}
		if err == nil {
			err = to.WriteToken(token)
		}
		if err != nil {
			return jsontext.Value("null")
		}
	}
}

// refuseNumbers finds a number that no receipt holds.
func refuseNumbers(raw []byte) error {
	in := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if token.Kind() == number && !isWhole(token.String()) {
			return fmt.Errorf("%q is %s: a receipt holds only whole numbers up to %d", in.StackPointer(), token, key.WholeMax)
		}
	}
}
