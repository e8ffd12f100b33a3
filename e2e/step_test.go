package e2e_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// struck is one attempt that a test strikes at an exact step: its person, the message to them, and the browser.
type struck struct {
	*rig
	in     *install
	person standin.Person
	m      harness.Message
	// variant is how the pages about the person are, apart from where they are held.
	variant standin.Variant
	// isPaused: the case has stopped the browser by hand.
	isPaused bool
}

// caseWithin bounds one case of many in one browser: a page's own time, a look of its own and a busy machine fit in.
const caseWithin = 2 * time.Minute

// attempt makes a person for one case, and approves nothing yet.
func (r *rig) attempt(t *testing.T, in *install, slug string) *struck {
	t.Helper()
	own := *r
	own.T = t
	ctx, cancel := context.WithTimeout(r.ctx, caseWithin)
	t.Cleanup(cancel)
	own.ctx = ctx
	person, err := r.site.AddPerson(standin.Person{Slug: slug, Name: "Sam " + slug, Connected: true})
	own.must(err)
	own.since.accesses, own.since.clicks = len(r.site.AccessLog()), len(r.site.Clicks())
	return &struck{rig: &own, in: in, person: person}
}

// body is what the person of a case is sent.
func (s *struck) body() string { return "Hello " + s.person.Name }

// stopAt approves the message, and returns when its attempt has come to the step and stands there until release. The pages of
// a look at an earlier case's send would be held in its stead, and the attempt would wait for that look.
func (s *struck) stopAt(at step) (release func()) {
	s.Helper()
	s.must(s.database.AwaitFirstLooks(s.ctx))
	arrived, release := at.hold(s)
	if s.m.ID == "" {
		s.m = s.approved(s.person, s.body())
	}
	arrived()
	return release
}

// step is a point of an attempt at which it can be held.
type step struct {
	name string
	// hold is called before the message is approved. It returns how to wait until the attempt is there, and how to let it
	// go on.
	hold func(s *struck) (arrived, release func())
}

// The steps of an attempt, in their order. Each is held by the network or by the page, never by time.
var (
	atLease    = frameStep("the lease is under way", harness.Upstream, "lease")
	atStart    = frameStep("the start is asked", harness.Install, "start")
	atStarted  = frameStep("the start is acknowledged", harness.Upstream, "started")
	atTab      = step{"the tab is opening", holdTab}
	atProfile  = step{"the profile is asked for", holdProfile}
	atResolved = frameStep("the person is resolved", harness.Install, "resolved")
	atProceed  = step{"the conversation is asked for", holdConversation}
	atLoaded   = step{"the conversation is loaded", holdData}
	atTyped    = step{"the text is typed", holdSend}
	atPoised   = step{"Send is enabled", holdPoised}
	atGo       = step{"go is queued", holdGo}
	atRequest  = step{"the request is in flight", holdRequest}
	atLook     = step{"the conversation is looked at", holdLook}
	atReport   = frameStep("the report is sent", harness.Install, "report")
	atRecorded = frameStep("the report is recorded", harness.Upstream, "recorded")
	atGone     = frameStep("the tab is closed", harness.Install, "gone")
)

// frameStep holds a frame of the attempt on its way. What the attempts of earlier cases repeat passes.
func frameStep(name string, from harness.Side, kind string) step {
	return step{name, func(s *struck) (arrived, release func()) {
		held, release := s.in.proxy.HoldNew(from, kind)
		return func() { s.must(held(s.ctx)) }, release
	}}
}

// pages counts the pages under a prefix that were asked for.
func pages(state standin.State, prefix string) int {
	count := 0
	for _, access := range state.Accesses {
		if strings.HasPrefix(access.Address(), prefix) {
			count++
		}
	}
	return count
}

// holdPages holds the next page under a prefix.
func (s *struck) holdPages(prefix string) (arrived, release func()) {
	before, gate := pages(s.site.State(), prefix), standin.NewGate()
	s.site.HoldPages(prefix, gate)
	return func() { s.awaitSite(func(state standin.State) bool { return pages(state, prefix) > before }) }, gate.Release
}

func holdTab(s *struck) (arrived, release func()) {
	before := s.in.proxy.Count(harness.Upstream, "started")
	_, release = s.holdPages(s.person.Path())
	return func() { s.must(s.in.proxy.Wait(s.ctx, harness.Upstream, "started", before+1)) }, release
}

func holdProfile(s *struck) (arrived, release func()) { return s.holdPages("/in/" + s.person.Slug) }

