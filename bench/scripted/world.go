package scripted

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"sendonce/e2e/harness"
)

// World is a running server on its own Postgres, in a folder that goes with it.
type World struct {
	Server *harness.Server
	API    *harness.API
	// Data is the server's data folder.
	Data string

	folder string
}

// Begin builds and starts a server. The caller closes the World.
func Begin(ctx context.Context, settings map[string]string) (*World, error) {
	folder, err := os.MkdirTemp("", "sendonce-scripted-")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	w := &World{folder: folder, Data: filepath.Join(folder, "data")}
	if err := w.start(ctx, settings); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *World) start(ctx context.Context, settings map[string]string) error {
	// Postgres does not run as root and must be able to walk through.
	if err := os.Chmod(w.folder, 0o711); err != nil {
		return fmt.Errorf("open the folder: %w", err)
	}
	program, err := harness.Build(ctx, w.folder)
	if err != nil {
		return err
	}
	w.Server, err = harness.StartServer(ctx, harness.ServerOptions{Program: program, Data: w.Data, Settings: settings})
	if err != nil {
		return err
	}
	token, err := w.Server.Token(ctx, "admin")
	if err != nil {
		return err
	}
	w.API = &harness.API{URL: w.Server.URL(), Token: token}
	return nil
}

// Approve has a message to a person of that slug approved.
func (w *World) Approve(ctx context.Context, account, slug string) error {
	m, err := w.API.Propose(ctx, account, slug, "Hello "+slug)
	if err != nil {
		return err
	}
	_, err = w.API.Approve(ctx, m)
	return err
}

// Close stops the server and removes what it kept.
func (w *World) Close() error {
	var failed error
	if w.Server != nil {
		failed = w.Server.Stop()
	}
	return errors.Join(failed, os.RemoveAll(w.folder))
}
