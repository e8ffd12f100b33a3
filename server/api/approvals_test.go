package api_test

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// A preview names the exact versions that would be approved and why others would not; then exactly that is done, once, in the
// name of who began it.
func TestApproveAllIsShownFirst(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	waits, oldest := map[string]string{}, ""
	for i := range 3 {
		m := s.to(fmt.Sprintf("ada-%d", i), "first contact", "Hello Ada")
		waits[m.text("id")], oldest = m.text("digest"), cmp.Or(oldest, m.text("id"))
	}
	// Two for one purpose, of which neither waits: each has expired, and may be approved anew.
	expire := "UPDATE messages SET authority = 'expired' WHERE id = $1"
	s.move(oldest, expire)
	s.move(s.to("ada-0", "First  contact", "Hello again").text("id"), expire)
	s.move(s.approve(s.to("ben-sample", "first contact", "Hello Ben")).text("sends.0.id"), lease, start, confirm, sent)
	s.to("ben-sample", "follow-up", "hello ben") // the same text again
	closes := s.to("chloe-sample", "first contact", "Hello Chloe")
	s.ask("PATCH", "/v1/messages/"+closes.text("id"), fmt.Sprintf(`{"send_before":%q}`, time.Now().Add(time.Hour).Format(time.RFC3339)))
	// The same text for two purposes: both wait for a yes, or one has it and waits to go.
	emil := s.to("emil-sample", "first contact", "Hello Emil")
	waits[emil.text("id")] = emil.text("digest")
	s.to("emil-sample", "thanks", "Hello  emil")
	s.approve(s.to("finn-sample", "first contact", "Hello Finn"))
	s.to("finn-sample", "thanks", "Hello Finn")
	rejected := s.to("dora-sample", "first contact", "Hello Dora")
	s.ask("POST", "/v1/messages/"+rejected.text("id")+"/rejection", no(rejected, ""))
	s.advance(2 * time.Hour)
	before := s.rows()
	preview := s.ask("POST", "/v1/approvals", "{}")
	if preview.Status != 201 || preview.text("state") != "previewed" || preview.text("total") != "9" || preview.text("allowed") != "4" ||
		preview.text("refused.cooling_off_needs_yes") != "1" || preview.text("refused.repeat_needs_yes") != "1" || preview.text("refused.window_closed") != "1" || preview.text("refused.identical_waits") != "2" ||
		preview.Header.Get("Location") != "/v1/approvals/"+preview.text("id") {
		t.Fatalf("preview: %d %s", preview.Status, preview.Body)
	}
	if after := s.rows(); after != before {
		t.Fatalf("the preview changed the rows from %s to %s", before, after)
	}
	path := "/v1/approvals/" + preview.text("id")
	if a := s.ask("POST", "/v1/retries/"+preview.text("id")+"/start", "{}"); a.Status != 404 {
		t.Errorf("begun as a retry: %d %s", a.Status, a.Body)
	}
	for range 3 {
		if a := s.ask("POST", path+"/start", "{}", s.as("admin")); a.Status != 200 || a.text("state") == "previewed" {
			t.Errorf("start: %d %s", a.Status, a.Body)
		}
	}
	if done := s.done("approvals", preview.text("id")); done.text("made") != "4" || done.text("handled") != "4" {
		t.Errorf("done: %s", done.Body)
	}
	items := s.ask("GET", path+"/items", "")
	for i := range 9 {
		at := fmt.Sprintf("items.%d.", i)
		digest, allowed := waits[items.text(at+"message_id")]
		if allowed != (items.text(at+"verdict") == "") || allowed && items.text(at+"digest") != digest || (items.text(at+"send_id") != "") != allowed {
			t.Errorf("item %d: %s", i, items.Body)
		}
		if m := s.ask("GET", "/v1/messages/"+items.text(at+"message_id"), ""); allowed && (m.text("status") != "queued" || m.text("approval.approver") != "admin") {
			t.Errorf("approved: %s", m.Body)
		}
	}
}

