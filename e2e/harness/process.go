package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a child in a process group of its own, which ends with this program even when that is killed.
type Process struct {
	command *exec.Cmd
	done    chan struct{}

	mu   sync.Mutex
	tail []string
}

// startProcess starts a command. hear, if not nil, gets each line of its output until the process ends; what it says on
// its error stream is kept for Tail.
func startProcess(command *exec.Cmd, hear func(line string)) (*Process, error) {
	p := &Process{command: command, done: make(chan struct{})}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	setParentDeathSignal(command.SysProcAttr)
	command.WaitDelay = stopWithin // its grandchildren may hold the pipes
	stderr := &lineWriter{take: p.keep}
	command.Stderr = stderr
	if hear != nil {
		command.Stdout = &lineWriter{take: hear}
	}
	started := make(chan error, 1)
	go func() {
		// The kernel gives the death signal when the thread that started the child ends, so this thread stays for it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err != nil {
			return
		}
		_ = command.Wait() // how it ended matters to nobody here
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Path, err)
	}
	return p, nil
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill ends the whole group at once, as kill -9 does, and waits.
func (p *Process) Kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

// Stop asks the process to end and waits for it; one that does not end in time is killed.
func (p *Process) Stop() error {
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		p.Kill()
		return nil // it had ended already
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(stopWithin):
		p.Kill()
		return fmt.Errorf("%s did not end within %s", p.command.Path, stopWithin)
	}
}

// Freeze stops every process of the group where it stands, as a closed lid does; Thaw lets them go on.
func (p *Process) Freeze() { p.signal(syscall.SIGSTOP) }

// Thaw ends a Freeze.
func (p *Process) Thaw() { p.signal(syscall.SIGCONT) }

func (p *Process) signal(signal syscall.Signal) {
	select {
	case <-p.done: // its number may be another's by now
	default:
		_ = syscall.Kill(-p.command.Process.Pid, signal) // the only error is that it has ended
	}
}

// Tail is the end of what the process said on its error stream.
func (p *Process) Tail() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.tail, "\n")
}

// ownReads are the server's lines about the reads by which the harness waits: they would bury all others.
const ownReads = " msg=request method=GET "

func (p *Process) keep(line string) {
	if strings.Contains(line, ownReads) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tail = append(p.tail, line)
	if len(p.tail) > logLinesKept {
		p.tail = p.tail[len(p.tail)-logLinesKept:]
	}
}

// lineWriter hands on whole lines.
type lineWriter struct {
	take    func(string)
	pending []byte
}

func (w *lineWriter) Write(data []byte) (int, error) {
	w.pending = append(w.pending, data...)
	for {
		line, rest, whole := bytes.Cut(w.pending, []byte{'\n'})
		if !whole && len(w.pending) < lineBytesMax {
			return len(data), nil
		}
		w.take(string(line))
		w.pending = rest
	}
}

// poll asks again and again until the condition holds, fails, or ctx ends.
func poll(ctx context.Context, what string, condition func() (bool, error)) error {
	for {
		holds, err := condition()
		if err != nil || holds {
			return err
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("wait for %s", what), ctx.Err())
		}
	}
}
