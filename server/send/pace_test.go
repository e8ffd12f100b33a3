package send_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// noon is a Tuesday, far from every change of clocks.
var noon = time.Date(2026, time.November, 3, 12, 0, 0, 0, time.UTC)

// wantNoLease fails the test when something of the account is leased.
func (b *bundle) wantNoLease(t *testing.T, when string) {
	t.Helper()
	l, err := b.service.Lease(t.Context(), b.session, b.Account)
	if err != nil || l != nil {
		t.Fatalf("%s: leased %v, %v", when, l, err)
	}
	due, err := b.store.DueAccounts(t.Context(), []uuid.UUID{b.Account})
	if err != nil || len(due) > 0 {
		t.Fatalf("%s: due %v, %v", when, due, err)
	}
}

// Goal: an account that may not begin anything is given no lease, its rows stay as they are, and it goes on to the moment: after its
// limits, its night and its holiday, as well when somebody sets other limits.
func TestAnAccountIsLeasedNothingUntilItMayBegin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.SetClock(t, noon)
	b.SetHours(t, b.Account, "Europe/Berlin", 9*60, 18*60, "2026-11-04")
	b.SetLimits(t, b.Account, pgtest.Limits{PerDay: 2, PerHour: 10, Gap: 10 * time.Minute, WarmUpFrom: 2})
	for i := range 4 {
		b.AddMessage(t, fmt.Sprintf("Hello %d", i))
	}
	go1 := func() {
		t.Helper()
		if err := deliver(t.Context(), b.service, b.session, b.lease(t)); err != nil {
			t.Fatal(err)
		}
	}
	go1()
	b.wantNoLease(t, "within the gap")
	b.SetClock(t, noon.Add(10*time.Minute+5*time.Second))
	go1()
	b.SetClock(t, noon.Add(time.Hour))
	b.wantNoLease(t, "at the day's limit")
	b.SetClock(t, noon.Add(21*time.Hour))
	b.wantNoLease(t, "on a holiday")
	b.SetClock(t, time.Date(2026, time.November, 5, 7, 59, 59, 0, time.UTC))
	b.wantNoLease(t, "before it opens")
	if n := b.Count(t, `SELECT count(*) FROM send_events WHERE to_status = 'queued' AND from_status IS NOT NULL`); n != 0 {
		t.Errorf("%d rows of the queue were touched while it waited", n)
	}
	b.SetClock(t, time.Date(2026, time.November, 5, 8, 0, 0, 0, time.UTC))
	go1()
	b.wantNoLease(t, "within the next gap")
	b.SetLimits(t, b.Account, pgtest.Limits{PerDay: 2, PerHour: 10, WarmUpFrom: 2})
	go1()
}

// Goal: what its pace forbids between the lease and the start is refused by the start, with its reason, goes back to the queue before it
// began, and is due at once when the pace allows it.
func TestAStartIsHeldByThePace(t *testing.T) {
	t.Parallel()
	for want, hold := range map[rule.Refusal]func(t *testing.T, b *bundle){
		rule.DayLimit:  func(t *testing.T, b *bundle) { b.SetLimits(t, b.Account, pgtest.Limits{PerDay: 1, PerHour: 9}) },
		rule.HourLimit: func(t *testing.T, b *bundle) { b.SetLimits(t, b.Account, pgtest.Limits{PerDay: 9, PerHour: 1}) },
		rule.MinimumGap: func(t *testing.T, b *bundle) {
			b.SetLimits(t, b.Account, pgtest.Limits{PerDay: 9, PerHour: 9, Gap: time.Minute})
		},
		rule.OutsideHours: func(t *testing.T, b *bundle) { b.SetHours(t, b.Account, "UTC", 0, 12*60) },
	} {
		t.Run(string(want), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.SetClock(t, noon)
			b.AddMessage(t, "Hello Ada")
			if err := deliver(t.Context(), b.service, b.session, b.lease(t)); err != nil {
				t.Fatal(err)
			}
			m := b.AddMessage(t, "Hello Ben")
			l := b.lease(t)
			hold(t, b)
			b.wantRefused(t, b.ask(l, attemptTwo), want)
			b.wantStatus(t, m.Send, rule.Queued)
			if n := b.Count(t, `SELECT count(*) FROM sends WHERE id = $1 AND started_at IS NULL AND lease_token IS NULL AND waiting_for = $2 AND due_at <= sendonce_now()`, m.Send, string(want)); n != 1 {
				t.Error("it is not as it was before the lease, and due")
			}
			b.wantRefused(t, b.ask(l, attemptTwo), rule.StaleLease)
			b.SetClock(t, noon.Add(24*time.Hour-time.Minute))
			b.start(t, b.lease(t), attemptTwo)
		})
	}
}

