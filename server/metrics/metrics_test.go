package metrics_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/incident"
	"sendonce/server/metrics"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// database answers what a scrape asks, or fails.
type database struct{ err error }

func (d database) SendsLive(context.Context, int) (map[rule.Status]int, error) {
	return map[rule.Status]int{rule.Queued: 7}, d.err
}

func (d database) IncidentsByKind(context.Context) (map[incident.Kind]int, error) {
	return map[incident.Kind]int{incident.Parked: 2}, d.err
}

func (database) DatabaseErrors() map[string]uint64   { return map[string]uint64{"SO": 3} }
func (database) Connections() (busy, idle, most int) { return 1, 2, 16 }

// sender answers each call as the next of its answers says.
type sender struct {
	send.Installs
	started error
	lease   *send.Lease
}

func (s sender) Lease(context.Context, send.Session, uuid.UUID) (*send.Lease, error) {
	return s.lease, nil
}

func (s sender) Start(context.Context, send.StartAsk) (send.Started, error) {
	return send.Started{}, s.started
}

func (s sender) Report(context.Context, send.Report) (send.Recorded, error) {
	return send.Recorded{Code: "confirmed"}, nil
}

func scrape(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	answer := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	request.RemoteAddr = "127.0.0.1:5"
	m.Handler(metrics.Access{}).ServeHTTP(answer, request)
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.Code != http.StatusOK {
		t.Fatalf("%d %v: %s", answer.Code, err, body)
	}
	return string(body)
}

func requireLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("%q is not among the metrics", line)
		}
	}
}

// Goal: what senders ask for is counted by its result and passed on as it is, and the gauges are those of the scrape.
func TestCountsAndGauges(t *testing.T) {
	t.Parallel()
	m := metrics.New()
	m.Watch(database{}, func() int { return 4 }, func() int { return 5 })
	refused := &send.Refused{Code: rule.AccountStopped}
	for _, next := range []sender{{started: refused}, {started: errors.New("the database is away")}, {lease: &send.Lease{}}} {
		counted := m.Count(next)
		if _, err := counted.Start(t.Context(), send.StartAsk{}); !errors.Is(err, next.started) {
			t.Errorf("the start's error became %v", err)
		}
		if lease, _ := counted.Lease(t.Context(), send.Session{}, uuid.Nil); lease != next.lease {
			t.Error("the lease was changed")
		}
	}
	if recorded, _ := m.Count(sender{}).Report(t.Context(), send.Report{}); recorded.Code != "confirmed" {
		t.Error("the report's answer was changed")
	}
	m.Swept(send.Swept{Deadlines: 2, Requeued: 1})
	requireLines(t, scrape(t, m),
		`sendonce_starts_total{result="started"} 1`, `sendonce_starts_total{result="account_stopped"} 1`, `sendonce_starts_total{result="error"} 1`,
		`sendonce_leases_total{result="leased"} 1`, `sendonce_leases_total{result="nothing_due"} 2`, `sendonce_reports_total{code="confirmed"} 1`,
		`sendonce_swept_total{what="deadlines"} 2`, `sendonce_swept_total{what="requeues"} 1`, `sendonce_installs_connected 4`,
		`sendonce_sends{status="queued"} 7`, `sendonce_sends{status="unconfirmed"} 0`, `sendonce_incidents_open{kind="parked"} 2`,
		`sendonce_incidents_open{kind="delivered_twice"} 0`, `sendonce_database_errors_total{class="SO"} 3`, `sendonce_database_up 1`,
		`sendonce_database_connections{state="busy"} 1`)
}

// Goal: a scrape while the database is away says so, and still has what this server counted.
func TestDatabaseIsAway(t *testing.T) {
	t.Parallel()
	m := metrics.New()
	m.Watch(database{errors.New("away")}, func() int { return 0 }, func() int { return 0 })
	text := scrape(t, m)
	requireLines(t, text, "sendonce_database_up 0", "sendonce_installs_connected 0")
	if strings.Contains(text, "sendonce_sends{") {
		t.Error("it says how many sends there are")
	}
}

// Goal: the numbers of all workspaces are nobody's from outside: without a token only a process of this machine reads them,
// and nobody where a proxy brings the world to the loopback address; with one, whoever has it.
func TestWhoMayRead(t *testing.T) {
	t.Parallel()
	const token = "a token of some length"
	m := metrics.New()
	for _, c := range []struct {
		name, from, sent string
		access           metrics.Access
		may              bool
	}{
		{"this machine", "127.0.0.1:5", "", metrics.Access{}, true},
		{"this machine, IPv6", "[::1]:5", "", metrics.Access{}, true},
		{"another machine", "192.0.2.1:5", "", metrics.Access{}, false},
		{"through a proxy", "127.0.0.1:5", "", metrics.Access{BehindProxy: true}, false},
		{"with the token", "192.0.2.1:5", "Bearer " + token, metrics.Access{Token: token, BehindProxy: true}, true},
		{"with another token", "127.0.0.1:5", "Bearer another", metrics.Access{Token: token}, false},
		{"without the token", "127.0.0.1:5", "", metrics.Access{Token: token}, false},
		{"without a scheme", "127.0.0.1:5", token, metrics.Access{Token: token}, false},
		{"from nowhere", "", "", metrics.Access{}, false},
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
		request.RemoteAddr = c.from
		request.Header.Set("Authorization", c.sent)
		answer := httptest.NewRecorder()
		m.Handler(c.access).ServeHTTP(answer, request)
		if may := answer.Code == http.StatusOK; may != c.may || !may && strings.Contains(answer.Body.String(), "sendonce_") {
			t.Errorf("%s: %d", c.name, answer.Code)
		}
	}
}
