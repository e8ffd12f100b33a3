package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sendonce/server/config"
)

// full is a proposal and a revision with every field.
const (
	fullProposal = `{"account_id":%q,"person":{"linkedin":"https://www.linkedin.com/in/ada-example","email":"ada@example.com","name":"Ada Example"},
		"purpose":"first contact","task":"spring campaign","subject":"Hello","body":"Hello Ada","send_after":"2999-01-01T00:00:00Z",
		"send_before":"2999-01-02T00:00:00Z","client_release":"1.2.3"}`
	fullRevision = `{"subject":"Hello!","body":"Hello Ada!","send_after":"2999-01-01T00:00:00Z","send_before":"2999-01-03T00:00:00Z","client_release":"1.2.4"}`
)

// A program that gives everything there is to give reads it back.
func TestEveryFieldOfAMessage(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.ask("POST", "/v1/messages", fmt.Sprintf(fullProposal, s.account))
	if m.Status != 201 || m.text("task") != "spring campaign" || m.text("subject") != "Hello" || m.text("send_before") != "2999-01-02T00:00:00Z" ||
		m.text("person.email.0") != "ada@example.com" || m.text("person.name") != "Ada Example" || m.text("client_release") != "1.2.3" {
		t.Fatalf("proposed: %d %s", m.Status, m.Body)
	}
	path := "/v1/messages/" + m.text("id")
	edited := s.ask("PATCH", path, fullRevision)
	if edited.Status != 200 || edited.text("subject") != "Hello!" || edited.text("send_before") != "2999-01-03T00:00:00Z" || edited.text("client_release") != "1.2.4" {
		t.Fatalf("edited: %d %s", edited.Status, edited.Body)
	}
	yes := strings.Replace(yes(edited), "}", `,"repeat_approved":true}`, 1)
	if a := s.ask("POST", path+"/approval", yes); a.Status != 200 || a.text("approval.repeat_approved") != "true" {
		t.Errorf("approved: %d %s", a.Status, a.Body)
	}
	if a := s.ask("POST", path+"/withdrawal", "{}"); a.Status != 200 {
		t.Errorf("withdrawn: %d %s", a.Status, a.Body)
	}
	if a := s.ask("PATCH", path, fullRevision); a.Status != 409 || a.text("code") != "message_withdrawn" {
		t.Errorf("edited after that: %d %s", a.Status, a.Body)
	}
	if a := s.ask("POST", path+"/approval", yes); a.Status != 409 || a.text("code") != "message_withdrawn" {
		t.Errorf("approved after that: %d %s", a.Status, a.Body)
	}
}

// What browsers and providers say of an account, an install, a delivery and an incident is shown.
func TestEveryFieldFromOutside(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	install := s.addInstall()
	s.addInstall()
	account := s.ask("POST", "/v1/accounts", `{"channel":"linkedin","handle":"https://www.linkedin.com/in/ACoAAB0123456789abcdefghijklmnopqrstuv-"}`).text("id")
	s.move(account, `UPDATE accounts SET member_name = 'Rita Recruiter', cool_until = sendonce_now(), stopped_at = sendonce_now(), stopped_code = 'status_403' WHERE id = $1`)
	if a := s.ask("GET", "/v1/accounts/"+account, ""); a.text("member_name") != "Rita Recruiter" || a.text("member_urn") == "" || a.text("cool_until") == "" ||
		a.text("stopped_at") == "" || a.text("stopped_code") != "status_403" {
		t.Errorf("the account: %s", a.Body)
	}
	s.move(install, "UPDATE installs SET last_seen_at = sendonce_now() WHERE id = $1", `INSERT INTO incidents (workspace_id, kind, subject_id, install_id)
		SELECT workspace_id, 'secret_reused', id, id FROM installs WHERE id = $1`)
	if a := s.ask("GET", "/v1/incidents", ""); a.text("items.0.install_id") != install {
		t.Errorf("the incident: %s", a.Body)
	}
	send := s.approve(s.propose("Hello Ada")).text("sends.0.id")
	s.move(send, lease, start, confirm, sent, `WITH copy AS (
		INSERT INTO deliveries (workspace_id, account_id, provider_id, message_id, send_id, delivered_at)
		SELECT workspace_id, account_id, 'urn:li:msg:1', message_id, id, sendonce_now() FROM sends WHERE id = $1 RETURNING id)
		INSERT INTO delivery_sends (delivery_id, send_id) SELECT id, $1 FROM copy`)
	if a := s.ask("GET", "/v1/sends/"+send, ""); a.text("evidence.deliveries.0.provider_id") != "urn:li:msg:1" || a.text("evidence.deliveries.0.delivered_at") == "" {
		t.Errorf("the delivery: %s", a.Body)
	}
	s.approve(s.propose("Hello again"))
	for _, list := range []string{"accounts", "installs", "sends"} {
		first := s.ask("GET", "/v1/"+list+"?limit=1", "")
		second := s.ask("GET", "/v1/"+list+"?limit=1&cursor="+first.text("next_cursor"), "")
		if first.text("items.0.id") == "" || second.text("items.0.id") == "" || first.text("items.0.id") == second.text("items.0.id") || second.text("next_cursor") != "" {
			t.Errorf("two pages of %s: %s and %s", list, first.Body, second.Body)
		}
	}
	if _, err := s.admin.Exec(t.Context(), "UPDATE pause_of_everything SET paused_at = sendonce_now(), pause_note = 'a restore'"); err != nil {
		t.Fatal(err)
	}
	if a := s.ask("GET", "/v1/workspace", ""); a.text("everything_paused.note") != "a restore" {
		t.Errorf("the workspace: %s", a.Body)
	}
}

