package api_test

import (
	"strings"
	"testing"
	"time"
)

func (s *server) setPolicy(change string) answer {
	s.t.Helper()
	a := s.ask("PATCH", "/v1/workspace/policy", change, s.as("admin"))
	if a.Status != 200 {
		s.t.Fatalf("set %s: %d %s", change, a.Status, a.Body)
	}
	return a
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if a := s.ask("GET", "/v1/workspace", ""); a.text("policy.colleague_days") != "30" || a.text("policy.person_most") != "0" || a.text("policy.person_days") != "7" ||
		a.text("policy.content_days") != "0" || a.text("policy.number") != "0" || a.text("policy.approvers") != "any" || a.text("policy.cool_off_days") != "30" ||
		a.text("policy.approval_lasts_seconds") != "604800" || a.text("policy.auto_approve.0") != "" || a.text("policy.set_by") != "" {
		t.Errorf("before anybody set one: %s", a.Body)
	}
	s.setPolicy(`{"approvers":"own","cool_off_days":7,"colleague_days":14,"person_most":3}`)
	s.setPolicy(`{"person_days":10,"content_days":90,"approval_lasts_seconds":86400,"auto_approve":[{"role":"agent","purpose":"reminder"},{"purpose":"thanks"}]}`)
	a := s.ask("GET", "/v1/workspace", "")
	if a.text("policy.number") != "2" || a.text("policy.approvers") != "own" || a.text("policy.cool_off_days") != "7" || a.text("approval_lasts_seconds") != "86400" ||
		a.text("policy.auto_approve.0.role") != "agent" || a.text("policy.auto_approve.1.role") != "" || a.text("policy.auto_approve.1.purpose") != "thanks" ||
		a.text("policy.colleague_days") != "14" || a.text("policy.person_most") != "3" || a.text("policy.person_days") != "10" || a.text("policy.content_days") != "90" ||
		a.text("policy.set_by") != "admin" || a.text("policy.set_at") == "" {
		t.Errorf("after: %s", a.Body)
	}
	if other := s.ask("PATCH", "/v1/workspace/policy", "{}", s.as("stranger")); other.text("number") != "1" || other.text("approvers") != "any" {
		t.Errorf("another workspace: %s", other.Body)
	}
	for _, role := range []string{"recruiter", "viewer", "agent"} {
		if a := s.ask("PATCH", "/v1/workspace/policy", "{}", s.as(role)); a.Status != 403 || a.text("code") != "forbidden" {
			t.Errorf("set by the role %s: %d %s", role, a.Status, a.Body)
		}
	}
	for body, field := range map[string]string{
		`{"approvers":"all"}`: "approvers", `{"approvers":null}`: "approvers", `{"approvers":1}`: "approvers",
		`{"approval_lasts_seconds":59}`: "approval_lasts_seconds", `{"approval_lasts_seconds":7776001}`: "approval_lasts_seconds",
		`{"approval_lasts_seconds":9223372036854775807}`: "approval_lasts_seconds", `{"approval_lasts_seconds":-9223372036854775808}`: "approval_lasts_seconds",
		`{"approval_lasts_seconds":null}`: "approval_lasts_seconds", `{"approval_lasts_seconds":"1"}`: "approval_lasts_seconds",
		`{"cool_off_days":-1}`: "cool_off_days", `{"cool_off_days":366}`: "cool_off_days", `{"cool_off_days":1.5}`: "cool_off_days", `{"cool_off_days":null}`: "cool_off_days",
		`{"colleague_days":366}`: "colleague_days", `{"colleague_days":-1}`: "colleague_days", `{"colleague_days":null}`: "colleague_days",
		`{"person_most":1001}`: "person_most", `{"person_most":-1}`: "person_most", `{"person_most":null}`: "person_most", `{"person_days":0}`: "person_days",
		`{"person_days":366}`: "person_days", `{"person_days":null}`: "person_days", `{"content_days":3651}`: "content_days", `{"content_days":-1}`: "content_days",
		`{"content_days":null}`: "content_days", `{"content_days":"30"}`: "content_days",
		`{"auto_approve":null}`: "auto_approve", `{"auto_approve":{}}`: "auto_approve", `{"auto_approve":[{}]}`: "auto_approve.0",
		`{"auto_approve":[{"role":"agent"},{"role":"viewer"}]}`: "auto_approve.1.role", `{"auto_approve":[{"purpose":"a\u0000"}]}`: "auto_approve.0.purpose",
		`{"auto_approve":[{"purpose":"` + strings.Repeat("x", 201) + `"}]}`: "auto_approve.0.purpose", `{"auto_approve":[{"who":1}]}`: "auto_approve.0.who",
		`{"auto_approve":[` + strings.Repeat(`{"role":"agent"},`, 50) + `{"role":"agent"}]}`: "auto_approve", `{"rules":[]}`: "rules",
	} {
		if a := s.ask("PATCH", "/v1/workspace/policy", body, s.as("admin")); a.Status != 422 || a.text("field") != field {
			t.Errorf("%.80s: %d %s, want the field %s", body, a.Status, a.Body, field)
		}
	}
	if n := s.count("SELECT count(*) FROM policies"); n != 3 {
		t.Errorf("%d policies, want 3", n)
	}
}

