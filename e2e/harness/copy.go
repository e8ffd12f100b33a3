package harness

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
)

// data is where Postgres keeps everything.
func (c *Cluster) data() string { return filepath.Join(c.folder, "postgres", "data") }

// Save copies a stopped cluster, as a copy of its disk does. The copy is stopped too.
func (c *Cluster) Save(ctx context.Context) (*Cluster, error) {
	saved, err := newCluster()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(saved.data()), 0o711); err != nil {
		return nil, errors.Join(err, saved.Remove(ctx))
	}
	if err := copyFolder(ctx, c.data(), saved.data()); err != nil {
		return nil, errors.Join(err, saved.Remove(ctx))
	}
	return saved, nil
}

// Restore puts what was saved in the place of a stopped cluster's data: what came later never was.
func (c *Cluster) Restore(ctx context.Context, saved *Cluster) error {
	if err := os.RemoveAll(c.data()); err != nil {
		return fmt.Errorf("drop the cluster's data: %w", err)
	}
	return copyFolder(ctx, saved.data(), c.data())
}

// copyFolder keeps owners and modes, without which Postgres refuses its folder.
func copyFolder(ctx context.Context, from, to string) error {
	if out, err := exec.CommandContext(ctx, "cp", "-a", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("copy the cluster: %w: %s", err, out)
	}
	return nil
}

// Socket is the path of the cluster's socket.
func (c *Cluster) Socket() (string, error) {
	address, err := url.Parse(c.AdminURL())
	if err != nil {
		return "", err
	}
	return SocketIn(address.Query().Get("host")), nil
}

// SocketIn is the path of a socket by which clients find a cluster in a folder.
func SocketIn(folder string) string { return filepath.Join(folder, ".s.PGSQL.5432") }

// Through leads a database's URL to the socket in a folder, where a Wire listens.
func Through(databaseURL, folder string) (string, error) {
	address, err := url.Parse(databaseURL)
	if err != nil {
		return "", err
	}
	query := address.Query()
	query.Set("host", folder)
	address.RawQuery = query.Encode()
	return address.String(), nil
}

// Follow starts a copy of a running cluster as its standby, and returns when each commit waits for it.
func (c *Cluster) Follow(ctx context.Context, primary *Cluster) error {
	socket, err := primary.Socket()
	if err != nil {
		return err
	}
	settings := fmt.Sprintf("primary_conninfo = 'host=%s port=5432 user=postgres'\n", filepath.Dir(socket))
	for name, content := range map[string]string{"standby.signal": "", "postgresql.auto.conf": settings} {
		if err := os.WriteFile(filepath.Join(c.data(), name), []byte(content), 0o644); err != nil {
			return fmt.Errorf("make the copy a standby: %w", err)
		}
	}
	if err := c.Start(ctx); err != nil {
		return err
	}
	for _, statement := range []string{"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"} {
		if _, err := primary.ask(ctx, statement); err != nil {
			return err
		}
	}
	return poll(ctx, "the standby to be waited for", func() (bool, error) {
		state, err := primary.ask(ctx, "SELECT coalesce(max(sync_state), '') FROM pg_stat_replication")
		return state == "sync", err
	})
}

// Promote ends a standby's following: it is a primary now.
func (c *Cluster) Promote(ctx context.Context) error {
	_, err := c.ask(ctx, "SELECT pg_promote()::text")
	return err
}

// ask runs one statement as the superuser and returns the text that it answers, if any.
func (c *Cluster) ask(ctx context.Context, statement string) (string, error) {
	connection, err := pgx.Connect(ctx, c.AdminURL())
	if err != nil {
		return "", fmt.Errorf("connect as admin: %w", err)
	}
	defer connection.Close(ctx)
	if !strings.HasPrefix(statement, "SELECT") {
		_, err := connection.Exec(ctx, statement)
		return "", err
	}
	var answer any
	if err := connection.QueryRow(ctx, statement).Scan(&answer); err != nil {
		return "", fmt.Errorf("%s: %w", statement, err)
	}
	return fmt.Sprint(answer), nil
}
