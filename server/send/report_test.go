package send_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/rule"
	"sendonce/server/send"
)

func TestTheDeadlineMakesItUnconfirmedAndALateConfirmationWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.Advance(t, 7*time.Minute)
	if swept := b.sweep(t); swept.Deadlines != 1 {
		t.Fatalf("swept %+v, want the deadline", swept)
	}
	b.wantStatus(t, m.Send, rule.Unconfirmed)
	if again, err := b.service.Lease(t.Context(), b.session, b.Account); err != nil || again != nil {
		t.Fatalf("an unconfirmed send was offered again: %v, %v", again, err)
	}
	b.wantReport(t, b.report(l, attemptOne, found(), "urn:1"), rule.Sent, "confirmed")
	if swept := b.sweep(t); swept != (send.Swept{}) {
		t.Errorf("a second sweep changed something: %+v", swept)
	}
}

func TestAmbiguityIsUnconfirmed(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		acted rule.Acted
		code  string
	}{
		"server error":         {answered(503, rule.LookAbsent), "server_error"},
		"accepted, not seen":   {answered(200, rule.LookAbsent), "no_evidence"},
		"no answer":            {rule.Acted{Answer: rule.Answer{Kind: rule.AnswerNone}, Look: rule.LookAbsent}, "no_answer"},
		"worker lost":          {rule.Acted{Answer: rule.Answer{Kind: rule.AnswerLost}, Look: rule.LookImpossible}, "sender_lost"},
		"refused, but no look": {answered(429, rule.LookImpossible), "refusal_unproven"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.AddMessage(t, "Hello Ada")
			l := b.lease(t)
			b.start(t, l, attemptOne)
			b.wantReport(t, b.report(l, attemptOne, c.acted), rule.Unconfirmed, c.code)
		})
	}
}

func TestARefusalStopsTheAccountOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	refusal := b.report(l, attemptOne, answered(403, rule.LookAbsent))
	b.wantReport(t, refusal, rule.Failed, "account_stopped")
	stopped := `SELECT count(*) FROM accounts WHERE stopped_code = 'status_403'`
	if b.Count(t, stopped) != 1 {
		t.Fatal("the account is not stopped")
	}
	b.Exec(t, `UPDATE accounts SET stopped_at = NULL, stopped_code = NULL`)
	b.wantReport(t, refusal, rule.Failed, "account_stopped")
	if b.Count(t, stopped) != 0 {
		t.Error("a report that arrived again stopped an account which a person had cleared")
	}
}

func TestARateLimitMakesANewRowAfterThePause(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	limited := b.report(l, attemptOne, answered(429, rule.LookAbsent))
	limited.RetryAfter = 10 * time.Minute
	b.wantReport(t, limited, rule.Failed, "rate_limited")
	if swept := b.sweep(t); swept.Requeued != 0 {
		t.Error("requeued before the pause was over")
	}
	b.Advance(t, 13*time.Minute)
	if swept := b.sweep(t); swept.Requeued != 1 {
		t.Errorf("swept %+v, want one requeue", swept)
	}
	next := b.lease(t)
	if next.Send == m.Send {
		t.Fatal("the failed row itself was leased again")
	}
	b.start(t, next, attemptTwo)
	b.wantReport(t, b.report(next, attemptTwo, found(), "urn:2"), rule.Sent, "confirmed")
	b.wantStatus(t, m.Send, rule.Failed)
}

func TestALateRateLimitWaitsForAPerson(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.Advance(t, 7*time.Minute)
	b.sweep(t)
	b.wantReport(t, b.report(l, attemptOne, answered(429, rule.LookAbsent)), rule.Failed, "rate_limited")
	b.Advance(t, 24*time.Hour)
	if swept := b.sweep(t); swept.Requeued != 0 {
		t.Error("a rate limit that was told after the deadline was requeued by a machine")
	}
	b.wantStatus(t, m.Send, rule.Failed)
}

