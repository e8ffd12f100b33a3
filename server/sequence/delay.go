package sequence

import (
	"time"

	"sendonce/server/config"
	"sendonce/server/problem"
)

// Unit is what a delay counts.
type Unit string

// The units.
const (
	Days         Unit = "days"          // of the calendar: the hour of the clock stays
	BusinessDays Unit = "business_days" // Monday to Friday
)

// Units lists every unit.
func Units() []Unit { return []Unit{Days, BusinessDays} }

// Delay is how long after the step before it was sent a step is due; of the first step, after the enrolment.
type Delay struct {
	Count int
	Unit  Unit
}

// zone is where days begin and end, until accounts have zones of their own.
var zone = time.UTC

// after is the moment so long after another, at the same hour of the clock in that zone. An hour that the day has not is the one after
// the gap, and of one that the day has twice it is the first: package time's rule, which is once in any case.
func (d Delay) after(from time.Time, in *time.Location) time.Time {
	local := from.In(in)
	days := d.Count
	if d.Unit == BusinessDays {
		days = calendarDays(local.Weekday(), d.Count)
	}
	return local.AddDate(0, 0, days)
}

// calendarDays is how many days of the calendar so many business days are from that weekday on.
func calendarDays(from time.Weekday, business int) (days int) {
	const week = 7
	for business > 0 {
		days++
		if day := (int(from) + days) % week; day != int(time.Saturday) && day != int(time.Sunday) {
			business--
		}
	}
	return days
}

func (d Delay) check(field string) error {
	if d.Unit != Days && d.Unit != BusinessDays {
		return problem.Field(field+".unit", "it must be one of %v", Units())
	}
	if d.Count < 0 || d.Count > config.StepDelayMax {
		return problem.Field(field+".count", "it must be from 0 to %d", config.StepDelayMax)
	}
	return nil
}
