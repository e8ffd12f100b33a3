package send_test

import (
	"testing"

	"github.com/google/uuid"

	"sendonce/server/rule"
	"sendonce/server/send"
)

// Goal: a message that follows a failed one is not sent when that one proves delivered after the approval; with an approval
// that knows of it, it is.
func TestWhatIsFollowedProvesDelivered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.AddMessage(t, "Hello Ada")
	old := b.lease(t)
	b.start(t, old, attemptOne)
	b.wantReport(t, b.report(old, attemptOne, answered(400, rule.LookAbsent)), rule.Failed, "refused_by_provider")

	follow := b.AddMessageTo(t, first.Person, b.Account, "Hello again, Ada")
	b.Exec(t, "ALTER TABLE messages DISABLE TRIGGER a_frozen")
	b.Exec(t, "UPDATE messages SET follows_send = $1, follows_why = 'another try' WHERE id = $2", first.Send, follow.ID)
	l := b.lease(t)
	b.wantReport(t, b.report(old, attemptOne, found(), "late-copy"), rule.Sent, "confirmed")
	b.wantRefused(t, b.ask(l, attemptTwo), rule.FollowedSent)
	b.wantStatus(t, follow.Send, rule.Canceled)

	b.Exec(t, "UPDATE approvals SET voided_at = sendonce_now(), void_reason = 'approved_again' WHERE message_id = $1", follow.ID)
	b.Exec(t, `INSERT INTO approvals (message_id, version, digest, approver, expires_at)
		SELECT message_id, version, digest, approver, expires_at FROM approvals WHERE message_id = $1`, follow.ID)
	b.Exec(t, `INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, retry_of, version, digest, text_hash, approval_id)
		SELECT s.workspace_id, s.message_id, s.account_id, s.person_id, 2, s.id, s.version, s.digest, s.text_hash, a.id
		FROM sends s JOIN approvals a ON a.message_id = s.message_id AND a.voided_at IS NULL WHERE s.id = $1`, follow.Send)
	b.start(t, b.lease(t), attemptTwo)
}

// Goal: what a message may follow is what has ended, and of its rivals the one decides that may still go out.
func TestDecideIntent(t *testing.T) {
	t.Parallel()
	id, other := uuid.New(), uuid.New()
	another := func(status rule.Status) *send.Another {
		return &send.Another{ID: id, Message: uuid.New(), Status: status, Channel: "linkedin"}
	}
	for name, c := range map[string]struct {
		intent send.Intent
		want   string
	}{
		"alone":                         {send.Intent{}, ""},
		"alone, and follows something":  {send.Intent{Follows: id}, ""},
		"beside one that waits":         {send.Intent{Rival: &send.IntentRival{Waits: true}}, "intent_waits"},
		"beside one that waits again":   {send.Intent{Follows: id, Rival: &send.IntentRival{Waits: true, Begun: another(rule.Failed)}}, "intent_waits"},
		"beside a queued one":           {send.Intent{Rival: &send.IntentRival{Live: another(rule.Queued)}}, "not_ended"},
		"beside a leased one":           {send.Intent{Rival: &send.IntentRival{Live: another(rule.Leased)}}, "not_ended"},
		"beside a started one":          {send.Intent{Follows: id, Rival: &send.IntentRival{Live: another(rule.Started), Begun: another(rule.Started)}}, "not_ended"},
		"beside an unconfirmed one":     {send.Intent{Follows: id, Rival: &send.IntentRival{Live: another(rule.Unconfirmed), Begun: another(rule.Unconfirmed)}}, "needs_a_look"},
		"after a sent one":              {send.Intent{Rival: &send.IntentRival{Begun: another(rule.Sent)}}, "follow_latest"},
		"after a sent one, by decision": {send.Intent{Follows: id, Rival: &send.IntentRival{Begun: another(rule.Sent)}}, ""},
		"after a later one":             {send.Intent{Follows: other, Rival: &send.IntentRival{Begun: another(rule.Failed)}}, "follow_latest"},
	} {
		got := ""
		if p := c.intent.Decide(); p != nil {
			got = string(p.Code)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for _, status := range rule.Statuses() {
		if refused := send.NotToFollow(*another(status)) != nil; refused != (status.Live() && status != rule.Sent) {
			t.Errorf("a follow of a send that is %s is refused: %t", status, refused)
		}
	}
}
