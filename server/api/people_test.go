package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// Goal: a person is found under every spelling of exactly their address, and under no other workspace's token.
func TestPeopleAreFoundByExactlyTheirAddress(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.propose("Hello Ada")
	for name, c := range map[string]struct {
		query  string
		role   string
		status int
		code   string
		field  string
		found  bool
	}{
		"the address":         {"linkedin=" + url.QueryEscape("https://www.linkedin.com/in/ada-example"), "agent", 200, "", "", true},
		"another spelling":    {"linkedin=" + url.QueryEscape(" http://DE.linkedin.com/in/Ada-Example/?utm=1"), "agent", 200, "", "", true},
		"part of the address": {"linkedin=" + url.QueryEscape("/in/ada"), "agent", 200, "", "", false},
		"everybody":           {"", "viewer", 200, "", "", true},
		"another workspace":   {"linkedin=" + url.QueryEscape("/in/ada-example"), "stranger", 200, "", "", false},
		"nobody's address":    {"email=ada%40example.com", "agent", 200, "", "", false},
		"no address":          {"linkedin=ada", "agent", 422, "invalid_field", "linkedin", false},
		"no mail address":     {"email=ada", "agent", 422, "invalid_field", "email", false},
		"NUL":                 {"linkedin=%00", "agent", 422, "invalid_field", "linkedin", false},
		"no UTF-8":            {"email=%ff", "agent", 422, "invalid_field", "email", false},
		"two addresses":       {"linkedin=/in/ada-example&email=ada%40example.com", "agent", 422, "invalid_field", "email", false},
		"a made-up cursor":    {"cursor=x", "agent", 400, "invalid_cursor", "", false},
	} {
		a := s.ask("GET", "/v1/people?"+c.query, "", s.as(c.role))
		if a.Status != c.status || a.text("code") != c.code || a.text("field") != c.field {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
			continue
		}
		if c.status == 200 && (a.text("items.0.linkedin.0") == "https://www.linkedin.com/in/ada-example") != c.found {
			t.Errorf("%s: %s, found %t", name, a.Body, c.found)
		}
	}
}

// Goal: page after page shows everybody once.
func TestPeopleArePaged(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	want := map[string]bool{}
	for i := range 3 {
		want[s.to(fmt.Sprintf("ada-%d", i), "first contact", "Hello").personOf()] = true
	}
	cursor := ""
	for range len(want) {
		page := s.ask("GET", "/v1/people?limit=1&cursor="+cursor, "")
		if one := page.text("items.0.id"); !want[one] || page.text("items.1.id") != "" {
			t.Errorf("a page: %s", page.Body)
		}
		delete(want, page.text("items.0.id"))
		cursor = page.text("next_cursor")
	}
	if len(want) > 0 || cursor != "" {
		t.Errorf("%v were not shown, and the next page is %q", want, cursor)
	}
}

// Goal: an edit that was made for another version changes nothing.
func TestAnEditOfAVersionThatIsNotCurrentIsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.propose("Hello Ada")
	path := "/v1/messages/" + m.text("id")
	if a := s.ask("PATCH", path, `{"version":1,"body":"Hello Ada!"}`); a.Status != 200 || a.text("version") != "2" {
		t.Fatalf("an edit of the current version: %d %s", a.Status, a.Body)
	}
	if a := s.ask("PATCH", path, `{"version":1,"body":"Hello"}`); a.Status != 409 || a.text("code") != "version_not_current" || a.text("current_version") != "2" {
		t.Errorf("an edit of a former version: %d %s", a.Status, a.Body)
	}
	for _, bad := range []string{"0", "-1", "null", `"1"`, "1.5", "99999999999999999999"} {
		if a := s.ask("PATCH", path, `{"version":`+bad+`,"body":"Hello"}`); a.Status != 422 || a.text("field") != "version" {
			t.Errorf("version %s: %d %s", bad, a.Status, a.Body)
		}
	}
	if a := s.ask("GET", path, ""); a.text("version") != "2" || a.text("body") != "Hello Ada!" {
		t.Errorf("afterwards: %s", a.Body)
	}
}

// Goal: a person is told with what is known of them, and everybody is told once, page by page.
func TestPeoplePageByPage(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	known := `"https://www.linkedin.com/in/ada-example","email":"ada@example.com","name":"Ada Example"`
	s.ask("POST", "/v1/messages", strings.Replace(s.proposal("Hello Ada"), `"https://www.linkedin.com/in/ada-example"`, known, 1))
	s.proposeTo("bo-sample")
	if _, err := s.admin.Exec(t.Context(), "UPDATE people SET replied_at = sendonce_now(), suppressed_at = sendonce_now() WHERE name = 'Ada Example'"); err != nil {
		t.Fatal(err)
	}
	first := s.ask("GET", "/v1/people?limit=1", "")
	second := s.ask("GET", "/v1/people?limit=1&cursor="+first.text("next_cursor"), "")
	if first.text("items.0.id") == second.text("items.0.id") || second.text("items.0.id") == "" || first.text("items.1.id") != "" || second.text("next_cursor") != "" {
		t.Errorf("two pages of one person: %s, then %s", first.Body, second.Body)
	}
	for path, want := range map[string]string{"ada-example": "true Ada Example ada@example.com", "bo-sample": "false  "} {
		a := s.ask("GET", "/v1/people?linkedin=%2Fin%2F"+path, "")
		told := a.text("items.0.do_not_contact") + " " + a.text("items.0.name") + " " + a.text("items.0.email.0")
		if told != want || (a.text("items.0.replied_at") != "") != (path == "ada-example") {
			t.Errorf("%s is told as %s", path, a.Body)
		}
	}
}
