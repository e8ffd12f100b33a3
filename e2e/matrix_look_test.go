package e2e_test

import (
	"github.com/google/go-cmp/cmp"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/rule"
)

// matrixRow is what was seen of a case: the first send of its message, and the copies that were made of it.
type matrixRow struct {
	clicks, requests, copies int
	repeats                  repeats
	duplicates               int
	end                      end
	effect                   rule.Effect
	incident                 string
}

// wanted is what the case asks for, and as many more repeats as were seen where their number is Chromium's choice.
func (c matrixCase) wanted(seen matrixRow) matrixRow {
	row := matrixRow{
		clicks: c.clicks, requests: c.requests, copies: c.copies, repeats: c.repeats, end: c.end, effect: c.effect, incident: c.incident,
	}
	if more := seen.requests - c.requests; c.orMore && more > 0 {
		row.requests += more
		if c.copies > 0 {
			row.copies += more
			row.repeats.browser += more
		}
	}
	return row
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
