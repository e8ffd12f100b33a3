package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// initCluster makes the cluster if there is none. It works in data.new, so that an initdb that was cut short can never
// be mistaken for a cluster.
func initCluster(ctx context.Context, binDir string, f folders, acc account, opts Options) error {
	if _, err := os.Stat(filepath.Join(f.data, "PG_VERSION")); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look for a cluster: %w", err)
	}
	fresh := f.data + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("remove an unfinished cluster: %w", err)
	}
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return fmt.Errorf("make the cluster's folder: %w", err)
	}
	if err := acc.own(fresh); err != nil {
		return fmt.Errorf("give the cluster's folder to user %s: %w", acc.name, err)
	}
	args := []string{
		"--pgdata=" + fresh, "--username=" + superuser, "--encoding=UTF8", "--locale=" + locale(),
		"--auth=trust", "--data-checksums", "--no-instructions",
	}
	if opts.NoFsync {
		args = append(args, "--no-sync")
	}
	if err := runInit(ctx, exec.Command(filepath.Join(binDir, "initdb"), args...), f, acc); err != nil {
		return err
	}
	if err := os.Rename(fresh, f.data); err != nil {
		return fmt.Errorf("put the new cluster in place: %w", err)
	}
	opts.Log.Info("private postgres: made a new cluster", "folder", f.data)
	return nil
}

func runInit(ctx context.Context, cmd *exec.Cmd, f folders, acc account) error {
	from := logEnd(f.log)
	p, err := spawnLogged(cmd, f, acc, syscall.SIGKILL)
	if err != nil {
		return err
	}
	if !p.wait(ctx, initWaitMax, true) {
		_ = p.cmd.Process.Kill()
		<-p.done
		return errors.Join(fmt.Errorf("initdb did not finish within %v", initWaitMax), ctx.Err())
	}
	if p.err != nil {
		return fmt.Errorf("initdb: %w\n%s", p.err, logTail(f.log, from))
	}
	return nil
}

// locale sorts by code point, the same on every machine and across system upgrades. Only glibc and musl are sure to
// have it with UTF-8's own character classes.
func locale() string {
	if runtime.GOOS == "linux" {
		return "C.UTF-8"
	}
	return "C"
}

// run starts Postgres and waits until it answers. One that still finds the memory of a killed predecessor in use ends
// at once; it is started again until that predecessor's backends are gone.
func run(ctx context.Context, binDir string, f folders, acc account, opts Options) (*process, error) {
	ctx, cancel := context.WithTimeout(ctx, startWaitMax)
	defer cancel()
	memoryDeadline := time.Now().Add(memoryWaitMax)
	for {
		if err := rotateLog(f.log); err != nil {
			return nil, err
		}
		from := logEnd(f.log)
		p, err := spawnLogged(exec.Command(filepath.Join(binDir, "postgres"), serverArgs(f, opts)...), f, acc, syscall.SIGINT)
		if err != nil {
			return nil, err
		}
		ready, err := waitUntil(ctx, startWaitMax, func() bool { return p.ended() || answers(ctx, f, p.pid()) })
		switch {
		case p.ended():
			tail := logTail(f.log, from)
			if strings.Contains(tail, "shared memory block") && time.Now().Before(memoryDeadline) {
				time.Sleep(pollInterval)
				continue
			}
			return nil, fmt.Errorf("postgres ended while starting: %w\n%s", endError(p.err), tail)
		case err != nil || !ready:
			stopErr := p.stop(context.Background())
			return nil, errors.Join(fmt.Errorf("postgres did not answer within %v\n%s", startWaitMax, logTail(f.log, from)), err, stopErr)
		}
		return p, nil
	}
}

// answers reports whether a query comes back from process pid, which is what ready means: the socket exists before
// that, and might be another's.
func answers(ctx context.Context, f folders, pid int) bool {
	if holder, err := readPID(pidFile(f.data)); err != nil || holder != pid {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, socketURL(f.socket, superuser, "postgres"))
	if err != nil {
		return false
	}
	defer conn.Close(ctx)
	return conn.Ping(ctx) == nil
}

// serverArgs stand on the command line because nothing weakens them there: neither postgresql.conf nor ALTER SYSTEM.
func serverArgs(f folders, opts Options) []string {
	maxConnections := opts.MaxConnections
	if maxConnections == 0 {
		maxConnections = maxConnectionsDefault
	}
	fsync := "on"
	if opts.NoFsync {
		fsync = "off"
	}
	args := []string{"-D", f.data}
	for _, setting := range []string{
		"listen_addresses=",
		"unix_socket_directories=" + f.socket,
		"unix_socket_permissions=0700",
		"port=" + strconv.Itoa(port),
		"max_connections=" + strconv.Itoa(maxConnections),
		"fsync=" + fsync,
		"full_page_writes=on",
		"synchronous_commit=on",
		"timezone=UTC",
		"log_timezone=UTC",
		"lc_messages=C",
		// The log must hold no text of a message: a refused row would be shown in the DETAIL, its statement and
		// parameters below it.
		"logging_collector=off",
		"log_destination=stderr",
		"log_error_verbosity=terse",
		"log_min_error_statement=panic",
		"log_statement=none",
	} {
		args = append(args, "-c", setting)
	}
	return args
}

// spawnLogged starts a program of Postgres as the account, its output appended to the log.
func spawnLogged(cmd *exec.Cmd, f folders, acc account, parentDeath syscall.Signal) (*process, error) {
	log, err := openLog(f.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Dir = f.root
	cmd.Stdout, cmd.Stderr = log, log
	// Only what it needs: the server's environment holds secrets.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=" + locale(), "TZ=UTC"}
	cmd.SysProcAttr = acc.attributes(parentDeath)
	return spawn(cmd)
}
