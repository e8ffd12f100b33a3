package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// NoteFile is the name of the note in the data folder.
const NoteFile = "instance.json"

// ReadNote reads what this folder remembers of its database; nil when it remembers nothing. A damaged note is an error:
// whoever removes it has decided that nothing speaks against the database.
func ReadNote(folder string) (*Memory, error) {
	path := filepath.Join(folder, NoteFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the note about the database: %w", err)
	}
	var memory Memory
	if err := json.Unmarshal(raw, &memory); err != nil {
		return nil, fmt.Errorf("%s is damaged; if the database is the one that sent before, remove that file: %w", path, err)
	}
	return &memory, nil
}

// WriteNote replaces the note: there is always a whole one.
func WriteNote(folder string, memory Memory) error {
	raw, err := json.MarshalIndent(memory, "", "  ")
	if err != nil {
		return fmt.Errorf("write the note about the database: %w", err)
	}
	if err := replace(folder, NoteFile, append(raw, '\n')); err != nil {
		return fmt.Errorf("write the note about the database: %w", err)
	}
	return nil
}

func replace(folder, name string, raw []byte) error {
	draft, err := os.CreateTemp(folder, name+".*") // CreateTemp makes files of mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	_, err = draft.Write(raw)
	if err := errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	if err := os.Rename(draft.Name(), filepath.Join(folder, name)); err != nil {
		return err
	}
	// The new name survives a power cut only once the folder was written.
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// FolderMark tells a folder from a copy of it that stands beside it on the same disk. A copy of the whole disk has the
// same mark.
func FolderMark(folder string) (uint64, error) {
	info, err := os.Stat(folder)
	if err != nil {
		return 0, fmt.Errorf("look at the data folder: %w", err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino, nil
	}
	return 0, nil
}
