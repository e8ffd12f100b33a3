package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestEditVoidsApprovalAndCancelsTheQueuedSend(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	for _, leased := range []bool{false, true} {
		m := s.approve(s.propose(fmt.Sprintf("Hello Ada %t", leased)))
		if leased {
			s.move(m.text("sends.0.id"), lease)
		}
		path := "/v1/messages/" + m.text("id")
		edited := s.ask("PATCH", path, `{"body":"Other words"}`)
		if edited.Status != 200 || edited.text("authority") != "proposed" || edited.text("status") != "canceled" ||
			edited.text("sends.0.code") != "content_changed" || edited.text("approval") != "" {
			t.Errorf("edited: %d %s", edited.Status, edited.Body)
		}
		if stale := s.ask("POST", path+"/approval", yes(m)); stale.Status != 409 {
			t.Errorf("approval of the old version: %d %s", stale.Status, stale.Body)
		}
		again := s.approve(edited)
		if again.text("status") != "queued" || again.text("sends.1.ordinal") != "2" || again.text("sends.1.retry_of") != m.text("sends.0.id") {
			t.Errorf("approved again: %d %s", again.Status, again.Body)
		}
	}
}

// An edit that changes nothing leaves the approval and the send as they are.
func TestEditOfNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.approve(s.propose("Hello Ada"))
	same := s.ask("PATCH", "/v1/messages/"+m.text("id"), `{"body":"Hello Ada\r\n"}`)
	if same.Status != 200 || same.text("version") != "1" || same.text("authority") != "approved" || same.text("status") != "queued" {
		t.Errorf("%d %s", same.Status, same.Body)
	}
}

// A parked send waits for a person, and approving the message again is what a person can do about it.
func TestApproveAgainSetsAParkedSendFree(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	m := s.approve(s.propose("Hello Ada"))
	s.move(m.text("sends.0.id"), "UPDATE sends SET parked_at = sendonce_now(), waiting_for = 'released_too_often' WHERE id = $1")
	again := s.approve(m)
	if again.Status != 200 || again.text("status") != "queued" || again.text("sends.0.status") != "canceled" ||
		again.text("sends.1.retry_of") != m.text("sends.0.id") || again.text("sends.1.waiting_for") != "" {
		t.Errorf("%d %s", again.Status, again.Body)
	}
	if third := s.approve(m); third.text("sends.2.id") != "" {
		t.Errorf("a second tap queued another one: %s", third.Body)
	}
}

func TestTooLateToChange(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	for status, moves := range map[string][]string{
		"started":     {lease, start},
		"unconfirmed": {lease, start, unconfirm},
		"sent":        {lease, start, confirm, sent},
	} {
		ends := map[string]string{"started": "Sending has begun", "unconfirmed": "Check LinkedIn"}[status]
		m := s.approve(s.propose("Hello " + status))
		s.move(m.text("sends.0.id"), moves...)
		path := "/v1/messages/" + m.text("id")
		for _, a := range []answer{s.ask("PATCH", path, `{"body":"x"}`), s.ask("POST", path+"/withdrawal", "{}")} {
			if a.Status != 409 || a.text("code") != "too_late_to_change" || a.text("send_status") != status ||
				!strings.Contains(a.text("detail"), status) || !strings.Contains(a.text("detail"), ends) {
				t.Errorf("%s: %d %s", status, a.Status, a.Body)
			}
		}
		if again := s.approve(m); again.Status != 200 || again.text("status") != status || again.text("sends.1.id") != "" {
			t.Errorf("%s, approved again: %d %s", status, again.Status, again.Body)
		}
	}
}

func TestApproveAfterAFailureQueuesTheNextSend(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	m := s.approve(s.propose("Hello Ada"))
	s.move(m.text("sends.0.id"), lease, start, prove, fail)
	again := s.approve(m)
	if again.Status != 200 || again.text("status") != "queued" || again.text("sends.1.retry_of") != m.text("sends.0.id") ||
		again.text("sends.0.reason") != "wrong_person" {
		t.Errorf("%d %s", again.Status, again.Body)
	}
}

