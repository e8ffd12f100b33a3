package send_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"sendonce/server/config"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// unconfirm has a message begun and its end left unknown.
func (b *bundle) unconfirm(t *testing.T, body string) (*send.Lease, time.Time) {
	t.Helper()
	b.AddMessage(t, body)
	l := b.lease(t)
	b.start(t, l, attemptOne)
	b.wantReport(t, b.report(l, attemptOne, answered(503, rule.LookAbsent)), rule.Unconfirmed, "server_error")
	return l, b.now(t)
}

func (b *bundle) now(t *testing.T) (now time.Time) {
	t.Helper()
	if err := b.Pool.QueryRow(t.Context(), `SELECT sendonce_now()`).Scan(&now); err != nil {
		t.Fatal(err)
	}
	return now
}

// check fails the test when nothing is to be looked at.
func (b *bundle) check(t *testing.T) *send.Check {
	t.Helper()
	check, err := b.service.NextCheck(t.Context(), b.session, b.Account)
	if err != nil || check == nil {
		t.Fatalf("the next check: %v, %v", check, err)
	}
	return check
}

func (b *bundle) wantNoCheck(t *testing.T) {
	t.Helper()
	if check, err := b.service.NextCheck(t.Context(), b.session, b.Account); err != nil || check != nil {
		t.Fatalf("a check was given: %+v, %v", check, err)
	}
}

func (b *bundle) answer(t *testing.T, c *send.Check, result send.CheckResult, seen ...send.Seen) {
	t.Helper()
	b.answerWhy(t, c, result, "", seen...)
}

func (b *bundle) answerWhy(t *testing.T, c *send.Check, result send.CheckResult, reason string, seen ...send.Seen) {
	t.Helper()
	err := b.service.Checked(t.Context(), send.Checked{
		Session: b.session, Token: c.Token, Result: result, Reason: reason, Seen: seen, Conversation: "2-thread",
		Raw: fmt.Appendf(nil, `{"reason":null,"copies":%d}`, len(seen)),
	})
	if err != nil {
		t.Fatal(err)
	}
}

func copyAt(id string, version int, at time.Time) send.Seen {
	return send.Seen{Copy: send.Copy{ProviderID: id, SentAt: at}, Version: version}
}

func TestACheckSettlesWhatItFinds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	l, at := b.unconfirm(t, "Hello Ada")
	c := b.check(t)
	if c.Send != l.Send || c.MemberURN == "" || c.Person.Slug == "" || len(c.Wanted) != 1 || c.Wanted[0].Body != "Hello Ada" {
		t.Errorf("the check lacks something: %+v", c)
	}
	b.answer(t, c, send.CheckFound, copyAt("urn:1", 1, at))
	b.wantStatus(t, l.Send, rule.Sent)
	for what, query := range map[string]string{
		"delivery":              `SELECT count(*) FROM deliveries WHERE send_id = $1`,
		"confirmation":          `SELECT count(*) FROM evidence WHERE send_id = $1 AND kind = 'confirmation'`,
		"result":                `SELECT count(*) FROM evidence WHERE send_id = $1 AND kind = 'check' AND outcome = 'found'`,
		"event of the observer": `SELECT count(*) FROM send_events WHERE send_id = $1 AND to_status = 'sent' AND actor = 'observer'`,
	} {
		if n := b.Count(t, query, l.Send); n != 1 {
			t.Errorf("%d of the %s, want 1", n, what)
		}
	}
	b.Advance(t, 48*time.Hour)
	b.wantNoCheck(t)
}

func TestACheckThatFindsNothingSettlesNothing(t *testing.T) {
	t.Parallel()
	for _, result := range []send.CheckResult{send.CheckAbsent, send.CheckNoConversation, send.CheckCouldNot} {
		t.Run(string(result), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			l, _ := b.unconfirm(t, "Hello Ada")
			b.Advance(t, 48*time.Hour)
			c := b.check(t)
			b.answer(t, c, result)
			b.answer(t, c, result) // its answer was lost, so that it is said again
			b.wantStatus(t, l.Send, rule.Unconfirmed)
			if n := b.Count(t, `SELECT count(*) FROM evidence WHERE send_id = $1 AND kind = 'check' AND outcome = $2 AND install_id = $3
				AND asked_at BETWEEN sendonce_now() - interval '1 minute' AND received_at`, l.Send, string(result), b.Install); n != 1 {
				t.Errorf("the result was kept %d times with when it was asked, want once", n)
			}
		})
	}
}

// A look is asked for again after its pause, whether it was answered or not, and no more after the last.
func TestChecksAreBounded(t *testing.T) {
	t.Parallel()
	const early = 30 * time.Second
	b := setup(t)
	b.unconfirm(t, "Hello Ada")
	for i, pause := range config.CheckPauses() {
		c := b.check(t)
		if i%2 == 0 {
			b.answer(t, c, send.CheckAbsent)
		}
		b.Advance(t, pause-early)
		b.wantNoCheck(t)
		b.Advance(t, early)
	}
	b.check(t)
	b.Advance(t, 1000*time.Hour)
	b.wantNoCheck(t)
}

