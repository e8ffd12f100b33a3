package pgtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"sendonce/server/postgres/local"
)

const (
	// ClusterURL is the environment variable that names the tests' cluster.
	ClusterURL = "SENDONCE_TEST_POSTGRES"

	folderPattern = "sendonce-pgtest-"
	// folderAgeMin keeps the sweep from a folder that another process is just about to lock.
	folderAgeMin   = time.Minute
	connectionsMax = 300

	// memoryFolder is where Linux keeps files in memory. Each database is some hundred small files: to make and remove them
	// in ext4, which passes over what was just deleted, took a quarter of the tests' Postgres.
	memoryFolder = "/dev/shm"
	// memoryFreeMin is room for a hundred databases at once and their log, twice over. A container may have 64 MiB.
	memoryFreeMin = 4 << 30
	stopWaitMax   = 30 * time.Second
)

var (
	startOnce sync.Once
	startErr  error
	private   *Cluster
)

// cluster is the superuser's URL of the tests' cluster, which it starts at the first call if none is given.
func cluster() (string, error) {
	if given := os.Getenv(ClusterURL); given != "" {
		return given, nil
	}
	startOnce.Do(func() { private, startErr = StartCluster(context.Background()) })
	if startErr != nil {
		return "", startErr
	}
	return private.AdminURL(), nil
}

// Main runs a package's tests (m is its *testing.M) and stops the cluster that they started: func TestMain(m *testing.M) { pgtest.Main(m) }.
// A package without it leaves the stop to the parent death signal and the folder to the next sweep.
func Main(m interface{ Run() int }) {
	code := m.Run()
	if private != nil {
		if err := private.Stop(); err != nil {
			println("pgtest: stop the tests' Postgres:", err.Error())
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// Cluster is a throw-away cluster in a temp folder: not durable, and gone after Stop.
type Cluster struct {
	*local.Cluster
	folder string
}

// StartCluster starts one, after removing the folders of those whose process was killed.
func StartCluster(ctx context.Context) (*Cluster, error) {
	sweepFolders()
	folder, err := os.MkdirTemp(parentFolder(), folderPattern)
	if err != nil {
		return nil, err
	}
	// Postgres' user, when the tests run as root, must be able to walk through.
	if err := os.Chmod(folder, 0o711); err != nil {
		return nil, err
	}
	started, err := local.Start(ctx, local.Options{
		DataDir: folder, AllowEphemeral: true, NoFsync: true, MaxConnections: connectionsMax,
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	c := &Cluster{Cluster: started, folder: folder}
	if err := c.withoutAutovacuum(ctx); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// withoutAutovacuum: no test's database lives long enough to need it, and it starts a process in each of them.
func (c *Cluster) withoutAutovacuum(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, c.AdminURL())
	if err != nil {
		return err
	}
	for _, statement := range []string{"ALTER SYSTEM SET autovacuum = off", "SELECT pg_reload_conf()"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return errors.Join(err, conn.Close(ctx))
		}
	}
	return conn.Close(ctx)
}

// Stop ends the cluster and removes its folder.
func (c *Cluster) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopWaitMax)
	defer cancel()
	return errors.Join(c.Cluster.Stop(ctx), os.RemoveAll(c.folder))
}

func parentFolder() string {
	var room syscall.Statfs_t
	if syscall.Statfs(memoryFolder, &room) == nil && room.Bavail*uint64(room.Bsize) >= memoryFreeMin {
		return memoryFolder
	}
	return os.TempDir()
}

// sweepFolders removes what killed test processes left behind. A folder in use has a lock that is held.
func sweepFolders() {
	var folders []string
	for _, parent := range []string{os.TempDir(), memoryFolder} {
		left, _ := filepath.Glob(filepath.Join(parent, folderPattern+"*")) // the only error is a bad pattern
		folders = append(folders, left...)
	}
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err != nil || time.Since(info.ModTime()) < folderAgeMin {
			continue
		}
		lock, err := os.Open(filepath.Join(folder, local.LockFile))
		if err != nil {
			continue
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(folder) // another user's folder stays, which is right
		}
		lock.Close()
	}
}
