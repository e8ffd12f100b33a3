package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// Goal: a sequence is made, given steps, listed and moved over REST; steps keep their ids, a version that was not read is refused, and what
// cannot be is refused by its field.
func TestSequencesAreKept(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	made := s.ask("POST", "/v1/sequences", `{"name":"  Engineers "}`)
	path := "/v1/sequences/" + made.text("id")
	wantMembers(t, made, map[string]string{"name": "Engineers", "state": "running", "version": "1", "created_by": "recruiter", "enrolments.running": "0"})
	if made.Status != 201 || made.Header.Get("Location") != path {
		t.Fatalf("made: %d %v", made.Status, made.Header)
	}
	template := s.template("Hello").text("id")
	set := s.ask("PUT", path+"/steps", strings.Replace(stepsOf(template, 3), `"version":2`, `"version":1`, 1))
	wantMembers(t, set, map[string]string{
		"version": "2", "steps.0.purpose": "first contact", "steps.1.delay.count": "3", "steps.1.delay.unit": "days", "steps.1.template_id": template, "steps.1.channel": "linkedin",
	})
	turned := s.ask("PUT", path+"/steps", fmt.Sprintf(`{"version":2,"steps":[
		{"id":%q,"purpose":"reminder","channel":"linkedin","template_id":%q,"delay":{"count":0,"unit":"days"}},
		{"id":%q,"purpose":"thanks","channel":"linkedin","template_id":%[2]q,"delay":{"count":2,"unit":"business_days"}}]}`,
		set.text("steps.1.id"), template, set.text("steps.0.id")))
	wantMembers(t, turned, map[string]string{"version": "3", "steps.0.id": set.text("steps.1.id"), "steps.1.id": set.text("steps.0.id"), "steps.1.purpose": "thanks"})
	if a := s.ask("PUT", path+"/steps", stepsOf(template, 1)); a.Status != 409 || a.text("code") != "version_not_current" || a.text("current_version") != "3" {
		t.Errorf("a version that was not read: %d %s", a.Status, a.Body)
	}
	for body, field := range map[string]string{
		`{}`: "steps", `{"steps":[]}`: "steps",
		`{"steps":[{"purpose":" ","channel":"linkedin","template_id":"` + template + `","delay":{"count":0,"unit":"days"}}]}`:                                               "steps.0.purpose",
		`{"steps":[{"purpose":"x","channel":"email","template_id":"` + template + `","delay":{"count":0,"unit":"days"}}]}`:                                                  "steps.0.channel",
		`{"steps":[{"purpose":"x","channel":"linkedin","template_id":"` + uuid.NewString() + `","delay":{"count":0,"unit":"days"}}]}`:                                       "steps.0.template_id",
		`{"steps":[{"purpose":"x","channel":"linkedin","template_id":"` + template + `","delay":{"count":366,"unit":"days"}}]}`:                                             "steps.0.delay.count",
		`{"steps":[{"purpose":"x","channel":"linkedin","template_id":"` + template + `","delay":{"count":1,"unit":"weeks"}}]}`:                                              "steps.0.delay.unit",
		`{"steps":[{"id":"` + uuid.NewString() + `","purpose":"x","channel":"linkedin","template_id":"` + template + `","delay":{"count":1,"unit":"days"}}]}`:               "steps.0.id",
		`{"steps":[` + strings.TrimSuffix(strings.Repeat(`{"purpose":"x","channel":"linkedin","delay":{"count":1,"unit":"days"}},`, config.SequenceStepsMax+1), ",") + `]}`: "steps",
	} {
		if a := s.ask("PUT", path+"/steps", body); a.Status != 422 || a.text("field") != field {
			t.Errorf("%.90s: %d %s, want the field %s", body, a.Status, a.Body, field)
		}
	}
	second := s.ask("POST", "/v1/sequences", `{"name":"Designers"}`)
	page := s.ask("GET", "/v1/sequences?limit=1", "", s.as("viewer"))
	rest := s.ask("GET", "/v1/sequences?limit=1&cursor="+page.text("next_cursor"), "")
	if page.text("items.0.id") != made.text("id") || rest.text("items.0.id") != second.text("id") || rest.text("next_cursor") != "" {
		t.Errorf("listed: %s %s", page.Body, rest.Body)
	}
	for _, to := range []struct{ what, state string }{{"pause", "paused"}, {"pause", "paused"}, {"finish", "finished"}, {"resume", "running"}, {"stop", "stopped"}, {"stop", "stopped"}} {
		if a := s.ask("POST", path+"/"+to.what, "{}"); a.Status != 200 || a.text("state") != to.state {
			t.Errorf("%s: %d %s", to.what, a.Status, a.Body)
		}
	}
	for _, a := range []answer{
		s.ask("POST", path+"/resume", "{}"), s.ask("POST", path+"/pause", "{}"), s.ask("POST", path+"/finish", "{}"), s.ask("PUT", path+"/steps", `{"steps":[]}`),
		s.ask("POST", "/v1/enrolments", s.enrolmentOf(made.text("id"), uuid.NewString())),
	} {
		if a.Status != 409 || a.text("code") != "sequence_over" {
			t.Errorf("after the end: %d %s", a.Status, a.Body)
		}
	}
}

