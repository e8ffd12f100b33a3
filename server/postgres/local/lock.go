package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// LockFile is the name of the lock in the data folder.
const LockFile = "sendonce.lock"

// ErrInUse says that another server holds the data folder.
var ErrInUse = errors.New("the data folder is in use by another server")

// folderLock is the exclusive use of a data folder. The kernel drops it when the process ends, however it ends, and
// Postgres does not inherit it.
type folderLock struct{ file *os.File }

func lockFolder(dataDir string) (*folderLock, error) {
	path := filepath.Join(dataDir, LockFile)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the data folder SENDONCE_DATA: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(path)
		file.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock the data folder SENDONCE_DATA=%s: %w", dataDir, err)
		}
		return nil, fmt.Errorf("%w (process %s): SENDONCE_DATA=%s; stop that server, or give this one its own folder",
			ErrInUse, strings.TrimSpace(string(holder)), dataDir)
	}
	// The process id only helps the person who reads the refusal; the lock itself is the kernel's.
	if err := file.Truncate(0); err == nil {
		_, _ = file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return &folderLock{file: file}, nil
}

// release gives the folder back. The file stays: removing it would let two servers lock two files of one name. To close it would not do:
// a process that is just being started has the file open too, until it runs its own program.
func (l *folderLock) release() error {
	err := errors.Join(syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN), l.file.Close())
	if err != nil {
		return fmt.Errorf("release the data folder: %w", err)
	}
	return nil
}
