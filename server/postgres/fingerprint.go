package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
)

// Fingerprint names the schema that Migrate makes for ServerRole: another migration or another rule gives another name.
// Tests share one migrated template database under it.
func Fingerprint() (string, error) {
	hash := sha256.New()
	err := fs.WalkDir(migrationFiles, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(migrationFiles, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(hash, "%s %d\n%s", path, len(content), content)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("read migrations: %w", err)
	}
	rules, err := renderRules(ServerRole)
	if err != nil {
		return "", err
	}
	hash.Write([]byte(rules))
	return hex.EncodeToString(hash.Sum(nil)[:8]), nil
}
