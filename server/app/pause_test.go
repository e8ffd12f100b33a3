package app_test

import (
	"testing"
	"time"

	"sendonce/server/app"
	"sendonce/server/config"
)

// Goal: a pause on one server holds the install of another, and a resume reaches it by its notice, long before a poll: of the
// team over the API, of everything by the command beside the servers. A browser that is paused alone is told.
func TestPausesReachEveryServer(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	polls := func(s *config.Settings) { s.PollEvery = time.Hour }
	one := m.serve(polls)
	one.enroll()
	two := m.serve(polls)
	c := one.connect(0, 0)
	message := two.approve("ada-example")
	lease := c.hear("lease")
	beside := config.Settings{DatabaseURL: m.db.ServerURL}

	if got := two.ask("POST", "/v1/workspace/pause", map[string]any{}); got["taken_back"] != float64(1) {
		t.Fatalf("the pause: %v", got)
	}
	c.start(lease, attempt)
	if refused := c.hear("refused"); refused["code"] != "stale_lease" {
		t.Errorf("the start of what was taken back: %v", refused)
	}
	two.ask("POST", "/v1/workspace/resume", map[string]any{})
	c.hear("lease")

	text, err := app.PauseEverything(t.Context(), beside, "the provider changed its page")
	if err != nil || text != "Paused. 1 message was taken back before it began." {
		t.Fatalf("%q, %v", text, err)
	}
	if got := two.ask("GET", "/v1/messages/"+message, nil); got["waiting_for"] != "everything_paused" {
		t.Errorf("it waits for %v", got["waiting_for"])
	}
	if err := app.ResumeEverything(t.Context(), beside); err != nil {
		t.Fatal(err)
	}
	lease = c.hear("lease")
	c.start(lease, attempt)
	c.hear("started")
	if recorded := c.report(lease, attempt); recorded["status"] != "sent" {
		t.Errorf("recorded %v", recorded)
	}
	for _, command := range []string{"pause", "resume"} {
		two.ask("POST", "/v1/installs/"+one.install+"/"+command, map[string]any{})
		if told := c.hear("pause"); told["on"] != (command == "pause") {
			t.Errorf("after %s the browser is told %v", command, told)
		}
	}
}
