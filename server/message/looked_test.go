package message

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sendonce/server/rule"
	"sendonce/server/send"
)

// An absence counts by when the look was asked for, whenever its answer came, and also after the send was settled.
func TestAnAbsenceCountsByWhenItWasAsked(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 3, 1, 9, 16, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		asked  time.Time
		status rule.Status
		counts bool
	}{
		"asked before, answered long after":   {from.Add(-time.Second), rule.Unconfirmed, false},
		"asked when it may be said":           {from, rule.Unconfirmed, true},
		"asked later, and settled since":      {from.Add(time.Hour), rule.Failed, true},
		"it is not known when it was asked":   {time.Time{}, rule.Unconfirmed, false},
		"asked before, and delivered at last": {from.Add(-time.Second), rule.Sent, false},
	} {
		for _, result := range []send.CheckResult{send.CheckAbsent, send.CheckNoConversation} {
			e := Evidence{Kind: send.EvidenceCheck, Outcome: string(result), ReceivedAt: from.Add(48 * time.Hour), Body: []byte("{}")}
			if !c.asked.IsZero() {
				e.AskedAt = &c.asked
			}
			l := Send{Status: c.status, AbsenceCountsFrom: &from, Evidence: []Evidence{{Kind: send.EvidenceReport}, e}}.Looked()
			if l == nil || l.Counts != c.counts || strings.HasSuffix(l.Text, tooEarly) == c.counts {
				t.Errorf("%s, %s: %+v", name, result, l)
			}
			if finding := l.Finding(); (finding != "") != c.counts || c.counts && !strings.HasPrefix(finding, lookedTexts[result]) {
				t.Errorf("%s, %s: a person may take over %q", name, result, finding)
			}
		}
	}
}

// A person reads what was looked at, and why nothing came of it.
func TestWhatWasLookedAt(t *testing.T) {
	t.Parallel()
	back := time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC)
	body := fmt.Sprintf(`{"reason":%%s,"copies":%%s,"conversation":"2-abc","messages":14,"oldest_at_ms":%d,"looked_at_ms":1}`, back.UnixMilli())
	for _, c := range []struct {
		result               send.CheckResult
		reason, copies, want string
	}{
		{send.CheckFound, "null", `[{"version":1}]`, lookedTexts[send.CheckFound]},
		{send.CheckCouldNot, `"too_long"`, "[]", couldNotTexts["too_long"]},
		{send.CheckCouldNot, "null", `[{"version":1}]`, notOurs},
		{send.CheckCouldNot, "null", "[]", lookedTexts[send.CheckCouldNot]},
	} {
		e := Evidence{Kind: send.EvidenceCheck, Outcome: string(c.result), Body: fmt.Appendf(nil, body, c.reason, c.copies)}
		l := Send{}.LookedBy(e)
		if l.Text != c.want || l.Conversation != "2-abc" || l.Messages != 14 || l.BackTo == nil || !l.BackTo.Equal(back) {
			t.Errorf("%s %s: %+v", c.result, c.reason, l)
		}
	}
	for _, reason := range send.CheckReasons() {
		if couldNotTexts[reason] == "" {
			t.Errorf("there are no words for %s", reason)
		}
	}
}
