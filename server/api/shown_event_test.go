package api_test

import "testing"

// An event of an incident or an install names it; what an older transaction holds back says since when; and a cursor whose next events were
// forgotten is refused.
func TestEveryFieldOfAnEvent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	from := s.latest()
	message := s.propose("Hello Ada").text("id")
	proposed := from
	for range 2 { // one by one: a page may end between the two events of one transaction
		proposed = s.await("limit=1&after=" + proposed).text("next_cursor")
	}
	incident := s.addIncident("delivered_twice", message)
	install := s.addInstall()
	s.must("POST", "/v1/installs/"+install+"/pause", "{}")
	opened := s.await("limit=1&after=" + proposed)
	wantMembers(t, opened, map[string]string{
		"items.0.type": "incident_opened", "items.0.incident_id": incident, "items.0.code": "delivered_twice", "items.0.message_id": message,
	})
	wantMembers(t, s.await("limit=1&after="+opened.text("next_cursor")), map[string]string{"items.0.type": "install_paused", "items.0.install_id": install})

	older, err := s.admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer older.Rollback(t.Context())
	if _, err := older.Exec(t.Context(), "SELECT pg_current_xact_id()"); err != nil {
		t.Fatal(err)
	}
	s.rest()
	wantMembers(t, s.ask("GET", "/v1/events?after="+s.latest(), ""), map[string]string{"held_back_since": "*", "items.0.id": ""})
	if err := older.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}

	if _, err := s.admin.Exec(t.Context(), "DELETE FROM events"); err != nil {
		t.Fatal(err)
	}
	if a := s.ask("GET", "/v1/events?after="+from, ""); a.Status != 410 || a.text("code") != "cursor_expired" {
		t.Errorf("after what was forgotten: %d %s", a.Status, a.Body)
	}
}
