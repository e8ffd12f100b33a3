package sequence

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/message"
	"sendonce/server/pace"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// Goal: days keep the hour of the clock over both changes of the clocks; business days pass over Saturday and Sunday; an hour that the
// day has not, or has twice, is due once.
func TestDelaysKeepTheHour(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		layout := "2006-01-02 15:04"
		if len(text) > len(layout) {
			layout += " -0700"
		}
		moment, err := time.ParseInLocation(layout, text, berlin)
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	for _, one := range []struct {
		from  string
		count int
		unit  Unit
		want  string
	}{
		{"2026-10-24 09:00", 1, Days, "2026-10-25 09:00"},
		{"2027-03-27 09:00", 1, Days, "2027-03-28 09:00"},
		{"2027-03-27 02:30", 1, Days, "2027-03-28 03:00"},
		{"2026-10-24 02:30", 1, Days, "2026-10-25 02:30 +0200"}, // which comes twice
		{"2026-12-01 09:00", 0, Days, "2026-12-01 09:00"},
		{"2026-12-04 09:00", 1, BusinessDays, "2026-12-07 09:00"}, // Friday
		{"2026-12-05 09:00", 1, BusinessDays, "2026-12-07 09:00"}, // Saturday
		{"2026-12-01 09:00", 3, BusinessDays, "2026-12-04 09:00"}, // Tuesday
		{"2026-12-01 09:00", 10, BusinessDays, "2026-12-15 09:00"},
		{"2026-12-06 09:00", 0, BusinessDays, "2026-12-06 09:00"},
		{"2026-10-23 09:00", 1, BusinessDays, "2026-10-26 09:00"},
	} {
		if got := (Delay{one.count, one.unit}).after(at(one.from).UTC(), pace.Hours{Zone: "Europe/Berlin"}); !got.Equal(at(one.want)) {
			t.Errorf("%d %s after %s: %s, want %s", one.count, one.unit, one.from, got, one.want)
		}
	}
}

// Goal: once somebody has said when an account works, business days are its own: its days of the week, and not its holidays. Where all days are
// working days, a weekend counts.
func TestBusinessDaysAreTheAccounts(t *testing.T) {
	t.Parallel()
	const layout = "2006-01-02 15:04 MST"
	from, err := time.Parse(layout, "2026-12-22 23:30 UTC") // a Tuesday, and half past midnight on Wednesday in Berlin
	if err != nil {
		t.Fatal(err)
	}
	some := []time.Weekday{time.Monday, time.Wednesday, time.Friday}
	all := []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}
	for _, one := range []struct {
		hours pace.Hours
		count int
		want  string
	}{
		{pace.Hours{Number: 1, Zone: "Europe/Berlin", Days: some}, 1, "2026-12-24 23:30 UTC"},
		{pace.Hours{Number: 1, Zone: "Europe/Berlin", Days: some, Holidays: []string{"2026-12-25", "2026-12-28"}}, 1, "2026-12-29 23:30 UTC"},
		{pace.Hours{Number: 1, Zone: "Europe/Berlin", Days: some, Holidays: []string{"2026-12-25", "2026-12-28"}}, 2, "2026-12-31 23:30 UTC"},
		{pace.Hours{Number: 1, Zone: "UTC", Days: all}, 5, "2026-12-27 23:30 UTC"},
		{pace.Hours{Zone: "UTC", Days: all}, 5, "2026-12-29 23:30 UTC"},
	} {
		if got := (Delay{one.count, BusinessDays}).after(from, one.hours).UTC().Format(layout); got != one.want {
			t.Errorf("%d days by %+v: %s, want %s", one.count, one.hours, got, one.want)
		}
	}
}

var began = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func step(name string, days int) Step {
	return Step{ID: uuid.NewSHA1(uuid.Nil, []byte(name)), Purpose: name, Channel: channel, Delay: Delay{days, Days}}
}

func had(of Step, status rule.Status, sentAt time.Time) Had {
	h := Had{Step: of.ID, Message: uuid.NewSHA1(of.ID, nil), Send: uuid.NewSHA1(of.ID, []byte("send")), Status: status, Authority: message.Approved}
	if status == rule.Sent {
		h.SentAt = &sentAt
	}
	return h
}

