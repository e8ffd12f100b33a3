package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
)

const done = `{"why":"the place is taken"}`

// Goal: a closed message begins nothing more: what has not begun is canceled, what may have reached someone stays as it is.
func TestClosing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	for _, c := range []struct {
		name  string
		moves []string // nil: never approved
		then  string
	}{
		{"proposed", nil, ""},
		{"queued", []string{}, "canceled"},
		{"leased", []string{lease}, "canceled"},
		{"unconfirmed", []string{lease, start, unconfirm}, "unconfirmed"},
		{"sent", []string{lease, start, confirm, sent}, "sent"},
		{"failed", []string{lease, start, prove, fail}, "failed"},
	} {
		m := s.propose("Hello " + c.name)
		if c.moves != nil {
			m = s.approve(m)
			s.move(m.text("sends.0.id"), c.moves...)
		}
		path := "/v1/messages/" + m.text("id")
		authority := m.text("authority")
		closed := s.ask("POST", path+"/closing", done)
		if closed.Status != 200 || closed.text("status") != c.then || closed.text("authority") != authority ||
			closed.text("closure.why") != "the place is taken" || closed.text("closure.closed_by") == "" || closed.text("closure.closed_at") == "" {
			t.Errorf("%s: %d %s", c.name, closed.Status, closed.Body)
		}
		if c.then == "canceled" && closed.text("sends.0.code") != "closed" {
			t.Errorf("%s: the send ended with %s", c.name, closed.Body)
		}
		if !strings.Contains(closed.Body, `"what":"closed"`) {
			t.Errorf("%s: the history does not tell: %s", c.name, closed.Body)
		}
		if again := s.ask("POST", path+"/closing", `{"why":"other words"}`); again.Status != 200 || again.text("closure.why") != "the place is taken" {
			t.Errorf("%s, closed again: %d %s", c.name, again.Status, again.Body)
		}
		for what, a := range map[string]answer{
			"edit": s.ask("PATCH", path, `{"body":"x"}`), "approval": s.approve(m), "withdrawal": s.ask("POST", path+"/withdrawal", "{}"),
			"rejection": s.ask("POST", path+"/rejection", no(m, "")), "revocation": s.ask("POST", path+"/revocation", ""),
		} {
			if a.Status != 409 || a.text("code") != "message_closed" {
				t.Errorf("%s, then %s: %d %s", c.name, what, a.Status, a.Body)
			}
		}
		if c.then != "canceled" && c.then != "failed" {
			continue
		}
		if a := s.ask("POST", "/v1/sends/"+m.text("sends.0.id")+"/retry", "{}"); a.Status != 409 || a.text("code") != "closed" {
			t.Errorf("%s, then a retry: %d %s", c.name, a.Status, a.Body)
		}
	}
}

// Goal: a start is not held back by a closing, and evidence wins over one.
func TestClosingAndWhatHasBegun(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	m := s.approve(s.propose("Hello Ada"))
	send, path := m.text("sends.0.id"), "/v1/messages/"+m.text("id")
	s.move(send, lease, start)
	early := s.ask("POST", path+"/closing", done)
	if early.Status != 409 || early.text("code") != "too_late_to_change" || early.text("send_id") != send ||
		!strings.Contains(early.text("detail"), "Sending has begun") {
		t.Errorf("while it is started: %d %s", early.Status, early.Body)
	}
	s.move(send, unconfirm)
	if a := s.ask("POST", path+"/closing", done); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	s.move(send, confirm, sent)
	if late := s.ask("GET", path, ""); late.text("status") != "sent" || late.text("closure.why") != "the place is taken" {
		t.Errorf("after a late confirmation: %s", late.Body)
	}
}

// Goal: each bad reason is refused by the name of its field, and closes nothing.
func TestClosingRefusals(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.approve(s.propose("Hello Ada"))
	path := "/v1/messages/" + m.text("id") + "/closing"
	for name, c := range map[string]struct {
		body   string
		status int
		code   string
		field  string
	}{
		"nothing":            {"{}", 422, "invalid_field", "why"},
		"null":               {`{"why":null}`, 422, "invalid_field", "why"},
		"blank":              {`{"why":" \t "}`, 422, "invalid_field", "why"},
		"zero width":         {`{"why":"\u200b\u2060"}`, 422, "invalid_field", "why"},
		"a number":           {`{"why":7}`, 422, "invalid_field", "why"},
		"a list":             {`{"why":["x"]}`, 422, "invalid_field", "why"},
		"two lines":          {`{"why":"a\nb"}`, 422, "invalid_field", "why"},
		"a NUL":              {`{"why":"a\u0000b"}`, 422, "invalid_field", "why"},
		"too long":           {`{"why":"` + strings.Repeat("x", 301) + `"}`, 422, "invalid_field", "why"},
		"half a surrogate":   {`{"why":"\ud800"}`, 400, "invalid_json", "why"},
		"twice":              {`{"why":"a","why":"b"}`, 400, "invalid_json", "why"},
		"an unknown field":   {`{"why":"x","note":"y"}`, 422, "unknown_field", "note"},
		"another's message?": {done, 404, "not_found", ""},
	} {
		var as []string
		if strings.HasSuffix(name, "?") {
			as = []string{s.as("stranger")}
		}
		if a := s.ask("POST", path, c.body, as...); a.Status != c.status || a.text("code") != c.code || a.text("field") != c.field {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	if a := s.ask("POST", "/v1/messages/"+uuid.NewString()+"/closing", done); a.Status != http.StatusNotFound {
		t.Errorf("no message: %d %s", a.Status, a.Body)
	}
	if now := s.ask("GET", "/v1/messages/"+m.text("id"), ""); now.text("closure") != "" || now.text("status") != "queued" {
		t.Errorf("a refused closing left %s", now.Body)
	}
	long := strings.Repeat("ü", 300)
	if a := s.ask("POST", path, `{"why":"`+long+`"}`); a.Status != 200 || a.text("closure.why") != long {
		t.Errorf("the longest: %d %s", a.Status, a.Body)
	}
}
