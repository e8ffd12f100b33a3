package send_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/rule"
	"sendonce/server/send"
)

// Nobody looks whom the account is not entrusted to, nor while LinkedIn or a person wants it to rest; and the look is due all
// the same once that is over.
func TestWhoMayNotLook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.unconfirm(t, "Hello Ada")
	own := b.session
	b.session = b.sessionOf(b.Install, uuid.New())
	b.wantNoCheck(t)
	b.session = b.stranger(t)
	b.wantNoCheck(t)
	b.session = own
	for _, c := range []struct{ why, begin, end string }{
		{"its install is paused", `UPDATE installs SET paused_at = now()`, `UPDATE installs SET paused_at = NULL`},
		{"its install is revoked", `UPDATE installs SET revoked_at = now(), revoked_code = 'by_a_person'`, `UPDATE installs SET revoked_at = NULL, revoked_code = NULL`},
		{"the account is granted to somebody else", `UPDATE principals SET role = 'recruiter'`, `UPDATE principals SET role = 'admin'`},
		{"the account is stopped", `UPDATE accounts SET stopped_at = now(), stopped_code = 'status_403'`, `UPDATE accounts SET stopped_at = NULL, stopped_code = NULL`},
		{"the account is paused", `UPDATE accounts SET paused_at = now()`, `UPDATE accounts SET paused_at = NULL`},
		{"the account cools down", `UPDATE accounts SET cool_until = now() + interval '1 hour'`, `UPDATE accounts SET cool_until = NULL`},
		{"the workspace is paused", `UPDATE workspaces SET paused_at = now()`, `UPDATE workspaces SET paused_at = NULL`},
		{"everything is paused", `UPDATE pause_of_everything SET paused_at = now()`, `UPDATE pause_of_everything SET paused_at = NULL`},
	} {
		b.Exec(t, c.begin)
		if check, err := b.service.NextCheck(t.Context(), b.session, b.Account); err != nil || check != nil {
			t.Errorf("%s, and a check was given: %+v, %v", c.why, check, err)
		}
		b.Exec(t, c.end)
	}
	b.Exec(t, `UPDATE principals SET role = 'recruiter'`)
	b.Exec(t, `INSERT INTO account_grants (account_id, principal_id) VALUES ($1, $2)`, b.Account, b.Principal)
	b.check(t)
}

