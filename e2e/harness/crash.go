package harness

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Kill ends every process of the cluster at once, as the kernel does when memory is short. Start recovers.
func (c *Cluster) Kill(ctx context.Context) error {
	processes, err := c.processes()
	if err != nil {
		return err
	}
	for _, pid := range processes {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			return fmt.Errorf("kill process %d of Postgres: %w", pid, err)
		}
	}
	select {
	case <-c.running.Done():
	case <-ctx.Done():
		return fmt.Errorf("wait for the end of Postgres: %w", ctx.Err())
	}
	// It only gives the folder back. That Postgres had ended by itself is no news; a folder that is still held, Start tells.
	_ = c.running.Stop(ctx)
	c.running = nil
	return nil
}

// processes are the cluster's postmaster and its children. The postmaster comes first: it would clear up after a child.
func (c *Cluster) processes() ([]int, error) {
	raw, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err != nil {
		return nil, fmt.Errorf("find the processes of Postgres: %w", err)
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	postmaster, err := strconv.Atoi(first)
	if err != nil {
		return nil, fmt.Errorf("find the processes of Postgres: %w", err)
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	found := []int{postmaster}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		pid, err := strconv.Atoi(strings.Split(path, "/")[2])
		if err == nil && parentIn(stat) == first {
			found = append(found, pid)
		}
	}
	return found, nil
}

// parentIn reads the parent's number out of a process's stat, after its name, which may hold anything (proc(5)).
func parentIn(stat []byte) string {
	_, rest, _ := bytes.Cut(stat[max(0, bytes.LastIndexByte(stat, ')')):], []byte(" "))
	if fields := bytes.Fields(rest); len(fields) > 1 {
		return string(fields[1])
	}
	return ""
}
