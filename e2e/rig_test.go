package e2e_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/postgres/pgtest"
)

const (
	// patience bounds one whole test, on a busy machine.
	patience = 150 * time.Second
	// browsersAtOnce is what two cores carry without waiting for each other.
	browsersAtOnce = 5
	// cleanUpWithin bounds the last look into a database, after the test.
	cleanUpWithin = 10 * time.Second
	// deadline is the setting of every test; a test that needs it to pass moves the database's clock.
	deadline = 150 * time.Second
)

// windows are the settings of every test. A test waits for the end of one of them only where it says so, so that they
// may be long enough for a busy machine.
var windows = map[string]string{
	"SENDONCE_TOUCH_WITHIN": "60s", "SENDONCE_ANSWER_WITHIN": "30s", "SENDONCE_LOOK_WITHIN": "50s",
	"SENDONCE_DEADLINE": deadline.String(), "SENDONCE_LEASE_LASTS": "40s",
	"SENDONCE_BREAKER_AFTER": "1000", // one account goes through many faults
	"SENDONCE_SWEEP_EVERY":   "500ms", "SENDONCE_POLL_EVERY": "1s",
	"SENDONCE_ALLOW_UNDURABLE_DATABASE": "true", // the tests' Postgres does not wait for the disk
}

var (
	rita  = standin.Person{Slug: "rita-recruiter", Name: "Rita Recruiter"}
	ada   = standin.Person{Slug: "ada-example", Name: "Ada Example", Connected: true}
	ben   = standin.Person{Slug: "jürgen-beispiel", Name: "Jürgen Beispiel", Connected: true}
	chloe = standin.Person{Slug: "chloe-sample", Name: "Chloé Sample", Connected: true}
)

var browserPlaces = newPlaces(browsersAtOnce)

func TestMain(m *testing.M) { pgtest.Main(m) }

// program builds the server once for all tests.
var program = sync.OnceValues(func() (string, error) {
	root, err := harness.Root(context.Background())
	if err != nil {
		return "", err
	}
	return harness.Build(context.Background(), filepath.Join(root, "build", "e2e"))
})

// rig is one test's whole world: a database, the server as a process, the stand-in, and a program that proposes.
type rig struct {
	*testing.T
	ctx      context.Context
	database *harness.Database
	server   *harness.Server
	site     *standin.Server
	api      *harness.API
	account  string
	// approvals are those that were made, by the person's slug: a test that sends one person a second message means it.
	approvals *approvals
	// repeats are the copies beyond the first that the test expects.
	repeats repeats
	// since is what LinkedIn had seen before the test, or the case of one, began.
	since struct{ accesses, clicks int }
}

// world says what a rig is made of.
type world struct {
	browsers int64 // how many the test will start
	protocol standin.Protocol
	within   time.Duration // bounds the whole test
	changed  map[string]string
}

// install is one browser with the extension, paired through a proxy of its own.
type install struct {
	*harness.Browser
	proxy *harness.Proxy
}

// newRig makes a world with a database of the shared Postgres. browsers is how many the test will start.
func newRig(t *testing.T, browsers int64, changed map[string]string) *rig {
	t.Helper()
	return newWorld(t, world{browsers: browsers, within: patience, changed: changed})
}

// newWorld is newRig for a test that needs more than the usual.
func newWorld(t *testing.T, w world) *rig {
	t.Helper()
	browserPlaces.expect(w.takes(t.Name()))
	t.Parallel()
	r := enter(t, w)
	db := pgtest.New(t)
	r.begin(db.AdminURL, db.ServerURL, w)
	return r
}

// newStoppableWorld makes a world whose Postgres is the test's own.
func newStoppableWorld(t *testing.T, w world) (*rig, *harness.Cluster) {
	t.Helper()
	browserPlaces.expect(w.takes(t.Name()))
	t.Parallel()
	r := enter(t, w)
	cluster, err := harness.StartCluster(r.ctx)
	r.must(err)
	t.Cleanup(func() { r.must(cluster.Remove(context.Background())) })
	r.begin(cluster.AdminURL(), cluster.ServerURL(), w)
	return r, cluster
}

func enter(t *testing.T, w world) *rig {
	browserPlaces.enter(w.browsers, w.takes(t.Name()))
	t.Cleanup(func() { browserPlaces.leave(w.browsers) })
	ctx, cancel := context.WithTimeout(t.Context(), w.within)
	t.Cleanup(cancel)
	return &rig{T: t, ctx: ctx, approvals: &approvals{to: map[string][]string{}}}
}