// stranger is a session of another workspace's admin.
func (b *bundle) stranger(t *testing.T) send.Session {
	t.Helper()
	session := send.Session{ID: uuid.New(), ExtensionVersion: "1.0.0"}
	err := b.Pool.QueryRow(t.Context(), `WITH w AS (INSERT INTO workspaces (name) VALUES ('Others') RETURNING id),
		p AS (INSERT INTO principals (workspace_id, role, name) SELECT id, 'admin', 'Omar Other' FROM w RETURNING id, workspace_id)
		INSERT INTO installs (workspace_id, principal_id, secret_hash, session_id) SELECT workspace_id, id, 'x', $1 FROM p
		RETURNING id, workspace_id`, session.ID).Scan(&session.Install, &session.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// The token of a lease answers no check, and the token of a check begins and reports nothing.
func TestALeaseAnswersNoCheck(t *testing.T) {
	t.Parallel()
	b := setup(t)
	l, at := b.unconfirm(t, "Hello Ada")
	c := b.check(t)
	for _, token := range []string{l.Token, "made up"} {
		err := b.service.Checked(t.Context(), send.Checked{
			Session: b.session, Token: token, Result: send.CheckFound, Seen: []send.Seen{copyAt("urn:1", 1, at)}, Raw: []byte("{}"),
		})
		if !errors.Is(err, send.ErrBadLease) {
			t.Errorf("%s answers a check: %v", token, err)
		}
	}
	asLease := *l
	asLease.Token = c.Token
	b.wantRefused(t, b.ask(&asLease, attemptOne), rule.UnknownLease)
	if _, err := b.service.Report(t.Context(), b.report(&asLease, attemptOne, found(), "urn:1")); !errors.Is(err, send.ErrBadLease) {
		t.Errorf("a check reports: %v", err)
	}
	if err := b.service.Gone(t.Context(), b.session, c.Token); !errors.Is(err, send.ErrBadLease) {
		t.Errorf("a check says that a tab is gone: %v", err)
	}
	b.wantStatus(t, l.Send, rule.Unconfirmed)
}

// A copy that another message holds settles nothing, and nothing but the result is written of it.
func TestAHeldCopySettlesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.AddMessage(t, "Good day Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.wantReport(t, b.report(l, attemptOne, found(), "urn:held"), rule.Sent, "confirmed")
	own := b.beginTo(t, other.Person, "Hello Ada", attemptTwo)
	b.answer(t, b.check(t), send.CheckFound, copyAt("urn:held", 1, b.now(t)))
	b.wantStatus(t, own, rule.Unconfirmed)
	for query, want := range map[string]int{
		`SELECT count(*) FROM evidence WHERE send_id = $1 AND kind = 'check' AND outcome = 'could_not_check'`: 1,
		`SELECT count(*) FROM evidence WHERE send_id = $1 AND kind <> 'check'`:                                1, // its own report
		`SELECT count(*) FROM deliveries WHERE send_id = $1`:                                                  0,
	} {
		if n := b.Count(t, query, own); n != want {
			t.Errorf("%s: %d, want %d", query, n, want)
		}
	}
}

// beginTo begins an approved repeat to that person, and leaves its end unknown.
func (b *bundle) beginTo(t *testing.T, person uuid.UUID, body, attempt string) uuid.UUID {
	t.Helper()
	m := b.AddMessageTo(t, person, b.Account, body)
	b.Exec(t, `ALTER TABLE approvals DISABLE TRIGGER a_frozen`)
	b.Exec(t, `UPDATE approvals SET repeat_approved = true WHERE id = $1`, m.Approval)
	l := b.lease(t)
	b.start(t, l, attempt)
	b.wantReport(t, b.report(l, attempt, answered(503, rule.LookAbsent)), rule.Unconfirmed, "server_error")
	return m.Send
}

// look is what a browser says that was asked to look at that send.
func (b *bundle) look(t *testing.T, of uuid.UUID, seen ...send.Seen) {
	t.Helper()
	token, err := checkTokens.Sign(send.LeaseClaims{
		Send: of, Lease: uuid.New(), Install: b.Install, Account: b.Account, Workspace: b.Workspace, AskedAt: b.now(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	b.answer(t, &send.Check{Token: token}, send.CheckFound, seen...)
}

// repeated begins two messages with one text to one person, and leaves the end of both unknown. It returns their sends, and the
// copy that each left.
func (b *bundle) repeated(t *testing.T, body string) (sends [2]uuid.UUID, copies [2]send.Seen) {
	t.Helper()
	l, at := b.unconfirm(t, body)
	b.Exec(t, `UPDATE sends SET gone_at = sendonce_now() WHERE id = $1`, l.Send)
	copies[0] = copyAt("urn:first "+body, 1, at)
	b.Exec(t, lookedAtAll)
	b.Advance(t, 20*time.Minute)
	var person uuid.UUID
	if err := b.Pool.QueryRow(t.Context(), `SELECT person_id FROM sends WHERE id = $1`, l.Send).Scan(&person); err != nil {
		t.Fatal(err)
	}
	sends = [2]uuid.UUID{l.Send, b.beginTo(t, person, body, attemptTwo)}
	copies[1] = copyAt("urn:second "+body, 1, b.now(t))
	b.Exec(t, lookedAtAll)
	return sends, copies
}

// Two messages with one text to one person, both unconfirmed: neither takes the copy that the other may have left, whichever
// is looked at first. What can be only the one's confirms it, and then the other's is clear.
func TestARepeatsCopyIsNotTheFirstsNorTheReverse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sends, copies := b.repeated(t, "Hello Ada")
	b.look(t, sends[0], copies[1])
	b.look(t, sends[1], copies[0])
	b.look(t, sends[1], copies[1])
	b.wantStatus(t, sends[0], rule.Unconfirmed)
	b.wantStatus(t, sends[1], rule.Unconfirmed)
	b.look(t, sends[0], copies[0], copies[1])
	b.wantStatus(t, sends[0], rule.Sent)
	b.wantStatus(t, sends[1], rule.Unconfirmed)
	b.look(t, sends[1], copies[0], copies[1])
	b.wantStatus(t, sends[1], rule.Sent)
	if n := b.Count(t, `SELECT count(*) FROM deliveries WHERE (provider_id, send_id) IN (($1, $2), ($3, $4))`,
		copies[0].ProviderID, sends[0], copies[1].ProviderID, sends[1]); n != 2 {
		t.Errorf("%d copies are whose they are, want 2", n)
	}

	// A person's word names no copy: the first may own the one that is there. What was not delivered owns none.
	for settled, want := range map[string]rule.Status{"delivered": rule.Unconfirmed, "not_delivered": rule.Sent} {
		sends, copies := b.repeated(t, "Hello, "+settled)
		b.settle(t, sends[0], settled)
		b.look(t, sends[1], copies[1])
		b.wantStatus(t, sends[1], want)
	}
}

// A machine may sleep for longer than the longest wait, and send when it wakes: until its tab was gone, and the grace after
// that, a copy may be its own.
func TestARivalsLateTabMayHaveLeftTheCopy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const body = "Hello Ada"
	l, _ := b.unconfirm(t, body)
	b.Exec(t, lookedAtAll)
	b.Advance(t, 30*time.Hour)
	b.Exec(t, `UPDATE sends SET gone_at = sendonce_now() WHERE id = $1`, l.Send)
	var person uuid.UUID
	if err := b.Pool.QueryRow(t.Context(), `SELECT person_id FROM sends WHERE id = $1`, l.Send).Scan(&person); err != nil {
		t.Fatal(err)
	}
	second := b.beginTo(t, person, body, attemptTwo)
	b.look(t, second, copyAt("urn:1", 1, b.now(t)))
	b.wantStatus(t, second, rule.Unconfirmed)
	b.Advance(t, time.Hour)
	b.look(t, second, copyAt("urn:2", 1, b.now(t)))
	b.wantStatus(t, second, rule.Sent)
}

// settle is a person's word.
func (b *bundle) settle(t *testing.T, id uuid.UUID, outcome string) {
	t.Helper()
	b.Exec(t, `INSERT INTO evidence (workspace_id, send_id, kind, principal_id, outcome, note)
		SELECT workspace_id, id, 'resolution', $2, $3, 'I looked' FROM sends WHERE id = $1`, id, b.Principal, outcome)
	if outcome == send.AnswerDelivered {
		b.Exec(t, `UPDATE sends SET status = 'sent', code = 'resolved_delivered', confirmed_by = (SELECT max(id) FROM evidence WHERE send_id = $1)
			WHERE id = $1`, id)
		return
	}
	b.Exec(t, `UPDATE sends SET status = 'failed', code = 'resolved_not_delivered' WHERE id = $1`, id)
}
