package harness

import (
	"fmt"
	"os"
	"path/filepath"
)

func (b *Browser) storageFolder() string {
	return filepath.Join(b.options.Profile, "Default", "Local Extension Settings", b.extensionID)
}

// SaveStorage copies what the extension has stored so far to a folder that is not there yet.
func (b *Browser) SaveStorage(to string) error {
	if err := os.CopyFS(to, os.DirFS(b.storageFolder())); err != nil {
		return fmt.Errorf("save the extension's storage: %w", err)
	}
	return nil
}

// RestoreStorage puts an older copy back after a Kill: every later write is lost, as with the power.
func (b *Browser) RestoreStorage(from string) error {
	if err := os.RemoveAll(b.storageFolder()); err != nil {
		return fmt.Errorf("drop the extension's storage: %w", err)
	}
	if err := os.CopyFS(b.storageFolder(), os.DirFS(from)); err != nil {
		return fmt.Errorf("restore the extension's storage: %w", err)
	}
	return nil
}

// CopyProfile copies the profile of a killed browser to an empty folder, as people do who set up another computer.
func (b *Browser) CopyProfile(to string) error {
	if err := os.CopyFS(filepath.Join(to, "Default"), os.DirFS(filepath.Join(b.options.Profile, "Default"))); err != nil {
		return fmt.Errorf("copy the profile: %w", err)
	}
	return nil
}
