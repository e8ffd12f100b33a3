package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sendonce/server/postgres"
)

const (
	hoursBody = `{"zone":"Europe/Berlin","opens":"09:00","closes":"18:00","days":["friday","monday","tuesday","wednesday","thursday"],
		"holidays":["2026-12-25","2026-01-01","2026-12-25"],"late_days":1}`
	limitsBody = `{"per_day":12,"per_hour":3,"gap_seconds":1200,"jitter_seconds":1500,"warm_up_from":5,"warm_up_days":10,"why":null}`
)

func (s *server) setHours(body string, headers ...string) answer {
	s.t.Helper()
	return s.ask("PUT", "/v1/accounts/"+s.account+"/hours", body, headers...)
}

func (s *server) setLimits(body string, headers ...string) answer {
	s.t.Helper()
	return s.ask("PUT", "/v1/accounts/"+s.account+"/limits", body, headers...)
}

// usualDefaults has the program's own defaults again, which tests lift.
func (s *server) usualDefaults() {
	s.t.Helper()
	if err := postgres.Migrate(s.t.Context(), s.database.AdminURL, postgres.ServerRole, ""); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) setClock(at time.Time) {
	s.t.Helper()
	if _, err := s.admin.Exec(s.t.Context(), "UPDATE clock_offset SET ahead = $1 - clock_timestamp()", at); err != nil {
		s.t.Fatal(err)
	}
}

// Goal: hours are shown as they were set, in an order that everybody knows, with who set them and what they come to now.
func TestHoursAreShown(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.setClock(time.Date(2026, time.November, 7, 12, 0, 0, 0, time.UTC)) // a Saturday
	path := "/v1/accounts/" + s.account + "/hours"
	if a := s.ask("GET", path, ""); a.Status != 200 || a.text("number") != "0" || a.text("zone") != "UTC" || a.text("opens") != "00:00" ||
		a.text("closes") != "24:00" || a.text("days.6") != "sunday" || a.text("set_by") != "" || a.text("now.waiting_for") != "" {
		t.Errorf("before anybody set some: %d %s", a.Status, a.Body)
	}
	woken := s.woken.count()
	set := s.setHours(hoursBody, s.as("recruiter"))
	for field, want := range map[string]string{
		"number": "1", "zone": "Europe/Berlin", "opens": "09:00", "closes": "18:00", "days.0": "monday", "days.4": "friday", "days.5": "", "holidays.0": "2026-01-01",
		"holidays.1": "2026-12-25", "holidays.2": "", "late_days": "1", "now.waiting_for": "outside_hours", "now.waiting_until": "2026-11-09T08:00:00Z",
		"now.open_until": "2026-11-09T17:00:00Z",
	} {
		if set.Status != 200 || set.text(field) != want {
			t.Errorf("%d, %s is %q, want %q", set.Status, field, set.text(field), want)
		}
	}
	if set.text("set_by") == "" || set.text("set_at") == "" || s.woken.count() != woken+1 {
		t.Error("nobody set them, or nobody was woken")
	}
	if a := s.ask("GET", path, ""); a.Body != set.Body {
		t.Errorf("read as %s, set as %s", a.Body, set.Body)
	}
}

// Goal: what is no hours is refused with the field that is wrong.
func TestHoursThatAreNone(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	many := strings.TrimSuffix(strings.Repeat(`"2026-12-25",`, 101), ",")
	for _, c := range []struct{ was, is, field string }{
		{`"Europe/Berlin"`, `"Berlin"`, "zone"},
		{`"Europe/Berlin"`, `"CET"`, "zone"},
		{`"Europe/Berlin"`, `"UTC+1"`, "zone"},
		{`"Europe/Berlin"`, `"europe/berlin"`, "zone"},
		{`"Europe/Berlin"`, `"posix/Europe/Berlin"`, "zone"},
		{`"Europe/Berlin"`, `""`, "zone"},
		{`"09:00"`, `"9:00"`, "opens"},
		{`"09:00"`, `"24:01"`, "opens"},
		{`"09:00"`, `"18:00"`, "closes"},
		{`"18:00"`, `"08:00"`, "closes"},
		{`"18:00"`, `"6pm"`, "closes"},
		{`"monday"`, `"friday"`, "days.1"},
		{`"monday"`, `"Monday"`, "days.1"},
		{`["friday","monday","tuesday","wednesday","thursday"]`, `[]`, "days"},
		{`"2026-01-01"`, `"2026-02-30"`, "holidays.1"},
		{`"2026-01-01"`, `"01.01.2026"`, "holidays.1"},
		{`"2026-12-25","2026-01-01","2026-12-25"`, many, "holidays"},
		{`"late_days":1`, `"late_days":31`, "late_days"},
		{`"late_days":1`, `"late_days":-1`, "late_days"},
	} {
		if a := s.setHours(strings.Replace(hoursBody, c.was, c.is, 1)); a.Status != 422 || a.text("field") != c.field {
			t.Errorf("%s: %d %s", c.is, a.Status, a.Body)
		}
	}
}