// Goal: of many who are named, and of an import page after page, each is enrolled or refused by itself; asked again nobody is enrolled twice;
// what is wrong for all is refused as a whole.
func TestManyAreEnrolledEachByThemselves(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	sequence := s.sequence()
	path := "/v1/sequences/" + sequence + "/enrolments"
	ada, ben := s.proposeTo("ada-example").personOf(), s.proposeTo("ben-sample").personOf()
	s.move(ben, "UPDATE people SET suppressed_at = sendonce_now() WHERE id = $1")
	stranger := uuid.NewString()
	named := fmt.Sprintf(`{"account_id":%q,"people":[%q,%q,%q,%q]}`, s.account, ada, ben, stranger, ada)
	a := s.ask("POST", path, named, s.as("agent"))
	wantMembers(t, a, map[string]string{
		"enrolled": "1", "items.0.person_id": ada, "items.0.refused": "", "items.0.row": "", "items.1.refused.code": "suppressed", "items.1.enrolment_id": "",
		"items.2.refused.code": "invalid_field", "items.3.refused.code": "already_enrolled", "next_after_row": "",
	})
	if again := s.ask("POST", path, named); again.text("enrolled") != "0" || again.text("items.0.refused.code") != "already_enrolled" {
		t.Errorf("again: %s", again.Body)
	}

	rows := "linkedin,name\n"
	for i := range config.EnrolAtOnceMax + 3 {
		rows += fmt.Sprintf("/in/someone-%d,Someone\n", i)
	}
	rows += "/in/ada-example,Ada\nnobody,Nobody\n"
	file := s.previewed(rows).text("id")
	from := func(after string) string {
		return fmt.Sprintf(`{"account_id":%q,"import_id":%q,"after_row":%s}`, s.account, file, after)
	}
	if early := s.ask("POST", path, from("0")); early.Status != 409 || early.text("code") != "import_not_ready" {
		t.Errorf("before it is done: %d %s", early.Status, early.Body)
	}
	s.carriedOut(file)
	first := s.ask("POST", path, from("0"))
	rest := s.ask("POST", path, from(first.text("next_after_row")))
	wantMembers(t, first, map[string]string{"enrolled": fmt.Sprint(config.EnrolAtOnceMax), "items.0.row": "2"})
	wantMembers(t, rest, map[string]string{"enrolled": "3", "items.3.person_id": ada, "items.3.refused.code": "already_enrolled", "items.4": "", "next_after_row": ""})
	if n := s.count("SELECT count(*) FROM enrolments"); n != config.EnrolAtOnceMax+4 {
		t.Errorf("%d are enrolled", n)
	}
	if a := s.ask("POST", path, from("0"), s.as("agent")); a.Status != 403 {
		t.Errorf("an import, by an agent: %d %s", a.Status, a.Body)
	}
	for body, field := range map[string]string{
		from("0")[:len(from("0"))-1] + `,"people":["` + ada + `"]}`:                                                           "people",
		fmt.Sprintf(`{"account_id":%q,"import_id":%q}`, s.account, uuid.NewString()):                                          "import_id",
		fmt.Sprintf(`{"account_id":%q,"people":[%q]}`, uuid.NewString(), s.proposeTo("x").personOf()):                         "account_id",
		fmt.Sprintf(`{"account_id":%q,"people":[%s%q]}`, s.account, strings.Repeat(`"`+ada+`",`, config.EnrolAtOnceMax), ada): "people",
	} {
		if a := s.ask("POST", path, body); a.Status != 422 || a.text("field") != field {
			t.Errorf("%.120s: %d %s, want the field %s", body, a.Status, a.Body, field)
		}
	}
	s.ask("POST", "/v1/sequences/"+sequence+"/finish", "{}")
	if a := s.ask("POST", path, named); a.Status != 409 || a.text("code") != "sequence_over" {
		t.Errorf("into a finished one: %d %s", a.Status, a.Body)
	}
	empty := s.ask("POST", "/v1/sequences", `{"name":"x"}`).text("id")
	if a := s.ask("POST", "/v1/enrolments", s.enrolmentOf(empty, ada)); a.Status != 409 || a.text("code") != "sequence_empty" {
		t.Errorf("one, into an empty one: %d %s", a.Status, a.Body)
	}
	if a := s.ask("POST", "/v1/sequences/"+empty+"/enrolments", named); a.Status != 409 || a.text("code") != "sequence_empty" {
		t.Errorf("into an empty one: %d %s", a.Status, a.Body)
	}
}

