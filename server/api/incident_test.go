package api_test

import (
	"strings"
	"testing"
)

// addIncident opens one about a message, as the database would.
func (s *server) addIncident(kind, message string) string {
	s.t.Helper()
	var id string
	err := s.admin.QueryRow(s.t.Context(), `INSERT INTO incidents (workspace_id, kind, subject_id, message_id)
		SELECT workspace_id, $1, id, id FROM messages WHERE id = $2 RETURNING id::text`, kind, message).Scan(&id)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// A person closes a fact once, with a note and their name; a repeated tap is answered as the first, another one is told
// that it is closed; the timeline says who. What happens again is a new incident that names the earlier one.
func TestCloseAnIncident(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	message := s.propose("Hello Ada").text("id")
	id := s.addIncident("delivered_twice", message)
	path := "/v1/incidents/" + id
	open := s.ask("GET", path, "")
	if open.text("do") == "" || open.text("ends_with") != "" || open.text("timeline.0.what") != "opened" || open.text("timeline.0.message_id") != message {
		t.Errorf("open: %s", open.Body)
	}
	closed := s.ask("POST", path+"/closing", `{"note":" Both were read "}`, "Idempotency-Key: one")
	if closed.Status != 200 || closed.text("closed_at") == "" || closed.text("closed_by") != "recruiter" || closed.text("note") != "Both were read" {
		t.Errorf("closed: %d %s", closed.Status, closed.Body)
	}
	if again := s.ask("POST", path+"/closing", `{"note":" Both were read "}`, "Idempotency-Key: one"); again.Body != closed.Body {
		t.Errorf("the same key again: %d %s", again.Status, again.Body)
	}
	if other := s.ask("POST", path+"/closing", "{}"); other.Status != 409 || other.text("code") != "already_closed" {
		t.Errorf("closed twice: %d %s", other.Status, other.Body)
	}
	story := s.ask("GET", path, "")
	if story.text("timeline.1.what") != "closed" || story.text("timeline.1.by") != "recruiter" || story.text("timeline.1.note") != "Both were read" {
		t.Errorf("timeline: %s", story.Body)
	}
	next := s.addIncident("delivered_twice", message)
	if again := s.ask("GET", "/v1/incidents/"+next, ""); again.text("earlier.0.id") != id || again.text("timeline.1.what") != "" {
		t.Errorf("the next one: %s", again.Body)
	}
}

// A condition ends by itself: closing it by hand is refused with what ends it. That of a stopped account says why it was stopped.
func TestConditionIsNotClosedByHand(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id := s.addIncident("parked", s.propose("Hello Ada").text("id"))
	a := s.ask("POST", "/v1/incidents/"+id+"/closing", "{}")
	if a.Status != 409 || a.text("code") != "ends_by_itself" || !strings.Contains(a.text("detail"), "approved anew") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if ends := s.ask("GET", "/v1/incidents/"+id, "").text("ends_with"); ends == "" {
		t.Error("what ends it is not said")
	}
	s.move(s.account, "UPDATE accounts SET stopped_at = now(), stopped_code = 'burst_server_error' WHERE id = $1",
		"INSERT INTO incidents (workspace_id, kind, subject_id, account_id) SELECT workspace_id, 'account_stopped', id, id FROM accounts WHERE id = $1")
	if a := s.ask("GET", "/v1/incidents", ""); !strings.Contains(a.text("items.0.why"), "server errors again and again") || a.text("data.1.why") != "" {
		t.Errorf("why: %s", a.Body)
	}
	s.move(s.account, "UPDATE accounts SET stopped_code = 'status_403' WHERE id = $1")
	if why := s.ask("GET", "/v1/incidents", "").text("items.0.why"); why != "LinkedIn refused this account." {
		t.Errorf("why: %s", why)
	}
}

// The list shows the open ones first, each newest first, by pages, and the closed ones when they are asked for.
func TestIncidentPages(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var ids []string
	for range 4 {
		ids = append(ids, s.addIncident("delivered_twice", s.propose("Hello Ada").text("id")))
	}
	if a := s.ask("POST", "/v1/incidents/"+ids[3]+"/closing", "{}"); a.Status != 200 {
		t.Fatalf("close: %s", a.Body)
	}
	for state, want := range map[string][]string{"open": {ids[2], ids[1], ids[0]}, "closed": {ids[3]}, "all": {ids[2], ids[1], ids[0], ids[3]}} {
		var got []string
		for cursor := ""; ; {
			page := s.ask("GET", "/v1/incidents?limit=2&state="+state+"&cursor="+cursor, "")
			for _, at := range []string{"items.0.id", "items.1.id"} {
				if id := page.text(at); id != "" {
					got = append(got, id)
				}
			}
			if cursor = page.text("next_cursor"); cursor == "" {
				break
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %v, want %v", state, got, want)
		}
	}
}
