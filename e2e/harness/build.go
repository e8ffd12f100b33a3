package harness

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Root is the folder of the repository.
func Root(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the repository by go list: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Build builds the server into a folder and returns the program's path.
func Build(ctx context.Context, folder string) (string, error) {
	root, err := Root(ctx)
	if err != nil {
		return "", err
	}
	program := filepath.Join(folder, "sendonce")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./server")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return program, nil
}
