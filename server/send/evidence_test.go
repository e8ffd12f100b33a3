package send_test

import (
	"testing"

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
