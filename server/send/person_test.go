package send_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/postgres/pgtest"
	"sendonce/server/rule"
	"sendonce/server/send"
)

// notContacted is said of the workspace's, by its admin.
func (b *bundle) notContacted(t *testing.T, scope, value string) {
	t.Helper()
	b.Exec(t, `INSERT INTO suppressions (id, workspace_id, scope, value, why, set_by) VALUES (gen_random_uuid(), $1, $2, $3, '', $4)`,
		b.Workspace, scope, value, b.Principal)
}

// colleague is another recruiter with an account of their own.
func (b *bundle) colleague(t *testing.T) (principal, account uuid.UUID) {
	t.Helper()
	principal = uuid.New()
	b.Exec(t, `INSERT INTO principals (id, workspace_id, role, name) VALUES ($1, $2, 'recruiter', 'Carl Colleague')`, principal, b.Workspace)
	account = b.AddAccount(t, "carl-"+principal.String()[:8])
	b.Exec(t, `UPDATE accounts SET created_by = $1 WHERE id = $2`, principal, account)
	return principal, account
}

// begun is a message to the person whose sending has begun from that account.
func (b *bundle) begun(t *testing.T, to, account uuid.UUID, body string) pgtest.Message {
	t.Helper()
	m := b.AddMessageTo(t, to, account, body)
	b.Exec(t, `UPDATE sends SET status = 'leased', lease_token = gen_random_uuid(), lease_holder = $2, lease_expires_at = sendonce_now() + interval '1 minute' WHERE id = $1`,
		m.Send, b.Install)
	b.Exec(t, `UPDATE sends SET status = 'started', attempt = $2, sender_version = '1.0.0', deadline_at = sendonce_now() + interval '6 minutes' WHERE id = $1`,
		m.Send, "attempt-"+m.Send.String())
	return m
}

// merge makes gone the same person as kept, who have nothing under way.
func (b *bundle) merge(t *testing.T, kept, gone uuid.UUID) {
	t.Helper()
	b.Exec(t, `UPDATE people SET merged_into = $1, merged_at = now(), merged_by = $3 WHERE id = $2`, kept, gone, b.Principal)
}

func (b *bundle) policy(t *testing.T, colleagueDays, personMost, personDays int) {
	t.Helper()
	b.Exec(t, `INSERT INTO policies (workspace_id, number, approvers, approval_lasts, cool_off_days, auto_approve, colleague_days, person_most, person_days, set_by)
		SELECT $1, coalesce(max(number), 0) + 1, 'any', interval '7 days', 30, '[]', $2, $3, $4, $5 FROM policies WHERE workspace_id = $1`,
		b.Workspace, colleagueDays, personMost, personDays, b.Principal)
}

