package send_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/rule"
	"sendonce/server/send"
)

// deliverBadly starts the account's next send and reports that answer for it.
func (b *bundle) deliverBadly(t *testing.T, s *send.Service, status int) *send.Lease {
	t.Helper()
	l := b.lease(t)
	b.start(t, l, attemptOne)
	if _, err := s.Report(t.Context(), b.report(l, attemptOne, answered(status, rule.LookAbsent))); err != nil {
		t.Fatal(err)
	}
	b.Exec(t, lookedAtAll)
	return l
}

// lookedAtAll has every conversation looked at, so that the account's next send does not wait for it.
const lookedAtAll = `UPDATE checks SET answered_at = sendonce_now()`

func (b *bundle) stoppedCode(t *testing.T) string {
	t.Helper()
	var code *string
	if err := b.Pool.QueryRow(t.Context(), `SELECT stopped_code FROM accounts WHERE id = $1`, b.Account).Scan(&code); err != nil {
		t.Fatal(err)
	}
	if code == nil {
		return ""
	}
	return *code
}

// Three bad ends within the window stop the account, with the last one's plain reason; a lease is refused then, until a person
// clears it. What was cleared does not count again.
func TestABurstTripsTheBreaker(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]string{503: "burst_server_error", 200: "burst_no_evidence", 429: "burst_rate_limited"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.breaker = send.Breaker{After: 3, Within: time.Hour}
			b.service = b.serviceOver(b.store)
			for i := range 6 {
				b.AddMessage(t, fmt.Sprintf("Hello %d", i))
			}
			bad := func() {
				t.Helper()
				b.deliverBadly(t, b.service, status)
				b.Exec(t, `UPDATE accounts SET cool_until = NULL`)
			}
			bad()
			bad()
			if got := b.stoppedCode(t); got != "" {
				t.Fatalf("stopped by two: %s", got)
			}
			bad()
			if got := b.stoppedCode(t); got != code || rule.StopText(got) == "" {
				t.Fatalf("stopped by %q %q, want %s and its words", got, rule.StopText(got), code)
			}
			if l, err := b.service.Lease(t.Context(), b.session, b.Account); err != nil || l != nil {
				t.Fatalf("a tripped account leased %v, %v", l, err)
			}
			b.Exec(t, `UPDATE accounts SET stopped_at = NULL, stopped_code = NULL, cleared_at = sendonce_now()`)
			bad()
			bad()
			if got := b.stoppedCode(t); got != "" {
				t.Errorf("what a person cleared counts again: %s", got)
			}
		})
	}
}

// Bad ends that are far apart are no burst, and their rows do not pile up.
func TestTroublesFarApartAreNoBurst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.breaker = send.Breaker{After: 2, Within: time.Hour}
	b.service = b.serviceOver(b.store)
	for i := range 4 {
		b.AddMessage(t, fmt.Sprintf("Hello %d", i))
		b.deliverBadly(t, b.service, 503)
		b.Advance(t, 61*time.Minute)
	}
	if got := b.stoppedCode(t); got != "" {
		t.Errorf("stopped: %s", got)
	}
	if n := b.Count(t, `SELECT count(*) FROM account_troubles`); n != 1 {
		t.Errorf("%d troubles are kept, want the last", n)
	}
}

// A report that arrives again is one trouble.
func TestATroubleIsCountedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.breaker = send.Breaker{After: 2, Within: time.Hour}
	b.service = b.serviceOver(b.store)
	b.AddMessage(t, "Hello Ada")
	l := b.deliverBadly(t, b.service, 503)
	b.wantReport(t, b.report(l, attemptOne, answered(503, rule.LookAbsent)), rule.Unconfirmed, "server_error")
	if got := b.stoppedCode(t); got != "" {
		t.Errorf("one trouble that was told twice stopped the account: %s", got)
	}
}

