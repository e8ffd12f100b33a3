package sim

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"sendonce/server/access"
	"sendonce/server/postgres"
	"sendonce/server/postgres/pgtest"
	"sendonce/server/rule"
)

// Options say what a world is made of.
type Options struct {
	Seed   uint64
	Events int // with faults; then a quiet end follows
}

// Result is what became of a world.
type Result struct {
	Seed   uint64
	Broken []string // the promises that were broken; empty when all were kept
	Events int
	Seen   map[string]int // how often each rare thing was seen
	Story  []string       // the last lines of the timeline
	Told   uint64         // of the whole timeline: the same life has the same
	Counts Counts
}

// Counts are a world's figures.
type Counts struct{ Messages, Sends, Clicks, Copies, BrowserCopies, Duplicates int }

// Template is the database of a world: Sendonce's schema, and a clock that the world sets.
func Template() (pgtest.Template, error) {
	fingerprint, err := postgres.Fingerprint()
	if err != nil {
		return pgtest.Template{}, err
	}
	return pgtest.Template{Fingerprint: fmt.Sprintf("%ssimulated%d", fingerprint, unseenFor.Milliseconds()), Migrate: func(ctx context.Context, adminURL string) error {
		if err := postgres.Migrate(ctx, adminURL, postgres.ServerRole, ""); err != nil {
			return err
		}
		times := postgres.QuietTimes{Grace: settings.Grace, Unseen: unseenFor}
		if err := postgres.SetQuietTimes(ctx, adminURL, "linkedin", times); err != nil {
			return err
		}
		conn, err := pgx.Connect(ctx, adminURL)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		if _, err = conn.Exec(ctx, simulatedClock); err != nil {
			return err
		}
		return pgtest.LiftLimits(ctx, adminURL)
	}}, nil
}

const simulatedClock = `
CREATE TABLE sim_clock (at timestamptz NOT NULL);
INSERT INTO sim_clock VALUES (now());
GRANT SELECT ON sim_clock TO PUBLIC;
CREATE OR REPLACE FUNCTION sendonce_now() RETURNS timestamptz LANGUAGE plpgsql VOLATILE PARALLEL RESTRICTED
AS $$ BEGIN RETURN (SELECT at FROM public.sim_clock); END $$;`

// Run lives through one world.
func Run(t *testing.T, scripts *Scripts, o Options) (result Result) {
	template, err := Template()
	if err != nil {
		t.Fatal(err)
	}
	db := pgtest.Clone(t, template)
	keys := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(worldBegins)
		w := &World{
			t: t, rng: rand.New(rand.NewPCG(o.Seed, o.Seed)), seen: map[string]int{}, acked: map[string]int{}, scripts: scripts,
			urls: databaseURLs{db.AdminURL, db.ServerURL}, keys: keys, notices: &later{}, told: fnv.New64a(),
		}
		var stop context.CancelFunc
		w.ctx, stop = context.WithCancel(context.Background())
		t.Cleanup(func() { w.close(stop) })
		if w.chance(pacedShare) {
			time.Sleep(time.Until(clocksForward()))
			w.paced = w.newPace()
		}
		w.mood = moods()[w.rng.IntN(len(moods()))]
		w.tell("in this world %s", w.mood.name)
		w.begin(o.Seed)
		w.faults = true
		for w.events < o.Events && w.step() {
		}
		w.calm()
		w.end()
		result = w.result(o.Seed)
	})
	return result
}

