package auth

import (
	"bytes"
	"testing"

	"github.com/google/uuid"
)

// Goal: a mark is the same for the same address under the same key, and another for everything else: nobody without the key can try
// addresses, and no part of one kind's address is another kind's.
func TestMark(t *testing.T) {
	t.Parallel()
	key := NewMarkKey()
	mark := Mark(key, "email", "ada@example.com")
	if len(mark) != 32 || !bytes.Equal(mark, Mark(bytes.Clone(key), "email", "ada@example.com")) {
		t.Errorf("the mark %x is not its own", mark)
	}
	for name, other := range map[string][]byte{
		"another key":   Mark(NewMarkKey(), "email", "ada@example.com"),
		"another kind":  Mark(key, "linkedin_slug", "ada@example.com"),
		"another value": Mark(key, "email", "ada@example.org"),
		"cut elsewhere": Mark(key, "ema", "ilada@example.com"),
		"no value":      Mark(key, "email", ""),
	} {
		if bytes.Equal(mark, other) {
			t.Errorf("%s leaves the same mark", name)
		}
	}
}

// Goal: what is sealed for one purpose is not opened for the other, though both come from the same keys.
func TestTheVaultsAreApart(t *testing.T) {
	t.Parallel()
	keys, owner := NewKeys().Refresh, uuid.New()
	marks, sources := NewMarkVault(keys), NewVault(keys)
	id, sealed, err := marks.Seal(owner, NewMarkKey())
	if err != nil {
		t.Fatal(err)
	}
	if id != marks.Newest() || openError(marks, owner, id, sealed) != nil {
		t.Error("it is not opened by what sealed it")
	}
	if openError(sources, owner, id, sealed) == nil {
		t.Error("the vault of callback sources opened it")
	}
}