func TestTheNextSendWaitsForTheFirstLook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.unconfirm(t, "Hello Ada")
	b.AddMessage(t, "Hello Alan")
	if l, err := b.service.Lease(t.Context(), b.session, b.Account); err != nil || l != nil {
		t.Fatalf("leased before the look: %v, %v", l, err)
	}
	b.answerWhy(t, b.check(t), send.CheckCouldNot, "signed_out") // nobody has looked
	if l, err := b.service.Lease(t.Context(), b.session, b.Account); err != nil || l != nil {
		t.Fatalf("leased before the look: %v, %v", l, err)
	}
	b.Advance(t, 2*time.Minute)
	b.answer(t, b.check(t), send.CheckAbsent)
	b.lease(t)
}

func TestTheNextSendDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.unconfirm(t, "Hello Ada")
	b.AddMessage(t, "Hello Alan")
	b.Advance(t, 5*time.Minute+time.Second)
	b.lease(t)
}

// A copy from before the approval, or one that another message holds, is not this one's.
func TestACheckTakesNothingForItsOwnThatIsNot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	l, at := b.unconfirm(t, "Hello Ada")
	b.answer(t, b.check(t), send.CheckFound, copyAt("urn:old", 1, at.Add(-6*time.Minute)), copyAt("urn:other", 2, at))
	b.wantStatus(t, l.Send, rule.Unconfirmed)
	if n := b.Count(t, `SELECT count(*) FROM evidence WHERE send_id = $1 AND kind = 'check' AND outcome = 'could_not_check'`, l.Send); n != 1 {
		t.Error("the check does not say that it could not tell")
	}
	if n := b.Count(t, `SELECT count(*) FROM deliveries`); n != 0 {
		t.Errorf("%d deliveries", n)
	}
}

// Two attempts of one text, of which the first was said not to be delivered: each copy belongs to the attempt in whose time
// LinkedIn took it, and two of them are an incident.
func TestCopiesOfTwoAttemptsAreToldApart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, at := b.unconfirm(t, "Hello Ada")
	b.Exec(t, `UPDATE sends SET gone_at = sendonce_now() WHERE id = $1`, first.Send)
	b.Advance(t, time.Hour)
	b.Exec(t, `INSERT INTO evidence (workspace_id, send_id, kind, principal_id, outcome, note)
		SELECT workspace_id, id, 'resolution', $2, 'not_delivered', 'nothing there' FROM sends WHERE id = $1`, first.Send, b.Principal)
	b.Exec(t, `UPDATE sends SET status = 'failed', code = 'resolved_not_delivered' WHERE id = $1`, first.Send)
	b.Exec(t, `INSERT INTO sends (workspace_id, message_id, account_id, person_id, ordinal, retry_of, version, digest, text_hash, approval_id)
		SELECT workspace_id, message_id, account_id, person_id, 2, id, version, digest, text_hash, approval_id FROM sends WHERE id = $1`, first.Send)
	second := b.lease(t)
	b.start(t, second, attemptTwo)
	b.wantReport(t, b.report(second, attemptTwo, answered(503, rule.LookAbsent)), rule.Unconfirmed, "server_error")
	b.answer(t, b.check(t), send.CheckFound, copyAt("urn:1", 1, at), copyAt("urn:2", 1, b.now(t)))
	b.wantStatus(t, first.Send, rule.Sent)
	b.wantStatus(t, second.Send, rule.Sent)
	if n := b.Count(t, `SELECT count(*) FROM deliveries d JOIN sends s ON s.id = d.send_id
		WHERE (d.provider_id, s.ordinal) IN (('urn:1', 1), ('urn:2', 2))`); n != 2 {
		t.Error("a copy was given to the wrong attempt")
	}
	if n := b.Count(t, `SELECT count(*) FROM incidents WHERE kind = 'delivered_twice' AND closed_at IS NULL`); n != 1 {
		t.Errorf("%d incidents, want 1", n)
	}
}

// Two servers that look for checks in the same instant have one conversation looked at once.
func TestTwoServersGiveOneCheckOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.unconfirm(t, "Hello Ada")
	install, session := b.AddInstall(t)
	var given sync.Map
	var all sync.WaitGroup
	for i, asker := range []send.Session{b.session, b.sessionOf(install, session)} {
		all.Go(func() {
			check, err := b.service.NextCheck(t.Context(), asker, b.Account)
			if err != nil {
				t.Error(err)
			} else if check != nil {
				given.Store(i, check)
			}
		})
	}
	all.Wait()
	count := 0
	given.Range(func(any, any) bool { count++; return true })
	if count != 1 {
		t.Errorf("%d checks were given, want 1", count)
	}
}

// While another message of the account is under way nobody looks: its copy might be taken for the unconfirmed one's.
func TestNobodyLooksBesideAStartedSend(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.unconfirm(t, "Hello Ada")
	b.answer(t, b.check(t), send.CheckAbsent)
	b.AddMessage(t, "Hello Alan")
	l := b.lease(t)
	b.start(t, l, attemptTwo)
	b.Advance(t, 2*time.Minute)
	b.wantNoCheck(t)
	b.wantReport(t, b.report(l, attemptTwo, found(), "urn:1"), rule.Sent, "confirmed")
	b.check(t)
}