// When the world has moved since the preview nothing is approved: a text that was edited is another one than was shown.
func TestApproveAllOfAWorldThatMoved(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	for i, change := range []func(m answer){
		func(m answer) { s.ask("PATCH", "/v1/messages/"+m.text("id"), `{"body":"Other words"}`) },
		func(m answer) { s.ask("POST", "/v1/messages/"+m.text("id")+"/withdrawal", "{}") },
		func(m answer) { s.ask("POST", "/v1/messages/"+m.text("id")+"/rejection", no(m, "")) },
		func(m answer) { s.approve(m) },
		func(answer) { // the same text has reached them meanwhile
			s.move(s.approve(s.to("ada-4", "thanks", "Hello Ada")).text("sends.0.id"), lease, start, confirm, sent)
		},
		func(answer) { s.setPolicy(`{"approvers":"own"}`) },
	} {
		purpose := "first contact"
		m := s.to(fmt.Sprintf("ada-%d", i), purpose, "Hello Ada")
		s.to(fmt.Sprintf("ben-%d", i), purpose, "Hello Ben")
		preview := s.ask("POST", "/v1/approvals", "{}", s.as("admin"))
		change(m)
		before := s.rows()
		a := s.ask("POST", "/v1/approvals/"+preview.text("id")+"/start", "{}", s.as(map[bool]string{true: "recruiter", false: "admin"}[i < 5]))
		if i == 5 { // admins decide about all
			if a.Status != 200 {
				t.Errorf("by an admin: %d %s", a.Status, a.Body)
			}
			continue
		}
		if a.Status != 409 || a.text("code") != "world_moved" || a.text("moved") != "1" {
			t.Errorf("change %d: %d %s", i, a.Status, a.Body)
		}
		if after := s.rows(); after != before {
			t.Errorf("change %d: the rows changed from %s to %s", i, before, after)
		}
	}
}

// Two people begin previews of the same messages on two servers at one moment: each message is approved once.
func TestApproveAllAtOneMoment(t *testing.T) {
	t.Parallel()
	const waiting = 30
	s := newServer(t)
	for i := range waiting {
		s.to(fmt.Sprintf("ada-%d", i), "first contact", "Hello Ada")
	}
	servers := []*server{s, s.twin()}
	runs := []string{s.ask("POST", "/v1/approvals", "{}").text("id"), s.ask("POST", "/v1/approvals", "{}").text("id")}
	var clicks sync.WaitGroup
	for _, one := range servers {
		for _, run := range runs {
			clicks.Go(func() {
				a, err := one.try(t.Context(), "POST", "/v1/approvals/"+run+"/start", "{}")
				if err != nil || a.Status != 200 && (a.Status != 409 || a.text("code") != "world_moved") {
					t.Errorf("%d %s %v", a.Status, a.Body, err)
				}
			})
		}
	}
	clicks.Wait()
	made := 0
	for _, run := range runs {
		if s.ask("GET", "/v1/approvals/"+run, "").text("state") != "previewed" {
			var here int
			if _, err := fmt.Sscan(s.done("approvals", run).text("made"), &here); err != nil {
				t.Fatal(err)
			}
			made += here
		}
	}
	if n := s.count("SELECT count(*) FROM sends"); n != waiting || made != waiting {
		t.Errorf("%d sends, %d made, want %d", n, made, waiting)
	}
	if deadlocks := s.count("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"); deadlocks != 0 {
		t.Errorf("%d deadlocks", deadlocks)
	}
}

func TestApproveAllOfAFilter(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.to("ada-example", "first contact", "Hello Ada")
	s.to("ben-sample", "thanks", "Thank you")
	for body, total := range map[string]string{
		`{}`: "2", `{"purpose":" thanks"}`: "1", `{"purpose":"other"}`: "0", fmt.Sprintf(`{"account_id":%q}`, s.account): "2",
	} {
		if a := s.ask("POST", "/v1/approvals", body); a.Status != 201 || a.text("total") != total {
			t.Errorf("%s: %d %s, want %s", body, a.Status, a.Body, total)
		}
	}
	for body, field := range map[string]string{
		`{"purpose":"` + strings.Repeat("x", 201) + `"}`: "purpose", `{"purpose":"a\u0000"}`: "purpose", `{"purpose":7}`: "purpose",
		`{"account_id":"x"}`: "account_id", `{"code":"x"}`: "code",
	} {
		if a := s.ask("POST", "/v1/approvals", body); a.Status != 422 || a.text("field") != field {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
	if a := s.ask("POST", "/v1/approvals", `{"account_id":"00000000-0000-4000-8000-000000000000"}`); a.Status != 404 {
		t.Errorf("another account: %d %s", a.Status, a.Body)
	}
	run := s.ask("POST", "/v1/approvals", "{}").text("id")
	for path, method := range map[string]string{"": "GET", "/items": "GET", "/start": "POST"} {
		if a := s.ask(method, "/v1/approvals/"+run+path, "", s.as("stranger")); a.Status != 404 {
			t.Errorf("another workspace: %s %d %s", path, a.Status, a.Body)
		}
	}
}
