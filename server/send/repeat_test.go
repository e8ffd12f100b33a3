package send_test

import (
	"testing"

	"sendonce/server/postgres/pgtest"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// A yes to a repeat covers what had begun when it was said, and nothing that began since.
func TestAYesToAnIdenticalTextCoversNothingNewer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `ALTER TABLE approvals DISABLE TRIGGER a_frozen`)
	first := b.AddMessage(t, "Hello Ada")
	b.start(t, b.lease(t), attemptOne)
	repeat := func(handle string) (pgtest.Message, *send.Lease) {
		t.Helper()
		account := b.AddAccount(t, handle)
		m := b.AddMessageTo(t, first.Person, account, "Hello Ada")
		b.Exec(t, `UPDATE approvals SET repeat_approved = true WHERE id = $1`, m.Approval)
		l, err := b.service.Lease(t.Context(), b.session, account)
		if err != nil || l == nil {
			t.Fatalf("a repeat that was approved is not leased: %v, %v", l, err)
		}
		return m, l
	}
	second, older := repeat("olga-other")
	_, newer := repeat("nora-newer")
	b.start(t, newer, attemptTwo)
	b.wantRefused(t, b.ask(older, attemptTwo), rule.MayHaveReached)
	if n := b.Count(t, `SELECT count(*) FROM sends WHERE id = $1 AND parked_at IS NOT NULL AND waiting_for = 'may_have_reached'`, second.Send); n != 1 {
		t.Error("the repeat does not wait for a person")
	}
}
