package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sendonce/bench/scripted"
	"sendonce/server/postgres/local"
)

// world is a running server and a way to the Postgres under it.
type world struct {
	*scripted.World
	rawURL string // a database of its own on the same cluster, for the raw commits
}

func newWorld(ctx context.Context) (*world, error) {
	begun, err := scripted.Begin(ctx, nil)
	if err != nil {
		return nil, err
	}
	w := &world{World: begun}
	if err := w.makeRawDatabase(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *world) makeRawDatabase(ctx context.Context) error {
	admin, err := local.RunningURL(w.Data, "postgres", "postgres")
	if err != nil {
		return err
	}
	if w.rawURL, err = local.RunningURL(w.Data, "postgres", "raw"); err != nil {
		return err
	}
	if err := execOnce(ctx, admin, "CREATE DATABASE raw"); err != nil {
		return err
	}
	return execOnce(ctx, w.rawURL, "CREATE TABLE row (id int PRIMARY KEY, n int NOT NULL DEFAULT 0) WITH (fillfactor = 50);"+
		"INSERT INTO row (id) SELECT generate_series(0, 999);"+makeInserted)
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