// Reports of one account at one moment, on two servers, are counted one after the other: the burst is never missed.
func TestTroublesAtOneMomentTrip(t *testing.T) {
	t.Parallel()
	const rounds = 12
	b := setup(t)
	b.breaker = send.Breaker{After: 2, Within: time.Hour}
	b.service = b.serviceOver(b.store)
	servers := []*send.Service{b.service, b.secondService(t)}
	for round := range rounds {
		var leases []*send.Lease
		for i := range 2 {
			b.AddMessage(t, fmt.Sprintf("Hello %d %d", round, i))
			l := b.lease(t)
			b.start(t, l, attemptOne)
			b.Exec(t, `UPDATE account_slots SET send_id = NULL`) // so that two have begun
			leases = append(leases, l)
		}
		var both sync.WaitGroup
		for i, l := range leases {
			both.Go(func() {
				if _, err := servers[i].Report(t.Context(), b.report(l, attemptOne, answered(503, rule.LookAbsent))); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		if got := b.stoppedCode(t); got != "burst_server_error" {
			t.Fatalf("round %d: two troubles at one moment: stopped by %q", round, got)
		}
		b.Exec(t, `UPDATE accounts SET stopped_at = NULL, stopped_code = NULL, cleared_at = sendonce_now()`)
		b.Exec(t, lookedAtAll)
	}
	b.wantNoDeadlock(t)
}

// A machine tries again three times in a row; then the send stays failed for a person, and a person's retry begins anew.
func TestAMachineTriesAgainThreeTimesInARow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	for try := range 4 {
		b.deliverBadly(t, b.service, 429)
		b.Advance(t, time.Hour)
		want := 1
		if try == 3 {
			want = 0
		}
		if swept := b.sweep(t); swept.Requeued != want {
			t.Fatalf("after rate limit %d: swept %+v, want %d requeues", try+1, swept, want)
		}
	}
	if n := b.Count(t, `SELECT count(*) FROM sends WHERE requeue_at IS NOT NULL`); n != 0 {
		t.Error("the last one says that it is tried again")
	}
	b.Exec(t, `INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, retry_of, version, digest, text_hash, approval_id)
		SELECT workspace_id, message_id, account_id, person_id, ordinal + 1, id, version, digest, text_hash, approval_id
		FROM sends WHERE message_id = $1 ORDER BY ordinal DESC LIMIT 1`, m.ID)
	b.deliverBadly(t, b.service, 429)
	b.Advance(t, time.Hour)
	if swept := b.sweep(t); swept.Requeued != 1 {
		t.Errorf("after a person's retry: swept %+v, want one requeue", swept)
	}
}

// A machine is refused what a person would be, and it then stays failed for a person.
func TestAMachineIsRefusedWhatAPersonWouldBe(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*testing.T, *bundle, uuid.UUID){
		"the same text waits for this person": func(t *testing.T, b *bundle, person uuid.UUID) {
			b.AddMessageTo(t, person, b.Account, "Hello Ada")
		},
		"the account was stopped": func(t *testing.T, b *bundle, _ uuid.UUID) {
			b.Exec(t, `UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'status_403'`)
		},
		"its breaker tripped": func(t *testing.T, b *bundle, _ uuid.UUID) {
			b.Exec(t, `UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'burst_rate_limited'`)
		},
		"the approval expired": func(t *testing.T, b *bundle, _ uuid.UUID) { b.Advance(t, 8*24*time.Hour) },
		"the send window closed": func(t *testing.T, b *bundle, _ uuid.UUID) {
			b.Exec(t, `ALTER TABLE message_versions DISABLE TRIGGER x_no_rewrite`)
			b.Exec(t, `UPDATE message_versions SET send_before = sendonce_now() + interval '30 seconds'`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			m := b.AddMessage(t, "Hello Ada")
			b.deliverBadly(t, b.service, 429)
			prepare(t, b, m.Person)
			b.Advance(t, time.Hour)
			if swept := b.sweep(t); swept.Requeued != 0 {
				t.Errorf("swept %+v, want no requeue", swept)
			}
			if n := b.Count(t, `SELECT count(*) FROM sends WHERE message_id = $1 AND status = 'failed' AND requeue_at IS NULL`, m.ID); n != 1 {
				t.Errorf("it is not left to a person")
			}
		})
	}
}

// A page that asks to sign in, or for a check, stops the account before anything more is tried.
func TestASignInPageStopsTheAccount(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{"signed_out": "signed_out", "occupied_draft": ""} {
		b := setup(t)
		b.AddMessage(t, "Hello Ada")
		l := b.lease(t)
		b.start(t, l, attemptOne)
		b.wantReport(t, send.Report{
			Session: b.session, LeaseToken: l.Token, Attempt: attemptOne, Raw: []byte(`{}`),
			Unacted: &rule.Unacted{Reason: reason, Find: rule.FindNone, Box: rule.BoxUntouched, Unbroken: true},
		}, rule.Failed, "not_attempted")
		if got := b.stoppedCode(t); got != want {
			t.Errorf("%s: stopped by %q, want %q", reason, got, want)
		}
	}
}
