// Package pgtest gives every test a database of its own on a real Postgres: a clone of a template that was migrated
// once, dropped when the test ends.
//
// The cluster is the one that SENDONCE_TEST_POSTGRES names (the URL of a superuser, on a cluster that asks no role for a
// password), else a private one that the test process starts for itself. `make test` starts one for all packages, with
// the command withcluster. Nothing here is for production.
package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sendonce/server/postgres"
)

// databaseWaitMax bounds making or dropping one database, with a busy machine in mind.
const databaseWaitMax = 2 * time.Minute

// DB is a database that belongs to one test.
type DB struct {
	Name string
	// AdminURL connects as the superuser, ServerURL as the role that the server works as.
	AdminURL  string
	ServerURL string
}

// New makes a database with Sendonce's schema and drops it, with whatever is still connected, when the test ends. Its accounts have no limits
// worth the name until a test sets some, as many tests begin more in a second than an account may in a week.
func New(t testing.TB) *DB {
	t.Helper()
	fingerprint, err := postgres.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	return Clone(t, Template{
		Fingerprint: fingerprint + "lifted",
		Migrate: func(ctx context.Context, adminURL string) error {
			if err := postgres.Migrate(ctx, adminURL, postgres.ServerRole, ""); err != nil {
				return err
			}
			return LiftLimits(ctx, adminURL)
		},
	})
}

// LiftLimits lets the accounts of a migrated database begin as much as the schema has room for, as long as a test sets no limits of its own.
// The server's role could not: the defaults are the owner's.
func LiftLimits(ctx context.Context, adminURL string) error {
	return execute(ctx, adminURL, `UPDATE pace_defaults SET per_day = 10000, per_hour = 10000, gap_seconds = 0, jitter_seconds = 0, warm_up_days = 0`)
}

// Clone makes a database from a template of the caller's own.
func Clone(t testing.TB, template Template) *DB {
	t.Helper()
	clusterURL, err := cluster()
	if err != nil {
		t.Fatalf("start a Postgres for the tests: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), databaseWaitMax)
	defer cancel()
	source, err := template.ensure(ctx, clusterURL)
	if err != nil {
		t.Fatalf("make the template database: %v", err)
	}
	name := "test_" + strings.ToLower(rand.Text())
	sessions, err := admin()
	if err != nil {
		t.Fatalf("connect to the tests' Postgres: %v", err)
	}
	if _, err := sessions.Exec(ctx, createFrom(name, source)); err != nil {
		t.Fatalf("clone the template database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), databaseWaitMax)
		defer cancel()
		if _, err := sessions.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	return &DB{
		Name:      name,
		AdminURL:  withDatabase(clusterURL, name),
		ServerURL: withUser(withDatabase(clusterURL, name), postgres.ServerRole),
	}
}

// admin are this process's sessions in the cluster's own database. Postgres makes a process for each session: one for each
// statement was a fifth of them.
var admin = sync.OnceValues(func() (*pgxpool.Pool, error) {
	clusterURL, err := cluster()
	if err != nil {
		return nil, err
	}
	return pgxpool.New(context.Background(), clusterURL)
})

func execute(ctx context.Context, url, statement string) error {
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	_, err = connection.Exec(ctx, statement)
	return err
}

// withDatabase and withUser change one part of a URL that has been connected with before, so it parses.
func withDatabase(address, name string) string {
	parsed := mustParse(address)
	parsed.Path = "/" + name
	return parsed.String()
}

func withUser(address, name string) string {
	parsed := mustParse(address)
	parsed.User = url.User(name)
	return parsed.String()
}

func mustParse(address string) *url.URL {
	parsed, err := url.Parse(address)
	if err != nil {
		panic(fmt.Sprintf("the address of the tests' Postgres is no URL: %v", err))
	}
	return parsed
}