// Goal: whatever is said of a person, of an address, a domain or a company of theirs, and whatever claim a colleague has, between the
// lease and the start, the start's transaction hears it; what is about somebody else stops nothing.
func TestAStartHearsWhoMayBeWrittenTo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		move func(*testing.T, *bundle, pgtest.Message)
		want rule.Refusal // or Allow
		then rule.Status
	}{
		"the person": {func(t *testing.T, b *bundle, m pgtest.Message) { b.notContacted(t, "person", m.Person.String()) }, rule.Suppressed, rule.Canceled},
		"their profile": {func(t *testing.T, b *bundle, m pgtest.Message) {
			b.notContacted(t, "linkedin_slug", "ada-"+m.Person.String())
		}, rule.Suppressed, rule.Canceled},
		"their address":         {func(t *testing.T, b *bundle, m pgtest.Message) { b.notContacted(t, "email", "ada@mail.example.com") }, rule.Suppressed, rule.Canceled},
		"their domain":          {func(t *testing.T, b *bundle, m pgtest.Message) { b.notContacted(t, "email_domain", "mail.example.com") }, rule.Suppressed, rule.Canceled},
		"the domain above":      {func(t *testing.T, b *bundle, m pgtest.Message) { b.notContacted(t, "email_domain", "example.com") }, rule.Suppressed, rule.Canceled},
		"their company":         {func(t *testing.T, b *bundle, m pgtest.Message) { b.notContacted(t, "company", "acme") }, rule.Suppressed, rule.Canceled},
		"another address":       {func(t *testing.T, b *bundle, m pgtest.Message) { b.notContacted(t, "email", "bea@mail.example.com") }, rule.Allow, rule.Started},
		"a domain that ends so": {func(t *testing.T, b *bundle, m pgtest.Message) { b.notContacted(t, "email_domain", "ail.example.com") }, rule.Allow, rule.Started},
		"a longer domain": {func(t *testing.T, b *bundle, m pgtest.Message) {
			b.notContacted(t, "email_domain", "x.mail.example.com")
		}, rule.Allow, rule.Started},
		"another company": {func(t *testing.T, b *bundle, m pgtest.Message) { b.notContacted(t, "company", "acme inc") }, rule.Allow, rule.Started},
		"lifted again": {func(t *testing.T, b *bundle, m pgtest.Message) {
			b.notContacted(t, "person", m.Person.String())
			b.notContacted(t, "company", "acme")
			b.Exec(t, `UPDATE suppressions SET lifted_at = now(), lifted_by = $1, lifted_why = 'they asked'`, b.Principal)
		}, rule.Allow, rule.Started},
		"lifted but for one": {func(t *testing.T, b *bundle, m pgtest.Message) {
			b.notContacted(t, "person", m.Person.String())
			b.notContacted(t, "company", "acme")
			b.Exec(t, `UPDATE suppressions SET lifted_at = now(), lifted_by = $1, lifted_why = 'they asked' WHERE scope = 'person'`, b.Principal)
		}, rule.Suppressed, rule.Canceled},

		"a colleague's person": {func(t *testing.T, b *bundle, m pgtest.Message) {
			colleague, _ := b.colleague(t)
			b.Exec(t, `UPDATE people SET owner_id = $1 WHERE id = $2`, colleague, m.Person)
		}, rule.OwnedByColleague, rule.Canceled},
		"one's own person": {func(t *testing.T, b *bundle, m pgtest.Message) {
			b.Exec(t, `UPDATE people SET owner_id = $1 WHERE id = $2`, b.Principal, m.Person)
		}, rule.Allow, rule.Started},
		"the person of one who was granted the account": {func(t *testing.T, b *bundle, m pgtest.Message) {
			colleague, _ := b.colleague(t)
			b.Exec(t, `INSERT INTO account_grants (account_id, principal_id) VALUES ($1, $2)`, b.Account, colleague)
			b.Exec(t, `UPDATE people SET owner_id = $1 WHERE id = $2`, colleague, m.Person)
		}, rule.Allow, rule.Started},
		"a colleague wrote": {func(t *testing.T, b *bundle, m pgtest.Message) {
			_, account := b.colleague(t)
			b.begun(t, m.Person, account, "Good day")
		}, rule.OwnedByColleague, rule.Canceled},
		"a colleague only means to": {func(t *testing.T, b *bundle, m pgtest.Message) {
			_, account := b.colleague(t)
			b.AddMessageTo(t, m.Person, account, "Good day")
		}, rule.Allow, rule.Started},
		"a colleague wrote, and the team does not mind": {func(t *testing.T, b *bundle, m pgtest.Message) {
			_, account := b.colleague(t)
			b.begun(t, m.Person, account, "Good day")
			b.policy(t, 0, 0, 7)
		}, rule.Allow, rule.Started},
		"oneself wrote, from another account": {func(t *testing.T, b *bundle, m pgtest.Message) {
			b.begun(t, m.Person, b.AddAccount(t, "rita-too"), "Good day")
		}, rule.Allow, rule.Started},

		"as often as they may": {func(t *testing.T, b *bundle, m pgtest.Message) {
			b.policy(t, 30, 1, 7)
			b.begun(t, m.Person, b.AddAccount(t, "rita-too"), "Good day")
		}, rule.PersonLimit, rule.Queued},
		"not yet as often": {func(t *testing.T, b *bundle, m pgtest.Message) {
			b.policy(t, 30, 2, 7)
			b.begun(t, m.Person, b.AddAccount(t, "rita-too"), "Good day")
		}, rule.Allow, rule.Started},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			m := b.AddMessage(t, "Hello Ada")
			b.Exec(t, `INSERT INTO person_identities (workspace_id, kind, value, person_id) VALUES ($1, 'email', 'ada@mail.example.com', $2)`, b.Workspace, m.Person)
			b.Exec(t, `UPDATE people SET company = 'Acme', company_key = 'acme' WHERE id = $1`, m.Person)
			l := b.lease(t)
			c.move(t, b, m)
			if c.want == rule.Allow {
				b.start(t, l, attemptOne)
			} else {
				b.wantRefused(t, b.ask(l, attemptOne), c.want)
			}
			b.wantStatus(t, m.Send, c.then)
		})
	}
}

// Goal: what waits because a person was written to as often as they may says so, and is due again by itself, to the moment.
func TestAPersonLimitEndsByItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.policy(t, 30, 1, 3)
	first := b.AddMessage(t, "Hello Ada")
	if err := deliver(t.Context(), b.service, b.session, b.lease(t)); err != nil {
		t.Fatal(err)
	}
	second := b.AddMessageTo(t, first.Person, b.Account, "Good day")
	for _, wait := range []time.Duration{0, 3*24*time.Hour - 10*time.Minute} {
		b.Advance(t, wait)
		if l, err := b.service.Lease(t.Context(), b.session, b.Account); err != nil || l != nil {
			t.Fatalf("after %v: leased %v, %v", wait, l, err)
		}
		if n := b.Count(t, `SELECT count(*) FROM sends WHERE id = $1 AND status = 'queued' AND waiting_for = 'person_limit'
			AND due_at = (SELECT started_at + interval '3 days' FROM sends WHERE id = $2)`, second.Send, first.Send); n != 1 {
			t.Errorf("after %v: it does not say what it waits for, and how long", wait)
		}
	}
	b.Advance(t, 10*time.Minute)
	if err := deliver(t.Context(), b.service, b.session, b.lease(t)); err != nil {
		t.Error(err)
	}
	b.wantStatus(t, second.Send, rule.Sent)
}

