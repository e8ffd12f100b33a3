//go:build !linux

package harness

import "syscall"

// Only Linux ends a child with its parent; elsewhere a harness that is killed leaves its children.
func setParentDeathSignal(*syscall.SysProcAttr) {}
