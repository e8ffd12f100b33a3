package app_test

import (
	"strings"
	"testing"
	"time"

	"sendonce/server/config"
	"sendonce/server/instance"
)

const (
	attempt = "attempt-of-one-life"

	closedStopping   = 1001
	closedSuperseded = 4001
)

// unnoticed is a server that hears nothing of the others: its LISTEN stands on another database. It polls fast.
func unnoticed(m *team) func(*config.Settings) {
	return func(settings *config.Settings) {
		settings.ListenURL = strings.Replace(m.db.ServerURL, m.db.Name, "postgres", 1)
		settings.PollEvery = 50 * time.Millisecond
	}
}

// Goal: an install that connects to another server takes its work along: the first session ends, its lease stays, and the
// report is taken by whichever server hears it.
func TestAnInstallMovesToAnotherServer(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	one := m.serve(nil)
	one.enroll()
	two := m.serve(nil)
	message := two.approve("ada-example") // on the server that has no session
	first := one.connect(0, 0)
	lease := first.hear("lease")
	first.start(lease, attempt)
	first.hear("started")
	second := two.connect(0, 0)
	first.hearsClose(closedSuperseded)
	second.start(lease, attempt)
	second.hear("started") // the same attempt, asked again elsewhere
	if status := one.status(message); status != "started" {
		t.Errorf("the send is %s after its install has moved", status)
	}
	if recorded := second.report(lease, attempt); recorded["status"] != "sent" {
		t.Errorf("recorded %v", recorded)
	}
	if status := one.status(message); status != "sent" {
		t.Errorf("the first server says %s", status)
	}
	one.approve("bo-example")
	second.hear("lease") // woken by the other server
}

// Goal: a server that was stopped has written down the last that it acknowledged, and one that comes back goes on from it.
func TestAStoppedServerRemembers(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	one := m.serve(nil)
	one.enroll()
	one.approve("ada-example")
	c := one.connect(0, 0)
	lease := c.hear("lease")
	c.start(lease, attempt)
	c.hear("started")
	recorded := c.report(lease, attempt)
	one.stop()
	note, err := instance.ReadNote(one.data)
	if err != nil || note == nil || len(note.Events) == 0 || float64(note.Events[len(note.Events)-1]) != recorded["event"] {
		t.Fatalf("the note is %+v, %v; want event %v at its end", note, err, recorded["event"])
	}
	again := m.serve(func(settings *config.Settings) { settings.Data = one.data })
	if got := again.ask("GET", "/v1/instance", nil); got["armed"] != true {
		t.Errorf("after an ordinary restart: %v", got)
	}
}

// Goal: the same where no notice arrives: the poll finds the work, and the database refuses the session that was replaced.
func TestServersThatHearNothingOfEachOther(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	one := m.serve(unnoticed(m))
	one.enroll()
	two := m.serve(unnoticed(m))
	first := one.connect(0, 0)
	two.approve("ada-example")
	lease := first.hear("lease")
	second := two.connect(0, 0)
	first.start(lease, attempt)
	if refused := first.hear("refused"); refused["code"] != "superseded" {
		t.Errorf("the replaced session hears %v", refused)
	}
	second.start(lease, attempt)
	second.hear("started")
	if recorded := second.report(lease, attempt); recorded["status"] != "sent" {
		t.Errorf("recorded %v", recorded)
	}
}

// Goal: two servers that sweep settle each send once.
func TestTwoServersSweepEachDeadlineOnce(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	fast := func(settings *config.Settings) { settings.SweepEvery = 5 * time.Millisecond }
	one := m.serve(fast)
	one.enroll()
	m.serve(fast)
	message := one.approve("ada-example")
	c := one.connect(0, 0)
	c.start(c.hear("lease"), attempt)
	c.hear("started")
	if _, err := m.admin.Exec(t.Context(), "UPDATE clock_offset SET ahead = interval '1 hour'"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(heardWithin); one.status(message) != "unconfirmed"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the send is still %s", one.status(message))
		}
	}
	var settled int
	err := m.admin.QueryRow(t.Context(), "SELECT count(*) FROM send_events WHERE to_status = 'unconfirmed'").Scan(&settled)
	if err != nil || settled != 1 {
		t.Errorf("settled %d times, %v", settled, err)
	}
}

// Goal: a database that holds fire does so for every server; its installs are asked to come back, and an arming on one
// server lets all of them go on.
func TestHoldingFireReachesEveryServer(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	one := m.serve(nil)
	one.enroll()
	two := m.serve(nil)
	held := one.connect(1, 9_000_000) // says more than the database knows
	if got := two.ask("GET", "/v1/instance", nil); got["armed"] != false || got["code"] != "install_remembers_more" {
		t.Fatalf("the instance: %v", got)
	}
	message := two.approve("ada-example")
	instance := two.ask("POST", "/v1/instance/arming", map[string]any{"epoch": 1})
	held.hearsClose(closedStopping)
	if instance["armed"] != true || instance["epoch"] != float64(2) {
		t.Errorf("armed: %v", instance)
	}
	c := one.connect(1, 9_000_000)
	lease := c.hear("lease")
	c.start(lease, attempt)
	if started := c.hear("started"); started["epoch"] != float64(2) {
		t.Errorf("started in epoch %v", started["epoch"])
	}
	c.report(lease, attempt)
	if status := two.status(message); status != "sent" {
		t.Errorf("the send is %s", status)
	}
}
