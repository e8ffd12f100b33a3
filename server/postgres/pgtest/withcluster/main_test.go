package main

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"sendonce/server/postgres/pgtest"
)

// Goal: the command sees the cluster, and its exit code comes back.
func TestRun(t *testing.T) {
	t.Setenv(pgtest.ClusterURL, "postgres://given")
	code, err := run([]string{"sh", "-c", `[ "$SENDONCE_TEST_POSTGRES" = postgres://given ] && exit 7`})
	if err != nil || code != 7 {
		t.Errorf("got exit code %d and error %v, want 7", code, err)
	}
	if code, err := run([]string{"/no/such/program"}); err == nil || code == 0 {
		t.Errorf("a command that cannot start gave exit code %d and error %v", code, err)
	}
}

// Goal: a signal reaches the command and what the command started, and the code says which signal it was. Method: both
// programs would run for a minute.
func TestSignalReachesTheGroup(t *testing.T) {
	t.Parallel()
	command := exec.Command("sh", "-c", "sleep 60 & sleep 60")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGTERM
	code := wait(command, signals)
	if want := 128 + int(syscall.SIGTERM); code != want {
		t.Errorf("got exit code %d, want %d", code, want)
	}
	deadline := time.Now().Add(10 * time.Second)
	for syscall.Kill(-command.Process.Pid, 0) == nil {
		if time.Now().After(deadline) {
			t.Fatal("the command's group still runs")
		}
		time.Sleep(10 * time.Millisecond)
	}
}
