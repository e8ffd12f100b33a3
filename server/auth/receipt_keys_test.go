package auth

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: the keys of receipts are made once, beside keys that were there before; one more signs, and none is forgotten.
func TestReceiptKeys(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := ReadReceiptKeys(folder); err == nil || !strings.Contains(err.Error(), "the server makes it") {
		t.Errorf("before the first start: %v", err)
	}
	if _, err := AddReceiptKey(folder); err == nil {
		t.Error("a key was added to none")
	}
	if _, err := LoadKeys(folder); err != nil {
		t.Fatal(err)
	}
	made, err := LoadReceiptKeys(folder)
	if err != nil || len(made) != 1 {
		t.Fatalf("%d keys, %v", len(made), err)
	}
	again, err := ReadReceiptKeys(folder)
	if diff := cmp.Diff(made, again); err != nil || diff != "" {
		t.Errorf("read again: %v\n%s", err, diff)
	}
	added, err := AddReceiptKey(folder)
	if err != nil || len(added) != 2 || !added[0].Equal(made[0]) || added[1].Equal(made[0]) {
		t.Fatalf("one more: %d keys, %v", len(added), err)
	}
	loaded, err := LoadReceiptKeys(folder)
	if diff := cmp.Diff(added, loaded); err != nil || diff != "" {
		t.Errorf("the next start: %v\n%s", err, diff)
	}
	info, err := os.Stat(filepath.Join(folder, ReceiptKeysFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v, want mode 600", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*.*.*")); len(left) > 0 {
		t.Errorf("drafts are left: %q", left)
	}
}

// Goal: of two who add a key at one time, one is told to wait, and nothing is lost.
func TestReceiptKeysAreAddedOneByOne(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	made, err := LoadReceiptKeys(folder)
	if err != nil {
		t.Fatal(err)
	}
	draft := filepath.Join(folder, ReceiptKeysFile+".next")
	if err := os.WriteFile(draft, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := AddReceiptKey(folder); err == nil || !strings.Contains(err.Error(), draft) {
		t.Errorf("while another one adds: %v", err)
	}
	if _, err := os.Stat(draft); err != nil {
		t.Errorf("the other one's draft: %v", err)
	}
	if now, err := ReadReceiptKeys(folder); err != nil || !cmp.Equal(made, now) {
		t.Errorf("the keys changed: %v", err)
	}
}

func TestDamagedReceiptKeysStopTheStart(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"cut": `{"seeds":[`, "empty": `{}`, "short": `{"seeds":["AAAA"]}`} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, ReceiptKeysFile), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadReceiptKeys(folder); err == nil {
			t.Errorf("%s: loaded", name)
		}
		if _, err := AddReceiptKey(folder); err == nil {
			t.Errorf("%s: added to", name)
		}
	}
}
