package callback_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/callback"
	"sendonce/server/config"
	"sendonce/server/delivery"
	"sendonce/server/message"
	"sendonce/server/send"
)

// delivered puts a copy of a send into the database as a late confirmation would.
const delivered = `WITH made AS (INSERT INTO deliveries (workspace_id, account_id, provider_id, message_id, send_id)
	SELECT workspace_id, account_id, $2, message_id, id FROM sends WHERE id = $1 RETURNING id, send_id)
	INSERT INTO delivery_sends (delivery_id, send_id) SELECT id, send_id FROM made`

func digestOf(text string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) }

// Goal: what browsers see after a message is kept once each, whoever sees it and however often, counts for that message, calls off
// what waits for a person who has replied, and moves nothing else.
func TestWhatBrowsersSee(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.AddMessage(t, "Hello Ada")
	lease := w.begin()
	w.confirm(lease, "urn:first")
	elsewhere := w.AddAccount(t, "olga-other")
	follow, third := w.AddMessageTo(t, first.Person, elsewhere, "Hello again"), w.AddMessageTo(t, first.Person, w.Account, "And again")
	moves := w.Count(t, `SELECT count(*) FROM send_events`)
	at := w.now()
	seen := callback.Observed{
		Session: w.session, Token: lease.Token, MemberURN: member, PersonURN: person, About: "urn:first", Read: true, LookedAt: at.Add(time.Hour),
		Later: []callback.Later{{Kind: delivery.Replied, ProviderID: "urn:reply", At: at}, {Kind: delivery.Manual, ProviderID: "urn:hand", At: at, TextDigest: digestOf("By the way")}},
	}
	w.observe(seen)
	w.observe(seen)
	seen.Session = w.sessionOf(w.AddInstall(t)) // another browser of that recruiter, later, in another order
	slices.Reverse(seen.Later)
	seen.LookedAt = at.Add(-time.Minute)
	w.observe(seen)
	w.wantKept(3, 3)
	m := w.message(first.ID)
	copied := m.Sends[0].Deliveries[0].Reached
	for what, e := range map[string]delivery.Evidence{"message": m.Reached(), "copy": copied} {
		if e.State != delivery.Replied || !e.At.Equal(at.UTC()) || !e.ByHandAt.Equal(at.UTC()) {
			t.Errorf("the %s came to %+v, want a reply and a message by hand at %s", what, e, at)
		}
	}
	lines := 0
	for _, e := range m.History {
		if e.What == message.WasObserved {
			lines++
		}
	}
	read := m.Observed[slices.IndexFunc(m.Observed, func(o delivery.Observation) bool { return o.Kind == delivery.Read })]
	if lines != 3 || read.At.After(w.now()) {
		t.Errorf("%d lines of history, want one for each fact; read at %s by a clock that is ahead", lines, read.At)
	}
	if got := w.Status(t, follow.Send); got != "canceled" || w.woken.accounts[elsewhere] == 0 {
		t.Errorf("what waited for a person who has replied is %s", got)
	}
	if n := w.Count(t, `SELECT count(*) FROM send_events`); n != moves+2 {
		t.Errorf("%d moves, want the two cancels", n-moves)
	}

	// What comes before the report is joined by the sweep. Of two messages that look written by hand one has the words of an attempt.
	second := w.AddMessageTo(t, first.Person, w.Account, "One more word")
	lease = w.begin()
	early := callback.Observed{Session: w.session, Token: lease.Token, MemberURN: member, PersonURN: person, LookedAt: at}
	early.About, early.Read = "urn:second", true
	w.observe(early)
	early.About, early.Read = "urn:first", false
	early.Later = []callback.Later{
		{Kind: delivery.Manual, ProviderID: "urn:late", At: w.now(), TextDigest: digestOf(second.Body)},
		{Kind: delivery.Manual, ProviderID: "urn:perhaps", At: w.now(), TextDigest: digestOf("Call me")},
	}
	w.observe(early)
	w.wantKept(6, 4)
	w.confirm(lease, "urn:second")
	w.sweep(1)
	w.sweep(0)
	w.wantKept(6, 5)
	if diff := cmp.Diff([]string{"urn:hand", "urn:perhaps"}, w.byHand(first.ID)); diff != "" {
		t.Errorf("written by hand (-want +got):\n%s", diff)
	}
	if e := w.message(second.ID).Reached(); e.State != delivery.Read {
		t.Errorf("the second message came to %+v, want read", e)
	}
	// A copy that is recognised late was never written by hand.
	w.Exec(t, delivered, second.Send, "urn:perhaps")
	if diff := cmp.Diff([]string{"urn:hand"}, w.byHand(first.ID)); diff != "" {
		t.Errorf("written by hand (-want +got):\n%s", diff)
	}
	// Another account's copy is not its browser's to speak of, and one to another person not of this conversation.
	stranger := w.AddMessage(t, "Hello Ben")
	w.Exec(t, delivered, follow.Send, "urn:elsewhere")
	w.Exec(t, delivered, stranger.Send, "urn:stranger")
	early.Later = []callback.Later{{Kind: delivery.Replied, ProviderID: "urn:answer", At: w.now()}}
	for _, early.About = range []string{"urn:elsewhere", "urn:stranger"} {
		w.observe(early)
	}
	w.sweep(0)
	w.wantKept(8, 5)
	if n := w.Count(t, `SELECT count(*) FROM people WHERE id = $1 AND replied_at IS NOT NULL`, stranger.Person); n != 0 {
		t.Error("the reply of one person is another's")
	}
	// Whatever is seen after a copy, its send stays what it is.
	w.Exec(t, delivered, third.Send, "urn:third")
	early.About = "urn:third"
	w.observe(early)
	w.wantKept(9, 6)
	if got := w.Status(t, third.Send); got != "canceled" {
		t.Errorf("a reply has made a send %s, want it to stay canceled", got)
	}
}

