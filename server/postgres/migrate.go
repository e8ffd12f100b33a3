// Package postgres is the only user of pgx: migrations, the rules in the database, and the queries behind every store
// that the domain packages declare. It decides nothing: it reads facts under locks, hands them to a pure function of the
// domain, and writes what that function said, guarded by the row's status and lease.
package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// OwnerRole owns the tables and cannot log in. The server's role is not a member of it.
const OwnerRole = "sendonce_owner"

// ServerRole is the role the server works as when nothing else is said.
const ServerRole = "sendonce_server"

// Migrate brings the database that adminURL names to this version: it makes the two roles, runs the migrations as the
// owner and applies the rules of shared/statuses.json. The admin must be able to create roles, and owns nothing
// afterwards. serverRole is the role that will serve, with serverPassword unless that is empty.
func Migrate(ctx context.Context, adminURL, serverRole, serverPassword string) error {
	if err := makeRoles(ctx, adminURL, serverRole, serverPassword); err != nil {
		return fmt.Errorf("make roles: %w", err)
	}
	config, err := pgx.ParseConfig(adminURL)
	if err != nil {
		return fmt.Errorf("read the admin address: %w", err)
	}
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SET ROLE "+OwnerRole)
		return err
	}))
	defer db.Close()
	if err := runMigrations(ctx, db); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return applyRules(ctx, db, serverRole)
}

func runMigrations(ctx context.Context, db *sql.DB) error {
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return nil, err
	}
	// Two servers that start at once must not migrate at once.
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker),
		goose.WithDisableGlobalRegistry(true))
}

// makeRoles is safe to run again and beside another database of the same cluster: roles belong to the whole cluster.
func makeRoles(ctx context.Context, adminURL, serverRole, serverPassword string) error {
	conn, err := pgx.Connect(ctx, adminURL)
	if err != nil {
		return fmt.Errorf("connect as admin: %w", err)
	}
	defer conn.Close(ctx)
	if err := createRole(ctx, conn, OwnerRole, "NOLOGIN"); err != nil {
		return err
	}
	if err := createRole(ctx, conn, serverRole, "LOGIN"); err != nil {
		return err
	}
	server := pgx.Identifier{serverRole}.Sanitize()
	if serverPassword != "" {
		var quoted string
		if err := conn.QueryRow(ctx, "SELECT quote_literal($1::text)", serverPassword).Scan(&quoted); err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, "ALTER ROLE "+server+" PASSWORD "+quoted); err != nil {
			return fmt.Errorf("set the server role's password: %w", err)
		}
	}
	var mayActAsOwner bool
	if err := conn.QueryRow(ctx, "SELECT pg_has_role(current_user, $1, 'member')", OwnerRole).Scan(&mayActAsOwner); err != nil {
		return err
	}
	if !mayActAsOwner {
		if _, err := conn.Exec(ctx, "GRANT "+OwnerRole+" TO CURRENT_USER"); err != nil {
			return fmt.Errorf("let the admin act as the owner: %w", err)
		}
	}
	// Where every role may make functions and operators in public, as before Postgres 15, one of them could stand in for
	// what the guards call.
	_, err = conn.Exec(ctx, "REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT USAGE, CREATE ON SCHEMA public TO "+OwnerRole)
	return err
}

func createRole(ctx context.Context, conn *pgx.Conn, name, kind string) error {
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", name).Scan(&exists); err != nil {
		return err
	}
	if exists {
		return nil
	}
	_, err := conn.Exec(ctx, "CREATE ROLE "+pgx.Identifier{name}.Sanitize()+" "+kind)
	if isCode(err, "42710") || isCode(err, "23505") {
		return nil // another process of the same cluster was faster
	}
	if err != nil {
		return fmt.Errorf("create role %s: %w", name, err)
	}
	return nil
}

// isCode reports whether err is Postgres' error with that SQLSTATE.
func isCode(err error, code string) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == code
}

// CreateDatabase makes the database if there is none of that name.
func CreateDatabase(ctx context.Context, adminURL, name string) error {
	conn, err := pgx.Connect(ctx, adminURL)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer conn.Close(ctx)
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists); err != nil {
		return fmt.Errorf("look for the database: %w", err)
	}
	if exists {
		return nil
	}
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		return fmt.Errorf("make the database: %w", err)
	}
	return nil
}

// QuietTimes are how long after an attempt's deadline "it was not delivered" does not count yet.
type QuietTimes struct {
	Grace  time.Duration
	Unseen time.Duration
}

// SetQuietTimes changes the times of one channel. Only the owner may: call it with the admin's address.
func SetQuietTimes(ctx context.Context, adminURL, channel string, times QuietTimes) error {
	conn, err := pgx.Connect(ctx, adminURL)
	if err != nil {
		return fmt.Errorf("connect as admin: %w", err)
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "UPDATE quiet_times SET grace = $2, unseen = $3 WHERE channel = $1", channel, times.Grace, times.Unseen)
	return err
}
