package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

func openLog(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open postgres' log: %w", err)
	}
	return file, nil
}

// rotateLog sets a full log aside before a start; the one set aside before it goes.
func rotateLog(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at postgres' log: %w", err)
	}
	if info.Size() < logBytesMax {
		return nil
	}
	if err := os.Rename(path, path+".1"); err != nil {
		return fmt.Errorf("set postgres' log aside: %w", err)
	}
	return nil
}

// keepLogBounded empties a log that grew full under a running Postgres, which holds it open in append mode and so
// cannot be moved to a new file.
func keepLogBounded(ctx context.Context, path string) {
	ticker := time.NewTicker(logCheckInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if info, err := os.Stat(path); err == nil && info.Size() >= logBytesMax {
			_ = os.Truncate(path, 0)
		}
	}
}

// logEnd is the length of the log in bytes, to be given to logTail later.
func logEnd(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// logTail is the end of what was logged after from, for an error that a person must act on.
func logTail(path string, from int64) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	from = max(from, logEnd(path)-logTailBytesMax)
	tail, _ := io.ReadAll(io.NewSectionReader(file, from, logTailBytesMax))
	return string(tail)
}
