package app_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"sendonce/server/config"
)

// metrics is what the server answers at /metrics to a process of this machine.
func (s *server) metrics(token string) (status int, text string) {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.url+"/metrics", nil)
	if err != nil {
		s.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// Goal: what a whole send comes to is counted by the server that did it, and the queue is seen from both.
func TestMetricsOfAWholeSend(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	one := m.serve(nil)
	one.enroll()
	two := m.serve(nil)
	one.approve("ada-example")
	install := one.connect(0, 0)
	lease := install.hear("lease")
	install.start(lease, attempt)
	install.hear("started")
	if _, text := two.metrics(""); !strings.Contains(text, "\nsendonce_sends{status=\"started\"} 1\n") || !strings.Contains(text, "\nsendonce_installs_connected 0\n") {
		t.Errorf("the other server says %s", text)
	}
	install.report(lease, attempt)
	_, text := one.metrics("")
	for _, line := range []string{
		`sendonce_starts_total{result="started"} 1`, `sendonce_reports_total{code="confirmed"} 1`, `sendonce_leases_total{result="leased"} 1`,
		`sendonce_sends{status="started"} 0`, `sendonce_installs_connected 1`, `sendonce_database_up 1`,
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("the server does not say %s", line)
		}
	}
}

// Goal: behind a proxy, where everybody comes from this machine, the metrics need their token.
func TestMetricsBehindAProxy(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	behind := func(token string) func(*config.Settings) {
		return func(settings *config.Settings) {
			settings.PublicURL, settings.MetricsToken = "https://sendonce.example", token
		}
	}
	if status, _ := m.serve(behind("")).metrics(""); status != http.StatusForbidden {
		t.Errorf("without a token: %d", status)
	}
	const token = "a token of some length"
	closed := m.serve(behind(token))
	if status, _ := closed.metrics(""); status != http.StatusForbidden {
		t.Errorf("without the token that there is: %d", status)
	}
	if status, _ := closed.metrics(token); status != http.StatusOK {
		t.Errorf("with the token: %d", status)
	}
}

// Goal: two servers that look at the same time, and one that starts again, open one incident of a stopped account; it
// closes by itself when the account is cleared.
func TestTwoServersOpenOneIncident(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	often := func(settings *config.Settings) { settings.IncidentsEvery = 50 * time.Millisecond }
	one := m.serve(often)
	one.enroll()
	m.serve(often)
	await := func(want int, sql string) {
		t.Helper()
		got := -1
		for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(50 * time.Millisecond) {
			if err := m.admin.QueryRow(t.Context(), sql).Scan(&got); err != nil {
				t.Fatal(err)
			}
			if got == want {
				return
			}
		}
		t.Fatalf("%s: %d, want %d", sql, got, want)
	}
	if _, err := m.admin.Exec(t.Context(), "UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'signed_out'"); err != nil {
		t.Fatal(err)
	}
	await(1, "SELECT count(*) FROM incidents WHERE kind = 'account_stopped' AND opening_logged_at IS NOT NULL")
	one.stop()
	again := m.serve(often)
	again.token, again.account = one.token, one.account
	again.post("/v1/accounts/"+again.account+"/clear", map[string]any{}, "id")
	await(1, "SELECT count(*) FROM incidents WHERE kind = 'account_stopped' AND closing_logged_at IS NOT NULL")
	await(2, "SELECT count(*) FROM incident_events")
}
