package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNoMount: this machine lets the test mount no disk of its own.
var ErrNoMount = errors.New("no disk could be mounted")

// StartSmallCluster makes a cluster on a disk of its own of so many bytes, a mounted file. It gives ErrNoMount where that
// cannot be done.
func StartSmallCluster(ctx context.Context, bytes int64) (*Cluster, error) {
	c, err := newCluster()
	if err != nil {
		return nil, err
	}
	c.image = c.folder + ".disk"
	if err := c.mount(ctx, bytes); err != nil {
		return nil, errors.Join(ErrNoMount, err, os.Remove(c.image), os.Remove(c.folder))
	}
	return c, c.begin(ctx)
}

func (c *Cluster) mount(ctx context.Context, bytes int64) error {
	if err := os.WriteFile(c.image, nil, 0o600); err != nil {
		return err
	}
	if err := os.Truncate(c.image, bytes); err != nil {
		return err
	}
	for _, words := range [][]string{{"mkfs.ext4", "-q", c.image}, {"mount", "-o", "loop", c.image, c.folder}} {
		if out, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", words[0], err, out)
		}
	}
	return nil
}

// unmount gives the disk back, if the cluster has one of its own.
func (c *Cluster) unmount() error {
	if c.image == "" {
		return nil
	}
	if out, err := exec.Command("umount", c.folder).CombinedOutput(); err != nil {
		return fmt.Errorf("umount: %w: %s", err, out)
	}
	return os.Remove(c.image)
}

// Fill takes all room on the cluster's disk, and has Postgres ask for more. It goes on with what room it has, or ends.
func (c *Cluster) Fill(ctx context.Context) (empty func() error, err error) {
	path := filepath.Join(c.folder, "ballast")
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	block := make([]byte, wireBuffer)
	for err == nil {
		_, err = file.Write(block)
	}
	_ = file.Close() // the disk is full, as is wanted
	_, _ = c.ask(ctx, "SELECT pg_switch_wal()::text")
	return func() error { return os.Remove(path) }, nil
}

// Revive starts a cluster again that has ended by itself, and reports whether it had.
func (c *Cluster) Revive(ctx context.Context) (hadEnded bool, err error) {
	select {
	case <-c.running.Done():
	default:
		return false, nil
	}
	_ = c.running.Stop(ctx) // it only gives the folder back, and says that Postgres had ended
	c.running = nil
	return true, c.Start(ctx)
}
