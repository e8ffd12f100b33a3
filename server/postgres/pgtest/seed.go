package pgtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Seed is a small workspace for tests of the layers above the tables: one admin, one LinkedIn account, and one install
// that serves it. It writes as the owner would, past the server.
type Seed struct {
	Pool      *pgxpool.Pool // as the superuser
	Workspace uuid.UUID
	Principal uuid.UUID
	Account   uuid.UUID
	Install   uuid.UUID
	Session   uuid.UUID
}

// NewSeed fills the database and closes its connections when the test ends.
func NewSeed(t testing.TB, db *DB) *Seed {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), db.AdminURL)
	if err != nil {
		t.Fatalf("connect as admin: %v", err)
	}
	t.Cleanup(pool.Close)
	s := &Seed{Pool: pool}
	s.scan(t, &s.Workspace, `INSERT INTO workspaces (name) VALUES ('Example') RETURNING id`)
	s.scan(t, &s.Principal, `INSERT INTO principals (workspace_id, role, name) VALUES ($1, 'admin', 'Rita Recruiter') RETURNING id`, s.Workspace)
	s.Account = s.AddAccount(t, "rita-recruiter")
	s.Install, s.Session = s.AddInstall(t)
	return s
}

// AddAccount makes a LinkedIn account whose member is pinned.
func (s *Seed) AddAccount(t testing.TB, handle string) uuid.UUID {
	t.Helper()
	var id uuid.UUID
	s.scan(t, &id, `INSERT INTO accounts (workspace_id, channel, handle, member_urn, created_by)
		VALUES ($1, 'linkedin', $2, 'urn:li:fsd_profile:ACo' || $2, $3) RETURNING id`, s.Workspace, handle, s.Principal)
	return id
}

// Limits are what SetLimits sets. The zero value of each but the first two is none.
type Limits struct {
	PerDay, PerHour int
	Gap, Jitter     time.Duration
	WarmUpFrom      int
	WarmUpDays      int
}

// SetLimits sets limits of an account, from now on.
func (s *Seed) SetLimits(t testing.TB, account uuid.UUID, l Limits) {
	t.Helper()
	s.Exec(t, `INSERT INTO account_limits (account_id, number, per_day, per_hour, gap_seconds, jitter_seconds, warm_up_from, warm_up_days, why, set_by)
		SELECT $1, number + 1, $2, $3, $4, $5, $6, $7, 'a test', $8 FROM account_limits_now WHERE account_id = $1`,
		account, l.PerDay, l.PerHour, int(l.Gap.Seconds()), int(l.Jitter.Seconds()), max(l.WarmUpFrom, 1), l.WarmUpDays, s.Principal)
}

// SetHours sets hours of an account, on every day but the holidays, from one minute of the day to another.
func (s *Seed) SetHours(t testing.TB, account uuid.UUID, zone string, opens, closes int, holidays ...string) {
	t.Helper()
	s.Exec(t, `INSERT INTO account_hours (account_id, number, zone, opens_minute, closes_minute, days, holidays, late_days, set_by)
		SELECT $1, number + 1, $2, $3, $4, '{1,2,3,4,5,6,7}', $5::text[]::date[], late_days, $6 FROM account_hours_now WHERE account_id = $1`,
		account, zone, opens, closes, append([]string{}, holidays...), s.Principal)
}

// AddInstall makes an install of the admin with an open session.
func (s *Seed) AddInstall(t testing.TB) (install, session uuid.UUID) {
	t.Helper()
	session = uuid.New()
	s.scan(t, &install, `INSERT INTO installs (workspace_id, principal_id, secret_hash, session_id) VALUES ($1, $2, $3, $4) RETURNING id`,
		s.Workspace, s.Principal, []byte(rand.Text()), session)
	return install, session
}

// Message is an approved message with its first send in the queue.
type Message struct {
	ID, Person, Approval, Send uuid.UUID
	Body, Digest               string
}

// AddMessage makes a new person and an approved message to them.
func (s *Seed) AddMessage(t testing.TB, body string) Message {
	t.Helper()
	var person uuid.UUID
	s.scan(t, &person, `INSERT INTO people (workspace_id, name) VALUES ($1, 'Ada Example') RETURNING id`, s.Workspace)
	s.Exec(t, `INSERT INTO person_identities (workspace_id, kind, value, person_id) VALUES ($1, 'linkedin_slug', $2, $3)`,
		s.Workspace, "ada-"+person.String(), person)
	return s.AddMessageTo(t, person, s.Account, body)
}

// AddMessageTo makes an approved message, for a purpose of its own, to a person who is there already.
func (s *Seed) AddMessageTo(t testing.TB, person, account uuid.UUID, body string) Message {
	t.Helper()
	text := sha256.Sum256([]byte(body))
	m := Message{Person: person, Body: body}
	s.scan(t, &m.ID, `INSERT INTO messages (workspace_id, account_id, person_id, channel, purpose, purpose_key, version, authority, created_by)
		VALUES ($1, $2, $3, 'linkedin', $5, $5, 1, 'approved', $4) RETURNING id`, s.Workspace, account, person, s.Principal, "reason "+uuid.NewString())
	digest := sha256.Sum256([]byte(m.ID.String() + body))
	m.Digest = "sha256:" + hex.EncodeToString(digest[:])
	s.Exec(t, `INSERT INTO message_versions (message_id, version, body, digest, text_hash, created_by) VALUES ($1, 1, $2, $3, $4, $5)`,
		m.ID, body, m.Digest, text[:], s.Principal)
	s.scan(t, &m.Approval, `INSERT INTO approvals (message_id, version, digest, approver, expires_at)
		VALUES ($1, 1, $2, $3, sendonce_now() + interval '7 days') RETURNING id`, m.ID, m.Digest, s.Principal)
	s.scan(t, &m.Send, `INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, version, digest, text_hash, approval_id)
		VALUES ($1, $2, $3, $4, 1, 1, $5, $6, $7) RETURNING id`, s.Workspace, m.ID, account, person, m.Digest, text[:], m.Approval)
	return m
}

// SetClock sets the database's clock.
func (s *Seed) SetClock(t testing.TB, at time.Time) {
	t.Helper()
	s.Exec(t, `UPDATE clock_offset SET ahead = $1 - clock_timestamp()`, at)
}

// Advance moves the database's clock forward.
func (s *Seed) Advance(t testing.TB, by time.Duration) {
	t.Helper()
	s.Exec(t, `UPDATE clock_offset SET ahead = ahead + $1`, by)
}

// Status is a send's status as the table has it.
func (s *Seed) Status(t testing.TB, send uuid.UUID) string {
	t.Helper()
	var status string
	s.scan(t, &status, `SELECT status FROM sends WHERE id = $1`, send)
	return status
}

// Count is the number that a query returns.
func (s *Seed) Count(t testing.TB, query string, args ...any) int {
	t.Helper()
	var n int
	s.scan(t, &n, query, args...)
	return n
}

// Exec runs a statement as the superuser.
func (s *Seed) Exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	if _, err := s.Pool.Exec(context.WithoutCancel(t.Context()), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func (s *Seed) scan(t testing.TB, into any, query string, args ...any) {
	t.Helper()
	row := s.Pool.QueryRow(context.WithoutCancel(t.Context()), query, args...)
	if err := row.Scan(into); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}
