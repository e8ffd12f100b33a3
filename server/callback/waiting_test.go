package callback_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/callback"
	"sendonce/server/config"
	"sendonce/server/delivery"
	"sendonce/server/send"
)

// source is a provider of the workspace.
func (w *world) source() callback.Source {
	w.Helper()
	source := callback.Source{ID: uuid.New(), Workspace: w.Workspace, Name: "Mailer"}
	w.Exec(w.T, `INSERT INTO callback_sources (id, workspace_id, name, created_by) VALUES ($1, $2, $3, $4)`, source.ID, w.Workspace, source.Name, w.Principal)
	return source
}

// forget forgets what waited for longer, one fact at a time.
func (w *world) forget(kept time.Duration) (forgot int) {
	w.Helper()
	for {
		n, err := w.store.WaitingForget(w.Context(), kept, 1)
		if err != nil {
			w.Fatal(err)
		}
		if forgot += n; n == 0 {
			return forgot
		}
	}
}

// Goal: what is said about a message that nobody ever comes to know is kept for a time and not for ever, with the ids under which it
// was told; what is known of a message stays, and so does the reply that kept a send back.
func TestWhatIsAboutNoMessageIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.source()
	first := w.AddMessage(t, "Hello Ada")
	lease := w.begin()
	w.confirm(lease, "urn:first")
	w.observe(callback.Observed{Session: w.session, Token: lease.Token, MemberURN: member, PersonURN: person, About: "urn:first", Read: true, LookedAt: w.now()})
	w.observe(callback.Observed{Session: w.session, Token: lease.Token, MemberURN: member, PersonURN: person, About: "urn:nobody's", Read: true, LookedAt: w.now()})
	said := []callback.Event{
		{ID: "evt_1", Kind: delivery.Bounced, ProviderID: "nobody's", At: w.now()},
		{ID: "evt_2", Kind: delivery.Bounced, ProviderID: "urn:first", At: w.now()},
	}
	if taken, err := w.service.Take(t.Context(), source, said); err != nil || taken != (callback.Taken{New: 2, Kept: 1}) {
		t.Fatalf("took %+v, %v", taken, err)
	}
	if _, err := w.store.ReplySeen(t.Context(), send.Reply{Send: first.Send, Install: w.Install, Lease: uuid.New()}); err != nil {
		t.Fatal(err)
	}
	count := func() [2]int {
		return [2]int{w.Count(t, `SELECT count(*) FROM delivery_observations`), w.Count(t, `SELECT count(*) FROM callback_events`)}
	}
	w.Advance(t, config.CallbackJoinWithin-time.Minute)
	if n := w.forget(config.CallbackJoinWithin); n != 0 || count() != [2]int{5, 2} {
		t.Errorf("%d went before their time; kept %v", n, count())
	}
	if _, err := w.store.WaitingForget(t.Context(), 0, 10); err == nil {
		t.Error("the database lets go of what still waits")
	}
	w.Advance(t, 2*time.Minute)
	if n := w.forget(config.CallbackJoinWithin); n != 2 || count() != [2]int{3, 1} {
		t.Errorf("%d went, want the two that are about nothing; kept %v", n, count())
	}
	if taken, err := w.service.Take(t.Context(), source, said); err != nil || taken != (callback.Taken{New: 1, Known: 1, Kept: 1}) {
		t.Errorf("said again, it took %+v, %v", taken, err)
	}
	if e := w.message(first.ID).Reached(); e.State != delivery.Read || e.Bounced == nil {
		t.Errorf("the message came to %+v", e)
	}
}

// Goal: a copy of ours that nobody has recognised is not called written by hand because its text has expired since.
func TestAnExpiredTextIsKnownAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.AddMessage(t, "Hello Ada")
	lease := w.begin()
	w.confirm(lease, "urn:first")
	w.Exec(t, `UPDATE message_versions SET body = '', expired_at = now() WHERE message_id = $1`, first.ID)
	w.observe(callback.Observed{
		Session: w.session, Token: lease.Token, MemberURN: member, PersonURN: person, About: "urn:first", LookedAt: w.now(),
		Later: []callback.Later{
			{Kind: delivery.Manual, ProviderID: "urn:late", At: w.now(), TextDigest: digestOf(first.Body)},
			{Kind: delivery.Manual, ProviderID: "urn:hand", At: w.now(), TextDigest: digestOf("By the way")},
		},
	})
	w.sweep(0)
	w.wantKept(2, 1)
	if diff := cmp.Diff([]string{"urn:hand"}, w.byHand(first.ID)); diff != "" {
		t.Errorf("written by hand (-want +got):\n%s", diff)
	}
}

// Goal: of two rows that are one person, a browser that was sent to one sees what came after the message to the other.
func TestWhatIsSeenOfAMergedPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.AddMessage(t, "Hello Ada")
	w.confirm(w.begin(), "urn:first")
	second := w.AddMessage(t, "Hello again")
	lease := w.begin()
	w.confirm(lease, "urn:second")
	w.Exec(t, `INSERT INTO person_identities (workspace_id, kind, value, person_id) VALUES ($1, 'linkedin_urn', $2, $3)`, w.Workspace, person, first.Person)
	w.Exec(t, `INSERT INTO person_identities (workspace_id, kind, value, person_id) VALUES ($1, 'linkedin_urn', $2, $3)`, w.Workspace, person+"2", second.Person)
	seen := callback.Observed{
		Session: w.session, Token: lease.Token, MemberURN: member, PersonURN: person + "2", About: "urn:first", LookedAt: w.now(),
		Later: []callback.Later{{Kind: delivery.Replied, ProviderID: "urn:reply", At: w.now()}},
	}
	w.observe(seen)
	w.wantKept(1, 0)
	w.Exec(t, `UPDATE people SET merged_into = $1, merged_at = now(), merged_by = $2 WHERE id = $3`, first.Person, w.Principal, second.Person)
	w.sweep(1)
	seen.PersonURN, seen.Later[0].ProviderID = person, "urn:one more"
	w.observe(seen)
	w.wantKept(2, 2)
	if n := w.Count(t, fmt.Sprintf(`SELECT count(*) FROM people WHERE id = '%s' AND replied_at IS NOT NULL`, first.Person)); n != 1 {
		t.Error("the reply is nobody's")
	}
}
