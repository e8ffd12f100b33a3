//go:build !race

// One goroutine that computes for seconds: ALONE in the Makefile runs it without the race detector.

package gateway

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"sendonce/parity"
)

// shownFaultsMax bounds what a failing comparison prints.
const shownFaultsMax = 5

// brokenValues stand in for every value of a frame, one at a time.
var brokenValues = []any{nil, "", strings.Repeat("x", 10_000), true, -1, 1.5, 1e18, []any{}, map[string]any{}}

// Goal: the server and the extension take and refuse the same frames and name the same field, for every golden frame and
// for every valid one with each of its values replaced, removed, or joined by a stranger.
func TestFramesAsTheExtensionHasThem(t *testing.T) {
	t.Parallel()
	check := extensionCheck(t)
	names, err := filepath.Glob(filepath.Join(goldenFrames, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	compared, differing := 0, 0
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var golden struct {
			From  string
			Valid bool
			Frame any
		}
		if err := json.Unmarshal(raw, &golden); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		compare := func() {
			compared++
			encoded, err := json.Marshal(golden.Frame)
			if err != nil {
				t.Fatal(err)
			}
			here, there := checkHere(golden.From, encoded), check(golden.From, encoded)
			if here != there {
				if differing++; differing <= shownFaultsMax {
					t.Errorf("%s: the server says %q, the extension %q of %.300s", filepath.Base(name), here, there, encoded)
				}
			}
		}
		compare()
		if golden.Valid {
			eachBreak(golden.Frame, func(changed any) { golden.Frame = changed }, compare)
		}
	}
	t.Logf("%d frames compared", compared)
	if differing > 0 {
		t.Errorf("%d of %d frames differ", differing, compared)
	}
	if compared < 10*len(names) {
		t.Errorf("only %d frames were compared", compared)
	}
}

// eachBreak puts each broken value in the place of value, and of everything in it, by way of put; it leaves value there.
func eachBreak(value any, put func(any), compare func()) {
	for _, broken := range brokenValues {
		put(broken)
		compare()
	}
	put(value)
	switch inner := value.(type) {
	case map[string]any:
		for _, name := range sortedKeys(inner) {
			kept := inner[name]
			eachBreak(kept, func(changed any) { inner[name] = changed }, compare)
			delete(inner, name)
			compare()
			inner[name] = kept
		}
		inner["stranger"] = 1
		compare()
		delete(inner, "stranger")
	case []any:
		for i := range inner {
			eachBreak(inner[i], func(changed any) { inner[i] = changed }, compare)
		}
	}
}

// checkHere and extensionCheck answer "taken", or the field that is wrong.
func checkHere(from string, raw []byte) string {
	var bad *fault
	if from == "install" {
		_, bad = decode(raw)
	} else {
		bad = checkOutgoing(raw)
	}
	if bad == nil {
		return "taken"
	}
	return bad.Field
}

func extensionCheck(t *testing.T) func(from string, raw []byte) string {
	t.Helper()
	script, err := parity.Bundle(map[string]string{"frames": "core/frames.js"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := parity.Load(script + `; globalThis.fieldOf = (text, from) => {
		const result = frames.check(JSON.parse(text), from);
		return 'ok' in result ? 'taken' : result.field ?? ''; }`)
	if err != nil {
		t.Fatal(err)
	}
	fieldOf, _ := goja.AssertFunction(vm.Get("fieldOf"))
	return func(from string, raw []byte) string {
		field, err := fieldOf(goja.Undefined(), vm.ToValue(string(raw)), vm.ToValue(from))
		if err != nil {
			t.Fatal(err)
		}
		return field.String()
	}
}
