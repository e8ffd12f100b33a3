package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Part is some of the browser's processes.
type Part int

// The parts that can be stopped alone.
const (
	// Worker is the process of the extension: its worker, and its pages.
	Worker Part = iota
	// Pages are the processes of all other pages.
	Pages
	// Network is the process by which all the others reach the network, the extension's socket included.
	Network
)

// runs reports whether a process with that command line belongs to the part. The words are Chromium's.
func (p Part) runs(line []byte) bool {
	if p == Network {
		return bytes.Contains(line, []byte("--utility-sub-type=network.mojom.NetworkService"))
	}
	extension := bytes.Contains(line, []byte("--extension-process"))
	return bytes.Contains(line, []byte("--type=renderer")) && extension == (p == Worker)
}

// Halt stops a part of the browser where it stands; Resume lets it go on.
func (b *Browser) Halt(part Part) error {
	_, err := b.signalPart(part, syscall.SIGSTOP)
	return err
}

// Resume ends a Halt. Processes that have ended meanwhile are passed over.
func (b *Browser) Resume(part Part) error {
	if _, err := b.signalPart(part, syscall.SIGCONT); !errors.Is(err, errNoProcess) {
		return err
	}
	return nil
}

// KillPart ends a part's processes at once, as the kernel does when memory is short.
// It returns when the browser has noticed: until then it would put a new page into a process that is dead.
func (b *Browser) KillPart(ctx context.Context, part Part) error {
	killed, err := b.signalPart(part, syscall.SIGKILL)
	if err != nil {
		return err
	}
	return poll(ctx, "the killed processes to be reaped", func() (bool, error) {
		alive := slices.ContainsFunc(killed, func(pid int) bool { return syscall.Kill(pid, 0) == nil })
		return !alive, nil
	})
}

var errNoProcess = errors.New("the browser has no such process")

func (b *Browser) signalPart(part Part, signal syscall.Signal) ([]int, error) {
	processes, err := b.processes(part)
	if err != nil {
		return nil, err
	}
	if len(processes) == 0 {
		return nil, errNoProcess
	}
	for _, pid := range processes {
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return nil, fmt.Errorf("signal process %d: %w", pid, err)
		}
	}
	return processes, nil
}

func (b *Browser) processes(part Part) ([]int, error) {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil, err
	}
	var found []int
	for _, path := range lines {
		pid, err := strconv.Atoi(strings.Split(path, "/")[2])
		if err != nil {
			return nil, err
		}
		raw, err := os.ReadFile(path)
		if err != nil || !part.runs(raw) {
			continue // it has ended meanwhile, or is another part
		}
		group, err := syscall.Getpgid(pid)
		if err == nil && group == b.process.command.Process.Pid {
			found = append(found, pid)
		}
	}
	return found, nil
}

// FreezePage has Chromium freeze the page of a hidden tab, as it does with tabs that nobody has looked at for long.
func (b *Browser) FreezePage(ctx context.Context, tab Tab) error {
	return b.setLifecycle(ctx, tab, "frozen")
}

// ThawPage ends a FreezePage.
func (b *Browser) ThawPage(ctx context.Context, tab Tab) error {
	return b.setLifecycle(ctx, tab, "active")
}

func (b *Browser) setLifecycle(ctx context.Context, tab Tab, state string) error {
	return b.talk(ctx, func(d *devTools) error {
		session, err := d.attach(tab)
		if err != nil {
			return err
		}
		return d.call(session, "Page.setWebLifecycleState", map[string]any{"state": state}, nil)
	})
}
