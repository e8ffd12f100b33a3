package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// personOf is the id of the person of a message.
func (a answer) personOf() string {
	a.t.Helper()
	return a.text("person.id")
}

// suppress says that somebody must not be contacted, named as the JSON member says.
func (s *server) suppress(whom string, headers ...string) answer {
	s.t.Helper()
	a := s.ask("POST", "/v1/suppressions", "{"+whom+`,"why":"they said no"}`, headers...)
	if a.Status != 201 {
		s.t.Fatalf("suppress %s: %d %s", whom, a.Status, a.Body)
	}
	return a
}

func thePerson(id string) string { return fmt.Sprintf(`"person_id":%q`, id) }

// Goal: who must not be contacted is sent nothing more: what waits is called off before the answer, what has begun is named and goes on,
// and nothing to them is proposed, approved or retried until an admin lifts it with a reason. What was called off stays so.
func TestWhoMustNotBeContacted(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	queued, waits, failed, begun := s.approve(s.propose("Queued")), s.propose("Waits"), s.approve(s.propose("Failed")), s.approve(s.propose("Begun"))
	s.move(failed.text("sends.0.id"), lease, start, prove, fail)
	s.move(begun.text("sends.0.id"), lease, start)
	other := s.approve(s.to("bea-example", "first contact", "Hello Bea"))

	a := s.suppress(thePerson(queued.personOf()), s.as("agent"))
	if a.text("called_off") != "1" || a.text("begun") != "1" || a.text("scope") != "person" || a.text("why") != "they said no" || a.text("set_by") != "agent" ||
		a.text("text") != "They are not contacted from now on. 1 message that waited was called off. 1 send has begun and will end by itself." ||
		a.Header.Get("Location") != "/v1/suppressions/"+a.text("id") {
		t.Errorf("%s %v", a.Body, a.Header)
	}
	for id, want := range map[string]string{queued.text("id"): "canceled suppressed", begun.text("id"): "started ", other.text("id"): "queued "} {
		got := s.ask("GET", "/v1/messages/"+id, "")
		if state := got.text("sends.0.status") + " " + got.text("sends.0.code"); state != want {
			t.Errorf("%s: %s, want %s", got.text("body"), state, want)
		}
	}
	if again := s.suppress(thePerson(queued.personOf())); again.text("id") != a.text("id") || again.text("called_off") != "0" || again.text("begun") != "1" || again.text("set_by") != "agent" {
		t.Errorf("said again: %s", again.Body)
	}

	before := s.rows()
	for name, refused := range map[string]answer{
		"a proposal":          s.ask("POST", "/v1/messages", s.proposal("Hello Ada")),
		"an approval":         s.ask("POST", "/v1/messages/"+waits.text("id")+"/approval", yes(waits)),
		"an approval anew":    s.ask("POST", "/v1/messages/"+queued.text("id")+"/approval", yes(queued)),
		"an override is none": s.ask("POST", "/v1/messages/"+waits.text("id")+"/approval", overriding(waits, s.me("admin"), "I must")),
		"a retry":             s.ask("POST", "/v1/sends/"+failed.text("sends.0.id")+"/retry", "{}"),
		"an agent's proposal": s.ask("POST", "/v1/messages", s.proposal("Hello Ada"), s.as("agent")),
	} {
		if refused.Status != 409 || refused.text("code") != "suppressed" {
			t.Errorf("%s: %d %s", name, refused.Status, refused.Body)
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("the rows changed from %s to %s", before, after)
	}

	path := "/v1/suppressions/" + a.text("id") + "/lifting"
	if by := s.ask("POST", path, `{"why":"they asked for a call"}`); by.Status != 403 {
		t.Errorf("lifted by a recruiter: %d %s", by.Status, by.Body)
	}
	for _, why := range []string{`""`, `"  "`, `"\u200b"`, `"a\nb"`} {
		if no := s.ask("POST", path, `{"why":`+why+`}`, s.as("admin")); no.Status != 422 || no.text("field") != "why" {
			t.Errorf("lifted because %s: %d %s", why, no.Status, no.Body)
		}
	}
	lifted := s.ask("POST", path, `{"why":"they asked for a call"}`, s.as("admin"))
	if lifted.Status != 200 || lifted.text("lifted_by") != "admin" || lifted.text("lifted_why") != "they asked for a call" || lifted.text("lifted_at") == "" {
		t.Errorf("lifted: %d %s", lifted.Status, lifted.Body)
	}
	if again := s.ask("POST", path, `{"why":"x"}`, s.as("admin")); again.Status != 409 || again.text("code") != "already_lifted" || again.text("by") != "admin" {
		t.Errorf("lifted again: %d %s", again.Status, again.Body)
	}
	if got := s.ask("GET", "/v1/messages/"+queued.text("id"), ""); got.text("status") != "canceled" {
		t.Errorf("what was called off came back by itself: %s", got.Body)
	}
	if got := s.approve(queued); got.text("status") != "queued" {
		t.Errorf("approved anew: %d %s", got.Status, got.Body)
	}
	history := s.ask("GET", "/v1/people/"+queued.personOf(), "")
	if history.text("history.0.what") != "unsuppressed" || history.text("history.0.by") != "admin" || history.text("history.1.what") != "suppressed" ||
		history.text("history.1.by") != "agent" || history.text("suppressions.0.id") != "" || history.text("do_not_contact") != "false" {
		t.Errorf("the person: %s", history.Body)
	}
}

// Goal: an address, a domain and a company cover whoever has them, now and later, in any spelling; what is like them covers nobody.
func TestSuppressionsCoverWhoeverComes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ whom, person, company, because string }{
		"a mail address":      {`"email":"Ada@B\u00fccher.example"`, `"linkedin":"/in/ada","email":"ada@xn--bcher-kva.example"`, "", "email"},
		"a profile":           {`"linkedin":"https://de.linkedin.com/in/Ada/?x=1"`, `"linkedin":"/in/ada"`, "", "linkedin_slug"},
		"a domain":            {`"email_domain":"@Example.COM"`, `"linkedin":"/in/ada","email":"ada@example.com"`, "", "email_domain"},
		"a domain above":      {`"email_domain":"example.com"`, `"linkedin":"/in/ada","email":"ada@mail.example.com"`, "", "email_domain"},
		"a company":           {`"company":"ACME  Ltd"`, `"linkedin":"/in/ada"`, "acme ltd", "company"},
		"another address":     {`"email":"ada@example.com"`, `"linkedin":"/in/ada","email":"ada+1@example.com"`, "", ""},
		"another domain":      {`"email_domain":"example.com"`, `"linkedin":"/in/ada","email":"ada@notexample.com"`, "", ""},
		"a domain below":      {`"email_domain":"mail.example.com"`, `"linkedin":"/in/ada","email":"ada@example.com"`, "", ""},
		"another company":     {`"company":"Acme"`, `"linkedin":"/in/ada"`, "Acme Ltd", ""},
		"no company at all":   {`"company":"Acme"`, `"linkedin":"/in/ada"`, "", ""},
		"another's workspace": {"", `"linkedin":"/in/ada"`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			propose := func() answer {
				return s.ask("POST", "/v1/messages", fmt.Sprintf(`{"account_id":%q,"person":{%s},"body":"Hello","purpose":%q}`, s.account, c.person, "first contact"))
			}
			if c.company != "" { // the company is known before it is named
				first := propose()
				if a := s.ask("PATCH", "/v1/people/"+first.personOf(), fmt.Sprintf(`{"company":%q}`, c.company)); a.Status != 200 || a.text("company") != c.company {
					t.Fatalf("the company: %d %s", a.Status, a.Body)
				}
				s.ask("POST", "/v1/messages/"+first.text("id")+"/withdrawal", "{}")
			}
			if c.whom == "" {
				s.suppress(`"linkedin":"/in/ada"`, s.as("stranger"))
			} else {
				s.suppress(c.whom)
			}
			before := s.rows()
			a := propose()
			if c.because == "" {
				if a.Status != 201 {
					t.Errorf("%d %s", a.Status, a.Body)
				}
				return
			}
			if a.Status != 409 || a.text("code") != "suppressed" || a.text("because") != c.because {
				t.Errorf("%d %s, want because %s", a.Status, a.Body, c.because)
			}
			if after := s.rows(); after != before {
				t.Errorf("a refused proposal changed the rows from %s to %s", before, after)
			}
		})
	}
}

