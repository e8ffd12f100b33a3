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
	people   int
	clicks   int
	seen     []matrixRow
}

// matrixRow is what was seen of a case: the first send of its message, and the copies that were made of it.
type matrixRow struct {
	name, side, protocol string
	clicks, copies       int
	repeats              repeats
	duplicates           int
	end                  end
	effect               rule.Effect
	incident             string
}

var protocolNames = map[standin.Protocol]string{standin.HTTP1: "HTTP/1.1", standin.HTTP2: "HTTP/2"}

// newMatrix starts the browser; the protocol is the only one that its LinkedIn speaks.
func newMatrix(t *testing.T, protocol standin.Protocol, within time.Duration) *matrix {
	t.Helper()
	r := newWorld(t, world{
		browsers: 1, protocol: protocol, within: within,
		changed: map[string]string{"SENDONCE_ANSWER_WITHIN": "8s"}, // what hangs is waited for to its end
	})
	return &matrix{rig: r, install: r.install(), protocol: protocolNames[protocol]}
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
	sent := r.approved(person, "Hello")
	_, err := r.api.Await(r.ctx, sent.ID, func(read harness.Message) bool { return len(read.Sends) > 0 && isEnd(read.Sends[0].Status) })
	r.must(err)
	seen := m.look(r, c, person, sent)
	wanted := matrixRow{
		name: c.name, side: c.side, protocol: m.protocol, clicks: c.clicks, copies: c.copies, repeats: c.repeats,
		end: c.end, effect: c.effect, incident: c.incident,
	}
	if diff := cmp.Diff(wanted, seen, cmp.AllowUnexported(matrixRow{}, end{}, repeats{})); diff != "" {
		r.Errorf("what became of it (-want +got):\n%s", diff)
	}
	m.seen = append(m.seen, seen)
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

func isEnd(status string) bool {
	return slices.Contains([]rule.Status{rule.Sent, rule.Failed, rule.Unconfirmed}, rule.Status(status))
}

// look reads what became of a case from the ledger, the database and the API.
func (m *matrix) look(r *rig, c matrixCase, person standin.Person, sent harness.Message) matrixRow {
	r.Helper()
	read, err := r.api.Message(r.ctx, sent.ID)
	r.must(err)
	first := read.Sends[0]
	if unconfirmed := first.Status == string(rule.Unconfirmed); unconfirmed != (first.Instruction != "") {
		r.Errorf("the send is %+v: an instruction belongs to what needs a look, and to nothing else", first)
	}
	incidents, err := r.api.Incidents(r.ctx, sent.ID)
	r.must(err)
	state := r.site.State().To(r.profileID(person))
	clicks := len(r.site.Clicks())
	row := matrixRow{
		name: c.name, side: c.side, protocol: m.protocol, clicks: clicks - m.clicks, copies: len(state.Copies),
		repeats:    repeats{state.BrowserCopies(), state.PageCopies()},
		duplicates: state.Duplicates(), end: end{rule.Status(first.Status), first.Code}, effect: r.effect(),
	}
	if len(incidents) > 0 {
		row.incident = incidents[0].Kind
	}
	if len(incidents) > 1 {
		r.Errorf("the incidents are %+v, want one for one thing", incidents)
	}
	m.clicks = clicks
	return row
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

// recover lets the account go on, as a person or time does. What a rate limit put off goes out then, once.
func (m *matrix) recover(r *rig, c matrixCase, sent harness.Message) {
	r.Helper()
	switch c.effect {
	case rule.EffectStop:
		r.must(r.api.Clear(r.ctx, r.account))
	case rule.EffectCoolDown:
		r.must(r.database.Advance(r.ctx, limitPause))
	}
	if c.end != limited {
		return
	}
	r.wantsSent(sent)
	rows, err := r.database.Rows(r.ctx, sent.ID)
	r.must(err)
	if len(rows) != 2 || rows[0].Status != string(rule.Failed) || !rows[1].IsRetry || rows[1].Ordinal != 2 {
		r.Errorf("the rows are %+v", rows)
	}
	m.clicks++
	r.wantsClicks(m.clicks)
}