// What a provider says in its own words is shown beside the message that it names.
func TestEveryFieldOfACallback(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	id, send := s.approved("ada-example")
	s.move(send, lease, start, confirm, deliver, sent)
	a := s.provider("mailer", "admin").say(fmt.Sprintf(`{"events":[{"id":"evt_1","type":"bounced","provider_id":%q,"at":%q,"message_id":%q,"detail":"mailbox full"},
		{"id":"evt_2","type":"undelivered","provider_id":%q,"at":%q,"detail":"no such mailbox"}]}`,
		copyOf(id), time.Now().UTC().Format(time.RFC3339), id, copyOf(id), time.Now().UTC().Format(time.RFC3339)))
	if a.Status != 200 || a.text("taken") != "2" {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	wantMembers(t, s.ask("GET", "/v1/messages/"+id, ""), map[string]string{
		"delivery.bounced.detail": "mailbox full", "delivery.undelivered.detail": "no such mailbox", "sends.0.evidence.deliveries.0.reached.bounced.at": "*",
	})
	wantMembers(t, s.receipt(id), map[string]string{
		"delivery_evidence.bounced.detail": "mailbox full", "delivery_evidence.undelivered.detail": "no such mailbox", "delivery_evidence.observations.0.source": "mailer",
		"delivery_evidence.observations.0.detail": "*", "delivery_evidence.observations.0.provider_id": copyOf(id),
	})
}

// A run's items come by pages, each with what became of it.
func TestPagesOfARun(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	s.failedTo("ada-example", "Hello Ada")
	failed := s.failedTo("ben-sample", "Hello Ben")
	s.to("chloe-sample", "first contact", "Hello Chloe")
	waits := s.to("dora-sample", "first contact", "Hello Dora").text("id")
	for collection, moved := range map[string]struct{ id, column, outcome string }{
		"retries": {failed, "send_id", "suppressed"}, "approvals": {waits, "message_id", "message_withdrawn"},
	} {
		run := s.ask("POST", "/v1/"+collection, "{}").text("id")
		s.move(moved.id, fmt.Sprintf("UPDATE bulk_items SET outcome = '%s' WHERE %s = $1", moved.outcome, moved.column)) // as a run does that finds it so
		path := "/v1/" + collection + "/" + run + "/items?limit=1"
		first := s.ask("GET", path, "")
		second := s.ask("GET", path+"&cursor="+first.text("next_cursor"), "")
		if said := first.text("items.0.outcome") + second.text("items.0.outcome"); said != moved.outcome || second.text("next_cursor") != "" {
			t.Errorf("%s: %s and %s", collection, first.Body, second.Body)
		}
	}
	s.move(failed, suppress)
	s.ask("POST", "/v1/retries", "{}") // which refuses what the first allowed
	said := s.receipt(s.ask("GET", "/v1/sends/"+failed, "").text("message_id"))
	wantMembers(t, said, map[string]string{"retries.0.outcome": "suppressed", "retries.1.refused": "suppressed"})
}

// Refusals that need a world of their own and stand in no other test.
func TestRareRefusals(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	told := func(what string, a answer, status int, code string) {
		t.Helper()
		if a.Status != status || a.text("code") != code {
			t.Errorf("%s: %d %s, want %d %s", what, a.Status, a.Body, status, code)
		}
	}
	to := func(slug, email string) answer {
		return s.ask("POST", "/v1/messages", fmt.Sprintf(`{"account_id":%q,"person":{"linkedin":"/in/%s","email":%q},"body":"Hello","purpose":"first contact to %s"}`,
			s.account, slug, email, slug))
	}
	to("ada-example", "ada@example.com")
	to("ben-sample", "ben@example.com")
	told("two people", to("ada-example", "ben@example.com"), 409, "person_conflict")

	until := func(body string) answer {
		m := s.ask("POST", "/v1/messages", strings.Replace(strings.Replace(s.proposal(body), `"send_before":null`,
			fmt.Sprintf(`"send_before":%q`, time.Now().Add(time.Hour).UTC().Format(time.RFC3339)), 1), "first contact", body, 1))
		if m.Status != 201 {
			t.Fatalf("propose: %d %s", m.Status, m.Body)
		}
		return m
	}
	waits, fails := until("Waits"), until("Fails")
	failed := s.approve(fails).text("sends.0.id")
	s.move(failed, lease, start, prove, fail)
	s.advance(2 * time.Hour)
	told("approved after its window", s.approve(waits), 409, "window_closed")
	told("retried after its window", s.retry(failed), 409, "window_closed")

	for range config.PairingTriesPerMin {
		told("a wrong code", s.ask("POST", "/v1/installs", `{"code":"ABCDE-FGHJK"}`, "Authorization: "), 401, "bad_code")
	}
	told("one too many", s.ask("POST", "/v1/installs", `{"code":"ABCDE-FGHJK"}`, "Authorization: "), 429, "too_many_attempts")
}

// What an earlier message of the same intent hears of its follower, and a follower of what it follows.
func TestRareRefusalsOfIntents(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	i := intent{purpose: "first contact"}
	first := s.approve(s.meant(s.account, i, ""))
	before := first.text("sends.0.id")
	s.move(before, lease, start, prove, fail)
	follower := s.approve(s.meant(s.account, i, following(before, "another try"))).text("sends.0.id")
	s.move(follower, lease, start, unconfirm)
	path := "/v1/messages/" + first.text("id")
	for _, a := range []answer{s.ask("PATCH", path, `{"body":"x"}`), s.approve(first), s.ask("POST", path+"/revocation", "")} {
		if a.Status != 409 || a.text("code") != "needs_a_look" || a.text("send_id") != follower || a.text("send_status") != "unconfirmed" {
			t.Errorf("beside an unconfirmed follower: %d %s", a.Status, a.Body)
		}
	}
	s.move(follower, prove, fail)
	s.move(before, confirm, sent)
	if a := s.retry(follower); a.Status != 409 || a.text("code") != "followed_sent" {
		t.Errorf("after what it follows proved delivered: %d %s", a.Status, a.Body)
	}
}

// A server that cannot reach its database says so.
func TestNotReady(t *testing.T) {
	t.Parallel()
	o, _ := theContract.find("GET", "/readyz")
	p := usual(o)
	if a := p.ask(t); a.Code != 503 || !strings.Contains(a.Body.String(), "database_not_ready") {
		t.Errorf("%d %s", a.Code, a.Body)
	}
}

// A probe that asks for another host is refused as everything is, by a page.
func TestProbesOfAnotherHost(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/healthz", "/readyz"} {
		o, _ := theContract.find("GET", path)
		p := usual(o)
		p.asked.Host = "evil.example"
		if a := p.ask(t); a.Code != 421 {
			t.Errorf("%s: %d %s", path, a.Code, a.Body)
		}
	}
}
