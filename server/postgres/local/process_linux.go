package local

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"syscall"
)

func setParentDeathSignal(attributes *syscall.SysProcAttr, signal syscall.Signal) {
	attributes.Pdeathsig = signal
}

// isPostmaster reports whether pid is a live Postgres of this data folder, and not another process that was given a
// number that Postgres had once (after a restart of a container they come again). A zombie has no command line.
func isPostmaster(pid int, data string) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && slices.ContainsFunc(bytes.Split(line, []byte{0}), func(word []byte) bool {
		return string(word) == data
	})
}
