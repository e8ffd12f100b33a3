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
