package api_test

import (
	"fmt"
	"testing"
)

// Paging shows every message once, the newest first, and stops.
func TestPaging(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const messages = 5
	var want []string
	for i := range messages {
		want = append([]string{s.propose(fmt.Sprintf("Hello %d", i)).text("id")}, want...)
	}
	var got []string
	for cursor := ""; len(got) <= messages; {
		page := s.ask("GET", "/v1/messages?limit=2&cursor="+cursor, "")
		for i := 0; page.text(fmt.Sprintf("items.%d.id", i)) != ""; i++ {
			got = append(got, page.text(fmt.Sprintf("items.%d.id", i)))
		}
		if cursor = page.text("next_cursor"); cursor == "" {
			break
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestListsByStatus(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.propose("Waits")
	queued := s.approve(s.propose("Queued"))
	for path, want := range map[string]string{
		"/v1/messages?status=queued":                          queued.text("id"),
		"/v1/messages?authority=approved":                     queued.text("id"),
		"/v1/messages?status=sent&status=unconfirmed":         "",
		"/v1/sends?status=queued":                             queued.text("sends.0.id"),
		"/v1/sends?status=failed":                             "",
		"/v1/messages?status=queued&authority=proposed":       "",
		"/v1/messages?authority=withdrawn&authority=approved": queued.text("id"),
	} {
		a := s.ask("GET", path, "")
		if a.Status != 200 || a.text("items.0.id") != want || a.text("items.1.id") != "" {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
}

func TestProbesAndWorkspace(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for path, status := range map[string]int{"/healthz": 200, "/readyz": 200, "/v1/workspace": 200} {
		if a := s.ask("GET", path, ""); a.Status != status {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	if a := s.ask("GET", "/v1/workspace", ""); a.text("approval_lasts_seconds") != "604800" || a.text("principal.role") != "recruiter" {
		t.Errorf("workspace: %s", a.Body)
	}
}

func TestInstallLife(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	code := s.ask("POST", "/v1/pairing-codes", "{}")
	if code.Status != 201 || code.text("expires_at") == "" {
		t.Fatalf("code: %d %s", code.Status, code.Body)
	}
	body := fmt.Sprintf(`{"code":%q}`, code.text("code"))
	paired := s.ask("POST", "/v1/installs", body, "Authorization: ")
	if paired.Status != 201 {
		t.Fatalf("pair: %d %s", paired.Status, paired.Body)
	}
	if again := s.ask("POST", "/v1/installs", body, "Authorization: "); again.Status != 401 || again.text("code") != "bad_code" {
		t.Errorf("the code again: %d %s", again.Status, again.Body)
	}
	token := s.ask("POST", "/v1/installs/token", fmt.Sprintf(`{"install_id":%q,"refresh_secret":%q}`,
		paired.text("install_id"), paired.text("refresh_secret")), "Authorization: ")
	if token.Status != 200 || token.text("token") == "" || token.text("refresh_secret") == "" {
		t.Errorf("token: %d %s", token.Status, token.Body)
	}
	if revoked := s.ask("DELETE", "/v1/installs/"+paired.text("install_id"), ""); revoked.Status != 204 {
		t.Errorf("revoke: %d %s", revoked.Status, revoked.Body)
	}
	if a := s.ask("GET", "/v1/installs", ""); a.text("items.0.revoked_code") != "by_person" || a.text("items.0.principal") != "recruiter" {
		t.Errorf("installs: %s", a.Body)
	}
	dead := s.ask("POST", "/v1/installs/token", fmt.Sprintf(`{"install_id":%q,"refresh_secret":%q}`,
		paired.text("install_id"), token.text("refresh_secret")), "Authorization: ")
	if dead.Status != 401 || dead.text("code") != "install_revoked" {
		t.Errorf("a revoked install: %d %s", dead.Status, dead.Body)
	}
}
