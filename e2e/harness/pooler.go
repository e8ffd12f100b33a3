package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"

	"sendonce/server/postgres"
)

// ErrNoPooler: PgBouncer is not installed.
var ErrNoPooler = errors.New("pgbouncer is not on PATH")

// Pooler is a PgBouncer that pools transactions before a cluster, in a process of its own.
type Pooler struct {
	folder  string
	process *Process
}

// poolerSettings pool transactions, for whoever reaches the socket: the cluster trusts them as well.
const poolerSettings = `[databases]
* = host=%[1]s port=5432
[pgbouncer]
listen_addr =
unix_socket_dir = %[2]s
listen_port = 5432
auth_type = trust
auth_file = %[2]s/users
pool_mode = transaction
default_pool_size = 8
`

// StartPooler starts a PgBouncer before a cluster.
func StartPooler(ctx context.Context, cluster *Cluster) (*Pooler, error) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		return nil, ErrNoPooler
	}
	socket, err := cluster.Socket()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "sendonce-e2e-")
	if err != nil {
		return nil, err
	}
	p := &Pooler{folder: folder}
	settings := filepath.Join(folder, "pgbouncer.ini")
	err = os.WriteFile(settings, fmt.Appendf(nil, poolerSettings, filepath.Dir(socket), folder), 0o644)
	users := fmt.Appendf(nil, "%q \"\"\n", postgres.ServerRole)
	if err := errors.Join(err, os.WriteFile(filepath.Join(folder, "users"), users, 0o644)); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	words := []string{settings}
	if os.Geteuid() == 0 { // it does not run as root
		if err := p.give("postgres"); err != nil {
			return nil, errors.Join(err, p.Close())
		}
		words = append([]string{"--user=postgres"}, words...)
	}
	if p.process, err = startProcess(exec.Command(program, words...), nil); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	err = poll(ctx, "the pooler's socket", func() (bool, error) {
		select {
		case <-p.process.Done():
			return false, fmt.Errorf("pgbouncer ended:\n%s", p.process.Tail())
		default:
		}
		_, err := os.Stat(SocketIn(folder))
		return err == nil, nil
	})
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// give gives the folder to a user.
func (p *Pooler) give(name string) error {
	found, err := user.Lookup(name)
	if err != nil {
		return err
	}
	uid, uidErr := strconv.Atoi(found.Uid)
	gid, gidErr := strconv.Atoi(found.Gid)
	return errors.Join(uidErr, gidErr, os.Chown(p.folder, uid, gid))
}

// Folder holds its socket, for Through.
func (p *Pooler) Folder() string { return p.folder }

// Close ends it.
func (p *Pooler) Close() error {
	if p.process != nil {
		p.process.Kill()
	}
	return os.RemoveAll(p.folder)
}
