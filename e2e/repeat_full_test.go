//go:build full

package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// lateBy is how long after the click a request arrives that was kept in the browser: longer than the server waits for a
// silent install.
const lateBy = 60 * time.Second

const (
	// enabled resolves when the page enables Send, emptied when it has taken the text out of the box to send it.
	enabled = `new Promise((done) => {
		const button = document.querySelector('.msg-form__send-button');
		const look = () => { if (!button.disabled) done(true); };
		new MutationObserver(look).observe(button, { attributes: true });
		look();
	})`
	emptied = `new Promise((done) => {
		const box = document.querySelector('.msg-form__contenteditable');
		const look = () => { if (box.textContent.trim() === '') done(true); };
		new MutationObserver(look).observe(box, { subtree: true, childList: true, characterData: true });
		look();
	})`
)

// attemptTab is the tab of the attempt, which is the only one in a conversation.
func (r *rig) attemptTab(in *install) harness.Tab {
	r.Helper()
	tabs, err := in.AwaitTabs(r.ctx, harness.LinkedIn+"/messaging/", 1)
	r.must(err)
	return tabs[0]
}

// clickOffline has Send clicked while the browser's network process stands still. The worker is stopped until then, so
// that the click does not come before.
func (r *rig) clickOffline(in *install, person standin.Person, body string) harness.Message {
	r.Helper()
	gate := standin.NewGate()
	r.must(r.site.SetVariant(person.Slug, standin.Variant{HoldSend: gate}))
	m := r.approved(person, body)
	// The tab is looked for first: from here on the worker waits only so long for Send.
	tab := r.attemptTab(in)
	r.awaitSite(func(s standin.State) bool { return s.Reached(r.profileID(person), standin.HeldSend) == 1 })
	r.must(in.Halt(harness.Worker))
	gate.Release()
	r.must(in.Evaluate(r.ctx, tab, enabled, nil))
	r.must(in.Halt(harness.Network))
	r.must(in.Resume(harness.Worker))
	r.must(in.Evaluate(r.ctx, tab, emptied, nil))
	return m
}

// Goal: a request that leaves the machine a minute after its click, or after the deadline, is one delivery: meanwhile
// nobody is offered the send, and what is found in the end confirms it.
func TestRequestArrivesLate(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: samplePatience})
	in := r.install()
	m := r.clickOffline(in, ada, "Hello Ada")
	clicked := time.Now()
	<-time.After(lateBy)
	r.wants(ada)
	r.must(in.Resume(harness.Network))
	r.wantsSent(m)
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
	if late := r.site.State().Requests[0].At.Sub(clicked); late < lateBy {
		t.Errorf("the request arrived %s after the click, want at least %s", late, lateBy)
	}

	m = r.clickOffline(in, ben, "Hello Jürgen")
	r.passDeadline()
	r.wantsUnconfirmed(m, "deadline_passed")
	r.wants(ben)
	r.must(in.Resume(harness.Network))
	r.wantsSent(m, lateMoves...)
	r.wants(ben, "Hello Jürgen")
	r.wantsClicks(2)
	if got := in.proxy.Count(harness.Upstream, "lease"); got != 2 {
		t.Errorf("%d leases were handed out, want one for each message", got)
	}
}

// Goal: an attempt that ended before its request left the machine says that it does not know, whether or not that request
// still goes out, and nothing is sent again.
func TestAttemptEndsBeforeItsRequestLeaves(t *testing.T) {
	r := newRig(t, 1, map[string]string{"SENDONCE_ANSWER_WITHIN": "2s", "SENDONCE_LOOK_WITHIN": "4s"})
	in := r.install()
	m := r.clickOffline(in, ada, "Hello Ada")
	// The tab of an attempt is closed when its report is made.
	_, err := in.AwaitTabs(r.ctx, harness.LinkedIn+"/messaging/", 0)
	r.must(err)
	r.wants(ada)
	r.must(in.Resume(harness.Network))
	r.wantsUnconfirmed(m, "no_answer")
	other := r.approved(ben, "Hello Jürgen")
	r.wantsSent(other)
	if got := r.site.State().Accepted(r.profileID(ada)); got > 1 {
		t.Errorf("%d copies for Ada, want one at most", got)
	}
	if got := in.proxy.Count(harness.Upstream, "lease"); got != 2 {
		t.Errorf("%d leases were handed out, want one for each message", got)
	}
}

// interruption is what happens to the tab while its request has no answer.
type interruption struct {
	name string
	do   func(r *rig, in *install)
	// ends: Chromium gives the request up, so that its answer is not heard.
	ends bool
}

var interruptions = []interruption{
	{"navigation", func(r *rig, in *install) {
		pings, reports := in.proxy.Count(harness.Install, "ping"), in.proxy.Count(harness.Install, "report")
		r.must(in.Evaluate(r.ctx, r.attemptTab(in), `location.assign('/feed/')`, nil))
		// The attempt has time to take it for an end, and to look.
		r.must(in.proxy.Wait(r.ctx, harness.Install, "ping", pings+1))
		tabs, err := in.Tabs(r.ctx, harness.LinkedIn+"/messaging/")
		if reported := in.proxy.Count(harness.Install, "report") - reports; err != nil || len(tabs) > 0 || reported > 0 {
			r.Errorf("before the answer has come the attempt looks in %v and has made %d reports: %v", tabs, reported, err)
		}
	}, false},
	{"the tab closed", func(r *rig, in *install) { r.must(in.CloseTab(r.ctx, r.attemptTab(in))) }, true},
	{"the page's process killed", func(r *rig, in *install) { r.must(in.KillPart(r.ctx, harness.Pages)) }, true},
}