// begin starts the stand-in and the server.
func (r *rig) begin(adminURL, serverURL string, w world) {
	r.Helper()
	var err error
	r.site, err = standin.Start(standin.Options{
		Members: []standin.Person{rita}, People: []standin.Person{ada, ben, chloe}, Seed: 1, Protocol: w.protocol,
	})
	r.must(err)
	r.Cleanup(func() { r.site.Close() })
	r.Cleanup(r.wantsNoOtherCopies)
	r.serve(adminURL, serverURL, w.changed)
}

// serve starts a server on a database that is new to it, and makes Rita's account there.
func (r *rig) serve(adminURL, serverURL string, changed map[string]string) {
	r.Helper()
	database, err := harness.OpenDatabase(r.ctx, adminURL)
	r.must(err)
	r.Cleanup(database.Close)
	path, err := program()
	r.must(err)
	settings := map[string]string{}
	for _, from := range []map[string]string{windows, changed} {
		for name, value := range from {
			settings[name] = value
		}
	}
	server, err := harness.StartServer(r.ctx, harness.ServerOptions{
		Program: path, Data: r.TempDir(), DatabaseURL: serverURL, Settings: settings,
	})
	r.must(err)
	r.Cleanup(func() {
		server.Kill()
		if r.Failed() {
			r.Logf("the server's last words:\n%s", server.Tail())
		}
	})
	token, err := server.Token(r.ctx, "admin")
	r.must(err)
	r.server, r.database, r.api = server, database, &harness.API{URL: server.URL(), Token: token}
	r.account, err = r.api.Account(r.ctx, rita.Slug)
	r.must(err)
	r.Cleanup(func() { r.wantsOneAtATime(database) })
}

// install starts a browser in which Rita is signed in, and pairs it.
func (r *rig) install() *install {
	r.Helper()
	proxy, err := harness.StartProxy(r.server.URL())
	r.must(err)
	r.Cleanup(proxy.Close)
	browser := r.startBrowser(r.TempDir())
	r.Cleanup(func() {
		if r.Failed() {
			r.Logf("frames of an install: %s", proxy.Story())
		}
	})
	r.must(browser.SignIn(r.ctx, rita.Slug))
	in := &install{browser, proxy}
	r.pair(in)
	return in
}

// pair pairs a browser with the server, anew when it was paired before.
func (r *rig) pair(in *install) {
	r.Helper()
	code, err := r.api.PairingCode(r.ctx)
	r.must(err)
	r.must(in.Pair(r.ctx, in.proxy.Address(), code))
}

// startBrowser starts a browser with the extension and a profile, new or of an earlier browser.
func (r *rig) startBrowser(profile string) *harness.Browser {
	r.Helper()
	root, err := harness.Root(r.ctx)
	r.must(err)
	browser, err := harness.StartBrowser(r.ctx, harness.BrowserOptions{
		Extension: filepath.Join(root, "extension"), Profile: profile, ResolverRules: r.site.ResolverRules(),
	})
	r.must(err)
	r.Cleanup(browser.Kill)
	return browser
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// approved proposes and approves a message to a person, with a yes to those that were approved before.
func (r *rig) approved(person standin.Person, body string) harness.Message {
	r.Helper()
	proposed, err := r.api.Propose(r.ctx, r.account, person.Slug, body)
	r.must(err)
	approved, err := r.api.Approve(r.ctx, proposed, r.approvals.add(person.Slug, proposed.ID)...)
	r.must(err)
	return approved
}

type approvals struct {
	mu sync.Mutex
	to map[string][]string
}

// add remembers a message and returns those to the same person that came before.
func (a *approvals) add(slug, id string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.to[slug]
	a.to[slug] = append(slices.Clone(before), id)
	return before
}

// profileID is a person's id on the stand-in.
func (r *rig) profileID(person standin.Person) string {
	r.Helper()
	found, err := r.site.Person(person.Slug)
	r.must(err)
	return found.ID
}

// fault sets what happens to delivery requests to a person.
func (r *rig) fault(person standin.Person, fault standin.Fault) {
	r.Helper()
	r.must(r.site.Fault(standin.FaultMatch{RecipientID: r.profileID(person)}, fault))
}

// passDeadline moves the database's clock past the deadline of everything that has started.
func (r *rig) passDeadline() {
	r.Helper()
	r.must(r.database.Advance(r.ctx, deadline))
}
