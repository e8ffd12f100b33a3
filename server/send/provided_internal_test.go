package send

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/rule"
)

func TestSendOfCopy(t *testing.T) {
	t.Parallel()
	first, second := uuid.UUID{1}, uuid.UUID{2}
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		newestFirst []OfCopy
		seen        time.Time
		want        uuid.UUID
	}{
		"no send":                              {nil, noon, uuid.Nil},
		"never begun here, as after a restore": {[]OfCopy{{Send: second}, {Send: first}}, noon, second},
		"the one that had begun":               {[]OfCopy{{Send: second}, {Send: first, StartedAt: noon}}, noon, first},
		"the latest that had begun by then": {
			[]OfCopy{{Send: second, StartedAt: noon.Add(time.Hour)}, {Send: first, StartedAt: noon}}, noon.Add(time.Minute), first,
		},
		"after both":                {[]OfCopy{{Send: second, StartedAt: noon.Add(time.Hour)}, {Send: first, StartedAt: noon}}, noon.Add(2 * time.Hour), second},
		"by a clock that is behind": {[]OfCopy{{Send: first, StartedAt: noon}}, noon.Add(-time.Hour), first},
		"the one whose copy it is": {
			[]OfCopy{{Send: second, StartedAt: noon}, {Send: first, StartedAt: noon, HasCopy: true, Status: rule.Failed}}, noon.Add(time.Hour), first,
		},
		"confirmed by this copy already": {
			[]OfCopy{{Send: second, StartedAt: noon}, {Send: first, StartedAt: noon, HasCopy: true, Status: rule.Sent}}, noon.Add(time.Hour), uuid.Nil,
		},
	} {
		if got := sendOfCopy(c.newestFirst, c.seen); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