// begin makes the people, their accounts and browsers, and starts everything.
func (w *World) begin(seed uint64) {
	var err error
	w.owner, err = pgx.Connect(w.ctx, w.urls.admin)
	w.must(err)
	w.clock.conn, err = pgx.Connect(w.ctx, w.urls.admin)
	w.must(err)
	w.setClock(time.Now())
	w.site = &site{w: w}
	for i, name := range []string{"rita", "omar"} {
		w.site.members = append(w.site.members, &member{fmt.Sprintf("ACoAAM%033d", i), name, "Recruiter " + name})
	}
	for i, name := range []string{"ada", "ben", "chloe", "dora"} {
		w.site.persons = append(w.site.persons, &person{fmt.Sprintf("ACoAAP%033d", i), name, "Example " + name, name != "dora" || w.chance(0.8)})
	}
	for i := range 1 + w.rng.IntN(2) {
		w.servers = append(w.servers, &server{w: w, name: fmt.Sprintf("server %d", i+1)})
	}
	for _, s := range w.servers {
		s.start()
	}
	w.settle()
	w.people = &people{w: w, accounts: map[*member]string{}, paused: map[scope]int{}, marked: map[*person]mark{}}
	store := w.servers[0].store
	w.people.token, err = access.NewService(store).CreateToken(w.ctx, access.Admin, "")
	w.must(err)
	for _, m := range w.site.members {
		var made struct{ ID string }
		w.people.ask("POST", "/v1/accounts", map[string]any{"channel": "linkedin", "handle": origin + "/in/" + m.slug}, &made)
		w.people.accounts[m] = made.ID
	}
	w.people.setPace()
	w.people.setLimit()
	w.people.setSteps(seed)
	w.provider, w.follower = w.newProvider(), w.newFollower()
	for i, m := range []int{0, 0, 1} {
		b := w.newBrowser(fmt.Sprintf("browser %d", i+1), w.site.members[m])
		b.start()
		w.pair(b)
	}
}

// pair has a browser paired, as a recruiter does it in the options.
func (w *World) pair(b *browser) {
	var made struct{ Code string }
	w.people.ask("POST", "/v1/pairing-codes", map[string]any{}, &made)
	w.later(time.Second, b.name, "is paired", func() {
		b.command(map[string]string{"what": "pair", "address": "http://127.0.0.1:8080", "code": made.Code})
	})
}

// end lives on without faults until everything has had the time to come to rest.
func (w *World) end() {
	for _, s := range w.servers {
		if s.stop == nil && !w.willStart(s) {
			s.start()
		}
	}
	until := time.Now().Add(quietFor)
	for time.Now().Before(until) && w.step() {
	}
	// A browser may have come back to its work in the last moment: it has the time to end it.
	until = until.Add(restWithin)
	for time.Now().Before(until) && w.isUnderWay() && w.step() {
	}
	w.pairAgain()
	w.finally()
}

// pairAgain has people pair the browsers anew that were unpaired when nobody looked any more: they still owe a word.
func (w *World) pairAgain() {
	if !slices.ContainsFunc(w.browsers, func(b *browser) bool { return len(b.openEntries()) > 0 }) {
		return
	}
	w.people.letGoOn()
	until := time.Now().Add(restWithin)
	for time.Now().Before(until) && w.step() {
	}
}

// isUnderWay says whether a send has a holder, or had one a moment ago, of which its browser has yet to hear, or waits for nothing but a
// browser that is free.
func (w *World) isUnderWay() (is bool) {
	var free []string
	for m, account := range w.people.accounts {
		if w.hasFreeBrowser(m) {
			free = append(free, account)
		}
	}
	w.must(w.owner.QueryRow(w.ctx, `SELECT EXISTS (SELECT FROM sends WHERE status IN ($1, $2) OR ended_at > sendonce_now() - interval '1 minute'
		OR status = $3 AND waiting_for IS NULL AND account_id::text = ANY ($4)
			AND (SELECT p.because FROM account_pace(account_id, sendonce_now()) p) = '')`,
		string(rule.Leased), string(rule.Started), string(rule.Queued), free).Scan(&is))
	return is
}

func (w *World) willStart(s *server) bool {
	for _, e := range w.pending {
		if e.queue == s.name && e.what == "is started again" {
			return true
		}
	}
	return false
}

// close ends everything in the bubble.
func (w *World) close(stop context.CancelFunc) {
	for _, b := range w.browsers {
		for len(b.links) > 0 {
			b.links[0].drop(false)
		}
	}
	for _, s := range w.servers {
		s.close()
	}
	stop()
	w.must(w.owner.Close(context.Background()))
	w.must(w.clock.conn.Close(context.Background()))
	time.Sleep(time.Hour) // whatever still waited for a time has it
}

func (w *World) must(err error) {
	if err != nil {
		w.t.Helper()
		w.t.Fatal(err)
	}
}