// leaseByHand leases sends past the account's one lease, as a sender of several at one time would have them.
func (b *bundle) leaseByHand(t *testing.T, m pgtest.Message) send.StartAsk {
	t.Helper()
	claims := send.LeaseClaims{Send: m.Send, Lease: uuid.New(), Install: b.Install, Account: b.Account, Workspace: b.Workspace}
	b.Exec(t, `UPDATE sends SET status = 'leased', lease_token = $2, lease_holder = $3, lease_expires_at = sendonce_now() + interval '1 minute' WHERE id = $1`,
		m.Send, claims.Lease, b.Install)
	token, err := leaseTokens.Sign(claims)
	if err != nil {
		t.Fatal(err)
	}
	return send.StartAsk{Session: b.session, LeaseToken: token, Attempt: attemptOne, Digest: m.Digest}
}

// Goal: of twenty that ask to start at one moment at four of five, on two servers of which one has just begun, one does; the others are
// refused by name, and never by the trigger.
func TestTwentyAskForTheLastPlace(t *testing.T) {
	t.Parallel()
	const askers = 20
	b := setup(t)
	b.SetClock(t, noon)
	for i := range 4 {
		b.AddMessage(t, fmt.Sprintf("Hello %d", i))
		if err := deliver(t.Context(), b.service, b.session, b.lease(t)); err != nil {
			t.Fatal(err)
		}
	}
	b.SetLimits(t, b.Account, pgtest.Limits{PerDay: 5, PerHour: 100, WarmUpFrom: 5})
	restarted, err := postgres.Open(t.Context(), b.db.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(restarted.Close)
	services := []*send.Service{b.service, b.serviceOver(restarted)}
	var asks []send.StartAsk
	for i := range askers {
		asks = append(asks, b.leaseByHand(t, b.AddMessage(t, fmt.Sprintf("Good day %d", i))))
	}
	var all sync.WaitGroup
	errs := make([]error, askers)
	for i, ask := range asks {
		all.Go(func() { _, errs[i] = services[i%2].Start(t.Context(), ask) })
	}
	all.Wait()
	began := 0
	for _, err := range errs {
		var refused *send.Refused
		switch {
		case err == nil:
			began++
		case !errors.As(err, &refused) || refused.Code != rule.DayLimit:
			t.Errorf("refused with %v", err)
		}
	}
	if n := b.Count(t, `SELECT count(*) FROM sends WHERE started_at IS NOT NULL`); began != 1 || n != 5 {
		t.Errorf("%d began of %d that asked; %d in all, want 5", began, askers, n)
	}
	if n := b.Count(t, `SELECT count(*) FROM sends WHERE status = 'queued' AND waiting_for = 'day_limit'`); n != askers-1 {
		t.Errorf("%d wait for the next day, want %d", n, askers-1)
	}
}

// Goal: a start that was acknowledged is acknowledged again, though it took the last place.
func TestAStartThatTookTheLastPlaceIsRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.SetClock(t, noon)
	b.SetLimits(t, b.Account, pgtest.Limits{PerDay: 1, PerHour: 1, Gap: time.Hour})
	b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.start(t, l, attemptOne)
	if n := b.Count(t, `SELECT count(*) FROM account_starts`); n != 1 {
		t.Errorf("it is counted %d times", n)
	}
}

// Goal: what has begun goes on with the person it sees, though its own start took the last place, began the gap, or the hours are over.
func TestThePaceHaltsNothingThatHasBegun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.SetClock(t, noon)
	b.SetHours(t, b.Account, "UTC", 0, 12*60+1)
	b.SetLimits(t, b.Account, pgtest.Limits{PerDay: 1, PerHour: 1, Gap: time.Hour})
	b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	for _, at := range []time.Time{noon, noon.Add(2 * time.Minute)} {
		b.SetClock(t, at)
		halt, err := b.service.Resolve(t.Context(), send.Resolved{
			Session: b.session, LeaseToken: l.Token, Attempt: attemptOne, PersonURN: adaURN, Connected: true, Participants: 1,
		})
		if err != nil || halt != "" {
			t.Errorf("at %s: halted with %q, %v", at, halt, err)
		}
	}
}

