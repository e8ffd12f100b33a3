package person_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/people"
	"sendonce/server/person"
	"sendonce/server/problem"
)

var me, colleague = uuid.UUID{15: 3}, uuid.UUID{15: 4}

func two() person.Merging {
	return person.Merging{
		Kept: person.Stakes{ID: uuid.UUID{15: 1}, Name: "Ada", Level: people.Free, Rows: []uuid.UUID{{15: 1}}},
		Gone: person.Stakes{ID: uuid.UUID{15: 2}, Name: "Ada Too", Level: people.Free, Rows: []uuid.UUID{{15: 2}}},
	}
}

// Goal: a merge is refused where it would make two messages for one reason of one, and with nobody who is gone; what has begun, or needs a
// look, keeps no two people apart, and is said.
func TestWhatAMergeMeets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change  func(*person.Merging)
		refused problem.Code
		says    string
	}{
		"nothing":               {func(*person.Merging) {}, "", "for good"},
		"two that wait":         {func(m *person.Merging) { m.Kept.Waiting, m.Gone.Waiting = 1, 1 }, "", "2 approved messages that have not begun are taken back"},
		"one that has begun":    {func(m *person.Merging) { m.Gone.Started = 1 }, "", "1 send has begun and ends by itself."},
		"one that needs a look": {func(m *person.Merging) { m.Kept.Unconfirmed = 1 }, "", "1 send needs a look"},
		"one who said no":       {func(m *person.Merging) { m.Gone.Level = people.DoNotContact }, "", "the stricter of the two holds"},
		"two owners": {func(m *person.Merging) {
			m.Kept.OwnerName, m.Gone.OwnerName, m.Kept.Owner, m.Gone.Owner = "Rita", "Carl", colleague, me
		}, "", "They stay Rita's; Carl owns them no longer."},
		"a colleague's, into mine":   {func(m *person.Merging) { m.Kept.Owner, m.Gone.Owner = me, colleague }, problem.OwnedByAnother, ""},
		"a colleague's, into free":   {func(m *person.Merging) { m.Gone.Owner = colleague }, "", "for good"},
		"mine, into free":            {func(m *person.Merging) { m.Gone.Owner = me }, "", "for good"},
		"a meeting":                  {func(m *person.Merging) { m.Meetings = []person.Meeting{{}} }, problem.IntentsMeet, ""},
		"the kept one removed":       {func(m *person.Merging) { m.Kept.IsRemoved = true }, problem.PersonRemoved, ""},
		"the one that goes, removed": {func(m *person.Merging) { m.Gone.IsRemoved = true }, problem.PersonRemoved, ""},
	} {
		m := two()
		c.change(&m)
		var code problem.Code
		if refused := m.Refused(access.Principal{Role: access.Recruiter, ID: me}); refused != nil {
			code = refused.Code
		}
		if said := strings.Join(m.Effects(), " "); code != c.refused || !strings.Contains(said, c.says) {
			t.Errorf("%s: refused %q, %s; want %q, and %q", name, code, said, c.refused, c.says)
		}
	}
}

// Goal: whatever a person was shown and has changed since makes another name of what they saw.
func TestSeenIsOfEverythingThatWasShown(t *testing.T) {
	t.Parallel()
	before := two().Seen()
	for name, change := range map[string]func(*person.Merging){
		"the other way round": func(m *person.Merging) { m.Kept, m.Gone = m.Gone, m.Kept },
		"a name":              func(m *person.Merging) { m.Kept.Name = "Bea" },
		"an owner":            func(m *person.Merging) { m.Gone.OwnerName = "Carl" },
		"a mark":              func(m *person.Merging) { m.Gone.Level = people.DoNotContact },
		"another row":         func(m *person.Merging) { m.Gone.Rows = append(m.Gone.Rows, uuid.UUID{15: 3}) },
		"a message":           func(m *person.Merging) { m.Kept.Messages++ },
		"a proposal":          func(m *person.Merging) { m.Kept.Proposed++ },
		"a queued send":       func(m *person.Merging) { m.Gone.Waiting++ },
		"a start":             func(m *person.Merging) { m.Gone.Started++ },
		"an unconfirmed one":  func(m *person.Merging) { m.Gone.Unconfirmed++ },
		"a sent one":          func(m *person.Merging) { m.Kept.Sent++ },
		"a meeting":           func(m *person.Merging) { m.Meetings = []person.Meeting{{}} },
		"a removal":           func(m *person.Merging) { m.Kept.IsRemoved = true },
		"anything else meant": func(m *person.Merging) { m.Kept.Intents++ },
	} {
		m := two()
		change(&m)
		if m.Seen() == before {
			t.Errorf("%s changes nothing of it", name)
		}
	}
	if two().Seen() != before {
		t.Error("the same is not named alike")
	}
}

// Goal: nobody is removed while a send has begun or needs a look, and the words say what is emptied and what stays.
func TestWhatARemovalMeets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stakes  person.Stakes
		refused problem.Code
	}{
		"nothing":     {person.Stakes{Name: "Ada"}, ""},
		"waiting":     {person.Stakes{Name: "Ada", Waiting: 2, Proposed: 1}, ""},
		"started":     {person.Stakes{Name: "Ada", Started: 1}, problem.NotEnded},
		"unconfirmed": {person.Stakes{Name: "Ada", Unconfirmed: 1}, problem.NeedsALook},
	} {
		r := person.Removal{Stakes: c.stakes}
		var code problem.Code
		if refused := r.Refused(); refused != nil {
			code = refused.Code
		}
		if said := strings.Join(r.Effects(), " "); code != c.refused || !strings.Contains(said, "names Ada is emptied for good") || !strings.Contains(said, "receipts still verify") {
			t.Errorf("%s: refused %q, %s", name, code, said)
		}
	}
}
