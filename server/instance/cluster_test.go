package instance_test

import (
	"context"
	"net/url"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sendonce/server/instance"
	"sendonce/server/postgres"
	"sendonce/server/postgres/local"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/send"
)

// private is a server with a cluster of its own in its data folder, as `serve` runs it without DATABASE_URL.
type private struct {
	*server
	cluster *local.Cluster
}

func startCluster(t *testing.T, data string) *local.Cluster {
	t.Helper()
	cluster, err := local.Start(t.Context(), local.Options{DataDir: data, AllowEphemeral: true, NoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Stop(context.Background()) })
	return cluster
}

func stopCluster(t *testing.T, cluster *local.Cluster) {
	t.Helper()
	if err := cluster.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// on starts a server on a cluster that has the schema already. The note is in data.
func on(t *testing.T, cluster *local.Cluster, seed *pgtest.Seed, data string, isPrivate bool) *private {
	t.Helper()
	there := *seed
	there.Pool = nil // its cluster is another
	return &private{begin(t, cluster.URL(postgres.ServerRole, "postgres"), &there, data, isPrivate), cluster}
}

// primary is a private server that has sent one message and has more to send.
func primary(t *testing.T) (*private, send.Mark) {
	t.Helper()
	data := tempDir(t)
	cluster := startCluster(t, data)
	if err := postgres.Migrate(t.Context(), cluster.AdminURL(), postgres.ServerRole, ""); err != nil {
		t.Fatal(err)
	}
	if err := pgtest.LiftLimits(t.Context(), cluster.AdminURL()); err != nil {
		t.Fatal(err)
	}
	seed := pgtest.NewSeed(t, &pgtest.DB{AdminURL: cluster.AdminURL()})
	p := on(t, cluster, seed, data, true)
	for _, body := range []string{"Hello Ada", "Hello Bo", "Hello Cy", "Hello Di", "Hello Ed"} {
		seed.AddMessage(t, body)
	}
	return p, p.send()
}

// standby makes a standby of the primary, in a data folder of its own. It follows only where the primary still runs.
func standby(t *testing.T, p *private) string {
	t.Helper()
	folder := tempDir(t)
	address, err := url.Parse(p.cluster.AdminURL())
	if err != nil {
		t.Fatal(err)
	}
	program(t, "pg_basebackup", "--host="+address.Query().Get("host"), "--port="+address.Query().Get("port"), "--username=postgres",
		"--pgdata="+filepath.Join(folder, "postgres", "data"), "--checkpoint=fast", "--no-sync", "--write-recovery-conf", "--wal-method=stream")
	return folder
}

// Goal: what was made of one cluster is told apart. A copy of the data folder that is started beside the original holds
// fire, and the original goes on. A promoted standby that lost nothing stays armed for a server that remembers: a failover is
// no restore. One that lost what was acknowledged holds fire.
func TestWhatWasMadeOfOneCluster(t *testing.T) {
	t.Parallel()
	p, _ := primary(t)
	follower, left := startCluster(t, standby(t, p)), standby(t, p)
	mark := p.send()
	await(t, follower, "SELECT EXISTS (SELECT FROM send_events WHERE id = $1)", mark.Event)
	p.stop()
	stopCluster(t, p.cluster)

	t.Run("disk copy beside the original", func(t *testing.T) {
		t.Parallel()
		folder := tempDir(t)
		if output, err := exec.Command("cp", "-a", p.data+"/.", folder).CombinedOutput(); err != nil {
			t.Fatalf("copy the data folder: %v\n%s", err, output)
		}
		original := on(t, startCluster(t, p.data), p.seed, p.data, true)
		original.wantArmed()
		beside := on(t, startCluster(t, folder), p.seed, folder, true)
		beside.wantHolding(instance.FolderCopied)
		later := original.send()
		beside.goesOn(mark)
		// An install of the original that comes to the copy remembers an older epoch, and is told a newer one.
		if epoch := beside.again().hello(later); epoch <= later.Epoch {
			t.Errorf("the copy answers with epoch %d", epoch)
		}
		original.wantArmed()
	})
	t.Run("promoted standby that lost nothing", func(t *testing.T) {
		t.Parallel()
		admin(t, follower.AdminURL(), "SELECT pg_promote()")
		promoted := on(t, follower, p.seed, noteOf(t, p), false)
		promoted.hello(mark)
		promoted.wantArmed()
		promoted.send()
	})
	// Not parallel: the others begin when this has ended, and one of them starts the primary again, which it would follow.
	t.Run("promoted standby that lost the last start", func(t *testing.T) {
		behind := startCluster(t, left) // its primary is gone
		admin(t, behind.AdminURL(), "SELECT pg_promote()")
		on(t, behind, p.seed, tempDir(t), false).wantArmed() // nobody who remembers has spoken yet
		promoted := on(t, behind, p.seed, noteOf(t, p), false)
		promoted.wantHolding(instance.EventMissing)
		promoted.goesOn(mark)
	})
}

// noteOf is a data folder that remembers what the stopped server did.
func noteOf(t *testing.T, p *private) string {
	t.Helper()
	note, err := instance.ReadNote(p.data)
	if err != nil {
		t.Fatal(err)
	}
	folder := tempDir(t)
	if err := instance.WriteNote(folder, *note); err != nil {
		t.Fatal(err)
	}
	return folder
}

// await asks again and again until the answer is true.
func await(t *testing.T, cluster *local.Cluster, question string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), cluster.AdminURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	for deadline := time.Now().Add(awaitWithin); ; time.Sleep(awaitEvery) {
		var yes bool
		if err := conn.QueryRow(t.Context(), question, args...).Scan(&yes); err != nil {
			t.Fatal(err)
		}
		if yes {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", awaitWithin, question)
		}
	}
}

const (
	awaitWithin = 30 * time.Second
	awaitEvery  = 5 * time.Millisecond
)
