package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"sendonce/server/auth"
	"sendonce/server/receipt"
)

// said runs the command in a data folder.
func said(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), append([]string{"receipt"}, args...), &out)
	return out.String(), err
}

// Goal: whoever holds a receipt and a key learns, with neither database nor network, whether the receipt holds and what it says.
func TestVerifyReceipt(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("SENDONCE_DATA", folder)
	t.Setenv("DATABASE_URL", "postgres://nobody@192.0.2.1/none")
	if _, err := said(t, "key"); err == nil {
		t.Error("keys were made")
	}
	keys, err := auth.LoadReceiptKeys(folder)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := receipt.NewSigner(keys, time.Now).Sign(receipt.Receipt{ReceiptVersion: receipt.ShapeVersion})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(signed)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good.json", raw)
	bad := file("bad.json", bytes.Replace(raw, []byte(`"purpose":""`), []byte(`"purpose":"x"`), 1))
	old, err := said(t, "key")
	if err != nil {
		t.Fatal(err)
	}
	both, err := said(t, "key", "--new")
	if err != nil || !strings.HasPrefix(both, old) || strings.Count(both, "\n") != 2 {
		t.Fatalf("%q, then %q, %v", old, both, err)
	}
	_, newest, _ := strings.Cut(strings.TrimSpace(both), "\n")
	_, public, _ := strings.Cut(strings.TrimSpace(old), " ")
	for _, c := range []struct {
		name string
		args []string
		want string // a part of what is said
		err  string // a part of the error; "" holds
	}{
		{"by its own folder", []string{"verify", good}, "The signature is good.", ""},
		{"by a file of keys", []string{"verify", "--key", file("keys.txt", []byte(both)), good}, "by the key " + signed.Signature.KeyID, ""},
		{"by the key", []string{"verify", "--key", public, good}, "The signature is good.", ""},
		{"by another key", []string{"verify", "--key", file("new.txt", []byte(newest)), good}, "", "names the key"},
		{"altered", []string{"verify", bad}, "", "bad.json does not hold"},
		{"without a key in it", []string{"verify", "--key", file("none.txt", nil), good}, "", "no key"},
		{"no file", []string{"verify", filepath.Join(folder, "none.json")}, "", "none.json"},
		{"a folder", []string{"verify", folder}, "", folder},
		{"without end", []string{"verify", "/dev/zero"}, "", "longer than"},
		{"keys without end", []string{"verify", "--key", "/dev/zero", good}, "", "longer than"},
	} {
		out, err := said(t, c.args...)
		if c.err == "" && (err != nil || !strings.Contains(out, c.want)) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || out != "") {
			t.Errorf("%s: %q, %v", c.name, out, err)
		}
	}
	for _, args := range [][]string{{}, {"print"}, {"verify"}, {"verify", good, bad}, {"key", "x"}} {
		if _, err := said(t, args...); !errors.Is(err, errUsage) {
			t.Errorf("%q: %v", args, err)
		}
	}
}
