package postgres_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sendonce/server/incident"
	"sendonce/server/postgres"
	"sendonce/server/rule"
)

// limits sets limits of the account, with a reason that covers all.
func (w *world) limits(t *testing.T, perDay, perHour, gap, jitter, warmUpFrom, warmUpDays int) {
	t.Helper()
	exec(t, w.hand, `INSERT INTO account_limits (account_id, number, per_day, per_hour, gap_seconds, jitter_seconds, warm_up_from, warm_up_days, why, set_by)
		VALUES ($1, (SELECT 1 + count(*) FROM account_limits), $2, $3, $4, $5, $6, $7, 'a test', $8)`,
		w.account, perDay, perHour, gap, jitter, warmUpFrom, warmUpDays, w.principal)
}

// hours sets hours of the account, from and to in minutes of the day.
func (w *world) hours(t *testing.T, zone string, from, to int, days, holidays string) {
	t.Helper()
	exec(t, w.hand, `INSERT INTO account_hours (account_id, number, zone, opens_minute, closes_minute, days, holidays, late_days, set_by)
		VALUES ($1, (SELECT 1 + count(*) FROM account_hours), $2, $3, $4, $5::text::integer[], $6::text::date[], 2, $7)`,
		w.account, zone, from, to, days, holidays, w.principal)
}

// clock sets the clock of the whole database.
func (w *world) clock(t *testing.T, at string) {
	t.Helper()
	exec(t, w.admin, "UPDATE clock_offset SET ahead = $1::text::timestamptz - clock_timestamp()", at)
}

// pace is what the account waits for, and until when: "free" or "why 2026-10-25 07:00:00".
func (w *world) pace(t *testing.T, at string) string {
	t.Helper()
	return w.one(t, `SELECT CASE WHEN because = '' THEN 'free' ELSE because || to_char(free_at AT TIME ZONE 'UTC', ' YYYY-MM-DD HH24:MI:SS') END
		FROM account_pace($1, coalesce(nullif($2::text, '')::timestamptz, sendonce_now()))`, w.account, at)
}

func (w *world) wantPace(t *testing.T, at, want string) {
	t.Helper()
	if got := w.pace(t, at); got != want {
		t.Errorf("at %q: %s, want %s", at, got, want)
	}
}

// begin starts so many sends, and ends each as it says.
func (w *world) begin(t *testing.T, count int, end ...string) {
	t.Helper()
	for range count {
		_, send := w.sendIn(t, rule.Leased)
		w.run(t, send, append([]string{toStarted}, end...)...)
	}
}

// Goal: the first moment at which the clocks show a time is what a walk over the minutes finds, on days on which they are put forward
// or back, by an hour, by half of one and over midnight, and on usual ones.
func TestFirstShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for zone, days := range map[string][]string{
		"Europe/Berlin": {"2026-10-25", "2027-03-28", "2026-07-01"}, "America/New_York": {"2026-11-01", "2027-03-14"},
		"Australia/Lord_Howe": {"2026-10-04", "2027-04-04"}, "America/Havana": {"2026-11-01", "2027-03-14"},
		"America/Santiago": {"2026-09-06", "2027-04-03", "2027-04-04"}, "UTC": {"2026-10-25"}, "Asia/Kolkata": {"2026-10-25"},
	} {
		for _, day := range days {
			wrong := w.list(t, `SELECT format('%s is %s, want %s', shows, first_shown($1, shows), walked.first)
				FROM generate_series($2::text::timestamp - interval '1 hour', $2::text::timestamp + interval '25 hours', '5 minutes') AS shows
				CROSS JOIN LATERAL (SELECT min(t) AS first FROM (SELECT t, t AT TIME ZONE $1 AS local
					FROM generate_series($2::text::timestamptz - interval '20 hours', $2::text::timestamptz + interval '50 hours', '5 minutes') AS t) walk
					WHERE local >= shows) walked
				WHERE first_shown($1, shows) <> walked.first`, zone, day)
			if len(wrong) > 0 {
				t.Errorf("%s on %s: %d times, first %s", zone, day, len(wrong), wrong[0])
			}
		}
	}
}

