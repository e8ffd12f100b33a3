package postgres_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sendonce/server/incident"
	"sendonce/server/postgres"
	"sendonce/server/rule"
)

// lookLimits are the ones that an operator has unless they say otherwise.
var lookLimits = incident.Limits{DueNotMoving: 15 * time.Minute, UnconfirmedTooLong: 24 * time.Hour, InstallSilent: 24 * time.Hour}

// watch is one server that looks, and what it wrote to its log.
type watch struct {
	*incident.Watch
	log bytes.Buffer
}

func (w *world) watch(t *testing.T) *watch {
	t.Helper()
	store, err := postgres.Open(t.Context(), w.db.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	made := &watch{}
	made.Watch = incident.NewWatch(store, lookLimits, time.Minute, slog.New(slog.NewTextHandler(&made.log, nil)))
	return made
}

func (w *watch) look(t *testing.T) {
	t.Helper()
	if err := w.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// episodes lists the incidents of a kind as "count open" or "count closed", oldest first.
func (w *world) episodes(t *testing.T, kind incident.Kind) []string {
	t.Helper()
	return w.list(t, `SELECT count || CASE WHEN closed_at IS NULL THEN ' open' ELSE ' closed' END FROM incidents
		WHERE kind = $1 ORDER BY opened_at`, string(kind))
}

// holding is a condition: what begins it, what ends it, and the status of the send that it is about.
type holding struct {
	kind       incident.Kind
	in         rule.Status
	begin, end string
	after      time.Duration
	count      string
}

const slotOfSend = `; UPDATE account_slots SET send_id = '{send}' WHERE account_id = '{account}'`

var holdings = []holding{
	{incident.NotArmed, rule.Queued, "UPDATE instance SET armed_at = NULL", "UPDATE instance SET armed_at = sendonce_now()", 0, "1"},
	{
		incident.AccountStopped, rule.Queued, "UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'signed_out'",
		"UPDATE accounts SET stopped_at = NULL, stopped_code = NULL", 0, "1",
	},
	{
		incident.Parked, rule.Queued, "UPDATE sends SET parked_at = sendonce_now(), waiting_for = 'released_too_often' WHERE id = '{send}'",
		"UPDATE sends SET parked_at = NULL, waiting_for = NULL WHERE id = '{send}'", 0, "1",
	},
	{
		incident.DueNotMoving, rule.Queued, "UPDATE accounts SET stopped_at = NULL, stopped_code = NULL",
		"UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'signed_out'", 16 * time.Minute, "1",
	},
	{
		incident.UnconfirmedTooLong, rule.Unconfirmed, "SELECT 1",
		"UPDATE clock_offset SET ahead = ahead - interval '1 day'", 25 * time.Hour, "1",
	},
	{
		incident.InstallSilent, rule.Unconfirmed, "UPDATE installs SET last_seen_at = sendonce_now() - interval '25 hours'",
		"UPDATE installs SET last_seen_at = sendonce_now()", 0, "1",
	},
}

// Goal: each condition opens one incident however often it is looked at, closes it when it ends, and opens a new one when
// it comes back.
func TestConditionsOpenAndClose(t *testing.T) {
	t.Parallel()
	for _, c := range holdings {
		t.Run(string(c.kind), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			server := w.watch(t)
			_, send := w.sendIn(t, c.in)
			do := func(sql string) { exec(t, w.admin, w.fill(sql, send)) }
			server.look(t)
			if got := w.episodes(t, c.kind); len(got) != 0 {
				t.Fatalf("before it holds: %q", got)
			}
			do(c.begin)
			w.forward(t, c.after)
			server.look(t)
			w.watch(t).look(t) // a restart, or another server
			if diff := cmp.Diff([]string{c.count + " open"}, w.episodes(t, c.kind)); diff != "" {
				t.Errorf("while it holds: %s", diff)
			}
			do(c.end)
			server.look(t)
			if diff := cmp.Diff([]string{c.count + " closed"}, w.episodes(t, c.kind)); diff != "" {
				t.Errorf("after its end: %s", diff)
			}
			do(c.begin)
			w.forward(t, c.after)
			server.look(t)
			if diff := cmp.Diff([]string{c.count + " closed", c.count + " open"}, w.episodes(t, c.kind)); diff != "" {
				t.Errorf("when it is back: %s", diff)
			}
			timeline := w.list(t, `SELECT e.what FROM incident_events e JOIN incidents i ON i.id = e.incident_id WHERE i.kind = $1 ORDER BY e.id`, string(c.kind))
			if diff := cmp.Diff([]string{"opened", "closed", "opened"}, timeline); diff != "" {
				t.Errorf("timeline: %s", diff)
			}
		})
	}
}

// Goal: "due but not moving" is said of an account that may send and begins nothing, and of no other.
func TestDueButNotMoving(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, sql string
		want      []string
	}{
		{"leased and given back again and again", toLeased + slotOfSend, []string{"2 open"}},
		{"another has begun", `SELECT 1` + slotOfSend + "; " + toLeased + "; " + toStarted, []string{}},
		{"paused", "UPDATE accounts SET paused_at = sendonce_now()", []string{}},
		{"cooling down", "UPDATE accounts SET cool_until = sendonce_now() + interval '1 hour'", []string{}},
		{"has cooled down just now", "UPDATE accounts SET cool_until = sendonce_now() - interval '1 minute'", []string{}},
		{"nothing is due", "UPDATE sends SET due_at = sendonce_now() + interval '1 hour'", []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			sends := w.sendsIn(t, 3, rule.Queued)
			w.forward(t, 16*time.Minute)
			w.run(t, sends[0].send, c.sql)
			w.watch(t).look(t)
			if diff := cmp.Diff(c.want, w.episodes(t, incident.DueNotMoving)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Goal: an opening and a closing are each written to one log once, however many servers look and start again.
func TestIncidentsAreLoggedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, send := w.sendIn(t, rule.Started)
	w.run(t, send, strings.ReplaceAll(deliver, "{copy}", "one"), strings.ReplaceAll(deliver, "{copy}", "two"))
	servers := []*watch{w.watch(t), w.watch(t)}
	lines := func(want string) int {
		total := 0
		for _, server := range servers {
			total += strings.Count(server.log.String(), want)
		}
		return total
	}
	for range 2 {
		for _, server := range servers {
			server.look(t)
		}
		servers = append(servers, w.watch(t))
	}
	if n := lines(`msg="incident opened" kind=browser_repeated`); n != 1 {
		t.Errorf("the opening stands in the logs %d times", n)
	}
	w.run(t, send, `UPDATE incidents SET closed_at = sendonce_now(), closed_by = '{principal}'`)
	for _, server := range servers {
		server.look(t)
	}
	if n := lines(`msg="incident closed" kind=browser_repeated`); n != 1 {
		t.Errorf("the closing stands in the logs %d times", n)
	}
	if n := lines("incident opened"); n != 1 {
		t.Errorf("%d openings in all", n)
	}
}

// Goal: two messages for one purpose that reach one person within a day are counted, once a message; a repeat that the
// approval named, one that follows another by decision, another purpose and another day are not.
func TestSecondMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sends := w.sendsIn(t, 6, rule.Started)
	// Six at one time for one purpose are what the database refuses to every writer.
	exec(t, w.admin, "ALTER TABLE messages DISABLE TRIGGER a_frozen; UPDATE messages SET purpose_key = 'first contact'")
	reaches := func(i int, before string) []string {
		t.Helper()
		w.run(t, sends[i].send, before, strings.ReplaceAll(deliver, "{copy}", sends[i].send))
		return w.episodes(t, incident.SecondMessage)
	}
	if got := reaches(0, "SELECT 1"); len(got) != 0 {
		t.Errorf("the first: %q", got)
	}
	exec(t, w.admin, "ALTER TABLE approvals DISABLE TRIGGER a_frozen")
	exec(t, w.admin, "UPDATE approvals SET repeat_approved = true WHERE message_id = $1", sends[1].message.id)
	if got := reaches(1, "SELECT 1"); len(got) != 0 {
		t.Errorf("an approved repeat: %q", got)
	}
	exec(t, w.admin, "UPDATE messages SET purpose_key = 'another' WHERE id = $1", sends[2].message.id)
	if got := reaches(2, "SELECT 1"); len(got) != 0 {
		t.Errorf("another purpose: %q", got)
	}
	exec(t, w.admin, "UPDATE messages SET follows_send = $1, follows_why = 'they asked' WHERE id = $2", sends[0].send, sends[5].message.id)
	if got := reaches(5, "SELECT 1"); len(got) != 0 {
		t.Errorf("one that follows: %q", got)
	}
	if diff := cmp.Diff([]string{"1 open"}, reaches(3, "SELECT 1")); diff != "" {
		t.Errorf("the second: %s", diff)
	}
	w.run(t, sends[3].send, strings.ReplaceAll(deliver, "{copy}", "again"))
	if diff := cmp.Diff([]string{"1 open"}, w.episodes(t, incident.SecondMessage)); diff != "" {
		t.Errorf("another copy of the second: %s", diff)
	}
	w.forward(t, 25*time.Hour)
	if diff := cmp.Diff([]string{"1 open"}, reaches(4, "SELECT 1")); diff != "" {
		t.Errorf("on another day: %s", diff)
	}
}

// Goal: an incident that was counted again after the look had read it is not closed by that look.
func TestWhatHappensMeanwhileStaysOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store, err := postgres.Open(t.Context(), w.db.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	parkedAgain := `INSERT INTO incidents (workspace_id, kind, subject_id) VALUES ($1, 'parked', $1)
		ON CONFLICT (workspace_id, kind, subject_id) WHERE closed_at IS NULL DO UPDATE SET count = incidents.count + 1`
	exec(t, w.hand, parkedAgain, w.workspace)
	for _, meanwhile := range []bool{true, false} {
		looked, err := store.IncidentLook(t.Context(), lookLimits, 10, func(seen incident.Seen) incident.Changes {
			if meanwhile {
				exec(t, w.hand, parkedAgain, w.workspace)
			}
			return incident.Decide(seen)
		})
		if err != nil || !looked {
			t.Fatalf("looked %t: %v", looked, err)
		}
		want := map[bool]string{true: "2 open", false: "2 closed"}[meanwhile]
		if diff := cmp.Diff([]string{want}, w.episodes(t, incident.Parked)); diff != "" {
			t.Errorf("parked again meanwhile %t: %s", meanwhile, diff)
		}
	}
}

// Goal: one server looks at a time; the other neither waits nor writes.
func TestOneServerLooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.watch(t), w.watch(t)
	store, err := postgres.Open(t.Context(), w.db.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	looked, err := store.IncidentLook(t.Context(), lookLimits, 10, func(seen incident.Seen) incident.Changes {
		exec(t, w.admin, "UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'signed_out'")
		second.look(t)
		if got := w.episodes(t, incident.AccountStopped); len(got) != 0 {
			t.Errorf("the second server wrote %q", got)
		}
		return incident.Decide(seen)
	})
	if err != nil || !looked {
		t.Fatalf("looked %t: %v", looked, err)
	}
	first.look(t)
	if diff := cmp.Diff([]string{"1 open"}, w.episodes(t, incident.AccountStopped)); diff != "" {
		t.Error(diff)
	}
}
