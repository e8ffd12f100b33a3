package key_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sendonce/server/key"
)

// joiner is what Go's library puts into a row of more than 30 marks: U+034F.
const joiner = "\u034f"

// Goal: whatever is said to be canonical is JSON, is its own canonical form, and stays the same when it is composed or
// decomposed.
func FuzzCanonical(f *testing.F) {
	for _, object := range []string{
		`{}`, `{"b":1,"a":[1.0,1e0,-0]}`, "{\"body\":\"cafe\u0301\"}", `{"body":"\ud83d\ude00\n"}`, "{\"e\u0301\":1,\"é\":2}", `{"a":"x` + strings.Repeat("\u0301", 30) + `"}`, `{"a":"` + strings.Repeat("\u0345\u0301", 16) + `"}`, `{"n":1e400}`,
		"{\"a\":\"\\n\u0301\"}", `{"a":{"b":{"c":[[[]]]}}}`, `[]`, `{"a":1}{"b":2}`,
	} {
		f.Add([]byte(object))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		once, err := key.Canonical(object)
		if err != nil {
			return
		}
		if !json.Valid(once) || !utf8.Valid(once) {
			t.Fatalf("%q is no JSON", once)
		}
		if strings.Count(string(once), joiner) > strings.Count(string(object), joiner)+strings.Count(strings.ToLower(string(object)), `\u034f`) {
			t.Fatalf("%q became %q: what composed it put a joiner in, and others do not", object, once)
		}
		again, err := key.Canonical(once)
		if err != nil || !bytes.Equal(once, again) {
			t.Fatalf("%q became %q, %v", once, again, err)
		}
		var value any
		if err := json.Unmarshal(once, &value); err != nil {
			t.Fatal(err)
		}
		decomposed, err := json.Marshal(decompose(value))
		if err != nil {
			t.Fatal(err)
		}
		if other, err := key.Canonical(decomposed); err != nil || !bytes.Equal(once, other) {
			t.Errorf("decomposed, %q is %q, %v", once, other, err)
		}
	})
}

func decompose(value any) any {
	switch at := value.(type) {
	case string:
		return norm.NFD.String(at)
	case []any:
		for i := range at {
			at[i] = decompose(at[i])
		}
	case map[string]any:
		other := map[string]any{}
		for name, member := range at {
			other[norm.NFD.String(name)] = decompose(member)
		}
		return other
	}
	return value
}
