package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/account"
	"sendonce/server/command"
	"sendonce/server/pace"
	"sendonce/server/problem"
)

// accountPage is one account: its hours, its limits, and what they come to now.
type accountPage struct {
	account.Account
	Pace                pace.Pace
	MayManage, MayRaise bool
	Key, OtherKey       string // of the two forms
}

func (s *Console) showAccount(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	page := accountPage{MayManage: v.who.May(access.Manage), MayRaise: v.who.May(access.Raise), Key: uuid.NewString(), OtherKey: uuid.NewString()}
	if page.Account, err = s.reads.AccountGet(v.ctx(), v.who.Workspace, id); err != nil {
		return err
	}
	if page.Pace, err = s.reads.PaceGet(v.ctx(), v.who.Workspace, id); err != nil {
		return err
	}
	return s.show(v, "account", page.Handle, page)
}

// In is a moment as the clocks of the account show it.
func (p accountPage) In(at time.Time) string {
	return at.In(p.Pace.Hours.Location()).Format("Mon 2 Jan 2006, 15:04 MST")
}

// Opens and Closes are times of the day.
func (p accountPage) Opens() string { return pace.Minute(p.Pace.Hours.Opens) }

func (p accountPage) Closes() string { return pace.Minute(p.Pace.Hours.Closes) }

func (p accountPage) Holidays() string { return strings.Join(p.Pace.Hours.Holidays, "\n") }

// dayChoice is one day of the week in the form.
type dayChoice struct {
	Name    string // as programs write it
	Label   string
	Checked bool
}

// Week is Monday to Sunday.
func (p accountPage) Week() []dayChoice {
	working := map[string]bool{}
	for _, day := range p.Pace.Hours.Days {
		working[pace.DayName(day)] = true
	}
	week := make([]dayChoice, len(pace.Weekdays))
	for i, name := range pace.Weekdays {
		week[i] = dayChoice{name, strings.ToUpper(name[:1]) + name[1:], working[name]}
	}
	return week
}

// numberField is one number of the limits in the form.
type numberField struct {
	Name, Label  string
	Value, Usual int
}

// Numbers are the fields of the limits, by the names that programs use.
func (p accountPage) Numbers() []numberField {
	now, usual := p.Pace.Limits, p.Pace.Usual
	seconds := func(d time.Duration) int { return int(d / time.Second) }
	return []numberField{
		{"per_day", "Messages a day at most", now.PerDay, usual.PerDay},
		{"per_hour", "Messages an hour at most", now.PerHour, usual.PerHour},
		{"gap_seconds", "Seconds between two at least", seconds(now.Gap), seconds(usual.Gap)},
		{"jitter_seconds", "Seconds more by chance, at most", seconds(now.Jitter), seconds(usual.Jitter)},
		{"warm_up_from", "Messages on the first day", now.WarmUpFrom, usual.WarmUpFrom},
		{"warm_up_days", "Days until it is as many as a day may have", now.WarmUpDays, usual.WarmUpDays},
	}
}

func (s *Console) setHours(v visit) error {
	form, err := v.FormParams()
	if err != nil {
		return problem.Field("days", "the form could not be read")
	}
	late, err := numberOf(v, "late_days")
	if err != nil {
		return err
	}
	asked := pace.NewHours{
		Zone: v.FormValue("zone"), Opens: v.FormValue("opens"), Closes: v.FormValue("closes"), Days: form["days"],
		Holidays: strings.Fields(v.FormValue("holidays")), LateDays: &late,
	}
	return s.setPace(v, fmt.Sprintf("%+v %d", asked, late), func(tx command.Tx, id uuid.UUID) error {
		_, err := pace.SetHours(v.ctx(), tx, v.who, id, asked)
		return err
	})
}

func (s *Console) setLimits(v visit) error {
	asked := pace.NewLimits{Why: v.FormValue("why")}
	for field, into := range map[string]*int{
		"per_day": &asked.PerDay, "per_hour": &asked.PerHour, "gap_seconds": &asked.GapSeconds, "jitter_seconds": &asked.JitterSeconds,
		"warm_up_from": &asked.WarmUpFrom, "warm_up_days": &asked.WarmUpDays,
	} {
		var err error
		if *into, err = numberOf(v, field); err != nil {
			return err
		}
	}
	return s.setPace(v, fmt.Sprintf("%+v", asked), func(tx command.Tx, id uuid.UUID) error {
		_, err := pace.SetLimits(v.ctx(), tx, v.who, id, asked)
		return err
	})
}

func numberOf(v visit, field string) (int, error) {
	n, err := strconv.Atoi(v.FormValue(field))
	if err != nil {
		return 0, problem.Field(field, "it must be a whole number")
	}
	return n, nil
}

func (s *Console) setPace(v visit, asked string, set func(tx command.Tx, id uuid.UUID) error) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	return s.run(v, asked, "/accounts/"+id.String(), func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		return id, id, set(tx, id)
	})
}
