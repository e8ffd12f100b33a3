package send_test

import (
	"testing"
	"time"

	"sendonce/server/rule"
	"sendonce/server/send"
)

func TestALifeFromLeaseToConfirmation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	if l.Send != m.Send || l.Body != "Hello Ada" || l.Digest != m.Digest || l.MemberURN == "" || l.Person.Slug == "" {
		t.Errorf("lease lacks something: %+v", l)
	}
	b.start(t, l, attemptOne)
	b.wantReport(t, b.report(l, attemptOne, found(), "urn:1"), rule.Sent, "confirmed")
	if n := b.Count(t, `SELECT count(*) FROM send_events WHERE send_id = $1`, m.Send); n != 4 {
		t.Errorf("%d events, want queued, leased, started, sent", n)
	}
	if n := b.Count(t, `SELECT count(*) FROM deliveries WHERE message_id = $1`, m.ID); n != 1 {
		t.Errorf("%d deliveries, want 1", n)
	}
}

func TestOneLeaseAtATimePerAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.AddMessage(t, "Hello Ada"), b.AddMessage(t, "Hello Alan")
	l := b.lease(t)
	otherInstall, otherSession := b.AddInstall(t)
	other := b.sessionOf(otherInstall, otherSession)
	if again, err := b.service.Lease(t.Context(), other, b.Account); err != nil || again != nil {
		t.Fatalf("a second lease of the account: %v, %v", again, err)
	}
	b.start(t, l, attemptOne)
	if again, err := b.service.Lease(t.Context(), other, b.Account); err != nil || again != nil {
		t.Fatalf("a second lease beside a started send: %v, %v", again, err)
	}
	b.wantReport(t, b.report(l, attemptOne, found(), "urn:1"), rule.Sent, "confirmed")
	next, err := b.service.Lease(t.Context(), other, b.Account)
	if err != nil || next == nil {
		t.Fatalf("the next send is not leased: %v", err)
	}
	if l.Send == next.Send || (next.Send != first.Send && next.Send != second.Send) {
		t.Errorf("leased %s after %s", next.Send, l.Send)
	}
}

func TestStartIsIdempotentForOneAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	first, err := b.service.Start(t.Context(), b.ask(l, attemptOne))
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.service.Start(t.Context(), b.ask(l, attemptOne))
	if err != nil || again.Mark != first.Mark {
		t.Errorf("the same attempt asked again: %+v, %v; want %+v", again, err, first)
	}
	b.wantRefused(t, b.ask(l, attemptTwo), rule.AlreadyStarted)
	b.wantReport(t, b.report(l, attemptOne, found(), "urn:1"), rule.Sent, "confirmed")
	// The lease frame arrives again after the work is done: no second acknowledgement, whoever asks.
	b.wantRefused(t, b.ask(l, attemptOne), rule.AlreadyStarted)
	b.wantRefused(t, b.ask(l, attemptTwo), rule.AlreadyStarted)
	b.wantStatus(t, m.Send, rule.Sent)
}

