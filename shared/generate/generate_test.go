package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Goal: what is derived from the table is on disk as the table has it now.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	t.Chdir("../..")
	if err := run(true); err != nil {
		t.Error(err)
	}
}

// Goal: a generated file that was changed by hand is found, and the message says how to make it again.
func TestCheckFindsAChangedFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, out := range outputs {
		if err := os.MkdirAll(filepath.Dir(out.path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(false); err != nil {
		t.Fatal(err)
	}
	for _, out := range outputs {
		whole, err := os.ReadFile(out.path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(out.path, whole[1:], 0o644); err != nil {
			t.Fatal(err)
		}
		err = run(true)
		if err == nil || !strings.Contains(err.Error(), out.path) || !strings.Contains(err.Error(), "go run ./shared/generate") {
			t.Errorf("a changed %s gives %v", out.path, err)
		}
		if err := os.WriteFile(out.path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
