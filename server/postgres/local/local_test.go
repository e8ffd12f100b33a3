package local_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sendonce/server/postgres/local"
)

const (
	// childFolder makes the test program a server that starts the cluster of that folder and waits to be killed.
	childFolder = "SENDONCE_LOCAL_TEST_CHILD"
	testBound   = time.Minute
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		serveForever(dir)
	}
	code := m.Run()
	local.RemoveMade()
	os.Exit(code)
}

func serveForever(dir string) {
	cluster, err := local.Start(context.Background(), local.Options{DataDir: dir, AllowEphemeral: true, NoFsync: true})
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println(cluster.AdminURL())
	select {}
}

// Goal: what was committed is there after an orderly stop and a new start.
func TestRestartKeepsData(t *testing.T) {
	t.Parallel()
	dir := local.MadeFolder(t)
	cluster := start(t, dir)
	execute(t, cluster.AdminURL(), "CREATE TABLE kept (n int)", "INSERT INTO kept VALUES (42)", "CREATE ROLE app LOGIN")
	stop(t, cluster)

	cluster = start(t, dir)
	defer stop(t, cluster)
	if got := query(t, cluster.URL("app", "postgres"), "SELECT current_user"); got != "app" {
		t.Errorf("connected as %q, want app", got)
	}
	if got := query(t, cluster.AdminURL(), "SELECT n::text FROM kept"); got != "42" {
		t.Errorf("kept %q, want 42", got)
	}
}

// Goal: the settings that durability rests on hold, also when somebody weakened them with ALTER SYSTEM, and nobody
// reaches the cluster but through the closed folder.
func TestDurableAndPrivate(t *testing.T) {
	t.Parallel()
	dir := local.EmptyFolder(t)
	cluster := startWith(t, local.Options{DataDir: dir, AllowEphemeral: true})
	execute(t, cluster.AdminURL(), "ALTER SYSTEM SET fsync = off", "ALTER SYSTEM SET synchronous_commit = off",
		"ALTER SYSTEM SET full_page_writes = off", "ALTER SYSTEM SET listen_addresses = '*'")
	stop(t, cluster)
	cluster = startWith(t, local.Options{DataDir: dir, AllowEphemeral: true})
	defer stop(t, cluster)
	for setting, want := range map[string]string{
		"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "listen_addresses": "",
		"server_encoding": "UTF8", "data_checksums": "on", "TimeZone": "UTC", "unix_socket_permissions": "0700",
	} {
		if got := query(t, cluster.AdminURL(), "SELECT current_setting('"+setting+"')"); got != want {
			t.Errorf("%s = %q, want %q", setting, got, want)
		}
	}
	socketDir := query(t, cluster.AdminURL(), "SELECT current_setting('unix_socket_directories')")
	info, err := os.Stat(socketDir)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o700 {
		t.Errorf("socket folder has mode %o, want 700", got)
	}
}

// Goal: the log shows neither the row nor the statement of a refused write, as both may hold a message's text.
func TestLogHoldsNoText(t *testing.T) {
	t.Parallel()
	dir := local.MadeFolder(t)
	cluster := start(t, dir)
	execute(t, cluster.AdminURL(), "CREATE TABLE texts (body text CHECK (length(body) < 5))")
	connection := connect(t, cluster.AdminURL())
	if _, err := connection.Exec(t.Context(), "INSERT INTO texts VALUES ('secret text')"); err == nil {
		t.Fatal("the check let the row in")
	}
	connection.Close(t.Context())
	stop(t, cluster)
	log, err := os.ReadFile(filepath.Join(dir, "postgres", "postgres.log"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(log), "violates check constraint") {
		t.Errorf("the log lacks the refusal, so it proves nothing:\n%s", log)
	}
	if strings.Contains(string(log), "secret text") {
		t.Errorf("the log holds the text:\n%s", log)
	}
}

// Goal: a second server on the same folder is refused, with the name of the setting, and harms nothing.
func TestSecondServerRefused(t *testing.T) {
	t.Parallel()
	dir := local.MadeFolder(t)
	cluster := start(t, dir)
	defer stop(t, cluster)
	second, err := local.Start(t.Context(), local.Options{DataDir: dir, AllowEphemeral: true})
	if err == nil {
		stop(t, second)
		t.Fatal("a second server started on the same folder")
	}
	if !errors.Is(err, local.ErrInUse) || !strings.Contains(err.Error(), "SENDONCE_DATA") {
		t.Errorf("refused with %q, want ErrInUse that names SENDONCE_DATA", err)
	}
	if got := query(t, cluster.AdminURL(), "SELECT 'alive'"); got != "alive" {
		t.Errorf("the first server answers %q", got)
	}
}

// Goal: after kill -9 of the postmaster, while one of its backends is still busy in the shared memory, the next start
// succeeds and committed rows are there.
func TestKilledPostmaster(t *testing.T) {
	t.Parallel()
	dir := local.MadeFolder(t)
	cluster := start(t, dir)
	execute(t, cluster.AdminURL(), "CREATE TABLE kept AS SELECT 42 AS n")
	busy := connect(t, cluster.AdminURL())
	busyDone := make(chan struct{})
	go func() {
		defer close(busyDone)
		// Pure computation: it does not notice the death of its parent before it is done.
		_, _ = busy.Exec(context.Background(), "SELECT count(*) FROM generate_series(1, 2000000)")
	}()
	waitForBusyBackend(t, cluster.AdminURL())
	if err := syscall.Kill(postmasterPID(t, dir), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, cluster.Done())
	if err := cluster.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "ended by itself") {
		t.Errorf("Stop of a cluster that died gave %v, want an error that says so", err)
	}
	cluster = start(t, dir)
	defer stop(t, cluster)
	if got := query(t, cluster.AdminURL(), "SELECT n::text FROM kept"); got != "42" {
		t.Errorf("kept %q, want 42", got)
	}
	awaitEnd(t, busyDone)
}

