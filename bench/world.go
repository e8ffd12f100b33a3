package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"sendonce/e2e/harness"
	"sendonce/server/postgres/local"
)

// world is a running server and a way to the Postgres under it.
type world struct {
	folder string
	server *harness.Server
	api    *harness.API
	rawURL string // a database of its own on the same cluster, for the raw commits
}

func newWorld(ctx context.Context) (*world, error) {
	folder, err := os.MkdirTemp("", "sendonce-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	w := &world{folder: folder}
	if err := w.start(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *world) start(ctx context.Context) error {
	// Postgres does not run as root and must be able to walk through.
	if err := os.Chmod(w.folder, 0o711); err != nil {
		return fmt.Errorf("open the folder: %w", err)
	}
	program, err := harness.Build(ctx, w.folder)
	if err != nil {
		return err
	}
	data := filepath.Join(w.folder, "data")
	w.server, err = harness.StartServer(ctx, harness.ServerOptions{Program: program, Data: data})
	if err != nil {
		return err
	}
	token, err := w.server.Token(ctx, "admin")
	if err != nil {
		return err
	}
	w.api = &harness.API{URL: w.server.URL(), Token: token}
	return w.makeRawDatabase(ctx, data)
}

func (w *world) makeRawDatabase(ctx context.Context, data string) error {
	admin, err := local.RunningURL(data, "postgres", "postgres")
	if err != nil {
		return err
	}
	if w.rawURL, err = local.RunningURL(data, "postgres", "raw"); err != nil {
		return err
	}
	if err := execOnce(ctx, admin, "CREATE DATABASE raw"); err != nil {
		return err
	}
	return execOnce(ctx, w.rawURL, "CREATE TABLE row (id int PRIMARY KEY, n int NOT NULL DEFAULT 0) WITH (fillfactor = 50);"+
		"INSERT INTO row (id) SELECT generate_series(0, 999)")
}

func execOnce(ctx context.Context, url, sql string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

func (w *world) close() error {
	var failed error
	if w.server != nil {
		failed = w.server.Stop()
	}
	return errors.Join(failed, os.RemoveAll(w.folder))
}