func TestStartIsRefusedWhenTheWorldMoved(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		move func(*testing.T, *bundle, *send.Lease)
		want rule.Refusal
		then rule.Status
	}{
		"lease expired": {func(t *testing.T, b *bundle, _ *send.Lease) { b.Advance(t, 2*time.Minute) }, rule.LeaseExpired, rule.Leased},
		"superseded": {func(t *testing.T, b *bundle, _ *send.Lease) {
			b.Exec(t, `UPDATE installs SET session_id = gen_random_uuid()`)
		}, rule.Superseded, rule.Leased},
		"install revoked": {func(t *testing.T, b *bundle, _ *send.Lease) {
			b.Exec(t, `UPDATE installs SET revoked_at = now(), revoked_code = 'by_admin'`)
		}, rule.NotGranted, rule.Leased},
		"grant taken away": {func(t *testing.T, b *bundle, _ *send.Lease) { b.Exec(t, `UPDATE principals SET role = 'recruiter'`) }, rule.NotGranted, rule.Leased},
		"account stopped": {func(t *testing.T, b *bundle, _ *send.Lease) {
			b.Exec(t, `UPDATE accounts SET stopped_at = now(), stopped_code = 'status_403'`)
		}, rule.AccountStopped, rule.Queued},
		"account paused": {func(t *testing.T, b *bundle, _ *send.Lease) { b.Exec(t, `UPDATE accounts SET paused_at = now()`) }, rule.AccountPaused, rule.Queued},
		"account cooling down": {func(t *testing.T, b *bundle, _ *send.Lease) {
			b.Exec(t, `UPDATE accounts SET cool_until = now() + interval '1 hour'`)
		}, rule.AccountCoolingDown, rule.Queued},
		"install paused": {func(t *testing.T, b *bundle, _ *send.Lease) { b.Exec(t, `UPDATE installs SET paused_at = now()`) }, rule.InstallPaused, rule.Queued},
		"workspace paused": {func(t *testing.T, b *bundle, _ *send.Lease) {
			b.Exec(t, `UPDATE workspaces SET paused_at = now()`)
		}, rule.WorkspacePaused, rule.Queued},
		"everything paused": {func(t *testing.T, b *bundle, _ *send.Lease) {
			b.Exec(t, `UPDATE pause_of_everything SET paused_at = now()`)
		}, rule.EverythingPaused, rule.Queued},
		"not armed": {func(t *testing.T, b *bundle, _ *send.Lease) { b.Exec(t, `UPDATE instance SET armed_at = NULL`) }, rule.NotArmed, rule.Queued},
		"approval voided": {func(t *testing.T, b *bundle, _ *send.Lease) {
			b.Exec(t, `UPDATE approvals SET voided_at = now(), void_reason = 'edited'`)
		}, rule.ApprovalMissing, rule.Canceled},
		"withdrawn":  {func(t *testing.T, b *bundle, _ *send.Lease) { b.Exec(t, `UPDATE messages SET authority = 'withdrawn'`) }, rule.Withdrawn, rule.Canceled},
		"suppressed": {func(t *testing.T, b *bundle, _ *send.Lease) { b.Exec(t, `UPDATE people SET suppressed_at = now()`) }, rule.Suppressed, rule.Canceled},
		"replied": {func(t *testing.T, b *bundle, _ *send.Lease) {
			b.Exec(t, `UPDATE people SET replied_at = sendonce_now()`)
		}, rule.Replied, rule.Canceled},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			m := b.AddMessage(t, "Hello Ada")
			l := b.lease(t)
			c.move(t, b, l)
			b.wantRefused(t, b.ask(l, attemptOne), c.want)
			b.wantStatus(t, m.Send, c.then)
			// A browser asked, and it is the server that takes the lease back: the moves of the table are whose they are.
			if c.then != rule.Leased && b.Count(t, `SELECT count(*) FROM send_events WHERE send_id = $1 AND from_status = 'leased' AND actor = 'server'`, m.Send) != 1 {
				t.Error("the history does not name the server as the one who took the lease back")
			}
		})
	}
}

func TestStartIsRefusedForOtherBytes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	ask := b.ask(l, attemptOne)
	ask.Digest = "sha256:0000"
	b.wantRefused(t, ask, rule.ContentChanged)
	b.wantStatus(t, m.Send, rule.Canceled)
}

func TestAnApprovalThatExpiresCancelsBeforeTheStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	b.Advance(t, 7*24*time.Hour-30*time.Second)
	l := b.lease(t)
	b.Advance(t, 45*time.Second)
	b.wantRefused(t, b.ask(l, attemptOne), rule.ApprovalExpired)
	b.wantStatus(t, m.Send, rule.Canceled)
	if swept := b.sweep(t); swept.Expired != 1 {
		t.Errorf("swept %+v, want the message", swept)
	}
	if n := b.Count(t, `SELECT count(*) FROM messages WHERE authority = 'expired'`); n != 1 {
		t.Error("the message does not say that its approval expired")
	}
}

func TestAStaleTokenCannotStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	old := b.lease(t)
	b.Advance(t, 2*time.Minute)
	if swept := b.sweep(t); swept.Leases != 1 {
		t.Fatalf("swept %+v, want the lease", swept)
	}
	b.wantStatus(t, m.Send, rule.Queued)
	fresh := b.lease(t)
	b.wantRefused(t, b.ask(old, attemptOne), rule.StaleLease)
	b.start(t, fresh, attemptTwo)
}

func TestFiveReleasesInARowPark(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	for range 5 {
		if err := b.service.Release(t.Context(), b.session, b.lease(t).Token, "busy"); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := b.service.Lease(t.Context(), b.session, b.Account); err != nil || l != nil {
		t.Fatalf("a parked send was leased: %v, %v", l, err)
	}
	b.wantStatus(t, m.Send, rule.Queued)
	if n := b.Count(t, `SELECT count(*) FROM incidents WHERE kind = 'parked' AND message_id = $1`, m.ID); n != 1 {
		t.Errorf("%d incidents, want 1", n)
	}
}

func TestDisconnectedLeasesGoBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	if err := b.service.Disconnected(t.Context(), b.session); err != nil {
		t.Fatal(err)
	}
	b.wantStatus(t, m.Send, rule.Queued)
	b.wantRefused(t, b.ask(l, attemptOne), rule.StaleLease)
}

func TestADisconnectLeavesAStartedSendAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	b.start(t, b.lease(t), attemptOne)
	if err := b.service.Disconnected(t.Context(), b.session); err != nil {
		t.Fatal(err)
	}
	b.wantStatus(t, m.Send, rule.Started)
}
