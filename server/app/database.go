package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"sendonce/server/config"
	"sendonce/server/instance"
	"sendonce/server/postgres"
	"sendonce/server/postgres/local"
)

// privateDatabase is the one database of the private cluster.
const privateDatabase = "sendonce"

// Database is the database that the server works on: its own private one, or the one it was told to use.
type Database struct {
	Store *postgres.Store
	// ListenURL is a direct connection as the server's role.
	ListenURL string
	cluster   *local.Cluster // nil when the database is someone else's to run
}

// OpenDatabase opens the database of the settings. The private one is made, migrated and started; another one must have
// been migrated by `sendonce migrate`, and is refused when it lacks what the server relies on.
func OpenDatabase(ctx context.Context, settings config.Settings, log *slog.Logger) (*Database, error) {
	if settings.DatabaseURL != "" {
		return openGiven(ctx, settings)
	}
	cluster, err := local.Start(ctx, local.Options{DataDir: settings.Data, Log: log, AllowEphemeral: settings.AllowEphemeral})
	if err != nil {
		return nil, err
	}
	database, err := openPrivate(ctx, cluster, settings)
	if err != nil {
		return nil, errors.Join(err, cluster.Stop(context.WithoutCancel(ctx)))
	}
	return database, nil
}

func openGiven(ctx context.Context, settings config.Settings) (*Database, error) {
	listen := settings.ListenURL
	if listen == "" {
		listen = settings.DatabaseURL
	}
	return open(ctx, settings.DatabaseURL, listen, settings)
}

func openPrivate(ctx context.Context, cluster *local.Cluster, settings config.Settings) (*Database, error) {
	if err := postgres.CreateDatabase(ctx, cluster.AdminURL(), privateDatabase); err != nil {
		return nil, err
	}
	admin := cluster.URL("postgres", privateDatabase)
	if err := postgres.Migrate(ctx, admin, postgres.ServerRole, ""); err != nil {
		return nil, err
	}
	url := cluster.URL(postgres.ServerRole, privateDatabase)
	database, err := open(ctx, url, url, settings)
	if err != nil {
		return nil, err
	}
	// Only now: a sandbox that was given a real database must not shorten its quiet times.
	if err := setQuietTimes(ctx, admin, settings); err != nil {
		database.Store.Close()
		return nil, err
	}
	database.cluster = cluster
	return database, nil
}

// open refuses a database that lacks what this program relies on, or that serves another purpose.
func open(ctx context.Context, url, listenURL string, settings config.Settings) (*Database, error) {
	store, err := postgres.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	err = store.Check(ctx, postgres.CheckOptions{AllowUndurable: settings.AllowUndurable})
	if err == nil {
		err = instance.Claim(ctx, store, purposeOf(settings))
	}
	if err != nil {
		store.Close()
		return nil, err
	}
	return &Database{Store: store, ListenURL: listenURL}, nil
}

func purposeOf(settings config.Settings) instance.Purpose {
	if settings.Sandbox {
		return instance.Sandbox
	}
	return instance.Real
}

// Migrate brings a database to this version and writes what the settings say of its quiet times.
func Migrate(ctx context.Context, adminURL, serverRole, serverPassword string, settings config.Settings) error {
	if err := postgres.Migrate(ctx, adminURL, serverRole, serverPassword); err != nil {
		return err
	}
	return setQuietTimes(ctx, adminURL, settings)
}

func setQuietTimes(ctx context.Context, adminURL string, settings config.Settings) error {
	times := postgres.QuietTimes{Grace: settings.Grace, Unseen: settings.GraceUnseen}
	if err := postgres.SetQuietTimes(ctx, adminURL, "linkedin", times); err != nil {
		return fmt.Errorf("set the quiet times: %w", err)
	}
	return nil
}

// IsPrivate says that the database lives in the data folder.
func (d *Database) IsPrivate() bool { return d.cluster != nil }

// Died is closed when the private cluster has ended. It is nil, and so never ready, when there is none.
func (d *Database) Died() <-chan struct{} {
	if d.cluster == nil {
		return nil
	}
	return d.cluster.Done()
}

// Close ends the connections and stops the private cluster.
func (d *Database) Close(ctx context.Context) error {
	d.Store.Close()
	if d.cluster == nil {
		return nil
	}
	return d.cluster.Stop(ctx)
}

// OpenBeside opens the database of a server that may be running, for one short command beside it.
func OpenBeside(ctx context.Context, settings config.Settings) (*postgres.Store, error) {
	url := settings.DatabaseURL
	if url == "" {
		running, err := local.RunningURL(settings.Data, postgres.ServerRole, privateDatabase)
		if err != nil {
			return nil, err
		}
		url = running
	}
	return postgres.Open(ctx, url)
}
