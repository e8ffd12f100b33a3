package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// takeOver ends a Postgres that still runs on this data folder. We hold the folder's lock, so the server that started
// it is gone: it is an orphan, or about to end by the parent death signal.
func takeOver(ctx context.Context, data string, log *slog.Logger) error {
	pid, err := readPID(pidFile(data))
	if err != nil || pid == 0 {
		return err
	}
	if !isPostmaster(pid, data) {
		return removeStale(pidFile(data), pid)
	}
	log.Warn("a crashed server left its private postgres running; stopping it", "pid", pid)
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGINT, stopWaitMax}, {syscall.SIGQUIT, quitWaitMax}} {
		if err := syscall.Kill(pid, step.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop the postgres that was left running (process %d): %w", pid, err)
		}
		gone, err := waitUntil(ctx, step.wait, func() bool { return !isPostmaster(pid, data) })
		if err != nil {
			return fmt.Errorf("wait for the postgres that was left running (process %d): %w", pid, err)
		}
		if gone {
			return nil
		}
	}
	return fmt.Errorf("the postgres that was left running (process %d) does not stop; end it by hand", pid)
}

// removeStale removes the file only if its number now belongs to another process, which Postgres would take for a
// running server. Otherwise Postgres clears it itself, after a look at the shared memory that the file names; without
// the file it still refuses memory that backends of the old server hold.
func removeStale(path string, pid int) error {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove the process file of a postgres that is gone: %w", err)
	}
	return nil
}

func pidFile(data string) string { return filepath.Join(data, "postmaster.pid") }

// readPID reads the first line of postmaster.pid; 0 means there is none.
func readPID(path string) (int, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("open the process file of postgres: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Scan()
	pid, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
	if err != nil || pid <= 0 {
		// Cut short by a full disk or a power loss: Postgres says so itself, in its own words.
		return 0, nil
	}
	return pid, nil
}

// waitUntil polls until the condition holds; false after the bound, an error when ctx ends first.
func waitUntil(ctx context.Context, bound time.Duration, condition func() bool) (bool, error) {
	deadline := time.Now().Add(bound)
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for !condition() {
		if time.Now().After(deadline) {
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-ticker.C:
		}
	}
	return true, nil
}