// Goal: what names nobody, or more than one, is refused with its field.
func TestSuppressionsAreReadStrictly(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.propose("Hello Ada")
	for body, field := range map[string]string{
		`{}`:                                             "person_id",
		`{"why":"x"}`:                                    "person_id",
		`{"email":"a@b.example","company":"B"}`:          "person_id",
		`{"person_id":"x"}`:                              "person_id",
		`{"person_id":"` + m.text("id") + `"}`:           "person_id",
		`{"email":"ada"}`:                                "email",
		`{"linkedin":"ada"}`:                             "linkedin",
		`{"email_domain":"com"}`:                         "email_domain",
		`{"email_domain":"ada@example.com"}`:             "email_domain",
		`{"company":"\u200b"}`:                           "company",
		`{"company":"` + strings.Repeat("x", 201) + `"}`: "company",
		`{"email":"ada@example.com","why":"` + strings.Repeat("x", 301) + `"}`: "why",
		`{"email":"ada@example.com","until":"2030"}`:                           "until",
	} {
		if a := s.ask("POST", "/v1/suppressions", body); a.Status != 422 || a.text("field") != field {
			t.Errorf("%s: %d %s, want the field %s", body, a.Status, a.Body, field)
		}
	}
	if a := s.ask("POST", "/v1/suppressions", `{`+thePerson(m.personOf())+`}`, s.as("stranger")); a.Status != 422 {
		t.Errorf("another workspace's person: %d %s", a.Status, a.Body)
	}
	if n := s.count("SELECT count(*) FROM suppressions"); n != 0 {
		t.Errorf("%d suppressions were made", n)
	}
}

