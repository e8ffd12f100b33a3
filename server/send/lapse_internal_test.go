package send

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sendonce/server/config"
	"sendonce/server/rule"
)

func TestDecideLapse(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	past, soon, later, again := now.Add(-time.Second), now.Add(time.Second), now.Add(time.Hour), now.Add(config.LapseLookAgain)
	for name, c := range map[string]struct {
		f    LapseFacts
		want Lapse
	}{
		"may not begin in any case":         {LapseFacts{ApprovalEnds: &past}, Lapse{}},
		"delivered":                         {LapseFacts{May: true, Delivered: true, ApprovalEnds: &past}, Lapse{}},
		"begun":                             {LapseFacts{May: true, Begun: true, SendBefore: &past}, Lapse{Again: &again}},
		"no end":                            {LapseFacts{May: true}, Lapse{}},
		"approval ends now":                 {LapseFacts{May: true, ApprovalEnds: &now}, Lapse{Why: rule.ApprovalExpired}},
		"window closes now":                 {LapseFacts{May: true, ApprovalEnds: &later, SendBefore: &now}, Lapse{Why: rule.WindowClosed}},
		"its schedule ends now":             {LapseFacts{May: true, ApprovalEnds: &later, ScheduleEnds: &now}, Lapse{Why: rule.ScheduleStale}},
		"its schedule ends first":           {LapseFacts{May: true, ApprovalEnds: &later, ScheduleEnds: &soon}, Lapse{Again: &soon}},
		"both are over":                     {LapseFacts{May: true, ApprovalEnds: &past, SendBefore: &past}, Lapse{Why: rule.ApprovalExpired}},
		"the window closes first":           {LapseFacts{May: true, ApprovalEnds: &later, SendBefore: &soon}, Lapse{Again: &soon}},
		"the approval ends first":           {LapseFacts{May: true, ApprovalEnds: &soon, SendBefore: &later}, Lapse{Again: &soon}},
		"the approval was voided meanwhile": {LapseFacts{May: true, SendBefore: &later}, Lapse{Again: &later}},
	} {
		c.f.Now = now
		if diff := cmp.Diff(c.want, DecideLapse(c.f)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