// Goal: each working day has one window, also on the days on which the clocks change: nothing twice, nothing skipped.
func TestWindowsAcrossClockChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct {
		from, to int
		since    string
		want     []string
	}{
		"nine to six, back":    {540, 1080, "2026-10-23 20:00+00", []string{"10-24 07:00-10-24 16:00", "10-25 08:00-10-25 17:00", "10-26 08:00-10-26 17:00"}},
		"nine to six, forward": {540, 1080, "2027-03-26 20:00+00", []string{"03-27 08:00-03-27 17:00", "03-28 07:00-03-28 16:00", "03-29 07:00-03-29 16:00"}},
		// Half past two comes twice: the first counts, and the window is the longer for it.
		"half past two to four, back": {150, 240, "2026-10-24 12:00+00", []string{"10-25 00:30-10-25 03:00", "10-26 01:30-10-26 03:00"}},
		// Until half past two: the first counts.
		"one to half past two, back": {60, 150, "2026-10-24 12:00+00", []string{"10-24 23:00-10-25 00:30", "10-26 00:00-10-26 01:30"}},
		// Half past two never comes: three does.
		"half past two to four, forward": {150, 240, "2027-03-27 12:00+00", []string{"03-28 01:00-03-28 02:00", "03-29 00:30-03-29 02:00"}},
		// All of it is skipped: there is no such window that day.
		"two to three, forward": {120, 180, "2027-03-27 12:00+00", []string{"03-29 00:00-03-29 01:00"}},
	} {
		w.hours(t, "Europe/Berlin", c.from, c.to, "{1,2,3,4,5,6,7}", "{}")
		got := w.list(t, `WITH RECURSIVE walk AS (
				SELECT 1 AS n, x.opens_at, x.closes_at FROM account_hours_now h, working_window(h, $2::text::timestamptz) x WHERE h.account_id = $1
				UNION ALL
				SELECT n + 1, x.opens_at, x.closes_at FROM walk, account_hours_now h, working_window(h, walk.closes_at) x WHERE h.account_id = $1 AND n < $3)
			SELECT to_char(opens_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI-') || to_char(closes_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI') FROM walk ORDER BY n`,
			w.account, c.since, len(c.want))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Goal: weekends and holidays of the account's own calendar are no working days, and what it says it waits for is to the moment.
func TestHoursSayUntilWhen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.wantPace(t, "2026-12-25 03:00+00", "free")
	w.hours(t, "Europe/Berlin", 540, 1080, "{1,2,3,4,5}", "{2026-12-25,2026-12-28}")
	for at, want := range map[string]string{
		"2026-12-24 07:59:59.9+00": "outside_hours 2026-12-24 08:00:00",
		"2026-12-24 08:00+00":      "free",
		"2026-12-24 16:59:59.9+00": "free",
		"2026-12-24 17:00+00":      "outside_hours 2026-12-29 08:00:00",
		"2026-12-26 12:00+00":      "outside_hours 2026-12-29 08:00:00",
	} {
		w.wantPace(t, at, want)
	}
	w.hours(t, "Europe/Berlin", 540, 1080, "{1}", "{}")
	exec(t, w.hand, `INSERT INTO account_hours (account_id, number, zone, opens_minute, closes_minute, days, holidays, late_days, set_by)
		SELECT $1, 99, 'UTC', 0, 1440, '{1}', ARRAY(SELECT '2026-12-07'::date + 7 * n FROM generate_series(0, 99) n), 2, $2`, w.account, w.principal)
	w.wantPace(t, "2026-12-06 12:00+00", "outside_hours 2028-11-06 00:00:00")
}

// Goal: a gap, an hour and a day hold back for exactly as long as they say; the day is the account's own.
func TestLimitsSayUntilWhen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hours(t, "Europe/Berlin", 0, 1440, "{1,2,3,4,5,6,7}", "{}")
	w.clock(t, "2026-10-24 21:00:00+00") // 23:00 in Berlin: the next day has 25 hours
	w.limits(t, 3, 2, 600, 0, 3, 0)
	w.begin(t, 1)
	again := w.one(t, "SELECT to_char(at + interval '10 minutes', 'YYYY-MM-DD HH24:MI:SS') FROM (SELECT max(at) AT TIME ZONE 'UTC' AS at FROM account_starts) s")
	w.wantPace(t, "", "minimum_gap "+again)
	w.forward(t, 10*time.Minute)
	w.wantPace(t, "", "free")
	w.begin(t, 1)
	w.forward(t, 11*time.Minute)
	hour := w.one(t, "SELECT to_char(at + interval '1 hour', 'YYYY-MM-DD HH24:MI:SS') FROM (SELECT min(at) AT TIME ZONE 'UTC' AS at FROM account_starts) s")
	w.wantPace(t, "", "hour_limit "+hour)
	w.limits(t, 3, 10, 0, 0, 3, 0)
	w.begin(t, 1)
	w.wantPace(t, "", "day_limit 2026-10-24 22:00:00")
	w.clock(t, "2026-10-24 22:00:00+00")
	w.begin(t, 3)
	w.wantPace(t, "", "day_limit 2026-10-25 23:00:00") // one allowance for all 25 hours
	w.clock(t, "2026-10-25 22:59:00+00")
	w.wantPace(t, "", "day_limit 2026-10-25 23:00:00")
	w.clock(t, "2026-10-25 23:00:00+00")
	w.wantPace(t, "", "free")
	w.clock(t, "2027-03-27 23:00:00+00")
	w.begin(t, 3)
	w.wantPace(t, "", "day_limit 2027-03-28 22:00:00") // and one for all 23
}