// A yes to a version that can no longer go out, because an earlier one proved delivered after all, is refused: nothing would come of
// it.
func TestApproveAfterALateConfirmation(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	m := s.failed("Hello Ada")
	path := "/v1/messages/" + m.text("id")
	edited := s.ask("PATCH", path, `{"body":"Hello again"}`)
	s.move(m.text("sends.0.id"), confirm, sent)
	if a := s.approve(edited); a.Status != 409 || a.text("code") != "too_late_to_change" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := s.ask("GET", path, ""); a.text("authority") != "proposed" || a.text("status") != "sent" || a.text("approval") != "" {
		t.Errorf("afterwards: %s", a.Body)
	}
}

func TestExpiredApprovalOfAWaitingSend(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.approve(s.propose("Hello Ada"))
	if _, err := s.admin.Exec(t.Context(), "UPDATE clock_offset SET ahead = '8 days'"); err != nil {
		t.Fatal(err)
	}
	again := s.approve(m)
	if again.Status != 200 || again.text("sends.0.code") != "approval_expired" || again.text("sends.1.status") != "queued" {
		t.Errorf("%d %s", again.Status, again.Body)
	}
}

func TestTwoApprovalsAreOneSend(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for range 10 {
		m := s.propose("Hello Ada")
		var both sync.WaitGroup
		for range 4 {
			both.Go(func() {
				a, err := s.try(t.Context(), "POST", "/v1/messages/"+m.text("id")+"/approval", yes(m))
				if err != nil || a.Status != 200 {
					t.Errorf("%d %s %v", a.Status, a.Body, err)
				}
			})
		}
		both.Wait()
		if n := s.count("SELECT count(*) FROM sends WHERE message_id = $1", m.text("id")); n != 1 {
			t.Errorf("%d sends, want 1", n)
		}
		if n := s.count("SELECT count(*) FROM approvals WHERE message_id = $1", m.text("id")); n != 1 {
			t.Errorf("%d approvals, want 1", n)
		}
		s.ask("POST", "/v1/messages/"+m.text("id")+"/withdrawal", "{}") // so that the next is no second message
	}
}

// Approval and withdrawal posted together: whichever comes first, no withdrawn message keeps a live send.
func TestApproveAndWithdrawRace(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for range 50 {
		m := s.propose("Hello Ada")
		path := "/v1/messages/" + m.text("id")
		var both sync.WaitGroup
		both.Go(func() {
			a, err := s.try(t.Context(), "POST", path+"/approval", yes(m))
			if err != nil || a.Status != 200 && a.text("code") != "message_withdrawn" {
				t.Errorf("approve: %d %s %v", a.Status, a.Body, err)
			}
		})
		both.Go(func() {
			a, err := s.try(t.Context(), "POST", path+"/withdrawal", "{}")
			if err != nil || a.Status != 200 {
				t.Errorf("withdraw: %d %s %v", a.Status, a.Body, err)
			}
		})
		both.Wait()
		end := s.ask("GET", path, "")
		if end.text("authority") != "withdrawn" || end.text("status") != "" && end.text("status") != "canceled" {
			t.Errorf("%s", end.Body)
		}
	}
	if n := s.count("SELECT count(*) FROM sends WHERE status NOT IN ('canceled')"); n != 0 {
		t.Errorf("%d withdrawn messages have a live send", n)
	}
}

func TestWaitingFor(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	later := s.ask("POST", "/v1/messages", strings.Replace(s.proposal("Later"), `"send_after":null`, `"send_after":"2999-01-01T00:00:00Z"`, 1))
	later = s.approve(later)
	if later.text("waiting_for") != "too_early" {
		t.Errorf("before its window: %s", later.Body)
	}
	if _, err := s.admin.Exec(t.Context(), "UPDATE accounts SET stopped_at = sendonce_now(), stopped_code = 'status_403'"); err != nil {
		t.Fatal(err)
	}
	now := s.approve(s.propose("Now"))
	if now.text("waiting_for") != "account_stopped" {
		t.Errorf("of a stopped account: %s", now.Body)
	}
	cleared := s.ask("POST", "/v1/accounts/"+s.account+"/clear", "")
	if cleared.Status != 200 || cleared.text("stopped_at") != "" {
		t.Errorf("cleared: %d %s", cleared.Status, cleared.Body)
	}
	if got := s.ask("GET", "/v1/messages/"+now.text("id"), ""); got.text("waiting_for") != "" {
		t.Errorf("of a cleared account: %s", got.Body)
	}
}
