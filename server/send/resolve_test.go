package send_test

import (
	"strings"
	"testing"
	"time"

	"sendonce/server/send"
)

const adaURN = "urn:li:fsd_profile:ACoAAAda0000000000000000000000000000000"

func (b *bundle) seen(l *send.Lease) send.Resolved {
	return send.Resolved{
		Session: b.session, LeaseToken: l.Token, Attempt: attemptOne, PersonURN: adaURN, Name: "Ada Example", Connected: true, Participants: 1,
	}
}

// A page that belongs to a person who is known by its address alone is theirs, whoever the send is to: that person may
// have replied, or must not be contacted.
func TestAnAddressThatIsSomebodyElsesHalts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	other := b.AddMessage(t, "Hello Alan")
	l := b.lease(t)
	if l.Person.ID == other.Person {
		t.Fatal("the queue is out of order")
	}
	b.start(t, l, attemptOne)
	theirs := strings.ToUpper("ada-" + other.Person.String())
	for _, c := range []struct{ slug, want string }{{theirs, send.HaltWrongPerson}, {l.Person.Slug, ""}, {"", ""}, {"new-name", ""}} {
		seen := b.seen(l)
		seen.Slug = c.slug
		if halt, err := b.service.Resolve(t.Context(), seen); err != nil || halt != c.want {
			t.Errorf("slug %q: %q, %v; want %q", c.slug, halt, err, c.want)
		}
	}
}

// A browser that was revoked after its start, or lost its grant, is told to stop before it acts: its socket may live on
// for a moment, and on another server for longer.
func TestWhoMayNoLongerSendHalts(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]string{
		"revoked":  `UPDATE installs SET revoked_at = now(), revoked_code = 'by_person'`,
		"no grant": `WITH gone AS (DELETE FROM account_grants) UPDATE principals SET role = 'recruiter'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.AddMessage(t, "Hello Ada")
			l := b.lease(t)
			b.start(t, l, attemptOne)
			b.Exec(t, take)
			if halt, err := b.service.Resolve(t.Context(), b.seen(l)); err != nil || halt != send.HaltHalted {
				t.Errorf("resolve: %q, %v; want %q", halt, err, send.HaltHalted)
			}
		})
	}
}

// Somebody else is pinned to the profile in the instant between the look and the pin.
func TestAProfileThatIsPinnedMeanwhileHalts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.AddMessage(t, "Hello Ada")
	l := b.lease(t)
	b.start(t, l, attemptOne)
	other := b.AddMessage(t, "Hello Alan")
	pin, err := b.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pin.Exec(t.Context(), `INSERT INTO person_identities (workspace_id, kind, value, person_id) VALUES ($1, 'linkedin_urn', $2, $3)`,
		b.Workspace, adaURN, other.Person); err != nil {
		t.Fatal(err)
	}
	halts := make(chan string, 1)
	go func() {
		halt, err := b.service.Resolve(t.Context(), b.seen(l))
		if err != nil {
			t.Error(err)
		}
		halts <- halt
	}()
	b.waitForLocks(t, 1)
	if err := pin.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if halt := <-halts; halt != send.HaltWrongPerson {
		t.Errorf("resolve: %q, want %q", halt, send.HaltWrongPerson)
	}
}

// waitForLocks returns when that many connections wait for a lock.
func (b *bundle) waitForLocks(t *testing.T, least int) {
	t.Helper()
	waiting := `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	for until := time.Now().Add(4 * time.Second); b.Count(t, waiting) < least; {
		if time.Now().After(until) {
			t.Fatalf("fewer than %d wait for a lock", least)
		}
	}
}
