package e2e_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/rule"
)

// matrix runs cases one after the other in one browser, each to a person of its own.
type matrix struct {
	*rig
	install  *install
	protocol string
	// inThreads: every person has a conversation already. Over HTTP/1.1 the message begins one.
	inThreads bool
	people    int
	clicks    int
	// lines are what was seen of each case, for the document.
	lines []string
}

// matrixRow is what was seen of a case: the first send of its message, and the copies that were made of it.
type matrixRow struct {
	clicks, requests, copies int
	repeats                  repeats
	duplicates               int
	end                      end
	effect                   rule.Effect
	incident                 string
}

// matrixText is what every case sends.
const matrixText = "Hello"

var protocolNames = map[standin.Protocol]string{standin.HTTP1: "HTTP/1.1", standin.HTTP2: "HTTP/2"}

// newMatrix starts the browser; the protocol is the only one that its LinkedIn speaks.
func newMatrix(t *testing.T, protocol standin.Protocol, within time.Duration) *matrix {
	t.Helper()
	r := newWorld(t, world{
		browsers: 1, protocol: protocol, within: within,
		changed: map[string]string{"SENDONCE_ANSWER_WITHIN": "5s"}, // what hangs is waited for to its end
	})
	return &matrix{rig: r, install: r.install(), protocol: protocolNames[protocol], inThreads: protocol == standin.HTTP2}
}

// under is the same rig, whose failures are a subtest's.
func (r *rig) under(t *testing.T) *rig {
	under := *r
	under.T = t
	return &under
}

// stranger is a person to whom nothing was ever sent.
func (m *matrix) stranger() standin.Person {
	m.Helper()
	m.people++
	person, err := m.site.AddPerson(standin.Person{
		Slug: fmt.Sprintf("person-%02d-example", m.people), Name: fmt.Sprintf("Person %02d Example", m.people), Connected: true,
	})
	m.must(err)
	return person
}

// runs sends the message of each case and holds all that becomes of it against the case.
func (m *matrix) runs(cases ...matrixCase) {
	m.Helper()
	for _, c := range cases {
		m.Run(c.name+" "+c.side, func(t *testing.T) { m.run(m.under(t), c) })
	}
}

func (m *matrix) run(r *rig, c matrixCase) {
	person := m.stranger()
	m.prepare(r, c, person)
	var thread string
	if m.inThreads || c.lag != nil {
		thread = m.threadWith(r, person)
	}
	sent := r.approved(person, matrixText)
	if c.lag != nil {
		r.awaitSite(func(s standin.State) bool { return shown(s, thread) == 2 }) // for the act, and for the first look
		c.lag.Release()
	}
	_, err := r.api.Await(r.ctx, sent.ID, func(read harness.Message) bool { return len(read.Sends) > 0 && isEnd(read.Sends[0].Status) })
	r.must(err)
	seen := m.look(r, person, sent)
	wanted := matrixRow{
		clicks: c.clicks, requests: c.requests, copies: c.copies, repeats: c.repeats, end: c.end, effect: c.effect, incident: c.incident,
	}
	if more := seen.requests - c.requests; c.orMore && more > 0 {
		wanted.requests += more
		if c.copies > 0 {
			wanted.copies += more
			wanted.repeats.browser += more
		}
	}
	if diff := cmp.Diff(wanted, seen, cmp.AllowUnexported(matrixRow{}, end{}, repeats{})); diff != "" {
		r.Errorf("what became of it (-want +got):\n%s", diff)
	}
	m.lines = append(m.lines, lineOf(c, m.protocol, seen))
	m.repeats.browser += seen.repeats.browser
	m.repeats.page += seen.repeats.page
	m.recover(r, c, sent)
}

// prepare sets the page and the answers for one person.
func (m *matrix) prepare(r *rig, c matrixCase, person standin.Person) {
	r.Helper()
	r.must(r.site.SetVariant(person.Slug, c.page))
	for i, fault := range c.faults {
		nth := i + 1
		if nth == len(c.faults) && !c.once {
			nth = 0
		}
		r.must(r.site.Fault(standin.FaultMatch{RecipientID: r.profileID(person), Nth: nth}, fault))
	}
}

// threadWith gives a person a conversation, whose page there is whatever it does not show yet.
func (m *matrix) threadWith(r *rig, person standin.Person) string {
	r.Helper()
	thread, err := r.site.AddThread(rita.Slug, person.Slug, standin.Message{From: person.Slug, Text: "Hi Rita"})
	r.must(err)
	return thread.ID
}

