package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// me is the id of the principal of a role.
func (s *server) me(role string) string {
	s.t.Helper()
	return s.ask("GET", "/v1/workspace", "", s.as(role)).text("principal.id")
}

// overriding is a yes that passes over the claim of somebody.
func overriding(m answer, owner, why string) string {
	return strings.Replace(yes(m), "}", fmt.Sprintf(`,"override":{"owner_id":%q,"why":%q}}`, owner, why), 1)
}

// from has the server's tests speak for an account of somebody else.
func (s *server) from(role, handle string) string {
	s.t.Helper()
	return s.ask("POST", "/v1/accounts", fmt.Sprintf(`{"channel":"linkedin","handle":"/in/%s"}`, handle), s.as(role)).text("id")
}

func (s *server) person(id string, headers ...string) answer {
	s.t.Helper()
	return s.ask("GET", "/v1/people/"+id, "", headers...)
}

// Goal: a colleague's person is approved for by nobody else without a reason, which stands with the approval; whose person it is not
// is no claim, and neither is one that names somebody else.
func TestAColleaguesPersonNeedsAReason(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.propose("Hello Ada")
	path := "/v1/messages/" + m.text("id")
	admin := s.me("admin")
	if a := s.ask("PATCH", "/v1/people/"+m.personOf(), fmt.Sprintf(`{"owner_id":%q}`, admin), s.as("admin")); a.Status != 200 || a.text("owner") != "admin" ||
		a.text("contact.level") != "owned" || a.text("contact.because") != "owner" || a.text("do_not_contact") != "false" {
		t.Fatalf("owned: %d %s", a.Status, a.Body)
	}
	refused := s.ask("POST", path+"/approval", yes(m))
	if refused.Status != 409 || refused.text("code") != "owned_by_colleague" || refused.text("owner") != "admin" || refused.text("owner_id") != admin || refused.text("because") != "owner" {
		t.Errorf("without a reason: %d %s", refused.Status, refused.Body)
	}
	for name, c := range map[string]struct {
		body, code string
		status     int
	}{
		"an empty reason":   {overriding(m, admin, " "), "invalid_field", 422},
		"another's claim":   {overriding(m, s.me("recruiter"), "she asked me"), "owned_by_colleague", 409},
		"nobody's claim":    {overriding(m, m.text("id"), "she asked me"), "owned_by_colleague", 409},
		"a reason too long": {overriding(m, admin, strings.Repeat("x", 301)), "invalid_field", 422},
	} {
		if a := s.ask("POST", path+"/approval", c.body); a.Status != c.status || a.text("code") != c.code {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	a := s.ask("POST", path+"/approval", overriding(m, admin, "she asked me"))
	if a.Status != 200 || a.text("status") != "queued" || a.text("approval.override_of") != "admin" || a.text("approval.override_why") != "she asked me" ||
		a.text("history.1.reason") != "although admin has a claim on the person: she asked me" {
		t.Errorf("with a reason: %d %s", a.Status, a.Body)
	}
	if a := s.ask("GET", path+"/receipt", ""); a.text("approvals.0.override_of") != "admin" || a.text("approvals.0.override_why") != "she asked me" {
		t.Errorf("its receipt: %s", a.Body)
	}
	// From the owner's own account it is nobody else's.
	s.account = s.from("admin", "ben-boss")
	if a := s.approve(s.propose("Hello again")); a.Status != 200 || a.text("approval.override_of") != "" {
		t.Errorf("from the owner's account: %d %s", a.Status, a.Body)
	}
}

// Goal: whom a colleague wrote to is theirs for so many days of the policy: approving needs a reason, a policy that approves by itself
// leaves it to a person, and a preview of many leaves it out.
func TestAColleagueWroteLately(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	own, others := s.account, s.from("admin", "ben-boss")
	s.account = others
	sentBy := s.approve(s.to("ada-example", "first contact", "Hello Ada"))
	s.move(sentBy.text("sends.0.id"), lease, start, confirm, sent)
	s.account = own
	s.setPolicy(`{"auto_approve":[{"purpose":"thanks"}]}`)
	m := s.to("ada-example", "thanks", "Thank you")
	if m.text("authority") != "proposed" {
		t.Errorf("the policy approved over a colleague's claim: %s", m.Body)
	}
	if a := s.ask("POST", "/v1/approvals", "{}"); a.text("refused.owned_by_colleague") != "1" || a.text("allowed") != "0" {
		t.Errorf("a preview: %s", a.Body)
	}
	s.advance(30*24*time.Hour - time.Minute)
	refused := s.ask("POST", "/v1/messages/"+m.text("id")+"/approval", yes(m))
	if refused.text("code") != "owned_by_colleague" || refused.text("because") != "contacted" || !strings.Contains(refused.text("detail"), "admin wrote to this person lately") {
		t.Errorf("on the last day: %d %s", refused.Status, refused.Body)
	}
	s.advance(2 * time.Minute)
	if a := s.approve(m); a.Status != 200 {
		t.Errorf("afterwards: %d %s", a.Status, a.Body)
	}
	s.account = others
	again := s.approve(s.to("bea-example", "first contact", "Hello Bea"))
	s.move(again.text("sends.0.id"), lease, start, confirm, sent)
	s.account = own
	next := s.to("bea-example", "follow-up", "Good day")
	if a := s.ask("POST", "/v1/messages/"+next.text("id")+"/approval", yes(next)); a.text("code") != "owned_by_colleague" {
		t.Errorf("another's: %d %s", a.Status, a.Body)
	}
	s.setPolicy(`{"colleague_days":0}`)
	if a := s.approve(next); a.Status != 200 {
		t.Errorf("where the team does not mind: %d %s", a.Status, a.Body)
	}
}

// Goal: a recruiter takes for themself whom nobody owns, lets go whom they own, and takes nobody from a colleague; an admin says whose
// anybody is, and only somebody who decides can be.
func TestWhoOwnsPeople(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	path := "/v1/people/" + s.propose("Hello Ada").personOf()
	admin, recruiter := s.me("admin"), s.me("recruiter")
	for i, c := range []struct {
		role, owner string
		status      int
		code, whose string
	}{
		{"recruiter", `"` + admin + `"`, 409, "owned_by_another", ""},
		{"recruiter", `"` + recruiter + `"`, 200, "", "recruiter"},
		{"recruiter", `"` + recruiter + `"`, 200, "", "recruiter"},
		{"recruiter", `null`, 200, "", ""},
		{"admin", `"` + s.me("agent") + `"`, 422, "invalid_field", ""},
		{"admin", `"` + s.me("viewer") + `"`, 422, "invalid_field", ""},
		{"admin", `"` + s.me("stranger") + `"`, 422, "invalid_field", ""},
		{"admin", `"` + admin + `"`, 200, "", "admin"},
		{"recruiter", `"` + recruiter + `"`, 409, "owned_by_another", "admin"},
		{"recruiter", `null`, 409, "owned_by_another", "admin"},
		{"admin", `"` + recruiter + `"`, 200, "", "recruiter"},
		{"recruiter", `"` + admin + `"`, 200, "", "admin"},
		{"agent", `null`, 403, "forbidden", "admin"},
		{"stranger", `null`, 404, "not_found", "admin"},
	} {
		a := s.ask("PATCH", path, `{"owner_id":`+c.owner+`}`, s.as(c.role))
		if a.Status != c.status || a.text("code") != c.code {
			t.Errorf("%d: %s sets %s: %d %s", i, c.role, c.owner, a.Status, a.Body)
		}
		if got := s.person(path[len("/v1/people/"):]).text("owner"); got != c.whose {
			t.Errorf("%d: they are of %q, want %q", i, got, c.whose)
		}
	}
	got := s.person(path[len("/v1/people/"):])
	if got.text("history.0.what") != "owned" || got.text("history.0.other") != "admin" || got.text("history.0.by") != "recruiter" {
		t.Errorf("its history: %s", got.Body)
	}
}

// Goal: nobody takes a colleague's person by merging them into one of their own; an admin may, and the colleague's person may be kept.
func TestAMergeTakesNobodyFromAColleague(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	theirs, mine := s.to("ada-example", "first contact", "Hello Ada").personOf(), s.to("ada-other", "follow-up", "Good day").personOf()
	s.ask("PATCH", "/v1/people/"+theirs, fmt.Sprintf(`{"owner_id":%q}`, s.me("admin")), s.as("admin"))
	s.ask("PATCH", "/v1/people/"+mine, fmt.Sprintf(`{"owner_id":%q}`, s.me("recruiter")))
	shown := s.preview(mine, theirs)
	if a := s.merge(shown); shown.text("refused.code") != "owned_by_another" || a.Status != 409 || a.text("code") != "owned_by_another" || a.text("owner") != "admin" {
		t.Errorf("shown %s, merged: %d %s", shown.Body, a.Status, a.Body)
	}
	if got := s.person(theirs); got.text("owner") != "admin" || got.text("id") != theirs {
		t.Errorf("the colleague's: %s", got.Body)
	}
	if a := s.merge(s.preview(theirs, mine)); a.Status != 200 || a.text("owner") != "admin" {
		t.Errorf("kept: %d %s", a.Status, a.Body)
	}
}

// Goal: what is known of a person is changed field by field, and found again by a part of the name.
func TestPeopleAreNamedAndFound(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m, other := s.propose("Hello Ada"), s.to("bea-example", "first contact", "Hello Bea")
	path := "/v1/people/" + m.personOf()
	if a := s.ask("PATCH", path, `{"name":"Ada Lovelace","company":" Analytical  Engines "}`); a.Status != 200 || a.text("name") != "Ada Lovelace" || a.text("company") != "Analytical  Engines" {
		t.Errorf("named: %d %s", a.Status, a.Body)
	}
	if a := s.ask("PATCH", path, `{"company":null}`); a.text("name") != "Ada Lovelace" || a.text("company") != "" {
		t.Errorf("without a company: %d %s", a.Status, a.Body)
	}
	for body, field := range map[string]string{`{"name":"a\u0007b"}`: "name", `{"company":7}`: "company", `{"owner_id":"x"}`: "owner_id", `{"email":"a@b.example"}`: "email"} {
		if a := s.ask("PATCH", path, body); a.Status != 422 || a.text("field") != field {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
	for query, want := range map[string]string{"name=LOVE": m.personOf(), "name=ada%20l": m.personOf(), "name=%25": "", "name=_": "", "linkedin=/in/bea-example": other.personOf(), "linkedin=/in/bea-example&name=ada": ""} {
		a := s.ask("GET", "/v1/people?"+query, "", s.as("viewer"))
		if a.Status != 200 || a.text("items.0.id") != want || a.text("items.1.id") != "" {
			t.Errorf("%s: %d %s, want %s", query, a.Status, a.Body, want)
		}
	}
	if a := s.ask("GET", "/v1/messages?person="+m.personOf(), ""); a.text("items.0.id") != m.text("id") || a.text("items.1.id") != "" {
		t.Errorf("their messages: %s", a.Body)
	}
	if a := s.ask("GET", "/v1/messages?person=ada", ""); a.Status != 422 || a.text("field") != "person" {
		t.Errorf("the messages of nobody: %d %s", a.Status, a.Body)
	}
}
