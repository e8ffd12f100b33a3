package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/pace"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// hoursView is when an account works. SetBy and SetAt are null until somebody has set some.
type hoursView struct {
	Number   int        `json:"number"`
	Zone     string     `json:"zone"`
	Opens    string     `json:"opens"`
	Closes   string     `json:"closes"`
	Days     []string   `json:"days"`
	Holidays []string   `json:"holidays"`
	LateDays int        `json:"late_days"`
	SetBy    *string    `json:"set_by"`
	SetAt    *time.Time `json:"set_at"`
	Now      paceView   `json:"now"`
}

// paceView is what hours and limits come to at this moment.
type paceView struct {
	WaitingFor   *rule.Refusal `json:"waiting_for"`
	WaitingUntil *time.Time    `json:"waiting_until"`
	OpenUntil    time.Time     `json:"open_until"`
	DayBegun     int           `json:"day_begun"`
	DayMost      int           `json:"day_most"`
}

func showNow(p pace.Pace) paceView {
	return paceView{orNull(p.WaitingFor), p.Waits(), p.OpenUntil, p.DayBegun, p.DayMost}
}

func showHours(p pace.Pace) hoursView {
	h := p.Hours
	v := hoursView{
		Number: h.Number, Zone: h.Zone, Opens: pace.Minute(h.Opens), Closes: pace.Minute(h.Closes), Days: []string{}, Holidays: h.Holidays,
		LateDays: h.LateDays, SetBy: orNull(h.SetBy), SetAt: orNull(h.SetAt), Now: showNow(p),
	}
	for _, day := range h.Days {
		v.Days = append(v.Days, pace.DayName(day))
	}
	return v
}

// limitsView is how many messages an account begins, and how far apart. Why is null where nothing is above the usual.
type limitsView struct {
	Number int `json:"number"`
	limitNumbers
	Why   *string      `json:"why"`
	SetBy *string      `json:"set_by"`
	SetAt *time.Time   `json:"set_at"`
	Usual limitNumbers `json:"usual"`
	Now   paceView     `json:"now"`
}

type limitNumbers struct {
	PerDay        int `json:"per_day"`
	PerHour       int `json:"per_hour"`
	GapSeconds    int `json:"gap_seconds"`
	JitterSeconds int `json:"jitter_seconds"`
	WarmUpFrom    int `json:"warm_up_from"`
	WarmUpDays    int `json:"warm_up_days"`
}

func showLimits(p pace.Pace) limitsView {
	return limitsView{
		Number: p.Limits.Number, limitNumbers: numbersOf(p.Limits), Why: orNull(p.Limits.Why), SetBy: orNull(p.Limits.SetBy),
		SetAt: orNull(p.Limits.SetAt), Usual: numbersOf(p.Usual), Now: showNow(p),
	}
}

func numbersOf(l pace.Limits) limitNumbers {
	return limitNumbers{l.PerDay, l.PerHour, int(l.Gap / time.Second), int(l.Jitter / time.Second), l.WarmUpFrom, l.WarmUpDays}
}

type hoursRequest struct {
	Zone     string   `json:"zone"`
	Opens    string   `json:"opens"`
	Closes   string   `json:"closes"`
	Days     []string `json:"days"`
	Holidays []string `json:"holidays"`
	LateDays *int     `json:"late_days"`
}

type limitsRequest struct {
	PerDay        *int   `json:"per_day"`
	PerHour       *int   `json:"per_hour"`
	GapSeconds    *int   `json:"gap_seconds"`
	JitterSeconds *int   `json:"jitter_seconds"`
	WarmUpFrom    *int   `json:"warm_up_from"`
	WarmUpDays    *int   `json:"warm_up_days"`
	Why           string `json:"why"`
}

func (in limitsRequest) limits() (pace.NewLimits, error) {
	asked := pace.NewLimits{Why: in.Why}
	for _, one := range []struct {
		field string
		given *int
		into  *int
	}{
		{"per_day", in.PerDay, &asked.PerDay},
		{"per_hour", in.PerHour, &asked.PerHour},
		{"gap_seconds", in.GapSeconds, &asked.GapSeconds},
		{"jitter_seconds", in.JitterSeconds, &asked.JitterSeconds},
		{"warm_up_from", in.WarmUpFrom, &asked.WarmUpFrom},
		{"warm_up_days", in.WarmUpDays, &asked.WarmUpDays},
	} {
		if one.given == nil {
			return asked, problem.Field(one.field, "it is missing; the whole limits are set at once")
		}
		*one.into = *one.given
	}
	return asked, nil
}

func (a *API) getHours(c call) error {
	return a.showPace(c, func(p pace.Pace) any { return showHours(p) })
}

func (a *API) getLimits(c call) error {
	return a.showPace(c, func(p pace.Pace) any { return showLimits(p) })
}

func (a *API) showPace(c call, show func(pace.Pace) any) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	found, err := a.reads.PaceGet(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, show(found))
}

func (a *API) setHours(c call) error {
	var in hoursRequest
	return a.setPace(c, &in, func(tx command.Tx, id uuid.UUID) (any, error) {
		set, err := pace.SetHours(c.ctx(), tx, c.who, id, pace.NewHours(in))
		return showHours(set), err
	})
}

func (a *API) setLimits(c call) error {
	var in limitsRequest
	return a.setPace(c, &in, func(tx command.Tx, id uuid.UUID) (any, error) {
		asked, err := in.limits()
		if err != nil {
			return nil, err
		}
		set, err := pace.SetLimits(c.ctx(), tx, c.who, id, asked)
		return showLimits(set), err
	})
}

// setPace runs a command on the account that the path names, and wakes it: it may begin what it could not before.
func (a *API) setPace(c call, in any, set func(tx command.Tx, id uuid.UUID) (any, error)) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	once, err := readCommand(c, in)
	if err != nil {
		return err
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		view, err := set(tx, id)
		return result{object: id, view: view, wake: id}, err
	})
}
