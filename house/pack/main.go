// Command pack makes what people install from extension/: a folder that Chrome loads, and the zip for the store. It
// leaves out what only the checks need, and makes the same bytes from the same files.
//
//	go run ./house/pack extension build
package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// unshipped stand in extension/ for the checks alone.
var unshipped = []string{"test", "types", "tsconfig.json", "package.json"}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pack <source folder> <build folder>")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func pack(source, build string) error {
	folder := filepath.Join(build, "extension")
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("empty the folder: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	path := filepath.Join(build, "sendonce-extension.zip")
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("make the zip: %w", err)
	}
	archive := zip.NewWriter(file)
	err = eachShipped(source, func(name string) error { return ship(source, folder, name, archive) })
	if err := errors.Join(err, archive.Close(), file.Close()); err != nil {
		return err
	}
	fmt.Printf("folder for \"Load unpacked\": %s\nzip for the store:           %s\n", folder, path)
	return nil
}

// eachShipped visits the files in a fixed order.
func eachShipped(source string, visit func(name string) error) error {
	return filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		switch {
		case slices.Contains(unshipped, name) && entry.IsDir():
			return filepath.SkipDir
		case slices.Contains(unshipped, name) || !entry.Type().IsRegular():
			return nil
		}
		return visit(name)
	})
}

// ship writes one file to the folder and to the zip, there without times, which differ between checkouts.
func ship(source, folder, name string, archive *zip.Writer) error {
	content, err := os.ReadFile(filepath.Join(source, name))
	if err != nil {
		return err
	}
	target := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(target, content, 0o644); err != nil {
		return err
	}
	entry, err := archive.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(name), Method: zip.Deflate})
	if err != nil {
		return err
	}
	_, err = entry.Write(content)
	return err
}