// Goal: the deadline counts, not the sweep that notices it.
func TestALateRateLimitWaitsForAPersonThoughNoSweepCame(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.Advance(t, 7*time.Minute)
	b.wantReport(t, b.report(l, attemptOne, answered(429, rule.LookAbsent)), rule.Failed, "rate_limited")
	b.Advance(t, 24*time.Hour)
	if swept := b.sweep(t); swept.Requeued != 0 {
		t.Error("a rate limit that was told after the deadline was requeued by a machine")
	}
}

func TestAnotherAttemptProvesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.wantReport(t, b.report(l, attemptTwo, answered(429, rule.LookAbsent)), rule.Started, "")
	b.wantStatus(t, m.Send, rule.Started)
}

func TestALateConfirmationAfterTheRetryIsQueuedCancelsIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.wantReport(t, b.report(l, attemptOne, answered(429, rule.LookAbsent)), rule.Failed, "rate_limited")
	b.Advance(t, 24*time.Hour)
	b.sweep(t)
	var retry uuid.UUID
	if err := b.Pool.QueryRow(t.Context(), `SELECT id FROM sends WHERE retry_of = $1`, m.Send).Scan(&retry); err != nil {
		t.Fatal(err)
	}
	b.wantReport(t, b.report(l, attemptOne, found(), "urn:late"), rule.Sent, "confirmed")
	b.wantStatus(t, retry, rule.Canceled)
	if n := b.Count(t, `SELECT count(*) FROM incidents`); n != 0 {
		t.Errorf("%d incidents for one delivery", n)
	}
}

func TestTwoDeliveriesOpenOneIncident(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.wantReport(t, b.report(l, attemptOne, answered(429, rule.LookAbsent)), rule.Failed, "rate_limited")
	b.Advance(t, 24*time.Hour)
	b.sweep(t)
	retry := b.lease(t)
	b.start(t, retry, attemptTwo)
	b.wantReport(t, b.report(retry, attemptTwo, found(), "urn:2"), rule.Sent, "confirmed")
	b.wantReport(t, b.report(l, attemptOne, found(), "urn:1"), rule.Sent, "confirmed")
	b.wantReport(t, b.report(l, attemptOne, found(), "urn:1"), rule.Sent, "confirmed")
	if n := b.Count(t, `SELECT count(*) FROM incidents WHERE kind = 'delivered_twice' AND message_id = $1 AND count = 1`, m.ID); n != 1 {
		t.Errorf("%d incidents delivered_twice, want 1", n)
	}
}

func TestAReportWithoutItsAttemptIsNoProof(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	revived := send.Report{
		Session: b.session, LeaseToken: l.Token, Raw: []byte(`{}`),
		Unacted: &rule.Unacted{Reason: "halted", Find: rule.FindNone, Box: rule.BoxUntouched, Unbroken: true},
	}
	b.wantReport(t, revived, rule.Unconfirmed, "sender_lost")
	proof := revived
	proof.Attempt, proof.Raw = attemptOne, []byte(`{"late":true}`)
	b.wantReport(t, proof, rule.Failed, "not_attempted")
}

func TestAnotherMessagesCopyIsNoEvidence(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.wantReport(t, b.report(l, attemptOne, found(), "urn:1"), rule.Sent, "confirmed")
	second := b.AddMessageTo(t, first.Person, b.Account, "Are you free on Monday?")
	l = b.lease(t)
	if len(l.HeldIDs) != 1 || l.HeldIDs[0] != "urn:1" {
		t.Errorf("held ids %v, want the first message's", l.HeldIDs)
	}
	b.start(t, l, attemptTwo)
	b.wantReport(t, b.report(l, attemptTwo, found(), "urn:1"), rule.Unconfirmed, "no_evidence")
	if n := b.Count(t, `SELECT count(*) FROM deliveries WHERE message_id = $1`, second.ID); n != 0 {
		t.Error("another message's copy was taken for a delivery")
	}
}

