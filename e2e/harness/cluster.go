package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"sendonce/server/postgres"
	"sendonce/server/postgres/local"
)

// Cluster is a Postgres of a test's own, which it may stop and start again.
type Cluster struct {
	folder  string
	image   string // the file of its own disk, or ""
	running *local.Cluster
}

// StartCluster makes a cluster with Sendonce's schema in the database "postgres".
func StartCluster(ctx context.Context) (*Cluster, error) {
	c, err := newCluster()
	if err != nil {
		return nil, err
	}
	return c, c.begin(ctx)
}

// begin starts a new cluster and gives it the schema. When it cannot, it leaves nothing behind.
func (c *Cluster) begin(ctx context.Context) error {
	err := c.Start(ctx)
	if err == nil {
		err = postgres.Migrate(ctx, c.AdminURL(), postgres.ServerRole, "")
	}
	if err != nil {
		return errors.Join(err, c.Remove(ctx))
	}
	return nil
}

// newCluster makes the folder of a cluster.
func newCluster() (*Cluster, error) {
	folder, err := os.MkdirTemp("", "sendonce-e2e-")
	if err != nil {
		return nil, err
	}
	// Postgres does not run as root; its user must be able to walk through.
	if err := os.Chmod(folder, 0o711); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return &Cluster{folder: folder}, nil
}

// Start starts the cluster again, with the same data at the same address. A program that another test is just starting may
// still hold the folder's lock, which it inherited, for as long as it takes to be started.
func (c *Cluster) Start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	return poll(ctx, "the cluster's folder", func() (started bool, err error) {
		c.running, err = local.Start(ctx, local.Options{
			DataDir: c.folder, AllowEphemeral: true, NoFsync: true, MaxConnections: clusterConnections,
		})
		if errors.Is(err, local.ErrInUse) {
			return false, nil
		}
		return true, err
	})
}

// Stop stops the cluster: every session ends, and nobody gets in.
func (c *Cluster) Stop(ctx context.Context) error {
	running := c.running
	c.running = nil
	if running == nil {
		return nil
	}
	return running.Stop(ctx)
}

// Remove stops the cluster and removes its folder.
func (c *Cluster) Remove(ctx context.Context) error {
	return errors.Join(c.Stop(ctx), c.unmount(), os.RemoveAll(c.folder))
}

// AdminURL connects as the superuser; ServerURL as the role that the server works as.
func (c *Cluster) AdminURL() string { return c.running.AdminURL() }

// ServerURL connects as the role that the server works as.
func (c *Cluster) ServerURL() string { return c.running.URL(postgres.ServerRole, "postgres") }

// LogEnd is the end of what Postgres said, for a failed test.
func (c *Cluster) LogEnd() string {
	raw, err := os.ReadFile(c.folder + "/postgres/postgres.log")
	if err != nil {
		return fmt.Sprintf("no log: %v", err)
	}
	lines := strings.Split(string(raw), "\n")
	return strings.Join(lines[max(0, len(lines)-logLinesKept):], "\n")
}
