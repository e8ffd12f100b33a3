//go:build !race

// One goroutine that computes for seconds: ALONE in the Makefile runs it without the race detector.

package receipt_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"sendonce/server/receipt"
)

// Goal: a receipt in which any one text, number, truth or null was changed, any member or entry removed, added or moved, is
// refused; untouched it holds.
func TestAlteredReceiptsFail(t *testing.T) {
	t.Parallel()
	key := keyOf(1)
	raw := sign(t, example(), key)
	var document any
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	tried := 0
	verify := func() error {
		written, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		_, err = receipt.Verify(written, publicOf(key))
		return err
	}
	if err := verify(); err != nil {
		t.Fatalf("untouched: %v", err)
	}
	alter(&document, "", func(where string) {
		if tried++; verify() == nil {
			t.Errorf("%s: it still holds", where)
		}
	})
	if err := verify(); err != nil {
		t.Fatalf("put back: %v", err)
	}
	if tried < 400 {
		t.Errorf("only %d alterations were tried", tried)
	}
}

// alter changes a document in every way in turn, calls tried, and puts it back.
func alter(at *any, where string, tried func(where string)) {
	was := *at
	try := func(how string, value any) {
		*at = value
		tried(where + " " + how)
		*at = was
	}
	switch value := was.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			less := maps.Clone(value)
			delete(less, name)
			try("without "+name, less)
			one := value[name]
			alter(&one, where+"/"+name, func(where string) {
				value[name] = one
				tried(where)
			})
			value[name] = one
		}
		more := maps.Clone(value)
		more["added"] = nil
		try("with one more member", more)
	case []any:
		for i := range value {
			alter(&value[i], fmt.Sprintf("%s/%d", where, i), tried)
			try("shorter", slices.Delete(slices.Clone(value), i, i+1))
		}
		try("longer", append(slices.Clone(value), nil))
		if len(value) > 1 {
			turned := slices.Clone(value)
			slices.Reverse(turned)
			try("in another order", turned)
		}
	case string:
		try("other text", value+" ")
		try("no text", nil)
		if value != "" {
			try("other first character", "x"+value[1:])
		}
	case float64:
		try("other number", value+1)
		try("as text", fmt.Sprint(value))
	case bool:
		try("turned", !value)
	case nil:
		try("something", "x")
		try("an empty text", "")
	}
}