// An approval lasts as long as the policy that held when it was made.
func TestApprovalLastsByPolicy(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.setPolicy(`{"approval_lasts_seconds":3600}`)
	m := s.approve(s.propose("Hello Ada"))
	from, err := time.Parse(time.RFC3339, m.text("approval.approved_at"))
	until, err2 := time.Parse(time.RFC3339, m.text("approval.expires_at"))
	if err != nil || err2 != nil || until.Sub(from).Round(time.Second) != time.Hour {
		t.Errorf("%s", m.Body)
	}
}

// Where recruiters decide about their own accounts alone, another's is closed to them, and an admin may about all.
func TestWhoDecidesAboutWhose(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	own := s.account
	s.account = s.ask("POST", "/v1/accounts", `{"channel":"linkedin","handle":"https://www.linkedin.com/in/ben-boss"}`, s.as("admin")).text("id")
	others := s.propose("Hello Ada")
	s.account = own
	s.setPolicy(`{"approvers":"own"}`)
	path := "/v1/messages/" + others.text("id")
	for ask, body := range map[string]string{"/approval": yes(others), "/rejection": no(others, ""), "/revocation": "{}"} {
		if a := s.ask("POST", path+ask, body); a.Status != 403 || a.text("code") != "account_not_granted" {
			t.Errorf("%s of another's: %d %s", ask, a.Status, a.Body)
		}
	}
	if a := s.ask("POST", path+"/approval", yes(others), s.as("admin")); a.Status != 200 {
		t.Errorf("by an admin: %d %s", a.Status, a.Body)
	}
	if a := s.approve(s.to("ben-sample", "first contact", "Hello Ben")); a.Status != 200 {
		t.Errorf("of one's own: %d %s", a.Status, a.Body)
	}
}

// The policy approves in the name of who set it, what its rules name, and never a second message or an edit.
func TestAutoApproval(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	agent := s.as("agent")
	if a := s.to("ada-0", "thanks", "Thank you", agent); a.text("authority") != "proposed" {
		t.Errorf("without a policy: %s", a.Body)
	}
	s.setPolicy(`{"auto_approve":[{"purpose":"Thanks"},{"role":"agent","purpose":"gentle reminder"}]}`)
	for i, c := range []struct{ role, purpose, authority string }{
		{"recruiter", "thanks", "approved"},
		{"admin", "thanks", "approved"},
		{"agent", "thanks", "proposed"},
		{"agent", "gentle reminder", "approved"},
		{"recruiter", "gentle reminder", "proposed"},
		{"recruiter", "first contact", "proposed"},
	} {
		a := s.to("bea-"+string(rune('a'+i)), c.purpose, "Hello", s.as(c.role))
		if a.text("authority") != c.authority || (a.text("status") == "queued") != (c.authority == "approved") {
			t.Errorf("%v: %s", c, a.Body)
		}
		if c.authority == "approved" && (a.text("approval.approver") != "admin" || a.text("approval.policy") != "1" || a.text("history.1.reason") != "by policy 1") {
			t.Errorf("%v, approved by: %s", c, a.Body)
		}
	}
	woken := s.woken.count()
	first := s.to("ada-1", "gentle reminder", "Do not forget", agent)
	if s.woken.count() != woken+1 {
		t.Error("what the policy approved woke nobody")
	}
	reached := s.to("ada-3", "gentle reminder", "Hello", agent)
	s.move(reached.text("sends.0.id"), lease, start, confirm, sent)
	if second := s.next(reached, "ada-3", "Gentle  reminder", "Once more", agent); second.text("authority") != "proposed" {
		t.Errorf("a second message: %s", second.Body)
	}
	edited := s.ask("PATCH", "/v1/messages/"+first.text("id"), `{"body":"Do not forget it"}`, agent)
	if edited.text("authority") != "proposed" || edited.text("status") != "canceled" {
		t.Errorf("an edit: %s", edited.Body)
	}
	sentOnce := s.to("ada-2", "gentle reminder", "Do not forget", agent)
	s.move(sentOnce.text("sends.0.id"), lease, start, unconfirm)
	s.advance(31 * 24 * time.Hour)
	if same := s.to("ada-2", "thanks", "do not forget"); same.text("authority") != "proposed" {
		t.Errorf("the same text, long after: %s", same.Body)
	}
}

// A further message for one intent is a person's decision, whatever the policy lets an agent do.
func TestNoPolicyDecidesToFollow(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	s.setPolicy(`{"cool_off_days":0,"auto_approve":[{"role":"agent"}]}`)
	first := s.ask("POST", "/v1/messages", meaning(s.account, intent{"first contact", "place 7"}, ""), s.as("agent"))
	if first.text("authority") != "approved" {
		t.Fatalf("the first: %d %s", first.Status, first.Body)
	}
	s.move(first.text("sends.0.id"), lease, start, confirm, sent)
	follows := following(first.text("sends.0.id"), "they have not answered")
	for _, purpose := range []string{"a reminder", "first contact"} {
		second := s.ask("POST", "/v1/messages", meaning(s.account, intent{purpose, "place 7"}, follows), s.as("agent"))
		if second.Status != 201 || second.text("authority") != "proposed" {
			t.Errorf("%s: %d %s", purpose, second.Status, second.Body)
		}
		if a := s.approve(second); a.Status != 200 || a.text("status") != "queued" {
			t.Errorf("%s, approved by a person: %d %s", purpose, a.Status, a.Body)
		}
		s.ask("POST", "/v1/messages/"+second.text("id")+"/withdrawal", "{}")
	}
}