// Goal: started, unconfirmed, sent and failed sends count; what stopped before it touched anything does not, until it proves delivered.
func TestWhatCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock(t, "2026-11-03 12:00:00+00")
	w.limits(t, 6, 100, 0, 0, 6, 0)
	const notAttempted = proof + `; UPDATE sends SET status = 'failed', code = 'not_attempted', reason = 'no_composer' WHERE id = '{send}'`
	w.begin(t, 1)
	w.begin(t, 1, toUnconfirmed)
	w.begin(t, 1, toSent)
	w.begin(t, 1, toFailed)
	w.begin(t, 3, notAttempted)
	begun := func() string {
		return w.one(t, "SELECT day_begun || ' of ' || day_most FROM account_pace($1, sendonce_now())", w.account)
	}
	if got := begun(); got != "4 of 6" {
		t.Errorf("%s count", got)
	}
	_, spared := w.sendIn(t, rule.Leased)
	w.run(t, spared, toStarted, notAttempted, toSent)
	_, unknown := w.sendIn(t, rule.Queued)
	w.run(t, unknown, toSent)
	if got := begun(); got != "6 of 6" {
		t.Errorf("with what proved delivered %s count", got)
	}
	w.wantPace(t, "", "day_limit 2026-11-04 00:00:00")
}

// Goal: an account that begins for the first time may do little, and more each day.
func TestWarmUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limits(t, 15, 100, 0, 0, 5, 10)
	w.clock(t, "2026-11-03 12:00:00+00")
	w.begin(t, 1)
	got := w.list(t, `SELECT day_most::text FROM generate_series(0, 12) AS n, account_pace($1, sendonce_now() + make_interval(days => n)) ORDER BY n`, w.account)
	if diff := cmp.Diff([]string{"5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "15", "15"}, got); diff != "" {
		t.Error(diff)
	}
}

// Goal: the jitter of a gap is thrown once: whoever looks, and however often, is told the same, and accounts differ.
func TestJitterIsThrownOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock(t, "2026-11-03 12:00:00+00")
	w.limits(t, 1000, 1000, 600, 1200, 1000, 0)
	w.begin(t, 1)
	first := w.pace(t, "")
	w.forward(t, time.Minute)
	for range 20 {
		if again := one(t, connect(t, w.db.ServerURL), "SELECT because || to_char(free_at AT TIME ZONE 'UTC', ' YYYY-MM-DD HH24:MI:SS') FROM account_pace($1, sendonce_now())", w.account); again != first {
			t.Fatalf("first %s, then %s", first, again)
		}
	}
	spread := one(t, w.admin, `SELECT (min(x) >= 0 AND min(x) < 0.1 AND max(x) > 0.9 AND max(x) < 1 AND avg(x) BETWEEN 0.4 AND 0.6)::text
		FROM (SELECT spread_of(md5(n::text)::uuid) AS x FROM generate_series(1, 1000) n) s`)
	if spread != "true" {
		t.Error("the jitter is not spread from 0 to 1")
	}
}

// Goal: of twenty that ask at one moment at four of five, one begins, typed by hand without any lock.
func TestTheLastPlaceGoesToOne(t *testing.T) {
	t.Parallel()
	const askers = 20
	w := newWorld(t)
	w.clock(t, "2026-11-03 12:00:00+00")
	w.begin(t, 4)
	made := w.sendsIn(t, askers, rule.Leased)
	w.limits(t, 5, 100, 0, 0, 5, 0)
	var all sync.WaitGroup
	results := make(chan error, askers)
	gate := make(chan struct{})
	for _, one := range made {
		conn := connect(t, w.db.ServerURL)
		all.Go(func() {
			<-gate
			results <- simply(t, conn, w.fill(toStarted, one.send))
		})
	}
	close(gate)
	all.Wait()
	close(results)
	began := 0
	for err := range results {
		if err == nil {
			began++
			continue
		}
		requireRefused(t, attack{code: "SO017", says: "day_limit", hint: "Wait until then"}, err)
	}
	if counted := w.one(t, "SELECT count(*)::text FROM account_starts"); began != 1 || counted != "5" {
		t.Errorf("%d of %d began, and %s are counted", began, askers, counted)
	}
}

