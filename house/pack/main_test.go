package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: what ships is what Chrome needs, in folder and zip alike, and packing twice gives the same bytes.
func TestPack(t *testing.T) {
	t.Parallel()
	source, build := t.TempDir(), t.TempDir()
	for _, name := range []string{"manifest.json", "core/rule.js", "test/rule.test.js", "types/x.d.ts", "tsconfig.json"} {
		path := filepath.Join(source, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first := packed(t, source, build)
	// A file that is no longer shipped must not stay in the folder.
	if err := os.WriteFile(filepath.Join(build, "extension", "old.js"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, packed(t, source, build)) {
		t.Error("packing twice gave two different zips")
	}

	want := []string{"core/rule.js", "manifest.json"}
	archive, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	var zipped []string
	for _, file := range archive.File {
		zipped = append(zipped, file.Name)
	}
	if diff := cmp.Diff(want, zipped); diff != "" {
		t.Errorf("zip (-want +got):\n%s", diff)
	}
	var loaded []string
	if err := eachShipped(filepath.Join(build, "extension"), func(name string) error {
		loaded = append(loaded, filepath.ToSlash(name))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, loaded); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
}

func packed(t *testing.T, source, build string) []byte {
	t.Helper()
	if err := pack(source, build); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(build, "sendonce-extension.zip"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}