func TestTheIdenticalTextIsNotSentTwiceToOnePerson(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.AddMessage(t, "Hello Ada")
	second := b.AddMessageTo(t, first.Person, b.Account, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.Advance(t, 7*time.Minute)
	b.sweep(t)
	b.answer(t, b.check(t), send.CheckAbsent)
	if next, err := b.service.Lease(t.Context(), b.session, b.Account); err != nil || next != nil {
		t.Fatalf("leased %v, %v: the identical text may have reached them", next, err)
	}
	if n := b.Count(t, `SELECT count(*) FROM sends WHERE message_id = $1 AND parked_at IS NOT NULL AND waiting_for = 'may_have_reached'`, second.ID); n != 1 {
		t.Error("the identical text is not parked")
	}
	third := b.AddMessageTo(t, first.Person, b.Account, "Hello Ada")
	b.wantReport(t, b.report(l, attemptOne, found(), "urn:1"), rule.Sent, "confirmed")
	if next, err := b.service.Lease(t.Context(), b.session, b.Account); err != nil || next != nil {
		t.Fatalf("leased %v, %v: the identical text has reached them", next, err)
	}
	b.wantStatus(t, third.Send, rule.Canceled)
}

func TestResolveJoinsAndChecksThePersonAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	seen := send.Resolved{Session: b.session, LeaseToken: l.Token, Attempt: attemptOne, PersonURN: adaURN, Name: "Ada Example", Connected: true, Participants: 1}
	want := func(r send.Resolved, halt string) {
		t.Helper()
		if got, err := b.service.Resolve(t.Context(), r); err != nil || got != halt {
			t.Errorf("resolve: %q, %v; want %q", got, err, halt)
		}
	}
	group, stranger, unconnected := seen, seen, seen
	group.Participants, unconnected.Connected = 2, false
	want(group, send.HaltGroupThread)
	want(unconnected, send.HaltNotConnected)
	// What is no profile's URN is refused, and not pinned: the right one is taken after it.
	for _, text := range []string{"", "Ada Example", "urn:li:fsd_profile:ada-example", "urn:li:member:12345", "urn:li:fsd_profile:ACo", adaURN[:len(adaURN)-1], adaURN + "x", adaURN + "\n", " " + adaURN} {
		nobody := seen
		nobody.PersonURN = text
		want(nobody, send.HaltWrongPerson)
	}
	want(seen, "")
	stranger.PersonURN = "urn:li:fsd_profile:ACoAAAlan000000000000000000000000000000"
	want(stranger, send.HaltWrongPerson)
	b.Exec(t, `UPDATE people SET replied_at = sendonce_now() WHERE id = $1`, m.Person)
	want(seen, send.HaltReplied)
	b.Exec(t, `UPDATE people SET replied_at = NULL, suppressed_at = now() WHERE id = $1`, m.Person)
	want(seen, send.HaltHalted)
}

// An install that is wrong about what stands there does not confirm by it: a copy from before the approval is not this send's.
func TestACopyFromBeforeTheApprovalIsNotOurs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i, c := range []struct {
		before  time.Duration
		unacted bool
		status  rule.Status
		code    string
	}{
		{4 * time.Minute, false, rule.Sent, "confirmed"}, // LinkedIn's clock may be behind
		{time.Hour, true, rule.Failed, "not_attempted"},
		{time.Hour, false, rule.Unconfirmed, "no_evidence"},
	} {
		b.AddMessage(t, fmt.Sprint("Hello Ada ", i))
		l := b.lease(t)
		b.start(t, l, attemptOne)
		report := b.report(l, attemptOne, found())
		report.Copies = []send.Copy{{ProviderID: fmt.Sprint("urn:", i), SentAt: b.now(t).Add(-c.before)}}
		if c.unacted {
			report.Acted, report.Unacted = nil, &rule.Unacted{Reason: "halted", Find: rule.FindFresh, Box: rule.BoxUntouched, Unbroken: true}
		}
		b.wantReport(t, report, c.status, c.code)
	}
}
