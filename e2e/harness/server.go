package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

const (
	readyLine = "Sendonce listens on "
	linkLine  = "Sign in once at "
)

// ServerOptions say how a server is started.
type ServerOptions struct {
	// Program is what Build made.
	Program string
	// Data is its data folder.
	Data string
	// DatabaseURL is empty for its own private Postgres.
	DatabaseURL string
	// Settings are further environment variables.
	Settings map[string]string
}

// Server is `sendonce serve` in a process of its own.
type Server struct {
	options ServerOptions
	process *Process

	mu   sync.Mutex
	url  string
	link string
}

// StartServer returns when the server says that it listens.
func StartServer(ctx context.Context, options ServerOptions) (*Server, error) {
	s := &Server{options: options}
	return s, s.Restart(ctx)
}

// Restart starts the server again, on whatever port it gets, after a Kill or a Stop.
func (s *Server) Restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	ready := make(chan struct{}, 1)
	command := exec.Command(s.options.Program, "serve")
	command.Env = s.environment()
	process, err := startProcess(command, func(line string) { s.hear(line, ready) })
	if err != nil {
		return err
	}
	s.process = process
	select {
	case <-ready:
		return nil
	case <-process.Done():
		return fmt.Errorf("the server ended before it listened:\n%s", process.Tail())
	case <-ctx.Done():
		tail := process.Tail()
		process.Kill()
		return errors.Join(fmt.Errorf("the server did not listen in time:\n%s", tail), ctx.Err())
	}
}

func (s *Server) hear(line string, ready chan<- struct{}) {
	if url, ok := strings.CutPrefix(line, readyLine); ok {
		s.mu.Lock()
		s.url = url
		s.mu.Unlock()
		ready <- struct{}{}
	}
	if link, ok := strings.CutPrefix(line, linkLine); ok {
		s.mu.Lock()
		s.link = link
		s.mu.Unlock()
	}
}

func (s *Server) environment() []string {
	own := maps.Clone(s.options.Settings)
	if own == nil {
		own = map[string]string{}
	}
	own["SENDONCE_ADDR"] = "127.0.0.1:0"
	own["SENDONCE_DATA"] = s.options.Data
	own["DATABASE_URL"] = s.options.DatabaseURL
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "SENDONCE_") || strings.HasPrefix(entry, "DATABASE_URL")
	})
	for name, value := range own {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// URL is where the server listens, such as http://127.0.0.1:41234. It changes with Restart.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// SignInLink is the one-time address that the first start printed, or "".
func (s *Server) SignInLink() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link
}

// Token makes an API token with the server's own command, beside the running server.
func (s *Server) Token(ctx context.Context, role string) (string, error) {
	command := exec.CommandContext(ctx, s.options.Program, "token", "create", "--role", role)
	command.Env = s.environment()
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("sendonce token create: %w: %s", err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// PID is the server's process, for those who measure it.
func (s *Server) PID() int { return s.process.command.Process.Pid }

// Kill ends the server as kill -9 does.
func (s *Server) Kill() { s.process.Kill() }

// Stop ends the server as a deploy does, and waits.
func (s *Server) Stop() error { return s.process.Stop() }

// Tail is the end of the server's log.
func (s *Server) Tail() string { return s.process.Tail() }
