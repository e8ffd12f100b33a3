package pace

import (
	"fmt"
	"slices"
	"time"

	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// Hours are when an account works, in its own time zone.
type Hours struct {
	Number int    // 0 until somebody has set some: any minute, in days of UTC
	Zone   string // by its name of the IANA
	// Opens and Closes are minutes of the day; 1440 is its end.
	Opens, Closes int
	Days          []time.Weekday // from Monday on
	Holidays      []string       // as 2026-12-25, in order
	// LateDays: a message that was scheduled for a time begins at most so many working days after the one it was due on.
	LateDays int
	SetBy    string
	SetAt    time.Time
}

// Location is the account's time zone; UTC where this machine does not know it.
func (h Hours) Location() *time.Location {
	location, err := time.LoadLocation(h.Zone)
	if err != nil {
		return time.UTC
	}
	return location
}

// minutesOfDay is the end of a day.
const minutesOfDay = 24 * 60

// NewHours are hours as somebody writes them. Opens and Closes are as 09:00, at most 24:00. A nil LateDays is the usual.
type NewHours struct {
	Zone, Opens, Closes string
	Days, Holidays      []string
	LateDays            *int
}

func noZone() *problem.Problem {
	return problem.Field("zone", "it must be the name of a time zone as the IANA writes it, such as Europe/Berlin, or UTC")
}

func (n NewHours) hours() (Hours, error) {
	h := Hours{LateDays: config.LateDays}
	var err error
	if h.Zone, err = message.CanonicalLine("zone", n.Zone, config.ZoneRunesMax); err != nil {
		return h, err
	}
	if h.Zone == "" {
		return h, noZone()
	}
	if h.Opens, err = minuteOf("opens", n.Opens); err != nil {
		return h, err
	}
	if h.Closes, err = minuteOf("closes", n.Closes); err != nil {
		return h, err
	}
	if h.Opens >= h.Closes {
		return h, problem.Field("closes", "it must be later than opens, on the same day; 24:00 is its end")
	}
	if h.Days, err = daysOf(n.Days); err != nil {
		return h, err
	}
	if h.Holidays, err = holidaysOf(n.Holidays); err != nil {
		return h, err
	}
	if n.LateDays != nil {
		h.LateDays = *n.LateDays
	}
	if h.LateDays < 0 || h.LateDays > config.LateDaysMax {
		return h, problem.Field("late_days", "it must be from 0 to %d", config.LateDaysMax)
	}
	return h, nil
}

// minuteOf reads a time of day.
func minuteOf(field, written string) (int, error) {
	if written == "24:00" {
		return minutesOfDay, nil
	}
	at, err := time.Parse("15:04", written)
	if err != nil || len(written) != len("15:04") {
		return 0, problem.Field(field, "it must be a time of day as 09:00, from 00:00 to 24:00")
	}
	return at.Hour()*60 + at.Minute(), nil
}

// Minute writes a minute of the day as somebody would.
func Minute(of int) string { return fmt.Sprintf("%02d:%02d", of/60, of%60) }

// Weekdays are the days of the week from Monday on, by the names that programs use.
var Weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// DayName is the day's name among Weekdays.
func DayName(day time.Weekday) string { return Weekdays[(int(day)+6)%len(Weekdays)] }

func daysOf(names []string) ([]time.Weekday, error) {
	var days []time.Weekday
	for i, name := range names {
		at := slices.Index(Weekdays, name)
		if at < 0 || slices.Contains(names[:i], name) {
			return nil, problem.Field(fmt.Sprintf("days.%d", i), "it must be one of %v, and each once", Weekdays)
		}
	}
	for at, name := range Weekdays {
		if slices.Contains(names, name) {
			days = append(days, time.Weekday((at+1)%len(Weekdays)))
		}
	}
	if len(days) == 0 {
		return nil, problem.Field("days", "name one working day at least; to have nothing sent at all, pause the account")
	}
	return days, nil
}

func holidaysOf(written []string) ([]string, error) {
	if len(written) > config.HolidaysMax {
		return nil, problem.Field("holidays", "it has %d; %d are the most", len(written), config.HolidaysMax)
	}
	holidays := []string{}
	for i, day := range written {
		if at, err := time.Parse(time.DateOnly, day); err != nil || at.Year() < 2000 {
			return nil, problem.Field(fmt.Sprintf("holidays.%d", i), "it must be a date as 2026-12-25")
		}
		if !slices.Contains(holidays, day) {
			holidays = append(holidays, day)
		}
	}
	slices.Sort(holidays)
	return holidays, nil
}
