// Package house holds the rules that keep the repository easy to read, each as a function from a folder to its
// findings. Its tests run them on the repository, and on small broken trees to prove that they can fail.
package house

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// finding is one violation: where, what, and what to do.
type finding struct {
	file string // slash-separated, below the root
	line int    // 0 means the whole file
	says string
}

func (f finding) String() string {
	if f.line == 0 {
		return f.file + ": " + f.says
	}
	return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.says)
}

// skippedFolders hold nothing that we wrote.
var skippedFolders = []string{".git", "node_modules", "build", "sendonce-data", "sendonce-sandbox"}

// files lists the files below root whose names end in one of the suffixes, in order.
func files(root string, suffixes ...string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(skippedFolders, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.Type().IsRegular() && hasSuffix(name, suffixes) {
			found = append(found, filepath.ToSlash(name))
		}
		return nil
	})
	return found, err
}

func hasSuffix(name string, suffixes []string) bool {
	return len(suffixes) == 0 || slices.ContainsFunc(suffixes, func(suffix string) bool {
		return strings.HasSuffix(name, suffix)
	})
}

func read(root, name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	return string(content), err
}

// within reports whether a slash path is the folder (or file) or below it.
func within(name, folder string) bool {
	return folder == "." || name == folder || strings.HasPrefix(name, folder+"/")
}

func withinAny(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return within(name, folder) })
}

func isTest(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".test.js") || strings.Contains(name, "/test/")
}

// isGenerated knows the first line that sqlc and shared/generate write.
func isGenerated(content string) bool {
	head, _, _ := strings.Cut(content, "\n")
	return strings.HasPrefix(head, "// Code generated") || strings.HasPrefix(head, "// Made from")
}