// Goal: a recruiter sets what is usual or less; more takes an admin and a reason, whichever number it is of.
func TestWhoRaisesLimits(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.usualDefaults()
	if a := s.ask("GET", "/v1/accounts/"+s.account+"/limits", "", s.as("viewer")); a.Status != 200 || a.text("number") != "0" || a.text("per_day") != "15" ||
		a.text("gap_seconds") != "1200" || a.text("usual.per_day") != "15" || a.text("why") != "" || a.text("now.day_most") != "5" || a.text("now.day_begun") != "0" {
		t.Errorf("before anybody set some: %d %s", a.Status, a.Body)
	}
	if a := s.setLimits(limitsBody, s.as("recruiter")); a.Status != 200 || a.text("per_day") != "12" || a.text("number") != "1" || a.text("usual.per_day") != "15" {
		t.Errorf("less than usual: %d %s", a.Status, a.Body)
	}
	for _, c := range []struct{ was, is, field string }{
		{`"per_day":12`, `"per_day":16`, "per_day"},
		{`"per_hour":3`, `"per_hour":4`, "per_hour"},
		{`"gap_seconds":1200`, `"gap_seconds":1199`, "gap_seconds"},
		{`"jitter_seconds":1500`, `"jitter_seconds":1499`, "jitter_seconds"},
		{`"warm_up_from":5`, `"warm_up_from":6`, "warm_up_from"},
		{`"warm_up_days":10`, `"warm_up_days":9`, "warm_up_days"},
	} {
		body := strings.Replace(limitsBody, c.was, c.is, 1)
		if a := s.setLimits(strings.Replace(body, `"why":null`, `"why":"we asked"`, 1), s.as("recruiter")); a.Status != 403 || !strings.Contains(a.text("detail"), c.field) {
			t.Errorf("%s by a recruiter: %d %s", c.field, a.Status, a.Body)
		}
		if a := s.setLimits(body, s.as("admin")); a.Status != 422 || a.text("field") != "why" {
			t.Errorf("%s without a reason: %d %s", c.field, a.Status, a.Body)
		}
		if a := s.setLimits(strings.Replace(body, `"why":null`, `"why":"LinkedIn said so"`, 1), s.as("admin")); a.Status != 200 || a.text("why") != "LinkedIn said so" || a.text("set_by") == "" {
			t.Errorf("%s with a reason: %d %s", c.field, a.Status, a.Body)
		}
	}
	var kept int
	if err := s.admin.QueryRow(t.Context(), "SELECT count(DISTINCT number) FROM account_limits WHERE account_id = $1", s.account).Scan(&kept); err != nil || kept != 7 {
		t.Errorf("%d decisions are kept, %v", kept, err)
	}
}

// Goal: what is no limits is refused with the field that is wrong.
func TestLimitsThatAreNone(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, c := range []struct{ was, is, field string }{
		{`"per_day":12`, `"per_day":0`, "per_day"},
		{`"per_day":12`, `"per_day":10001`, "per_day"},
		{`"per_day":12`, `"per_day":4`, "warm_up_from"},
		{`"per_day":12,`, ``, "per_day"},
		{`"per_hour":3`, `"per_hour":0`, "per_hour"},
		{`"gap_seconds":1200`, `"gap_seconds":-1`, "gap_seconds"},
		{`"gap_seconds":1200`, `"gap_seconds":86401`, "gap_seconds"},
		{`"jitter_seconds":1500`, `"jitter_seconds":86401`, "jitter_seconds"},
		{`"warm_up_from":5`, `"warm_up_from":0`, "warm_up_from"},
		{`"warm_up_days":10`, `"warm_up_days":91`, "warm_up_days"},
		{`"why":null`, fmt.Sprintf(`"why":%q`, strings.Repeat("x", 301)), "why"},
	} {
		if a := s.setLimits(strings.Replace(limitsBody, c.was, c.is, 1)); a.Status != 422 || a.text("field") != c.field {
			t.Errorf("%s: %d %s", c.is, a.Status, a.Body)
		}
	}
}