// shown counts how often the page of a thread was answered.
func shown(s standin.State, thread string) int {
	count := 0
	for _, a := range s.Accesses {
		if a.Answered && a.Path == "/messaging/thread/"+thread+"/" {
			count++
		}
	}
	return count
}

func isEnd(status string) bool {
	return slices.Contains([]rule.Status{rule.Sent, rule.Failed, rule.Unconfirmed}, rule.Status(status))
}

// look reads what became of a case from the ledger, the database and the API.
func (m *matrix) look(r *rig, person standin.Person, sent harness.Message) matrixRow {
	r.Helper()
	read, err := r.api.Message(r.ctx, sent.ID)
	r.must(err)
	first := read.Sends[0]
	status := rule.Status(first.Status)
	if first.Instruction != rule.Instruction(status, "linkedin") {
		r.Errorf("the send is %+v: an instruction belongs to what needs a look, and to nothing else", first)
	}
	moves, err := r.database.Moves(r.ctx, first.ID)
	r.must(err)
	if diff := cmp.Diff([]string{"queued", "leased", "started", first.Status}, moves); diff != "" {
		r.Errorf("the send's history (-want +got):\n%s", diff)
	}
	state := r.site.State().To(r.profileID(person), matrixText)
	deliveries, err := r.database.Deliveries(r.ctx, sent.ID)
	r.must(err)
	if isSent := status == rule.Sent; isSent && deliveries != len(state.Copies) || !isSent && deliveries != 0 {
		r.Errorf("%d deliveries of %d copies are known", deliveries, len(state.Copies))
	}
	clicks := len(r.site.Clicks())
	row := matrixRow{
		clicks: clicks - m.clicks, requests: len(state.Requests), copies: len(state.Copies),
		repeats:    repeats{state.BrowserCopies(), state.PageCopies()},
		duplicates: state.Duplicates(), end: end{status, first.Code}, effect: r.effect(), incident: r.incident(sent),
	}
	m.clicks = clicks
	return row
}

// incident is the kind of the one open incident about a message, or "".
func (r *rig) incident(m harness.Message) string {
	r.Helper()
	incidents, err := r.api.Incidents(r.ctx, m.ID)
	r.must(err)
	if len(incidents) == 0 {
		return ""
	}
	if len(incidents) > 1 {
		r.Errorf("the incidents are %+v, want one for one thing", incidents)
	}
	return incidents[0].Kind
}

// effect is what the account suffers from now.
func (r *rig) effect() rule.Effect {
	r.Helper()
	state, err := r.database.Account(r.ctx, r.account)
	r.must(err)
	switch {
	case state.IsStopped:
		return rule.EffectStop
	case state.IsCooling:
		return rule.EffectCoolDown
	}
	return rule.EffectNone
}

// recover lets the account go on, as a person or time does.
func (m *matrix) recover(r *rig, c matrixCase, sent harness.Message) {
	r.Helper()
	switch c.effect {
	case rule.EffectStop:
		m.clear(r, c)
	case rule.EffectCoolDown:
		r.must(r.database.Advance(r.ctx, limitPause))
	}
	if c.end == limited {
		m.wantsRetried(r, sent)
	}
}

func (m *matrix) clear(r *rig, c matrixCase) {
	r.Helper()
	if !c.nextWaits {
		r.must(r.api.Clear(r.ctx, r.account))
		return
	}
	next := m.stranger()
	waiting := r.approved(next, matrixText)
	read, err := r.api.Message(r.ctx, waiting.ID)
	r.must(err)
	if last := read.Last(); last.Status != "queued" || last.WaitingFor != "account_stopped" {
		r.Errorf("the next send is %+v", last)
	}
	r.must(r.api.Clear(r.ctx, r.account))
	r.wantsSent(waiting)
	r.wants(next, matrixText)
	m.clicks++
	r.wantsClicks(m.clicks)
}

// wantsRetried waits for the new row that a rate limit ends in after its pause, which goes out once.
func (m *matrix) wantsRetried(r *rig, limited harness.Message) {
	r.Helper()
	r.wantsSent(limited)
	rows, err := r.database.Rows(r.ctx, limited.ID)
	r.must(err)
	if len(rows) != 2 || rows[0].Status != string(rule.Failed) || !rows[1].IsRetry || rows[1].Ordinal != 2 {
		r.Errorf("the rows are %+v", rows)
	}
	m.clicks++
	r.wantsClicks(m.clicks)
}
