package local

import (
	"syscall"
	"testing"
)

// Goal: a folder that was given back is free, though a process that is just being started has its lock open still.
func TestAReleasedFolderIsFree(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	lock, err := lockFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	started, err := syscall.Dup(int(lock.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(started)
	if err := lock.release(); err != nil {
		t.Fatal(err)
	}
	again, err := lockFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.release(); err != nil {
		t.Error(err)
	}
}
