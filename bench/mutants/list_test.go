package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Goal: a breakage whose text has moved is noticed by the next `go test`, not by a run that takes minutes.
func TestEveryMutantStillApplies(t *testing.T) {
	t.Parallel()
	names, explained := map[string]bool{}, 0
	for _, m := range all() {
		if names[m.name] {
			t.Errorf("two mutants are named %s", m.name)
		}
		names[m.name] = true
		if m.explained != "" {
			explained++
		}
		raw, err := os.ReadFile(filepath.Join("..", "..", m.file))
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		if n := strings.Count(string(raw), m.find); n != 1 {
			t.Errorf("%s: its text stands %d times in %s, want once", m.name, n, m.file)
		}
	}
	if explained > 3 {
		t.Errorf("%d survivors are explained, at most 3 may be", explained)
	}
}

func TestFirstFailureNamesTheTest(t *testing.T) {
	t.Parallel()
	for out, want := range map[string]string{
		"=== RUN   TestA\n--- FAIL: TestA (0.01s)\nFAIL\n": "TestA",
		"ok 1 - fine\nnot ok 2 - no click: an empty box\n": "no click: an empty box",
		"ok  	sendonce/server/send	1.2s\n":                 "",
	} {
		if got := firstFailure([]byte(out)); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}
