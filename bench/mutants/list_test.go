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
		second := brokenWith(m.name)
		if len(second) != len(behind[m.name]) {
			t.Errorf("%s: of what stands behind it, %v, something is not known", m.name, behind[m.name])
		}
		m.behind = append(m.behind, second...)
		for _, e := range m.edits() {
			raw, err := os.ReadFile(filepath.Join("..", "..", e.file))
			if err != nil {
				t.Errorf("%s: %v", m.name, err)
				continue
			}
			if n := strings.Count(string(raw), e.find); n != 1 {
				t.Errorf("%s: its text stands %d times in %s, want once", m.name, n, e.file)
			}
		}
	}
	for name := range behind {
		if !names[name] {
			t.Errorf("something stands behind %s, and there is no such mutant", name)
		}
	}
	if explained > 3 {
		t.Errorf("%d survivors are explained, at most 3 may be", explained)
	}
}

// Goal: the simulation sees three in four of the breakages that concern it, and what is said of the others is of some that
// there are.
func TestTheSimulationIsToSeeMostOfWhatItModels(t *testing.T) {
	t.Parallel()
	names, modelled := map[string]bool{}, 0
	for _, m := range all() {
		names[m.name] = true
		if outside(m) == "" {
			modelled++
		}
	}
	for _, list := range []map[string]string{notSimulated, cannotSee} {
		for name, why := range list {
			if !names[name] || why == "" {
				t.Errorf("%s: %q is said of no mutant, or says nothing", name, why)
			}
		}
	}
	for name := range cannotSee {
		if notSimulated[name] != "" {
			t.Errorf("%s is not simulated, and not seen", name)
		}
	}
	if 4*len(cannotSee) > modelled {
		t.Errorf("the simulation cannot see %d of the %d that it models, want a quarter at most", len(cannotSee), modelled)
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
