package pace

import (
	"time"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// Limits are how many messages an account begins, and how far apart.
type Limits struct {
	Number          int // 0 until somebody has set some
	PerDay, PerHour int
	// Gap is from one message to the next at least; a part of Jitter is added to it, which is thrown once for each.
	Gap, Jitter time.Duration
	// WarmUpFrom begin on the day of the account's first message; from there it grows to PerDay within WarmUpDays.
	WarmUpFrom, WarmUpDays int
	Why                    string
	SetBy                  string
	SetAt                  time.Time
}

// NewLimits are limits as somebody writes them.
type NewLimits struct {
	PerDay, PerHour, GapSeconds, JitterSeconds, WarmUpFrom, WarmUpDays int
	Why                                                                string
}

// Highest are the highest limits that there are, for where nobody is written to. The reason stands with them.
func Highest(why string) NewLimits {
	return NewLimits{PerDay: config.PaceMost, PerHour: config.PaceMost, WarmUpFrom: 1, Why: why}
}

func (n NewLimits) limits() (Limits, error) {
	for _, one := range []struct {
		field              string
		given, least, most int
	}{
		{"per_day", n.PerDay, 1, config.PaceMost},
		{"per_hour", n.PerHour, 1, config.PaceMost},
		{"gap_seconds", n.GapSeconds, 0, config.PaceSecondsMax},
		{"jitter_seconds", n.JitterSeconds, 0, config.PaceSecondsMax},
		{"warm_up_days", n.WarmUpDays, 0, config.WarmUpDaysMax},
	} {
		if one.given < one.least || one.given > one.most {
			return Limits{}, problem.Field(one.field, "it must be from %d to %d", one.least, one.most)
		}
	}
	if n.WarmUpFrom < 1 || n.WarmUpFrom > n.PerDay {
		return Limits{}, problem.Field("warm_up_from", "it must be from 1 to per_day, which is %d", n.PerDay)
	}
	why, err := message.CanonicalLine("why", n.Why, config.WhyRunesMax)
	return Limits{
		PerDay: n.PerDay, PerHour: n.PerHour, Gap: time.Duration(n.GapSeconds) * time.Second, Jitter: time.Duration(n.JitterSeconds) * time.Second,
		WarmUpFrom: n.WarmUpFrom, WarmUpDays: n.WarmUpDays, Why: why,
	}, err
}

// Above names the first field that allows more than the other limits, or "".
func (l Limits) Above(usual Limits) string {
	switch {
	case l.PerDay > usual.PerDay:
		return "per_day"
	case l.PerHour > usual.PerHour:
		return "per_hour"
	case l.Gap < usual.Gap:
		return "gap_seconds"
	case l.Jitter < usual.Jitter:
		return "jitter_seconds"
	case l.WarmUpFrom > usual.WarmUpFrom:
		return "warm_up_from"
	case l.WarmUpDays < usual.WarmUpDays:
		return "warm_up_days"
	}
	return ""
}

func mayRaise(who access.Principal, limits, usual Limits) error {
	field := limits.Above(usual)
	if field == "" {
		return nil
	}
	if !who.May(access.Raise) {
		return problem.New(problem.Forbidden, "%s allows more than is usual, which the role %s lacks the right to %s", field, who.Role, access.Raise)
	}
	if limits.Why == "" {
		return problem.Field("why", "%s allows more than is usual; say why", field)
	}
	return nil
}
