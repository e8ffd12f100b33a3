package local

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a child whose end can be awaited by many.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // what Wait said; read only after done
}

// spawn starts cmd from a goroutine that keeps its thread to itself until the child ends: Linux sends the parent death
// signal when the *thread* that forked ends, not the process (prctl(2)), and the Go runtime may end a thread at will.
func spawn(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop asks Postgres to shut down in growing earnest: SIGINT ends the sessions and writes everything out, SIGQUIT ends
// at once and leaves a recovery to the next start, SIGKILL is for one that hangs.
func (p *process) stop(ctx context.Context) error {
	if p.ended() {
		return fmt.Errorf("postgres had ended by itself: %w", endError(p.err))
	}
	steps := []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGINT, stopWaitMax}, {syscall.SIGQUIT, quitWaitMax}, {syscall.SIGKILL, quitWaitMax}}
	for i, step := range steps {
		// An error here means that it has just ended, which done tells.
		_ = p.cmd.Process.Signal(step.signal)
		if !p.wait(ctx, step.wait, i == 0) {
			continue
		}
		if i > 0 {
			return fmt.Errorf("postgres did not shut down within its bound and was ended by %v; the next start recovers", step.signal)
		}
		return p.err
	}
	return errors.New("postgres does not end, even when killed")
}

// wait reports whether the process ended within the bound. The caller's context shortens only the polite wait.
func (p *process) wait(ctx context.Context, bound time.Duration, polite bool) bool {
	timer := time.NewTimer(bound)
	defer timer.Stop()
	var canceled <-chan struct{}
	if polite {
		canceled = ctx.Done()
	}
	select {
	case <-p.done:
		return true
	case <-canceled:
		return false
	case <-timer.C:
		return false
	}
}

func endError(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}