// Goal: a queued message says what its account waits for and until when, also on rows that nobody looked at since, in lists, sends and
// receipts; and nothing once that is over.
func TestQueuedRowsSayUntilWhen(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	s.setClock(time.Date(2026, time.November, 3, 19, 0, 0, 0, time.UTC))
	m := s.approve(s.propose("Hello Ada"))
	if m.text("waiting_for") != "" || m.text("waiting_until") != "" {
		t.Errorf("it waits: %s", m.Body)
	}
	waits := func(why, until string) {
		t.Helper()
		id, send := m.text("id"), m.text("sends.0.id")
		for path, members := range map[string]string{
			"/v1/messages/" + id: "", "/v1/messages": "items.0.", "/v1/sends/" + send: "", "/v1/messages/" + id + "/receipt": "sends.0.",
		} {
			a := s.ask("GET", path, "")
			got := strings.TrimSuffix(strings.TrimSuffix(a.text(members+"waiting_until"), "Z"), ".000000")
			if a.text(members+"waiting_for") != why || got != until {
				t.Errorf("%s: %q until %q, want %q until %q", path, a.text(members+"waiting_for"), a.text(members+"waiting_until"), why, until)
			}
		}
	}
	s.setHours(hoursBody)
	waits("outside_hours", "2026-11-04T08:00:00")
	later := s.ask("PATCH", "/v1/messages/"+m.text("id"), `{"send_after":"2026-11-05T10:00:00Z"}`)
	m = s.approve(later)
	if m.text("waiting_for") != "too_early" || m.text("waiting_until") != "2026-11-05T10:00:00Z" {
		t.Errorf("%s until %s", m.text("waiting_for"), m.text("waiting_until"))
	}
	s.setClock(time.Date(2026, time.November, 5, 10, 0, 0, 0, time.UTC))
	if m = s.ask("GET", "/v1/messages/"+m.text("id"), ""); m.text("waiting_for") != "" || m.text("waiting_until") != "" {
		t.Errorf("it waits: %s", m.Body)
	}
}

// Goal: what failed of such a message is not retried when its time is too long ago.
func TestAStaleScheduleIsNotRetried(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	s.setClock(time.Date(2026, time.November, 3, 7, 0, 0, 0, time.UTC))
	m := s.approve(s.ask("PATCH", "/v1/messages/"+s.propose("Hello Ada").text("id"), `{"send_after":"2026-11-03T10:00:00Z"}`))
	s.setClock(time.Date(2026, time.November, 3, 10, 0, 0, 0, time.UTC))
	failed := m.text("sends.0.id")
	s.move(failed, lease, start, prove, fail)
	s.setClock(time.Date(2026, time.November, 6, 0, 0, 0, 0, time.UTC))
	if a := s.retry(failed); a.Status != 409 || a.text("code") != "schedule_stale" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// Goal: a message that was scheduled for a time which is too long ago expires, is for a person in the list, and goes out when they say so again.
func TestAStaleScheduleIsForAPerson(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	s.setClock(time.Date(2026, time.November, 3, 7, 0, 0, 0, time.UTC))
	s.setHours(hoursBody) // one day late
	m := s.ask("PATCH", "/v1/messages/"+s.propose("Hello Ada").text("id"), `{"send_after":"2026-11-03T10:00:00Z"}`)
	m = s.approve(m)
	var lapses time.Time
	look := func() time.Time {
		t.Helper()
		if err := s.admin.QueryRow(t.Context(), "SELECT lapses_at FROM messages WHERE id = $1", m.text("id")).Scan(&lapses); err != nil {
			t.Fatal(err)
		}
		return lapses.UTC()
	}
	if got := look(); got != time.Date(2026, time.November, 4, 17, 0, 0, 0, time.UTC) {
		t.Errorf("it lapses at %s", got)
	}
	s.setClock(time.Date(2026, time.November, 4, 17, 0, 0, 0, time.UTC))
	s.sweep()
	m = s.ask("GET", "/v1/messages/"+m.text("id"), "")
	if m.text("authority") != "expired" || m.text("sends.0.status") != "canceled" || m.text("sends.0.code") != "schedule_stale" {
		t.Errorf("after its time: %s", m.Body)
	}
	if a := s.ask("GET", "/v1/messages?authority=expired", ""); a.text("items.0.id") != m.text("id") {
		t.Errorf("it is not in the list: %s", a.Body)
	}
	if a := s.approve(m); a.Status != 200 || a.text("status") != "queued" {
		t.Errorf("approved again: %d %s", a.Status, a.Body)
	}
	if got := look(); got != time.Date(2026, time.November, 6, 17, 0, 0, 0, time.UTC) {
		t.Errorf("approved again it lapses at %s", got)
	}
}