// A browser speaks of its own principal's accounts, as their member, and of the person whom it was sent to. Nothing else that it
// says is kept, and no more than so much that is about nothing.
func TestABrowserSpeaksOfItsOwnConversationsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.AddMessage(t, "Hello Ada")
	lease := w.begin()
	w.confirm(lease, "urn:first")
	w.Exec(t, `INSERT INTO person_identities (workspace_id, kind, value, person_id) VALUES ($1, 'linkedin_urn', $2, $3)`, w.Workspace, person, first.Person)
	var stranger uuid.UUID
	if err := w.Pool.QueryRow(t.Context(), `WITH other AS (INSERT INTO principals (workspace_id, role, name) VALUES ($1, 'recruiter', 'Olga Other') RETURNING id)
		INSERT INTO installs (workspace_id, principal_id, secret_hash) SELECT $1, id, '\x01' FROM other RETURNING id`, w.Workspace).Scan(&stranger); err != nil {
		t.Fatal(err)
	}
	sign := func(of, install uuid.UUID) string {
		token, err := w.tokens.Sign(send.LeaseClaims{Send: of, Lease: uuid.New(), Install: install, Account: w.Account, Workspace: w.Workspace})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	good := callback.Observed{
		Session: w.session, Token: lease.Token, MemberURN: member, PersonURN: person, About: "urn:first", LookedAt: w.now(),
		Later: []callback.Later{{Kind: delivery.Replied, ProviderID: "urn:reply", At: w.now()}},
	}
	for name, c := range map[string]struct {
		change func(o *callback.Observed)
		want   error
	}{
		"a token that nobody issued": {func(o *callback.Observed) { o.Token = "made-up" }, send.ErrBadLease},
		"another user's lease":       {func(o *callback.Observed) { o.Session.Install = stranger }, send.ErrForeignLease},
		"another member":             {func(o *callback.Observed) { o.MemberURN = person }, callback.ErrNotTheirs},
		"another person":             {func(o *callback.Observed) { o.PersonURN = member }, callback.ErrNotTheirs},
		"a send that was forgotten":  {func(o *callback.Observed) { o.Token = sign(uuid.New(), w.Install) }, callback.ErrNotTheirs},
		"an account that was taken away": {func(o *callback.Observed) {
			o.Session.Install, o.Token = stranger, sign(first.Send, stranger)
		}, callback.ErrNotTheirs},
	} {
		o := good
		c.change(&o)
		if err := w.service.Observe(t.Context(), o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	w.wantKept(0, 0)
	w.Exec(t, `INSERT INTO delivery_observations (workspace_id, install_id, account_id, kind, provider_id, at, said_hash)
		SELECT $1, $2, $3, 'read', 'urn:' || n, sendonce_now(), sha256(n::text::bytea) FROM generate_series(1, $4::int) n`,
		w.Workspace, w.Install, w.Account, config.ObservedWaitingMax)
	w.observe(good)
	w.wantKept(config.ObservedWaitingMax, 0)
	good.Session = w.sessionOf(w.AddInstall(t))
	w.observe(good)
	w.wantKept(config.ObservedWaitingMax+1, 1)
	w.Exec(t, `INSERT INTO delivery_observations (workspace_id, install_id, account_id, kind, provider_id, seen_id, at, said_hash, message_id)
		SELECT $1, $2, $3, 'replied', 'urn:first', 'urn:' || n, sendonce_now(), sha256(('again ' || n)::bytea), $4 FROM generate_series(1, $5::int) n`,
		w.Workspace, w.Install, w.Account, first.ID, config.ObservedPerCopyMax-2)
	for n := range 3 {
		good.Later[0].ProviderID = fmt.Sprintf("urn:one more %d", n)
		w.observe(good)
	}
	w.wantKept(config.ObservedWaitingMax+config.ObservedPerCopyMax, config.ObservedPerCopyMax)
}