// Goal: an account that may begin nothing more is looked at all the same: a check is no message.
func TestChecksGoOnAtTheLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.SetClock(t, noon)
	b.SetHours(t, b.Account, "UTC", 0, 12*60+30)
	b.SetLimits(t, b.Account, pgtest.Limits{PerDay: 1, PerHour: 1})
	b.AddMessage(t, "Hello Ada")
	b.AddMessage(t, "Hello Ben")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.wantReport(t, b.report(l, attemptOne, answered(503, rule.LookAbsent)), rule.Unconfirmed, "server_error")
	b.SetClock(t, noon.Add(time.Hour))
	if c, err := b.service.NextCheck(t.Context(), b.session, b.Account); err != nil || c == nil {
		t.Fatalf("no check: %v", err)
	}
	if l, err := b.service.Lease(t.Context(), b.session, b.Account); err != nil || l != nil {
		t.Errorf("leased %v, %v", l, err)
	}
}

// scheduled makes an approved message that was meant for a moment.
func (b *bundle) scheduled(t *testing.T, body string, after time.Time) pgtest.Message {
	t.Helper()
	m := b.AddMessage(t, body)
	b.Exec(t, `ALTER TABLE message_versions DISABLE TRIGGER x_no_rewrite`)
	b.Exec(t, `UPDATE message_versions SET send_after = $2 WHERE message_id = $1`, m.ID, after)
	b.Exec(t, `ALTER TABLE message_versions ENABLE ALWAYS TRIGGER x_no_rewrite`)
	b.Exec(t, `UPDATE messages SET lapses_at = schedule_ends(account_id, $2) WHERE id = $1`, m.ID, after)
	return m
}

// Goal: after a long stop what was scheduled for a time that is too long ago is for a person: no lease, no start, no burst. What is only a
// little late goes out, and so does what was for no time.
func TestWhatWentStaleDuringAStopExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.SetClock(t, noon)
	b.SetHours(t, b.Account, "Europe/Berlin", 9*60, 18*60)
	old, leased := b.scheduled(t, "Hello Ada", noon), b.scheduled(t, "Hello Ben", noon.Add(-time.Hour))
	late, timeless := b.scheduled(t, "Hello Chloe", noon.Add(36*time.Hour)), b.AddMessage(t, "Hello Dora")
	b.SetClock(t, time.Date(2026, time.November, 5, 16, 59, 50, 0, time.UTC))
	b.Exec(t, `UPDATE sends SET due_at = due_at + interval '1 hour' WHERE id <> $1`, leased.Send)
	l := b.lease(t)
	if l.Send != leased.Send {
		t.Fatal("another is first in the queue")
	}
	b.SetClock(t, time.Date(2026, time.November, 5, 17, 0, 0, 0, time.UTC))
	b.wantRefused(t, b.ask(l, attemptOne), rule.ScheduleStale)
	b.wantStatus(t, leased.Send, rule.Canceled)
	b.SetClock(t, time.Date(2026, time.November, 6, 9, 0, 0, 0, time.UTC))
	if swept := b.sweep(t); swept.Expired != 2 {
		t.Errorf("%d messages expired", swept.Expired)
	}
	for _, m := range []pgtest.Message{old, leased} {
		b.wantStatus(t, m.Send, rule.Canceled)
		if n := b.Count(t, `SELECT count(*) FROM messages m JOIN message_sections x ON x.message_id = m.id JOIN approvals ap ON ap.message_id = m.id
			WHERE m.id = $1 AND m.authority = 'expired' AND x.section = 'waiting' AND ap.void_reason = 'schedule_stale'`, m.ID); n != 1 {
			t.Error("it is not in the list of what waits for a person")
		}
	}
	for _, m := range []pgtest.Message{late, timeless} {
		if err := deliver(t.Context(), b.service, b.session, b.lease(t)); err != nil {
			t.Fatal(err)
		}
		b.wantStatus(t, m.Send, rule.Sent)
	}
}

// Goal: a lease is not given for what is too late, though no sweep has come yet.
func TestWhatWentStaleIsNotLeased(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.SetClock(t, noon)
	m := b.scheduled(t, "Hello Ada", noon)
	b.SetClock(t, noon.Add(4*24*time.Hour))
	if l, err := b.service.Lease(t.Context(), b.session, b.Account); err != nil || l != nil {
		t.Fatalf("leased %v, %v", l, err)
	}
	b.wantStatus(t, m.Send, rule.Canceled)
}

// Goal: a message that was approved long after the time that it was scheduled for is not too late for that: the yes was to it now.
func TestALateYesIsNotStale(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.SetClock(t, noon)
	m := b.scheduled(t, "Hello Ada", noon.Add(-30*24*time.Hour))
	if err := deliver(t.Context(), b.service, b.session, b.lease(t)); err != nil {
		t.Fatal(err)
	}
	b.wantStatus(t, m.Send, rule.Sent)
}
