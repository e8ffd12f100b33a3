package incident_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/incident"
	"sendonce/shared"
)

// Goal: what holds is opened once, what has grown is counted at most hourly, what is over is closed, and what was not
// read is left alone.
func TestDecide(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	subject, other := uuid.New(), uuid.New()
	open := func(count int, ago time.Duration) []incident.Incident {
		return []incident.Incident{{ID: other, Kind: incident.DueNotMoving, Subject: subject, Count: count, LastAt: now.Add(-ago)}}
	}
	holds := func(count int) []incident.Condition {
		return []incident.Condition{{Kind: incident.DueNotMoving, Subject: subject, Count: count}}
	}
	sameSubject := []incident.Condition{{Kind: incident.AccountStopped, Subject: subject, Count: 1}}
	for _, c := range []struct {
		name string
		seen incident.Seen
		want incident.Changes
	}{
		{"nothing", incident.Seen{All: true}, incident.Changes{}},
		{"begins", incident.Seen{All: true, Holding: holds(3)}, incident.Changes{Open: holds(3)}},
		{"lasts", incident.Seen{All: true, Open: open(3, 2*config.IncidentCountEvery), Holding: holds(3)}, incident.Changes{}},
		{"shrinks", incident.Seen{All: true, Open: open(3, 2*config.IncidentCountEvery), Holding: holds(2)}, incident.Changes{}},
		{"grows soon", incident.Seen{All: true, Open: open(3, config.IncidentCountEvery-1), Holding: holds(4)}, incident.Changes{}},
		{
			"grows",
			incident.Seen{All: true, Open: open(3, config.IncidentCountEvery), Holding: holds(4)},
			incident.Changes{Count: []incident.Counted{{ID: other, Count: 4}}},
		},
		{"ends", incident.Seen{All: true, Open: open(3, 0)}, incident.Changes{Close: open(3, 0)}},
		{"not everything was read", incident.Seen{Open: open(3, 0)}, incident.Changes{}},
		{
			"another kind of the same subject",
			incident.Seen{All: true, Open: open(3, 0), Holding: sameSubject},
			incident.Changes{Open: sameSubject, Close: open(3, 0)},
		},
	} {
		c.seen.Now = now
		if diff := cmp.Diff(c.want, incident.Decide(c.seen)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Goal: every kind says what it means and what to do, and the outcome table names none that a person could not read.
func TestEveryKindHasItsWords(t *testing.T) {
	t.Parallel()
	if all := len(incident.Facts()) + len(incident.Conditions()); all != len(incident.Kinds()) {
		t.Errorf("%d facts and conditions, %d kinds", all, len(incident.Kinds()))
	}
	for _, kind := range incident.Kinds() {
		if kind.Text() == "" || kind.Do() == "" {
			t.Errorf("%s lacks words", kind)
		}
	}
	var table struct {
		Outcomes []struct{ Incident string }
	}
	if err := json.Unmarshal(shared.StatusesJSON, &table); err != nil {
		t.Fatal(err)
	}
	for _, row := range table.Outcomes {
		if kind := incident.Kind(row.Incident); kind != "" && (kind.Text() == "" || kind.IsCondition()) {
			t.Errorf("the outcome table names the incident %q, which is no fact", kind)
		}
	}
}
