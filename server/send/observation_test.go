package send_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// A report whose token nobody issued, or that another user's browser was given, is kept once and settles nothing.
func TestAReportThatSettlesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	other := b.sessionOf(b.installOfAnotherUser(t), uuid.New())
	elsewhere := b.session
	elsewhere.Install, elsewhere.Workspace = b.installOfAnotherWorkspace(t)

	made, forgotten := *l, *l
	made.Token = "made-up"
	forgotten.Token = tokenOfAForgottenInstall(t, b, l.Send)
	for name, c := range map[string]struct {
		lease   *send.Lease
		session send.Session
		want    error
	}{
		"a token that nobody issued":                               {&made, b.session, send.ErrBadLease},
		"another user's lease":                                     {l, other, send.ErrForeignLease},
		"another workspace's send":                                 {l, elsewhere, send.ErrForeignLease},
		"another workspace's send, of a browser that is forgotten": {&forgotten, elsewhere, send.ErrForeignLease},
	} {
		report := b.report(c.lease, attemptOne, found(), name)
		report.Session = c.session
		for range 2 {
			if _, err := b.service.Report(t.Context(), report); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
		}
		if n := b.Count(t, `SELECT count(*) FROM observations WHERE install_id = $1 AND body->>'copies' = $2`, c.session.Install, name); n != 1 {
			t.Errorf("%s: kept %d times, want once", name, n)
		}
	}
	b.wantStatus(t, l.Send, rule.Started)
	if n := b.Count(t, `SELECT count(*) FROM evidence`); n != 0 {
		t.Errorf("%d pieces of evidence", n)
	}
}

// What another user's browser says of a lease moves nothing, whatever it says.
func TestAnotherUsersLeaseIsNotTheirsToEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	other := b.sessionOf(b.installOfAnotherUser(t), uuid.New())
	if err := b.service.Release(t.Context(), other, l.Token, "busy"); !errors.Is(err, send.ErrForeignLease) {
		t.Errorf("release: %v", err)
	}
	b.wantStatus(t, l.Send, rule.Leased)
	b.start(t, l, attemptOne)
	if err := b.service.Gone(t.Context(), other, l.Token); !errors.Is(err, send.ErrForeignLease) {
		t.Errorf("gone: %v", err)
	}
	if n := b.Count(t, `SELECT count(*) FROM sends WHERE gone_at IS NOT NULL`); n != 0 {
		t.Error("the tab is taken for gone")
	}
	resolved := send.Resolved{Session: other, LeaseToken: l.Token, Attempt: attemptOne, PersonURN: adaURN}
	if _, err := b.service.Resolve(t.Context(), resolved); !errors.Is(err, send.ErrForeignLease) {
		t.Errorf("resolved: %v", err)
	}
	look, err := checkTokens.Sign(send.LeaseClaims{Send: l.Send, Lease: uuid.New(), Install: b.Install, Account: b.Account, Workspace: b.Workspace})
	if err != nil {
		t.Fatal(err)
	}
	checked := send.Checked{Session: other, Token: look, Result: send.CheckAbsent, Raw: []byte(`{}`)}
	if err := b.service.Checked(t.Context(), checked); !errors.Is(err, send.ErrForeignLease) {
		t.Errorf("checked: %v", err)
	}
	if n := b.Count(t, `SELECT count(*) FROM evidence`); n != 0 {
		t.Errorf("%d pieces of evidence", n)
	}
}

// A browser that was paired anew brings the reports of its earlier pairing, also when the database has forgotten that one.
func TestABrowserPairedAnewSpeaksOfItsEarlierLeases(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	again := b.sessionOf(b.AddInstall(t))
	report := b.report(l, attemptOne, found(), "urn:one")
	report.Session = again
	b.wantReport(t, report, rule.Sent, "confirmed")
	if n := b.Count(t, `SELECT count(*) FROM evidence WHERE install_id = $1`, again.Install); n != 1 {
		t.Error("the evidence does not name who brought it")
	}
	report.LeaseToken, report.Raw = tokenOfAForgottenInstall(t, b, l.Send), []byte(`{"look":"found"}`)
	b.wantReport(t, report, rule.Sent, "confirmed")
}

// One browser cannot fill the table.
func TestObservationsAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `INSERT INTO observations (workspace_id, install_id, why, body, said_hash)
		SELECT $1, $2, 'unknown_lease', '{}', sha256(n::text::bytea) FROM generate_series(1, $3::int) n`,
		b.Workspace, b.Install, config.ObservationsPerInstallMax)
	report := b.report(&send.Lease{Token: "made-up"}, attemptOne, found())
	if _, err := b.service.Report(t.Context(), report); !errors.Is(err, send.ErrBadLease) {
		t.Errorf("one report too many: %v", err)
	}
	if n := b.Count(t, `SELECT count(*) FROM observations`); n != config.ObservationsPerInstallMax {
		t.Errorf("%d are kept, want %d", n, config.ObservationsPerInstallMax)
	}
}

func tokenOfAForgottenInstall(t *testing.T, b *bundle, id uuid.UUID) string {
	t.Helper()
	token, err := leaseTokens.Sign(send.LeaseClaims{Send: id, Lease: uuid.New(), Install: uuid.New(), Account: b.Account, Workspace: b.Workspace})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (b *bundle) installOfAnotherUser(t *testing.T) uuid.UUID {
	t.Helper()
	return b.insertedID(t, `WITH other AS (INSERT INTO principals (workspace_id, role, name) VALUES ($1, 'recruiter', 'Olga Other') RETURNING id)
		INSERT INTO installs (workspace_id, principal_id, secret_hash) SELECT $1, id, '\x01' FROM other RETURNING id`, b.Workspace)
}

func (b *bundle) installOfAnotherWorkspace(t *testing.T) (install, workspace uuid.UUID) {
	t.Helper()
	workspace = b.insertedID(t, `INSERT INTO workspaces (name) VALUES ('Elsewhere') RETURNING id`)
	install = b.insertedID(t, `WITH other AS (INSERT INTO principals (workspace_id, role, name) VALUES ($1, 'admin', 'Eva Elsewhere') RETURNING id)
		INSERT INTO installs (workspace_id, principal_id, secret_hash) SELECT $1, id, '\x02' FROM other RETURNING id`, workspace)
	return install, workspace
}

func (b *bundle) insertedID(t *testing.T, statement string, args ...any) uuid.UUID {
	t.Helper()
	var id uuid.UUID
	if err := b.Pool.QueryRow(t.Context(), statement, args...).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}