// Goal: what counts for a person counts whichever of their rows a message names.
func TestMergedRowsAreOnePerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		move func(t *testing.T, b *bundle, kept uuid.UUID)
		want rule.Refusal
		then rule.Status
	}{
		"a mark": {func(t *testing.T, b *bundle, kept uuid.UUID) { b.notContacted(t, "person", kept.String()) }, rule.Suppressed, rule.Canceled},
		"a mark of address": {func(t *testing.T, b *bundle, kept uuid.UUID) {
			b.notContacted(t, "linkedin_slug", "ada-"+kept.String())
		}, rule.Suppressed, rule.Canceled},
		"a reply": {func(t *testing.T, b *bundle, kept uuid.UUID) {
			b.Exec(t, `UPDATE people SET replied_at = sendonce_now() WHERE id = $1`, kept)
		}, rule.Replied, rule.Canceled},
		"the same text": {func(t *testing.T, b *bundle, kept uuid.UUID) {
			b.begun(t, kept, b.AddAccount(t, "rita-too"), "Hello Ada")
		}, rule.MayHaveReached, rule.Queued},
		"a limit": {func(t *testing.T, b *bundle, kept uuid.UUID) {
			b.policy(t, 30, 1, 7)
			b.begun(t, kept, b.AddAccount(t, "rita-too"), "Good day")
		}, rule.PersonLimit, rule.Queued},
		"a colleague": {func(t *testing.T, b *bundle, kept uuid.UUID) {
			_, account := b.colleague(t)
			b.begun(t, kept, account, "Good day")
		}, rule.OwnedByColleague, rule.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			kept, gone := b.AddMessage(t, "Kept"), b.AddMessage(t, "Gone")
			b.Exec(t, `UPDATE sends SET status = 'canceled', code = 'withdrawn'`)
			b.merge(t, kept.Person, gone.Person)
			m := b.AddMessageTo(t, gone.Person, b.Account, "Hello Ada")
			l := b.lease(t)
			c.move(t, b, kept.Person)
			b.wantRefused(t, b.ask(l, attemptOne), c.want)
			b.wantStatus(t, m.Send, c.then)
		})
	}
}

// Goal: two sends to two rows of one person meet at one lock: of the same text exactly one begins.
func TestTwoRowsOfOnePersonMeet(t *testing.T) {
	t.Parallel()
	b := setup(t)
	kept, gone := b.AddMessage(t, "Kept"), b.AddMessage(t, "Gone")
	b.Exec(t, `UPDATE sends SET status = 'canceled', code = 'withdrawn'`)
	b.merge(t, kept.Person, gone.Person)
	other := b.AddAccount(t, "rita-too")
	for round := range 20 {
		text := fmt.Sprintf("Hello %d", round)
		b.AddMessageTo(t, kept.Person, b.Account, text)
		b.AddMessageTo(t, gone.Person, other, text)
		var both sync.WaitGroup
		began, leases := make([]bool, 2), make([]*send.Lease, 2)
		for i, account := range []uuid.UUID{b.Account, other} {
			l, err := b.service.Lease(t.Context(), b.session, account)
			if err != nil || l == nil {
				t.Fatalf("round %d: lease: %v, %v", round, l, err)
			}
			leases[i] = l
		}
		for i, l := range leases {
			both.Go(func() {
				_, err := b.service.Start(t.Context(), b.ask(l, fmt.Sprintf("attempt-%d-of-%d-000", i, round)))
				began[i] = err == nil
			})
		}
		both.Wait()
		if began[0] == began[1] {
			t.Errorf("round %d: began %v, want one", round, began)
		}
		for i, l := range leases {
			if began[i] {
				b.wantReport(t, b.report(l, fmt.Sprintf("attempt-%d-of-%d-000", i, round), found(), "urn:"+l.Send.String()), rule.Sent, "confirmed")
			}
		}
		b.Exec(t, `UPDATE sends SET status = 'canceled', code = 'withdrawn' WHERE status = 'queued'`)
	}
	b.wantNoDeadlock(t)
}

// Goal: an attempt halts before it writes when the profile that its page shows proves to be one that must not be contacted: until then
// nobody knew that it is theirs.
func TestAShownProfileThatMustNotBeContactedHalts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ scope, value, want string }{
		"its id":            {"linkedin_urn", adaURN, send.HaltHalted},
		"its address":       {"linkedin_slug", "ada-renamed", send.HaltHalted},
		"another's id":      {"linkedin_urn", strings.Replace(adaURN, "Ada", "Eve", 1), ""},
		"another's address": {"linkedin_slug", "ada-renamed-2", ""},
		"a mail address":    {"email", "ada-renamed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.AddMessage(t, "Hello Ada")
			l := b.lease(t)
			b.start(t, l, attemptOne)
			b.notContacted(t, c.scope, c.value)
			seen := b.seen(l)
			seen.Slug = "ada-renamed"
			if halt, err := b.service.Resolve(t.Context(), seen); err != nil || halt != c.want {
				t.Errorf("%q, %v; want %q", halt, err, c.want)
			}
		})
	}
}
