package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func no(m answer, why string) string {
	return fmt.Sprintf(`{"version":%s,"digest":%q,"why":%q}`, m.text("version"), m.text("digest"), why)
}

func TestRejection(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.propose("Hello Ada")
	path := "/v1/messages/" + m.text("id")
	rejected := s.ask("POST", path+"/rejection", no(m, "too pushy"))
	if rejected.Status != 200 || rejected.text("authority") != "rejected" || rejected.text("status") != "" ||
		rejected.text("rejection.by") != "recruiter" || rejected.text("rejection.why") != "too pushy" || rejected.text("rejection.at") == "" {
		t.Fatalf("%d %s", rejected.Status, rejected.Body)
	}
	if again := s.ask("POST", path+"/rejection", no(m, "other words"), s.as("admin")); again.Status != 200 || again.Body != rejected.Body {
		t.Errorf("the same rejection again: %d %s", again.Status, again.Body)
	}
	late := s.approve(m)
	if late.Status != 409 || late.text("code") != "already_rejected" || late.text("by") != "recruiter" ||
		late.text("at") != rejected.text("rejection.at") || late.text("why") != "too pushy" {
		t.Errorf("approved after it: %d %s", late.Status, late.Body)
	}
	edited := s.ask("PATCH", path, `{"body":"Hello Ada, if you like"}`)
	if edited.Status != 200 || edited.text("authority") != "proposed" || edited.text("rejection") != "" {
		t.Errorf("edited: %d %s", edited.Status, edited.Body)
	}
	stale := s.ask("POST", path+"/rejection", no(m, ""))
	if stale.Status != 409 || stale.text("code") != "version_not_current" || stale.text("current_version") != "2" ||
		stale.text("current_digest") != edited.text("digest") {
		t.Errorf("the old version: %d %s", stale.Status, stale.Body)
	}
	approved := s.approve(edited)
	if approved.Status != 200 || approved.text("status") != "queued" || !strings.Contains(approved.Body, `"what":"rejected","by":"recruiter","version":1`) {
		t.Errorf("the next version: %d %s", approved.Status, approved.Body)
	}
	over := s.ask("POST", path+"/rejection", no(edited, ""))
	if over.Status != 409 || over.text("code") != "already_approved" || over.text("by") != "recruiter" || over.text("at") != approved.text("approval.approved_at") {
		t.Errorf("what is approved: %d %s", over.Status, over.Body)
	}
}

// What an approval that ran out still holds in the queue is canceled by a rejection.
func TestRejectionAfterAnApprovalRanOut(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.approve(s.propose("Hello Ada"))
	if _, err := s.admin.Exec(t.Context(), "UPDATE clock_offset SET ahead = '8 days'"); err != nil {
		t.Fatal(err)
	}
	a := s.ask("POST", "/v1/messages/"+m.text("id")+"/rejection", no(m, ""))
	if a.Status != 200 || a.text("authority") != "rejected" || a.text("status") != "canceled" || a.text("approval") != "" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

func TestRevocation(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	for _, leased := range []bool{false, true} {
		m := s.approve(s.propose(fmt.Sprintf("Hello Ada %t", leased)))
		if leased {
			s.move(m.text("sends.0.id"), lease)
		}
		path := "/v1/messages/" + m.text("id")
		for range 2 {
			a := s.ask("POST", path+"/revocation", "{}")
			if a.Status != 200 || a.text("authority") != "proposed" || a.text("approval") != "" || a.text("sends.0.status") != "canceled" ||
				a.text("sends.0.code") != "approval_missing" || !strings.Contains(a.Body, `"reason":"revoked"`) {
				t.Errorf("leased %t: %d %s", leased, a.Status, a.Body)
			}
		}
		if again := s.approve(m); again.Status != 200 || again.text("sends.1.status") != "queued" {
			t.Errorf("approved again: %d %s", again.Status, again.Body)
		}
		s.ask("POST", path+"/withdrawal", "{}")
		for word, body := range map[string]string{"revocation": "{}", "rejection": no(m, "")} {
			if gone := s.ask("POST", path+"/"+word, body); gone.Status != 409 || gone.text("code") != "message_withdrawn" {
				t.Errorf("%s of what was withdrawn: %d %s", word, gone.Status, gone.Body)
			}
		}
	}
	m := s.approve(s.propose("Hello"))
	s.move(m.text("sends.0.id"), lease, start)
	for _, word := range []string{"revocation", "rejection"} {
		body := map[string]string{"revocation": "{}", "rejection": no(m, "")}[word]
		a := s.ask("POST", "/v1/messages/"+m.text("id")+"/"+word, body)
		if a.Status != 409 || a.text("code") != "too_late_to_change" || a.text("send_id") != m.text("sends.0.id") {
			t.Errorf("%s after the start: %d %s", word, a.Status, a.Body)
		}
	}
}

// Approval and rejection posted together: one wins each time, the other hears who and when, and nothing that was rejected has a
// live send.
func TestApproveAndRejectRace(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for range 50 {
		m := s.propose("Hello Ada")
		path := "/v1/messages/" + m.text("id")
		answers := make([]answer, 2)
		var both sync.WaitGroup
		for i, ask := range [][2]string{{"/approval", yes(m)}, {"/rejection", no(m, "no")}} {
			both.Go(func() {
				var err error
				if answers[i], err = s.try(t.Context(), "POST", path+ask[0], ask[1]); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		end := s.ask("GET", path, "")
		lost, code, status := 1, "already_approved", "queued"
		if end.text("authority") == "rejected" {
			lost, code, status = 0, "already_rejected", ""
		}
		if answers[1-lost].Status != 200 || answers[lost].Status != 409 || answers[lost].text("code") != code ||
			answers[lost].text("by") != "recruiter" || answers[lost].text("at") == "" || end.text("status") != status {
			t.Errorf("%d %s, %d %s, in the end %s", answers[0].Status, answers[0].Body, answers[1].Status, answers[1].Body, end.Body)
		}
		s.ask("POST", path+"/withdrawal", "{}") // so that the next is no second message
	}
	if n := s.count("SELECT count(*) FROM sends s JOIN messages m ON m.id = s.message_id WHERE m.authority = 'rejected'"); n != 0 {
		t.Errorf("%d rejected messages have a send", n)
	}
}
