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

// matrixText is what every case sends.
const matrixText = "Hello"

var protocolNames = map[standin.Protocol]string{standin.HTTP1: "HTTP/1.1", standin.HTTP2: "HTTP/2"}

// newMatrix is a matrix with its browser.
func newMatrix(t *testing.T, protocol standin.Protocol, within time.Duration) *matrix {
	t.Helper()
	m := &matrix{}
	m.start(t, protocol, within)
	return m
}

// start makes the world and starts the browser; the protocol is the only one that its LinkedIn speaks.
func (m *matrix) start(t *testing.T, protocol standin.Protocol, within time.Duration) {
	t.Helper()
	m.rig = newWorld(t, world{
		browsers: 1, protocol: protocol, within: within,
		changed: map[string]string{"SENDONCE_ANSWER_WITHIN": "5s"}, // what hangs is waited for to its end
	})
	m.install, m.protocol, m.inThreads = m.rig.install(), protocolNames[protocol], protocol == standin.HTTP2
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

// run sends one message, and returns it with what was seen of it.
func (m *matrix) run(r *rig, c matrixCase) (harness.Message, matrixRow) {
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
	if diff := cmp.Diff(c.wanted(seen), seen, cmp.AllowUnexported(matrixRow{}, end{}, repeats{})); diff != "" {
		r.Errorf("what became of it (-want +got):\n%s", diff)
	}
	m.lines = append(m.lines, lineOf(c, m.protocol, seen))
	m.repeats.browser += seen.repeats.browser
	m.repeats.page += seen.repeats.page
	m.recover(r, c, sent)
	return sent, seen
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

// recover lets the account go on, as a person or time does.
func (m *matrix) recover(r *rig, c matrixCase, sent harness.Message) {
	r.Helper()
	switch c.effect {
	case rule.EffectStop:
		m.clear(r, c)
	case rule.EffectCoolDown:
		r.must(r.database.Advance(r.ctx, limitOver))
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
