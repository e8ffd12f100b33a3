package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// tryWithin bounds the tests of one breakage.
const tryWithin = 12 * time.Minute

// tree is a copy of the files that git tracks, in which things are broken.
type tree struct{ root string }

func copyTree(ctx context.Context) (*tree, error) {
	list, err := exec.CommandContext(ctx, "git", "ls-files", "-z").Output()
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	root, err := os.MkdirTemp("", "sendonce-mutants-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the copy: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if err := copyFile(name, filepath.Join(root, name)); err != nil {
			return nil, errors.Join(err, os.RemoveAll(root))
		}
	}
	return &tree{root}, nil
}

func copyFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	content, err := os.ReadFile(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil // deleted in the work tree, not yet in git
	}
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	if err := os.WriteFile(to, content, 0o644); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

func (t *tree) remove() error { return os.RemoveAll(t.root) }

// try breaks the tree, runs the tests and mends it again. It returns the name of the first test that failed, "" when all
// passed. Tests that could not be built are an error: such a breakage proves nothing.
func (t *tree) try(ctx context.Context, m mutant, postgres string) (witness string, err error) {
	whole := map[string][]byte{}
	defer func() {
		for path, content := range whole {
			err = errors.Join(err, os.WriteFile(path, content, 0o644))
		}
	}()
	for _, e := range m.edits() {
		path := filepath.Join(t.root, e.file)
		content, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		if n := bytes.Count(content, []byte(e.find)); n != 1 {
			return "", fmt.Errorf("its text stands %d times in %s, want once; mend the list of mutants", n, e.file)
		}
		if whole[path] == nil {
			whole[path] = content
		}
		if err := os.WriteFile(path, bytes.Replace(content, []byte(e.find), []byte(e.replace), 1), 0o644); err != nil {
			return "", err
		}
	}
	return t.test(ctx, m, postgres)
}

func (t *tree) test(ctx context.Context, m mutant, postgres string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, tryWithin)
	defer stop()
	command := exec.CommandContext(ctx, m.test[0], m.test[1:]...)
	command.Dir = t.root
	command.Env = append(os.Environ(), "SENDONCE_TEST_POSTGRES="+postgres)
	out, err := command.CombinedOutput()
	if err == nil {
		return "", nil
	}
	if bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")) {
		return "", fmt.Errorf("it does not build:\n%s", out)
	}
	if witness := firstFailure(out); witness != "" {
		return witness, nil
	}
	return "", fmt.Errorf("%s ended without naming a failed test: %w\n%s", strings.Join(m.test, " "), err, out)
}

// How the simulation, Go's tests and Node's test runner name a failure.
var failures = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^\s*sim_test\.go:\d+: (seed \d+) broke`),
	regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`),
	regexp.MustCompile(`(?m)^\s*not ok \d+ - (.+)$`),
	regexp.MustCompile(`(?m)^\s*✖ (.+?) \(`),
	regexp.MustCompile(`(?m)^(panic: .+)$`),
}

func firstFailure(out []byte) string {
	for _, failure := range failures {
		if found := failure.FindSubmatch(out); found != nil {
			return string(found[1])
		}
	}
	return ""
}