// Goal: a limit is one account's: another, and one of another channel, begins what it may.
func TestALimitIsOneAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limits(t, 1, 1, 600, 0, 1, 0)
	w.begin(t, 1)
	mailbox := w.one(t, "INSERT INTO accounts (workspace_id, channel, handle, created_by) VALUES ($1, 'email', 'rita@example.com', $2) RETURNING id::text", w.workspace, w.principal)
	if got := w.one(t, "SELECT because || day_begun FROM account_pace($1, sendonce_now())", mailbox); got != "0" {
		t.Errorf("the mailbox waits: %s", got)
	}
}

// Goal: a message that was scheduled for a time may begin until the close of the working day that is so many after the one it was due on.
func TestScheduleEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hours(t, "Europe/Berlin", 540, 1080, "{1,2,3,4,5}", "{2026-10-26}")
	for due, want := range map[string]string{
		"2026-10-21 08:00+00": "2026-10-23 16:00:00", // a Wednesday: until Friday
		"2026-10-23 15:59+00": "2026-10-28 17:00:00", // a Friday before a long weekend, in which the clocks are put back
		"2026-10-23 16:00+00": "2026-10-29 17:00:00", // after its close: due on Tuesday
	} {
		got := w.one(t, "SELECT to_char(schedule_ends($1, $2::text::timestamptz) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')", w.account, due)
		if got != want {
			t.Errorf("due %s: until %s, want %s", due, got, want)
		}
	}
}

// Goal: a database that was in use before there were limits knows what its accounts have begun.
func TestOldStartsAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sendsIn(t, 3, rule.Sent)
	w.sendsIn(t, 2, rule.Queued)
	before := w.list(t, "SELECT account_id::text || at || send_id || spread || counts FROM account_starts ORDER BY send_id")
	exec(t, w.admin, "DELETE FROM account_starts")
	exec(t, w.admin, backfill(t))
	after := w.list(t, "SELECT account_id::text || at || send_id || spread || counts FROM account_starts ORDER BY send_id")
	if diff := cmp.Diff(before, after); diff != "" || len(after) != 3 {
		t.Errorf("%d rows: %s", len(after), diff)
	}
}

// backfill is the statement with which the migration counted what had begun before it.
func backfill(t *testing.T) string {
	t.Helper()
	file, err := os.ReadFile("migrations/00036_pace.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, from, found := strings.Cut(string(file), "INSERT INTO account_starts ")
	statement, _, ends := strings.Cut(from, ";")
	if !found || !ends {
		t.Fatal("the migration counts nothing")
	}
	return "INSERT INTO account_starts " + statement
}

// Goal: migrating writes the program's defaults, and they are what a fresh account has.
func TestDefaultsComeFromTheProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := postgres.Migrate(t.Context(), w.db.AdminURL, postgres.ServerRole, ""); err != nil {
		t.Fatal(err)
	}
	got := w.one(t, "SELECT concat_ws(' ', number, per_day, per_hour, gap_seconds, jitter_seconds, warm_up_from, warm_up_days) FROM account_limits_now WHERE account_id = $1", w.account)
	if want := "0 15 3 1200 1500 5 10"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	_, send := w.sendIn(t, rule.Started)
	if got := w.one(t, "SELECT because FROM account_pace($1, sendonce_now())", w.account); got != "minimum_gap" {
		t.Errorf("after send %s: %q", send, got)
	}
	if got := w.one(t, "SELECT day_most::text FROM account_pace($1, sendonce_now())", w.account); got != "5" {
		t.Errorf("on the first day %s may begin", got)
	}
}

// Goal: an account that waits its time is not said not to move, until it has been free for as long as that takes; and what does not move
// is one incident, also over midnight.
func TestNoAlarmWhileItWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := w.watch(t)
	w.clock(t, "2026-11-03 22:00:00+00")
	w.limits(t, 100, 100, 40*60, 0, 100, 0)
	w.sendIn(t, rule.Queued)
	w.begin(t, 1, toSent)
	for _, wait := range []time.Duration{20 * time.Minute, 21 * time.Minute, 13 * time.Minute} {
		w.forward(t, wait)
		server.look(t)
		if got := w.episodes(t, incident.DueNotMoving); len(got) != 0 {
			t.Fatalf("%s later: %q", wait, got)
		}
	}
	for _, wait := range []time.Duration{2 * time.Minute, 70 * time.Minute} {
		w.forward(t, wait)
		server.look(t)
		if diff := cmp.Diff([]string{"1 open"}, w.episodes(t, incident.DueNotMoving)); diff != "" {
			t.Errorf("%s later: %s", wait, diff)
		}
	}
	w.hours(t, "UTC", 8*60, 18*60, "{1,2,3,4,5,6,7}", "{}")
	server.look(t)
	if diff := cmp.Diff([]string{"1 closed"}, w.episodes(t, incident.DueNotMoving)); diff != "" {
		t.Errorf("in the night: %s", diff)
	}
}
