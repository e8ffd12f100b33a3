// Command withcluster runs a command beside one throw-away Postgres cluster that all its tests share:
//
//	go run ./server/postgres/pgtest/withcluster -- go test ./...
//
// The command finds the cluster in SENDONCE_TEST_POSTGRES. Signals go on to it and all it started; its exit code is
// handed back.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"sendonce/server/postgres/pgtest"
)

// graceAfterSignal is how long the command may take to end after it was told to.
const graceAfterSignal = 10 * time.Second

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: withcluster -- command [argument ...]")
		os.Exit(2)
	}
	code, err := run(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "withcluster:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if os.Getenv(pgtest.ClusterURL) == "" {
		cluster, startErr := pgtest.StartCluster(context.Background())
		if startErr != nil {
			return 1, fmt.Errorf("start a cluster: %w", startErr)
		}
		defer func() { err = errors.Join(err, cluster.Stop()) }()
		if err := os.Setenv(pgtest.ClusterURL, cluster.AdminURL()); err != nil {
			return 1, err
		}
	}
	command := exec.Command(args[0], args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return 127, err
	}
	return wait(command, signals), nil
}

// wait returns the command's exit code as a shell would, and leaves nothing of its process group running.
func wait(command *exec.Cmd, signals <-chan os.Signal) int {
	group := -command.Process.Pid
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = command.Wait() // the exit code tells
	}()
	var kill <-chan time.Time
	for {
		select {
		case received := <-signals:
			_ = syscall.Kill(group, received.(syscall.Signal))
			kill = time.After(graceAfterSignal)
		case <-kill:
			_ = syscall.Kill(group, syscall.SIGKILL)
		case <-ended:
			_ = syscall.Kill(group, syscall.SIGKILL)
			status := command.ProcessState.Sys().(syscall.WaitStatus)
			if status.Signaled() {
				return 128 + int(status.Signal())
			}
			return status.ExitStatus()
		}
	}
}
