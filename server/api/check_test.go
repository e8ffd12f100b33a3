package api_test

import "testing"

// A person may have an unconfirmed send looked at again, and reads when that will be. Nothing else is looked at again.
func TestLookedAtAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	send := s.unconfirmed("Hello Ada")
	s.move(send, "UPDATE checks SET due_at = NULL, tries = 7 WHERE send_id = $1")
	if a := s.ask("GET", "/v1/sends/"+send, ""); a.text("next_check_at") != "" {
		t.Errorf("a look is planned: %s", a.Body)
	}
	if a := s.ask("POST", "/v1/sends/"+send+"/check", `{}`); a.Status != 200 || a.text("next_check_at") == "" || a.text("status") != "unconfirmed" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	s.resolve(send, "delivered", "It stands there")
	if a := s.ask("POST", "/v1/sends/"+send+"/check", `{}`); a.Status != 409 || a.text("code") != "not_unconfirmed" {
		t.Errorf("after it was settled: %d %s", a.Status, a.Body)
	}
}
