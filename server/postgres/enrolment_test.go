package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sendonce/server/auth"
	"sendonce/server/config"
	"sendonce/server/install"
	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/rule"
)

var (
	rita = install.Member{URN: "urn:li:fsd_profile:ACoAAR1", Slug: "Rita-Recruiter", Name: "Rita Recruiter"}
	omar = install.Member{URN: "urn:li:fsd_profile:ACoAAO1", Slug: "omar-other", Name: "Omar Other"}
)

// enrolment is the install side over a database of its own, with one workspace and an admin.
type enrolment struct {
	*install.Service
	t         *testing.T
	store     *postgres.Store
	admin     *pgx.Conn
	now       time.Time
	workspace uuid.UUID
	principal uuid.UUID
	changed   changes
}

type changes struct {
	mu       sync.Mutex
	installs []uuid.UUID
}

func (c *changes) InstallChanged(install uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.installs = append(c.installs, install)
}

func (c *changes) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.installs)
}

func newEnrolment(t *testing.T) *enrolment {
	t.Helper()
	database := pgtest.New(t)
	store, err := postgres.Open(t.Context(), database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	admin, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close(context.WithoutCancel(t.Context())) })
	e := &enrolment{t: t, store: store, admin: admin, now: time.Now()}
	keys := auth.NewKeys()
	clock := func() time.Time { return e.now }
	e.Service = install.NewService(store, auth.NewAccessTokens(keys.Access, clock), auth.NewRefreshSecrets(keys.Refresh),
		&e.changed, auth.NewAttempts(config.PairingTriesPerMin), clock)
	e.workspace = e.id("INSERT INTO workspaces (name) VALUES ('Team') RETURNING id")
	e.principal = e.addPrincipal("admin")
	return e
}

func (e *enrolment) id(sql string, args ...any) uuid.UUID {
	e.t.Helper()
	var id uuid.UUID
	if err := e.admin.QueryRow(e.t.Context(), sql, args...).Scan(&id); err != nil {
		e.t.Fatal(err)
	}
	return id
}

func (e *enrolment) exec(sql string, args ...any) {
	e.t.Helper()
	if _, err := e.admin.Exec(e.t.Context(), sql, args...); err != nil {
		e.t.Fatal(err)
	}
}

func (e *enrolment) text(sql string, args ...any) string {
	e.t.Helper()
	var text string
	if err := e.admin.QueryRow(e.t.Context(), sql, args...).Scan(&text); err != nil {
		e.t.Fatal(err)
	}
	return text
}

func (e *enrolment) addPrincipal(role string) uuid.UUID {
	return e.id("INSERT INTO principals (workspace_id, role, name) VALUES ($1, $2, $3) RETURNING id", e.workspace, role, "The "+role)
}

func (e *enrolment) addAccount(handle string) uuid.UUID {
	return e.id("INSERT INTO accounts (workspace_id, channel, handle, created_by) VALUES ($1, 'linkedin', $2, $3) RETURNING id",
		e.workspace, handle, e.principal)
}

func (e *enrolment) pair(principal uuid.UUID) install.Paired {
	e.t.Helper()
	code, err := e.NewPairingCode(e.t.Context(), e.workspace, principal)
	if err != nil {
		e.t.Fatal(err)
	}
	paired, err := e.Pair(e.t.Context(), "192.0.2.1", code.Code, "1.0.0")
	if err != nil {
		e.t.Fatal(err)
	}
	return paired
}

func (e *enrolment) token(id uuid.UUID, secret string) install.Token {
	e.t.Helper()
	token, err := e.Token(e.t.Context(), id, secret)
	if err != nil {
		e.t.Fatal(err)
	}
	return token
}

func (e *enrolment) hello(id uuid.UUID, access string, members ...install.Member) install.Welcome {
	e.t.Helper()
	welcome, err := e.Hello(e.t.Context(), install.HelloAsk{
		AccessToken: access, Install: id, ExtensionVersion: "1.0.1", RulesDigest: rule.Digest(), Members: members,
	})
	if err != nil {
		e.t.Fatal(err)
	}
	return welcome
}