// Goal: the list shows those that stand, the newest first, and the lifted ones when asked for, and nothing of another workspace.
func TestSuppressionsAreListed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	first := s.suppress(`"email":"ada@example.com"`)
	second := s.suppress(`"company":"Acme"`)
	s.ask("POST", "/v1/suppressions/"+first.text("id")+"/lifting", `{"why":"they asked"}`, s.as("admin"))
	third := s.suppress(`"email":"ada@example.com"`)
	for query, want := range map[string][]string{
		"": {third.text("id"), second.text("id")}, "?state=standing": {third.text("id"), second.text("id")},
		"?state=lifted": {first.text("id")}, "?state=all&limit=2": {third.text("id"), second.text("id")},
	} {
		a := s.ask("GET", "/v1/suppressions"+query, "", s.as("viewer"))
		for i, id := range want {
			if a.text(fmt.Sprintf("items.%d.id", i)) != id {
				t.Errorf("%s: %s, want %v", query, a.Body, want)
			}
		}
		if a.text(fmt.Sprintf("items.%d.id", len(want))) != "" {
			t.Errorf("%s: too many: %s", query, a.Body)
		}
	}
	rest := s.ask("GET", "/v1/suppressions?state=all&limit=2&cursor="+s.ask("GET", "/v1/suppressions?state=all&limit=2", "").text("next_cursor"), "")
	if rest.text("items.0.id") != first.text("id") || rest.text("next_cursor") != "" {
		t.Errorf("the next page: %s", rest.Body)
	}
	if a := s.ask("GET", "/v1/suppressions", "", s.as("stranger")); a.text("items.0.id") != "" {
		t.Errorf("a stranger sees %s", a.Body)
	}
	if a := s.ask("GET", "/v1/suppressions/"+second.text("id"), "", s.as("stranger")); a.Status != 404 {
		t.Errorf("a stranger reads %d %s", a.Status, a.Body)
	}
	if a := s.ask("POST", "/v1/suppressions/"+second.text("id")+"/lifting", `{"why":"x"}`, s.as("stranger")); a.Status != 404 {
		t.Errorf("a stranger lifts: %d %s", a.Status, a.Body)
	}
	if a := s.ask("GET", "/v1/suppressions?state=any", ""); a.Status != 422 || a.text("field") != "state" {
		t.Errorf("no such state: %d %s", a.Status, a.Body)
	}
}
