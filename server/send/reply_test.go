package send_test

import (
	"testing"
	"time"

	"sendonce/server/rule"
	"sendonce/server/send"
)

// repliedReport is what an attempt says that saw a reply before it acted.
func (b *bundle) repliedReport(l *send.Lease) send.Report {
	r := b.unacted(l, attemptOne)
	r.Unacted.Reason, r.Raw = send.HaltReplied, []byte(`{"reason":"replied"}`)
	return r
}

// A reply that one attempt saw calls off what else waits to go to the person, once, and refuses what was approved before it.
func TestAReplyThatAnAttemptSawStopsTheOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	elsewhere := b.AddAccount(t, "olga-other")
	waits := b.AddMessageTo(t, m.Person, elsewhere, "Hello again")
	stranger := b.AddMessage(t, "Hello Alan")
	b.start(t, l, attemptOne)
	for range 2 { // recorded was lost
		b.wantReport(t, b.repliedReport(l), rule.Failed, "not_attempted")
	}
	b.wantStatus(t, waits.Send, rule.Canceled)
	b.wantStatus(t, stranger.Send, rule.Queued)
	for what, query := range map[string]string{
		"observation of the reply": `SELECT count(*) FROM delivery_observations WHERE kind = 'replied' AND message_id IS NULL AND install_id IS NOT NULL
			AND workspace_id = (SELECT workspace_id FROM messages WHERE id = $1)`,
		"person who replied": `SELECT count(*) FROM people p JOIN messages m ON m.person_id = p.id WHERE m.id = $1 AND p.replied_at <= sendonce_now()`,
		"cancel by the server": `SELECT count(*) FROM send_events e JOIN sends s ON s.id = e.send_id JOIN messages m ON m.person_id = s.person_id
			WHERE m.id = $1 AND s.message_id <> m.id AND e.to_status = 'canceled' AND e.code = 'replied' AND e.actor = 'server'`,
	} {
		if n := b.Count(t, query, m.ID); n != 1 {
			t.Errorf("%d of the %s, want 1", n, what)
		}
	}
	if b.woken.accounts[elsewhere] == 0 {
		t.Error("the account whose send was called off was not woken")
	}
}

// What is approved after the reply was read is somebody's answer to it.
func TestAReplyFromBeforeAnApprovalHoldsNothingBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.AddMessage(t, "Hello Ada")
	replied := b.now(t)
	b.Advance(t, time.Minute)
	answer := b.AddMessageTo(t, m.Person, b.Account, "Glad to hear from you")
	accounts, err := b.store.PersonReplied(t.Context(), b.Workspace, m.Person, replied)
	if err != nil || len(accounts) != 1 {
		t.Errorf("called off for %v, %v", accounts, err)
	}
	b.wantStatus(t, m.Send, rule.Canceled)
	b.wantStatus(t, answer.Send, rule.Queued)
	if accounts, err = b.store.PersonReplied(t.Context(), b.Workspace, m.Person, replied.Add(-time.Hour)); err != nil || len(accounts) != 0 {
		t.Errorf("an earlier reply, told later: %v, %v", accounts, err)
	}
	if n := b.Count(t, `SELECT count(*) FROM people WHERE id = $1 AND replied_at = $2`, m.Person, replied); n != 1 {
		t.Error("an earlier reply took the latest back")
	}
	if _, err = b.store.PersonReplied(t.Context(), b.Workspace, m.Person, b.now(t).Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if n := b.Count(t, `SELECT count(*) FROM people WHERE id = $1 AND replied_at > sendonce_now()`, m.Person); n != 0 {
		t.Error("a clock that is ahead holds back what is approved from now on")
	}
}