func facts(now time.Time, steps []Step, had ...Had) Facts {
	f := Facts{
		Now: now, Sequence: Running, Name: "Engineers", Steps: steps, Had: had, Profile: "/in/ada-example",
		BeganAt: began, Enrolment: Enrolment{State: Running, CreatedAt: began}, Contact: people.Contact{Level: people.Free},
	}
	if last := f.lastSent(); last != nil {
		f.LastBegun = last.Send
	}
	return f
}

// Goal: the next step is the first after the furthest that was had, whatever was put before it or changed places since; it is due so long
// after the one before it was sent, and names that send.
func TestTheNextStep(t *testing.T) {
	t.Parallel()
	a, b, c, x := step("a", 1), step("b", 3), step("c", 0), step("x", 0)
	later := began.Add(48 * time.Hour)
	for name, one := range map[string]struct {
		f    Facts
		says string
		due  time.Time
	}{
		"before the first":          {facts(began, []Step{a, b}), "", began.AddDate(0, 0, 1)},
		"the first":                 {facts(began.AddDate(0, 0, 1), []Step{a, b}), "a", began.AddDate(0, 0, 1)},
		"the second waits":          {facts(later, []Step{a, b}, had(a, rule.Sent, later)), "", later.AddDate(0, 0, 3)},
		"the second":                {facts(later.AddDate(0, 0, 3), []Step{a, b}, had(a, rule.Sent, later)), "b", later.AddDate(0, 0, 3)},
		"one was put before":        {facts(later.AddDate(0, 0, 3), []Step{x, a, b}, had(a, rule.Sent, later)), "b", later.AddDate(0, 0, 3)},
		"one was put between":       {facts(later, []Step{a, x, b}, had(a, rule.Sent, later)), "x", later},
		"they changed places":       {facts(later, []Step{b, a, c}, had(a, rule.Sent, later)), "c", later},
		"what was had is taken out": {facts(later.AddDate(0, 0, 3), []Step{b, c}, had(a, rule.Sent, later)), "b", later.AddDate(0, 0, 3)},
	} {
		v := decide(one.f)
		if v.State != Running || v.DueAt == nil || !v.DueAt.Equal(one.due) || (v.Says == nil) != (one.says == "") || v.Says != nil && v.Says.Purpose != one.says {
			t.Errorf("%s: %+v", name, v)
		}
		if v.Says != nil && len(one.f.Had) > 0 && (v.Follows == nil || v.Follows.Send != one.f.lastSent().Send || v.Follows.Why == "") {
			t.Errorf("%s: it follows %+v", name, v.Follows)
		}
	}
	for name, f := range map[string]Facts{
		"both were had":            facts(later, []Step{a, b}, had(a, rule.Sent, began), had(b, rule.Sent, later)),
		"the last is the furthest": facts(later, []Step{b, a}, had(a, rule.Sent, began)),
	} {
		if v := decide(f); v.State != Finished || v.Reason != AllSaid || v.Says != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Goal: a step that was not sent holds the next one, and says why: approval, a rejection, a look, a retry; nothing is said beside it.
func TestAStepHoldsTheNext(t *testing.T) {
	t.Parallel()
	a, b := step("a", 0), step("b", 0)
	with := func(status rule.Status, authority message.Authority, requeues bool) Had {
		h := had(a, status, began)
		h.Authority, h.Requeues = authority, requeues
		return h
	}
	for want, h := range map[Reason]Had{
		ForApproval: with("", message.Proposed, false), WasRejected: with("", message.Rejected, false), ApprovalEnded: with(rule.Canceled, message.Expired, false),
		UnderWay: with(rule.Started, message.Approved, false), Reason(rule.Unconfirmed): with(rule.Unconfirmed, message.Approved, false),
		Reason(rule.Failed): with(rule.Failed, message.Approved, false), Reason(rule.Canceled): with(rule.Canceled, message.Approved, false),
	} {
		if v := decide(facts(began.AddDate(1, 0, 0), []Step{a, b}, h)); v.State != Running || v.Reason != want || v.Says != nil || v.Message != h.Message {
			t.Errorf("%s: %+v", want, v)
		}
		if want.Text() == "" {
			t.Errorf("%s says nothing", want)
		}
	}
	if v := decide(facts(began.AddDate(1, 0, 0), []Step{a, b}, with(rule.Failed, message.Approved, true))); v.Reason != UnderWay {
		t.Errorf("a machine tries it again: %+v", v)
	}
}

// Goal: a reply, a message by hand, a bounce, do-not-contact, a removal, a merge and the sequence's end stop it, with the reason; what was
// before the enrolment does not. A colleague's claim, a message that was called off and a missing profile hold it.
func TestWhatStopsAndHolds(t *testing.T) {
	t.Parallel()
	before, since := began.Add(-time.Hour), began.Add(time.Hour)
	now := began.AddDate(0, 0, 9)
	due := func(change func(*Facts)) Facts {
		f := facts(now, []Step{step("a", 1)})
		change(&f)
		return f
	}
	for name, one := range map[string]struct {
		change func(*Facts)
		state  State
		reason Reason
	}{
		"a reply":          {func(f *Facts) { f.RepliedAt = &since }, Stopped, Replied},
		"by hand":          {func(f *Facts) { f.ByHandAt = &since }, Stopped, ByHand},
		"a bounce":         {func(f *Facts) { f.Bounced = true }, Stopped, Bounced},
		"do not contact":   {func(f *Facts) { f.Contact = people.Contact{Level: people.DoNotContact, Because: "company"} }, Stopped, NotToBeWritten},
		"removed":          {func(f *Facts) { f.Contact = people.Contact{Level: people.DoNotContact, Because: "removed"} }, Stopped, Removed},
		"merged":           {func(f *Facts) { f.Older = true }, Stopped, Merged},
		"the sequence":     {func(f *Facts) { f.Sequence = Stopped }, Stopped, SequenceStopped},
		"a colleague":      {func(f *Facts) { f.Contact = people.Contact{Level: people.Owned, OwnerName: "Rita"} }, Held, Colleague},
		"called off":       {func(f *Facts) { f.CalledOff = true }, Held, WasCalledOff},
		"no profile":       {func(f *Facts) { f.Profile = "" }, Held, NoProfile},
		"a pause":          {func(f *Facts) { f.Sequence = Paused }, Running, SequencePaused},
		"an earlier reply": {func(f *Facts) { f.RepliedAt, f.ByHandAt = &before, &before }, Running, Due},
		"finished":         {func(f *Facts) { f.Sequence = Finished }, Running, Due},
		"too often":        {func(f *Facts) { f.Contact.Level = people.TooOften }, Running, Due},
	} {
		v := decide(due(one.change))
		if v.State != one.state || v.Reason != one.reason || (v.Says != nil) != (one.reason == Due) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Goal: steps keep their ids, are told apart by their purposes, and have a channel that has a sender.
func TestStepsAreRead(t *testing.T) {
	t.Parallel()
	a, b := step("a", 1), step("b", 2)
	fresh := Step{Purpose: " New  one ", Channel: channel, Delay: Delay{1, BusinessDays}}
	got, err := readSteps([]Step{b, fresh, a}, []Step{a, b})
	if err != nil || got[0].ID != b.ID || got[2].ID != a.ID || got[1].ID == uuid.Nil {
		t.Fatalf("%+v, %v", got, err)
	}
	for field, steps := range map[string][]Step{
		"steps.1.purpose":     {a, {Purpose: "A", Channel: channel, Delay: Delay{0, Days}}},
		"steps.0.purpose":     {{Purpose: " ", Channel: channel, Delay: Delay{0, Days}}},
		"steps.0.channel":     {{Purpose: "x", Channel: "email", Delay: Delay{0, Days}}},
		"steps.0.id":          {step("stranger", 1)},
		"steps.0.delay.unit":  {{Purpose: "x", Channel: channel}},
		"steps.0.delay.count": {{Purpose: "x", Channel: channel, Delay: Delay{-1, Days}}},
		"steps":               make([]Step, 21),
	} {
		if _, err := readSteps(steps, []Step{a, b}); err == nil || fieldOf(err) != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := readSteps([]Step{a, {ID: a.ID, Purpose: "x", Channel: channel, Delay: Delay{0, Days}}}, []Step{a}); fieldOf(err) != "steps.1.id" {
		t.Errorf("one step twice: %v", err)
	}
}

func fieldOf(err error) string {
	if p := problem.As(err); p != nil {
		return p.Field
	}
	return ""
}
