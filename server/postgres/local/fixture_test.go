package local_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sendonce/server/postgres/local"
)

// start leaves fsync off: what a killed process wrote, the kernel still has.
func start(t *testing.T, dir string) *local.Cluster {
	t.Helper()
	return startWith(t, local.Options{DataDir: dir, AllowEphemeral: true, NoFsync: true})
}

func startWith(t *testing.T, opts local.Options) *local.Cluster {
	t.Helper()
	cluster, err := local.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

func stop(t *testing.T, cluster *local.Cluster) {
	t.Helper()
	if err := cluster.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

func startChild(t *testing.T, dir string) (*exec.Cmd, string) {
	t.Helper()
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), childFolder+"="+dir)
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill() })
	lines := bufio.NewScanner(output)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "postgres://") {
		t.Fatalf("the server said %q, want its URL", lines.Text())
	}
	return server, lines.Text()
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close(context.Background()) })
	return connection
}

func execute(t *testing.T, url string, statements ...string) {
	t.Helper()
	connection := connect(t, url)
	defer connection.Close(t.Context())
	for _, statement := range statements {
		if _, err := connection.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func query(t *testing.T, url, statement string) string {
	t.Helper()
	connection := connect(t, url)
	defer connection.Close(t.Context())
	var text string
	if err := connection.QueryRow(t.Context(), statement).Scan(&text); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return text
}

func postmasterPID(t *testing.T, dir string) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "postgres", "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(content), &pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

func waitForBusyBackend(t *testing.T, url string) {
	t.Helper()
	deadline := time.Now().Add(testBound)
	const busy = "SELECT count(*)::text FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%generate_series%' " +
		"AND pid <> pg_backend_pid()"
	for query(t, url, busy) == "0" {
		if time.Now().After(deadline) {
			t.Fatal("the busy query never ran")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func awaitEnd(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(testBound):
		t.Fatal("it did not end within the test's bound")
	}
}

// isZombie: where process 1 reaps nobody, an ended orphan keeps its number.
func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