// Goal: a tab that is led away, closed or dead while its request has no answer is no end of the delivery: the answer of a
// request that lives on is waited for, and then the conversation decides.
func TestTabInterruptedWhileTheRequestHangs(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: samplePatience, changed: map[string]string{
		"SENDONCE_TOUCH_WITHIN": "30s", "SENDONCE_ANSWER_WITHIN": "60s", "SENDONCE_LOOK_WITHIN": "50s",
	}})
	m := &matrix{rig: r, install: r.install()}
	for _, interrupted := range interruptions {
		m.Run(interrupted.name+", accepted", func(t *testing.T) {
			r, person, answer := m.under(t), m.stranger(), standin.NewGate()
			r.fault(person, standin.Fault{When: standin.AfterAccept, HoldAnswer: answer})
			sent := r.approved(person, matrixText)
			r.awaitSite(func(s standin.State) bool { return s.Accepted(r.profileID(person)) == 1 })
			interrupted.do(r, m.install)
			answer.Release()
			r.wantsSent(sent)
			r.wants(person, matrixText)
			m.clicks++
			r.wantsClicks(m.clicks)
		})
		m.Run(interrupted.name+", not accepted yet", func(t *testing.T) {
			r, person, answer := m.under(t), m.stranger(), standin.NewGate()
			fault := standin.Fault{When: standin.BeforeAccept, HoldAnswer: answer}
			code, copies := "no_answer", []string{matrixText}
			if !interrupted.ends {
				fault.Do = standin.Status(http.StatusServiceUnavailable)
				code, copies = "server_error", nil
			}
			r.fault(person, fault)
			sent := r.approved(person, matrixText)
			r.awaitSite(func(s standin.State) bool { return s.Arrived(r.profileID(person)) == 1 })
			interrupted.do(r, m.install)
			if interrupted.ends { // what the browser gave up, LinkedIn takes all the same
				r.wantsUnconfirmed(sent, code)
				answer.Release()
				r.awaitSite(func(s standin.State) bool { return s.Accepted(r.profileID(person)) == 1 })
			}
			answer.Release()
			r.wantsUnconfirmed(sent, code)
			r.wants(person, copies...)
			m.clicks++
			r.wantsClicks(m.clicks)
		})
	}
	if got := m.install.proxy.Count(harness.Upstream, "lease"); got != m.clicks {
		t.Errorf("%d leases were handed out, want one for each message", got)
	}
}

// Goal: a rate limit that hides a copy which the browser's first try left, and which the conversation does not show until
// the pause is over, is not followed by a second one.
func TestRateLimitHidesACopy(t *testing.T) {
	r := newRig(t, 1, nil)
	shown := standin.NewGate()
	for i, fault := range []standin.Fault{
		{When: standin.AfterAccept, Do: standin.Close, HideFromThread: shown},
		{When: standin.BeforeAccept, Do: standin.Status(http.StatusTooManyRequests), RetryAfter: limitPause},
	} {
		r.must(r.site.Fault(standin.FaultMatch{RecipientID: r.profileID(ada), Nth: i + 1}, fault))
	}
	r.install()
	m := r.approved(ada, "Hello Ada")
	if first := r.awaitRow(m, "failed"); first.Code != "rate_limited" {
		t.Errorf("the limited send is %+v", first)
	}
	r.wants(ada, "Hello Ada")
	shown.Release()
	r.must(r.database.Advance(r.ctx, limitOver))
	last := r.awaitRow(m, "sent")
	if last.Code != "already_there" || last.Ordinal != 2 || !last.IsRetry {
		t.Errorf("the next send is %+v", last)
	}
	r.wants(ada, "Hello Ada")
	r.wantsClicks(1)
}

// goingAway are HTTP/2 connections that say they took up nothing. Chromium repeats the request by itself, and shows the
// extension one clean request.
func goingAway() []matrixCase {
	goAway := standin.Fault{When: standin.BeforeAccept, Do: standin.GoAway}
	lie := standin.Fault{When: standin.AfterAccept, Do: standin.GoAway}
	return []matrixCase{
		{
			name: "gone away before accepting", side: byTheBrowser, faults: []standin.Fault{goAway}, once: true,
			clicks: 1, requests: 2, copies: 1, end: confirmed,
		},
		{
			name: "gone away after accepting all the same", side: byTheBrowser, faults: []standin.Fault{lie}, once: true,
			clicks: 1, requests: 2, copies: 2, repeats: repeats{browser: 1}, end: confirmed, incident: browserRepeated,
		},
	}
}

// Goal: a request that Chromium repeats because its connection took nothing up makes one copy; a second one, of a provider
// that took it up all the same, is the browser's and is told to a person.
func TestConnectionsThatGoAway(t *testing.T) {
	m := newMatrix(t, standin.HTTP2, samplePatience)
	m.runs(goingAway()...)
}
