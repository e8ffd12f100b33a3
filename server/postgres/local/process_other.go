//go:build !linux

package local

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// setParentDeathSignal has no counterpart outside Linux: there the next start takes the orphan over.
func setParentDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}

// isPostmaster reports whether pid is a live Postgres of this data folder.
func isPostmaster(pid int, data string) bool {
	line, err := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(line), data)
}
