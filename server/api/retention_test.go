package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/auth"
	"sendonce/server/command"
	"sendonce/server/message"
	"sendonce/server/postgres"
)

// expire lets texts expire as the server does in its own time, and returns how many there were.
func (s *server) expire() int {
	s.t.Helper()
	count := 0
	for {
		n, err := s.store.ContentExpire(s.t.Context(), 2)
		if err != nil {
			s.t.Fatal(err)
		}
		if count += n; n == 0 {
			return count
		}
	}
}

// Goal: the text of a message goes when the policy says, counted from its end, and never while it may go out or be looked for; its
// digest, its history and its receipt stay, and say so.
func TestTextsExpire(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.addInstall()
	const days = 30 * 24 * time.Hour
	end := map[string]func(m answer){
		"sent":      func(m answer) { s.move(s.approve(m).text("sends.0.id"), lease, start, confirm, sent) },
		"withdrawn": func(m answer) { s.ask("POST", "/v1/messages/"+m.text("id")+"/withdrawal", "{}") },
		"rejected":  func(m answer) { s.ask("POST", "/v1/messages/"+m.text("id")+"/rejection", no(m, "")) },
		"closed":    func(m answer) { s.ask("POST", "/v1/messages/"+m.text("id")+"/closing", `{"why":"hired"}`) },
		"edited":    func(m answer) { s.ask("PATCH", "/v1/messages/"+m.text("id"), `{"body":"Other words"}`) },

		"proposed":    func(answer) {},
		"queued":      func(m answer) { s.approve(m) },
		"started":     func(m answer) { s.move(s.approve(m).text("sends.0.id"), lease, start) },
		"unconfirmed": func(m answer) { s.move(s.approve(m).text("sends.0.id"), lease, start, unconfirm) },
		"failed":      func(m answer) { s.move(s.approve(m).text("sends.0.id"), lease, start, prove, fail) },
		"requeued": func(m answer) {
			s.move(s.approve(m).text("sends.0.id"), lease, start, prove, "UPDATE sends SET status = 'failed', code = 'rate_limited', requeue_at = sendonce_now() + interval '1 hour' WHERE id = $1")
		},
	}
	goes := map[string]bool{"sent": true, "withdrawn": true, "rejected": true, "closed": true}
	made := map[string]answer{}
	for name, finish := range end {
		made[name] = s.to("ada-"+name, "first contact", "Hello "+name)
		finish(made[name])
	}
	if n := s.expire(); n != 0 {
		t.Errorf("%d went without a policy", n)
	}
	s.setPolicy(`{"content_days":30}`)
	s.advance(days - time.Minute)
	if n := s.expire(); n != 0 {
		t.Errorf("%d went before their time", n)
	}
	s.advance(2 * time.Minute)
	if n := s.expire(); n != len(goes) {
		t.Errorf("%d went, want %d", n, len(goes))
	}
	for name, m := range made {
		got := s.ask("GET", "/v1/messages/"+m.text("id"), "")
		if gone := got.text("content_expired_at") != ""; gone != goes[name] || gone == (got.text("body") != "") {
			t.Errorf("%s: %s", name, got.Body)
		}
		if name != "edited" && got.text("digest") != m.text("digest") {
			t.Errorf("%s: its digest is %s", name, got.text("digest"))
		}
		if receipt := s.requireReceipt(m.text("id")); goes[name] != (receipt.text("versions.0.expired_at") != "") || receipt.text("versions.0.digest") != m.text("digest") {
			t.Errorf("%s, its receipt: %s", name, receipt.Body)
		}
	}

	// A rejected one may be written anew; what is gone is neither approved nor taken for what it was.
	path := "/v1/messages/" + made["rejected"].text("id")
	if a := s.ask("PATCH", path, `{"send_after":null}`); a.Status != 409 || a.text("code") != "content_expired" {
		t.Errorf("an edit that writes no text: %d %s", a.Status, a.Body)
	}
	if a := s.ask("PATCH", path, `{"body":"Hello rejected"}`); a.Status != 200 || a.text("version") != "2" || a.text("content_expired_at") != "" || a.text("body") != "Hello rejected" {
		t.Errorf("written anew: %d %s", a.Status, a.Body)
	}
}

// Goal: a message whose text is gone after its approval ran out is not approved again without one.
func TestAnExpiredTextIsNotApproved(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.setPolicy(`{"content_days":1,"approval_lasts_seconds":3600}`)
	m := s.approve(s.propose("Hello Ada"))
	s.advance(2 * time.Hour)
	if n := s.sweep(); n != 1 {
		t.Fatalf("%d messages expired, want 1", n)
	}
	s.advance(25 * time.Hour)
	if n := s.expire(); n != 1 {
		t.Fatalf("%d texts went, want 1", n)
	}
	if a := s.ask("POST", "/v1/messages/"+m.text("id")+"/approval", yes(m)); a.Status != 409 || a.text("code") != "content_expired" {
		t.Errorf("approved: %d %s", a.Status, a.Body)
	}
	if a := s.ask("POST", "/v1/approvals", "{}"); a.text("refused.content_expired") != "1" {
		t.Errorf("a preview of all: %s", a.Body)
	}
}

// requireKeysAreNeeded: without the keys of marks nobody is named, and with others the server does not begin.
func (s *server) requireKeysAreNeeded(store *postgres.Store) {
	s.t.Helper()
	runner := command.NewRunner(store, &s.woken)
	who := access.Principal{ID: uuid.MustParse(s.me("admin")), Workspace: uuid.MustParse(s.ask("GET", "/v1/workspace", "").text("id")), Role: access.Admin}
	_, _, err := runner.Run(s.t.Context(), who, nil, func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		m, err := message.Propose(s.t.Context(), tx, who, message.Proposal{
			Account: uuid.MustParse(s.account), LinkedIn: "/in/somebody-new", Purpose: fmt.Sprint("reason ", uuid.New()), Body: "Hello",
		})
		return command.Answer{}, m.Target.Account, err
	})
	if err == nil {
		s.t.Error("a server that cannot know the removed again named somebody")
	}
	if err := store.SealMarks(s.t.Context(), auth.NewMarkVault(auth.NewKeys().Refresh)); err == nil {
		s.t.Error("a server with other keys began")
	}
}

// Goal: the answer that is kept under a key does not keep a text for longer than the policy does; the key goes on to name the message.
func TestAnAnswerKeepsNoExpiredText(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	propose := func() answer {
		return s.ask("POST", "/v1/messages", s.proposal("Hello Ada"), "Idempotency-Key: one")
	}
	m := propose()
	s.ask("POST", "/v1/messages/"+m.text("id")+"/withdrawal", "{}")
	forget := func(want int) {
		t.Helper()
		if n, err := s.store.AnswersForget(t.Context(), 30*24*time.Hour, 10); err != nil || n != want {
			t.Fatalf("forgot %d answers, %v, want %d", n, err, want)
		}
	}
	s.advance(25 * time.Hour)
	forget(0)
	s.setPolicy(`{"content_days":1}`)
	forget(1)
	if n := s.expire(); n != 1 {
		t.Errorf("%d texts went, want 1", n)
	}
	if again := propose(); again.Status != 200 || again.text("id") != m.text("id") || again.text("body") != "" || again.text("content_expired_at") == "" {
		t.Errorf("asked again: %d %s", again.Status, again.Body)
	}
}