// Goal: one is enrolled, listed by sequence, person and state, read with its history, and moved; another workspace sees nothing of it.
func TestEnrolmentsAreShown(t *testing.T) {
	t.Parallel()
	s := newSequencing(t)
	person := s.someone("ada-example").String()
	made := s.ask("POST", "/v1/enrolments", s.enrolmentOf(s.id.String(), person))
	path := "/v1/enrolments/" + made.text("id")
	wantMembers(t, made, map[string]string{"state": "running", "reason": "new", "text": "It begins in a moment.", "enrolled_by": "recruiter", "history.0.reason": "new", "history.0.by": "recruiter"})
	if made.Status != 201 || made.Header.Get("Location") != path {
		t.Errorf("made: %d %v", made.Status, made.Header)
	}
	s.work(0)
	wantMembers(t, s.ask("GET", path, "", s.as("viewer")), map[string]string{"reason": "waits_for_approval", "history.1.reason": "waits_for_approval", "history.2": ""})
	other := s.enrol(s.someone("ben-sample"))
	for query, want := range map[string]string{
		"?sequence=" + s.id.String(): made.text("id"), "?person=" + person: made.text("id"), "?state=running&limit=1": made.text("id"),
		"?sequence=" + uuid.NewString(): "", "?state=held": "",
	} {
		if a := s.ask("GET", "/v1/enrolments"+query, ""); a.text("items.0.id") != want || a.text("items.0.history") != "" {
			t.Errorf("%s: %s", query, a.Body)
		}
	}
	for _, query := range []string{"?state=gone", "?person=x", "?sequence=x"} {
		if a := s.ask("GET", "/v1/enrolments"+query, ""); a.Status != 422 {
			t.Errorf("%s: %d %s", query, a.Status, a.Body)
		}
	}
	if a := s.ask("POST", "/v1/enrolments", s.enrolmentOf(s.id.String(), person)); a.Status != 409 || a.text("enrolment_id") != made.text("id") || a.text("enrolment_state") != "running" {
		t.Errorf("again: %d %s", a.Status, a.Body)
	}
	for _, to := range []struct{ what, state string }{{"pause", "paused"}, {"resume", "running"}, {"stop", "stopped"}, {"stop", "stopped"}} {
		if a := s.ask("POST", path+"/"+to.what, "{}"); a.Status != 200 || a.text("state") != to.state {
			t.Errorf("%s: %d %s", to.what, a.Status, a.Body)
		}
	}
	for _, what := range []string{"resume", "pause"} {
		if a := s.ask("POST", path+"/"+what, "{}"); a.Status != 409 || a.text("code") != "enrolment_over" || a.text("enrolment_state") != "stopped" {
			t.Errorf("after the end: %d %s", a.Status, a.Body)
		}
	}
	s.move(person, "UPDATE people SET suppressed_at = sendonce_now() WHERE id = $1")
	if a := s.ask("POST", "/v1/enrolments", s.enrolmentOf(s.id.String(), person)); a.Status != 409 || a.text("code") != "suppressed" || a.text("because") != "person" {
		t.Errorf("who must not be contacted: %d %s", a.Status, a.Body)
	}
	for _, a := range []answer{
		s.ask("GET", path, "", s.as("stranger")), s.ask("GET", "/v1/sequences/"+s.id.String(), "", s.as("stranger")),
	} {
		if a.Status != 404 {
			t.Errorf("a stranger: %d %s", a.Status, a.Body)
		}
	}
	if a := s.ask("GET", "/v1/enrolments", "", s.as("stranger")); a.text("items.0.id") != "" {
		t.Errorf("a stranger: %s", a.Body)
	}
	if a := s.ask("POST", "/v1/enrolments", s.enrolmentOf(s.id.String(), person), s.as("stranger")); a.Status != 422 || a.text("field") != "sequence_id" {
		t.Errorf("a stranger: %d %s", a.Status, a.Body)
	}
	s.want(other, "running", "new", 1)
	feed := s.ask("GET", "/v1/events?limit=200", "")
	for _, told := range []string{`"enrolment_id":"` + other.String() + `"`, `"type":"enrolment"`, `"type":"sequence"`, `"sequence_id":"` + s.id.String() + `"`, `"code":"by_person"`} {
		if !strings.Contains(feed.Body, told) {
			t.Errorf("the feed does not tell %s", told)
		}
	}
}
