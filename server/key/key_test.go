package key_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"sendonce/server/key"
)

// Goal: Go and JavaScript make the same key of the same words. The JavaScript side of it is docs/examples/key.test.mjs.
func TestVectors(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/examples/key-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			Name, Prefix, Item, Payload string
			Canonical, Key              *string
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range file.Vectors {
		got, err := key.Make(v.Prefix, v.Item, []byte(v.Payload))
		if v.Key == nil {
			if err == nil {
				t.Errorf("%s: the key is %s, want a refusal", v.Name, got)
			}
			continue
		}
		canonical, canonicalErr := key.Canonical([]byte(v.Payload))
		if err != nil || canonicalErr != nil || got != *v.Key || string(canonical) != *v.Canonical {
			t.Errorf("%s: %s of %s, %v, want %s of %s", v.Name, got, canonical, err, *v.Key, *v.Canonical)
		}
	}
}

// What JavaScript cannot be shown, because its own reader hides it.
func TestWhatHasNoKey(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)
	for _, payload := range []string{"", "{", `{"a":1,"a":1}`, `{} {}`, `{"a":01}`, "{\"a\":\"\xff\"}", deep} {
		if got, err := key.Make("agent", "lead-42", []byte(payload)); err == nil {
			t.Errorf("%.40q has the key %s", payload, got)
		}
	}
	if got, err := key.Make("agent", "lead-\xff", []byte("{}")); err == nil {
		t.Errorf("an item that is no text has the key %s", got)
	}
}
