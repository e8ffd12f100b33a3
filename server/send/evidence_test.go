package send_test

import (
	"strings"
	"testing"
	"time"

	"sendonce/server/config"
	"sendonce/server/rule"
	"sendonce/server/send"
)

func (b *bundle) unacted(l *send.Lease, attempt string) send.Report {
	return send.Report{
		Session: b.session, LeaseToken: l.Token, Attempt: attempt, Raw: []byte(`{"reason":"halted"}`),
		Unacted: &rule.Unacted{Reason: "halted", Find: rule.FindNone, Box: rule.BoxUntouched, Unbroken: true},
	}
}

// A report that overtakes its start, on another connection, counts for nothing yet. When it arrives again it must not be
// taken for one that was heard already.
func TestAReportThatOvertookItsStartCountsWhenItComesAgain(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		report func(*bundle, *send.Lease) send.Report
		want   rule.Status
		code   string
	}{
		"proof": {func(b *bundle, l *send.Lease) send.Report { return b.unacted(l, attemptOne) }, rule.Failed, "not_attempted"},
		"unknown": {func(b *bundle, l *send.Lease) send.Report {
			return b.report(l, attemptOne, answered(503, rule.LookAbsent))
		}, rule.Unconfirmed, "server_error"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.AddMessage(t, "Hello Ada")
			l := b.lease(t)
			report := c.report(b, l)
			b.wantReport(t, report, rule.Leased, "")
			b.start(t, l, attemptOne)
			b.wantReport(t, report, c.want, c.code)
			b.wantReport(t, report, c.want, c.code)
		})
	}
}

// Whatever a frame may hold can be recorded: a report that the database refuses would be said again for ever.
func TestEveryReportThatHasItsShapeIsRecorded(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*send.Report){
		"the longest conversation": func(r *send.Report) { r.Conversation = strings.Repeat("2", config.ConversationRunesMax) },
		"half a character":         func(r *send.Report) { r.Raw = []byte(`{"conversation":"2-\ud83d"}`) },
		"the last moment of all":   func(r *send.Report) { r.Copies[0].SentAt = time.UnixMilli(1<<53 - 1) },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.AddMessage(t, "Hello Ada")
			l := b.lease(t)
			b.start(t, l, attemptOne)
			report := b.report(l, attemptOne, found(), "urn:1")
			change(&report)
			b.wantReport(t, report, rule.Sent, "confirmed")
		})
	}
}

func TestOneCopyNamedTwiceIsOneCopy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	twice := found()
	twice.Double = true
	b.wantReport(t, b.report(l, attemptOne, twice, "urn:1", "urn:1"), rule.Sent, "confirmed")
	if n := b.Count(t, `SELECT count(*) FROM incidents WHERE kind = 'double_request' AND message_id = $1`, m.ID); n != 1 {
		t.Errorf("%d incidents, want one of the two requests", n)
	}
}

func TestAStartIsNotRepeatedAfterTheDeadline(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.Advance(t, 7*time.Minute)
	b.wantRefused(t, b.ask(l, attemptOne), rule.AlreadyStarted)
}

func TestAPauseIsNeverShorterThanAskedAndGrows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	limit := func(attempt string, asked, tooSoon, then time.Duration) {
		t.Helper()
		l := b.lease(t)
		b.start(t, l, attempt)
		limited := b.report(l, attempt, answered(429, rule.LookAbsent))
		limited.RetryAfter = asked
		b.wantReport(t, limited, rule.Failed, "rate_limited")
		b.Advance(t, tooSoon)
		if swept := b.sweep(t); swept.Requeued != 0 {
			t.Fatalf("asked for %v, and the next send was made %v later", asked, tooSoon)
		}
		b.Advance(t, then-tooSoon)
		if swept := b.sweep(t); swept.Requeued != 1 {
			t.Fatalf("asked for %v, and %v later: swept %+v, want one requeue", asked, then, swept)
		}
	}
	limit(attemptOne, 12*time.Hour, 11*time.Hour, 13*time.Hour)
	limit(attemptTwo, time.Second, time.Minute, 3*time.Minute)
	limit(attemptOne, 12*time.Hour, 11*time.Hour, 13*time.Hour)
}

func TestARateLimitThatAPersonRetriedIsLeftToThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.wantReport(t, b.report(l, attemptOne, answered(429, rule.LookAbsent)), rule.Failed, "rate_limited")
	b.Exec(t, `INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, retry_of, version, digest, text_hash, approval_id)
		SELECT workspace_id, message_id, account_id, person_id, 2, id, version, digest, text_hash, approval_id FROM sends WHERE id = $1`, m.Send)
	b.Advance(t, time.Hour)
	if swept := b.sweep(t); swept.Requeued != 0 {
		t.Errorf("swept %+v beside the retry of a person", swept)
	}
	if n := b.Count(t, `SELECT count(*) FROM sends WHERE requeue_at IS NOT NULL`); n != 0 {
		t.Error("the sweep would try it again for ever")
	}
}
