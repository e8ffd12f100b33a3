// Package local runs the server's own private Postgres, for people who have no database to give.
//
// It starts one cluster as a child process, reachable only over a unix socket in a folder of mode 0700, and keeps
// everything below the data folder (SENDONCE_DATA):
//
//	sendonce.lock          held by the one server that uses the folder
//	postgres/data/         the cluster; initdb writes data.new, which is renamed when it is whole
//	postgres/run/          the socket, unless its path would be too long for a socket (then a folder in the temp folder)
//	postgres/postgres.log  what Postgres says, bounded; never a statement, a parameter or a row
//	postgres/binaries/     Postgres itself, only where none is installed
//
// There is one data folder for all versions of Postgres, on purpose: with one per version, a machine that was upgraded
// would silently start on an empty database, and an empty database remembers nothing that was sent.
//
// The package makes no roles, databases or tables but the superuser "postgres", and it does not restart a cluster
// that died: Done tells the owner.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

const (
	superuser = "postgres"
	// The port names the socket file (.s.PGSQL.5432); no TCP port is opened.
	port = 5432
)

// Options say where the cluster lives. The zero value of everything but DataDir is the safe choice.
type Options struct {
	// DataDir is the server's data folder; it is created with its parents. Required.
	DataDir string
	// Log receives the few events of a cluster's life; nil is silence.
	Log *slog.Logger
	// AllowEphemeral accepts a data folder that vanishes with the container or the machine.
	AllowEphemeral bool
	// NoFsync gives up durability for speed: for tests only.
	NoFsync bool
	// MaxConnections is Postgres' max_connections; 0 means the default.
	MaxConnections int
}

// Cluster is a running private Postgres. Its methods may be called from any goroutine.
type Cluster struct {
	socketDir string
	process   *process
	lock      *folderLock
	stopLog   context.CancelFunc
	stopOnce  sync.Once
	stopErr   error
}

// Start starts the cluster of opts.DataDir, making it first if there is none, and returns once it answers a query.
// A cluster that a crashed server left running there is stopped first. Errors name the folder and what to do; one
// that another server holds gives ErrInUse, one that would vanish gives ErrEphemeral.
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	if opts.DataDir == "" {
		return nil, errors.New("private postgres: the data folder is not set; set SENDONCE_DATA")
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	dataDir, err := filepath.Abs(opts.DataDir)
	if err != nil {
		return nil, fmt.Errorf("private postgres: find the data folder: %w", err)
	}
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, fmt.Errorf("private postgres: make the data folder SENDONCE_DATA: %w", err)
	}
	if !opts.AllowEphemeral {
		if err := refuseEphemeral(dataDir); err != nil {
			return nil, err
		}
	}
	lock, err := lockFolder(dataDir)
	if err != nil {
		return nil, err
	}
	cluster, err := startLocked(ctx, dataDir, opts)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("private postgres in %s: %w", dataDir, err), lock.release())
	}
	cluster.lock = lock
	return cluster, nil
}

// startLocked does the work of Start while the folder's lock is held.
func startLocked(ctx context.Context, dataDir string, opts Options) (*Cluster, error) {
	account, err := chooseAccount()
	if err != nil {
		return nil, err
	}
	folders, err := prepareFolders(dataDir, account)
	if err != nil {
		return nil, err
	}
	binDir, err := findBinaries(ctx, folders, opts.Log)
	if err != nil {
		return nil, err
	}
	if err := initCluster(ctx, binDir, folders, account, opts); err != nil {
		return nil, err
	}
	if err := takeOver(ctx, folders.data, opts.Log); err != nil {
		return nil, err
	}
	running, err := run(ctx, binDir, folders, account, opts)
	if err != nil {
		return nil, err
	}
	logCtx, stopLog := context.WithCancel(context.Background())
	go keepLogBounded(logCtx, folders.log)
	opts.Log.Info("private postgres is ready", "folder", folders.data, "pid", running.pid(), "user", account.name)
	return &Cluster{socketDir: folders.socket, process: running, stopLog: stopLog}, nil
}

// AdminURL is the superuser's connection URL, to the database "postgres".
func (c *Cluster) AdminURL() string { return c.URL(superuser, "postgres") }

// URL is the connection URL of a role for a database; the socket's folder mode is what keeps others out, so there is
// no password.
func (c *Cluster) URL(user, database string) string { return socketURL(c.socketDir, user, database) }

// RunningURL is how a second process of the same user reaches the cluster that a server runs on that data folder. The
// error says that none runs there.
func RunningURL(dataDir, user, database string) (string, error) {
	dataDir, err := filepath.Abs(dataDir)
	if err != nil {
		return "", fmt.Errorf("private postgres: find the data folder: %w", err)
	}
	dir := socketDir(dataDir)
	if _, err := os.Stat(socketFile(dir)); err != nil {
		return "", fmt.Errorf("no server runs on the data folder %s: %w; start `sendonce serve` with the same SENDONCE_DATA first", dataDir, err)
	}
	return socketURL(dir, user, database), nil
}

func socketURL(socketDir, user, database string) string {
	query := url.Values{"host": {socketDir}, "port": {strconv.Itoa(port)}, "sslmode": {"disable"}}
	address := url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database, RawQuery: query.Encode()}
	return address.String()
}

// Done is closed when Postgres has ended, whether it was stopped or died.
func (c *Cluster) Done() <-chan struct{} { return c.process.done }

// Stop shuts the cluster down and gives the folder back. It ends sessions, waits for a clean shutdown, and falls
// back to harder ends as its own bounds or ctx run out; what was committed survives each of them. A cluster that had
// died before is an error.
func (c *Cluster) Stop(ctx context.Context) error {
	c.stopOnce.Do(func() {
		c.stopLog()
		c.stopErr = c.process.stop(ctx)
		// It may stand in the shared temp folder. One that is not empty belongs to a Postgres that did not end.
		_ = os.Remove(c.socketDir)
		c.stopErr = errors.Join(c.stopErr, c.lock.release())
	})
	return c.stopErr
}