// holdConversation holds this person's page: a look at an earlier case's send may come between.
func holdConversation(s *struck) (arrived, release func()) {
	return s.holdPages("/messaging/compose/?profileUrn=" + url.QueryEscape("urn:li:fsd_profile:"+s.person.ID) + "&")
}

func holdData(s *struck) (arrived, release func()) {
	gate := standin.NewGate()
	s.variant.HoldData = gate
	s.must(s.site.SetVariant(s.person.Slug, s.variant))
	return s.reached(standin.HeldData), gate.Release
}

func holdSend(s *struck) (arrived, release func()) {
	gate := standin.NewGate()
	s.variant.HoldSend = gate
	s.must(s.site.SetVariant(s.person.Slug, s.variant))
	return s.reached(standin.HeldSend), gate.Release
}

func (s *struck) reached(held string) func() {
	return func() {
		s.awaitSite(func(state standin.State) bool { return state.Reached(s.person.ID, held) > 0 })
	}
}

// twoTasks lets two tasks pass: by then the page script has said what it saw before them.
const twoTasks = `new Promise((done) => {
	const first = new MessageChannel(), second = new MessageChannel();
	first.port1.onmessage = () => second.port2.postMessage(null);
	second.port1.onmessage = () => done(true);
	first.port2.postMessage(null);
})`

// untilReady waits until Send is enabled, and the page script has seen it.
const untilReady = `(async () => {
	const button = document.querySelector('.msg-form__send-button');
	while (button.disabled) await ` + twoTasks + `;
	return ` + twoTasks + `;
})()`

// holdPoised stops the worker, so that it does not hear that the page is ready.
func holdPoised(s *struck) (arrived, release func()) {
	typed, enable := holdSend(s)
	arrived = func() {
		typed()
		s.must(s.in.Halt(harness.Worker))
		enable()
		s.inTab(untilReady)
	}
	return arrived, func() { s.must(s.in.Resume(harness.Worker)) }
}

// holdGo stops the pages when this one is ready, and lets the worker tell it to go: the word waits in the page's queue.
func holdGo(s *struck) (arrived, release func()) {
	return queueGo(s, func() { s.must(s.in.Halt(harness.Pages)) }, func() { s.must(s.in.Resume(harness.Pages)) })
}

// queueGo is holdGo with a way to stop the page and to let it go on.
func queueGo(s *struck, stop, letGo func()) (arrived, release func()) {
	poised, goOn := holdPoised(s)
	arrived = func() {
		page, err := s.in.OpenExtension(s.ctx)
		s.must(err)
		poised()
		stop()
		goOn()
		s.must(s.in.AwaitDoing(s.ctx, page, "Sending to "+s.person.Slug))
		s.must(s.in.CloseTab(s.ctx, page))
	}
	return arrived, letGo
}

func holdRequest(s *struck) (arrived, release func()) {
	before, gate := len(s.site.Ledger()), standin.NewGate()
	s.fault(s.person, standin.Fault{When: standin.AfterAccept, HoldAnswer: gate})
	return func() { s.awaitSite(func(state standin.State) bool { return len(state.Copies) > before }) }, gate.Release
}

func holdLook(s *struck) (arrived, release func()) {
	inFlight, answer := holdRequest(s)
	gate := standin.NewGate()
	arrived = func() {
		inFlight()
		before := pages(s.site.State(), "/messaging/thread/")
		s.site.HoldPages("/messaging/thread/", gate)
		answer()
		s.awaitSite(func(state standin.State) bool { return pages(state, "/messaging/thread/") > before })
	}
	return arrived, gate.Release
}

// tab is the tab of the attempt, which is the only one in a conversation.
func (s *struck) tab() harness.Tab {
	s.Helper()
	tabs, err := s.in.AwaitTabs(s.ctx, harness.LinkedIn+"/messaging/", 1)
	s.must(err)
	return tabs[0]
}

// inTab runs an expression in the page of the attempt, which may take the page away.
func (s *struck) inTab(expression string) {
	s.Helper()
	if err := s.in.Evaluate(s.ctx, s.tab(), expression, nil); !errors.Is(err, harness.ErrTabGone) {
		s.must(err)
	}
}

// passes waits while time passes by the browser's own clocks, which no test can move.
func (r *rig) passes(span time.Duration) {
	r.Helper()
	select {
	case <-time.After(span):
	case <-r.ctx.Done():
		r.Fatal(r.ctx.Err())
	}
}