// Goal: after kill -9 of the server process, its Postgres ends by itself and the next server starts, with the data.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	dir := local.MadeFolder(t)
	server, adminURL := startChild(t, dir)
	execute(t, adminURL, "CREATE TABLE kept AS SELECT 42 AS n")
	orphan := postmasterPID(t, dir)
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait()

	// Nothing but the parent death signal may end it: no start looks at the folder meanwhile.
	deadline := time.Now().Add(testBound)
	for syscall.Kill(orphan, 0) == nil && !isZombie(orphan) {
		if time.Now().After(deadline) {
			t.Fatal("the killed server left its postgres running")
		}
		time.Sleep(10 * time.Millisecond)
	}
	cluster := start(t, dir)
	defer stop(t, cluster)
	if got := query(t, cluster.AdminURL(), "SELECT n::text FROM kept"); got != "42" {
		t.Errorf("kept %q, want 42", got)
	}
}

// Goal: a path too long for a socket moves the socket, and nothing else.
func TestLongPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(local.EmptyFolder(t), strings.Repeat("long-", 20))
	cluster := start(t, dir)
	defer stop(t, cluster)
	if !strings.Contains(cluster.AdminURL(), "sendonce-") {
		t.Errorf("socket at %s, want a short folder", cluster.AdminURL())
	}
	if _, err := os.Stat(filepath.Join(dir, "postgres", "data", "PG_VERSION")); err != nil {
		t.Errorf("the data did not stay in the data folder: %v", err)
	}
}

// Goal: a folder in memory is refused with the way out, and taken when told so.
func TestEphemeralRefused(t *testing.T) {
	t.Parallel()
	const memory = "/dev/shm"
	var stat syscall.Statfs_t
	if err := syscall.Statfs(memory, &stat); err != nil || uint32(stat.Type) != 0x01021994 {
		t.Skipf("%s is no tmpfs here", memory)
	}
	dir, err := os.MkdirTemp(memory, "sendonce-test-")
	if err != nil {
		t.Skipf("cannot write to %s: %v", memory, err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	_, err = local.Start(t.Context(), local.Options{DataDir: dir})
	if !errors.Is(err, local.ErrEphemeral) {
		t.Fatalf("got %v, want ErrEphemeral", err)
	}
	for _, word := range []string{"tmpfs", "volume", "SENDONCE_ALLOW_EPHEMERAL_DATA", "DATABASE_URL"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the refusal does not name %s: %v", word, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "postgres")); err == nil {
		t.Error("the refused folder was written to")
	}
}

// Goal: when root starts the server, Postgres runs as somebody else; a parent folder closed to that user is named.
func TestRootGivesUpItsRights(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	dir := local.MadeFolder(t)
	cluster := start(t, dir)
	defer stop(t, cluster)
	info, err := os.Stat(fmt.Sprintf("/proc/%d", postmasterPID(t, dir)))
	if err != nil {
		t.Fatal(err)
	}
	if uid := info.Sys().(*syscall.Stat_t).Uid; uid == 0 {
		t.Error("postgres runs as root")
	}

	closed := local.EmptyFolder(t)
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = local.Start(t.Context(), local.Options{DataDir: filepath.Join(closed, "inner"), AllowEphemeral: true})
	if err == nil || !strings.Contains(err.Error(), "chmod o+x "+closed) {
		t.Errorf("got %v, want an error that names the closed folder and the remedy", err)
	}
}
