package sequence

import (
	"slices"
	"time"

	"sendonce/server/config"
	"sendonce/server/pace"
	"sendonce/server/problem"
)

// Unit is what a delay counts.
type Unit string

// The units. Both keep the time of day in the account's zone.
const (
	Days         Unit = "days"          // of the calendar
	BusinessDays Unit = "business_days" // on which the account works
)

// Units lists every unit.
func Units() []Unit { return []Unit{Days, BusinessDays} }

// Delay is how long after the step before it was sent a step is due; of the first step, after the enrolment.
type Delay struct {
	Count int
	Unit  Unit
}

// after is the moment so long after another, by the calendar and the clocks of an account.
func (d Delay) after(from time.Time, hours pace.Hours) time.Time {
	if d.Count == 0 {
		return from
	}
	zone := hours.Location()
	shown := from.In(zone)
	// In UTC every day has 24 hours, so that days can be counted.
	at := time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), shown.Second(), shown.Nanosecond(), time.UTC)
	for left := d.Count; left > 0; {
		at = at.AddDate(0, 0, 1)
		if d.Unit == Days || isBusiness(at, hours) {
			left--
		}
	}
	return firstShown(at, zone)
}

// isBusiness reports whether the account works on the day; before anybody has said when it does, whether it is from Monday to Friday.
func isBusiness(day time.Time, hours pace.Hours) bool {
	if hours.Number == 0 {
		return day.Weekday() != time.Saturday && day.Weekday() != time.Sunday
	}
	return slices.Contains(hours.Days, day.Weekday()) && !slices.Contains(hours.Holidays, day.Format(time.DateOnly))
}

// firstShown is the first moment at which the clocks of a zone show what those of UTC show at another, as the function of that name in the
// database has it: of what they show twice the first, and for what they never show the moment at which they are put forward. Package time
// does not say which moment it gives for these.
func firstShown(utc time.Time, zone *time.Location) time.Time {
	const aDay = 24 * time.Hour
	_, before := utc.Add(-aDay).In(zone).Zone()
	_, after := utc.Add(aDay).In(zone).Zone()
	byBefore := utc.Add(-time.Duration(before) * time.Second).In(zone)
	byAfter := utc.Add(-time.Duration(after) * time.Second).In(zone)
	shows := func(at time.Time) bool { return at.Format(time.DateTime) == utc.Format(time.DateTime) }
	if shows(byBefore) {
		return byBefore
	}
	if shows(byAfter) {
		return byAfter
	}
	putForward, _ := byBefore.ZoneBounds()
	return putForward
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
