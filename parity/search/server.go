package search

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/rule"
	"sendonce/server/send"
)

// The times of the settings, and the moments that stand for all others: only which side of each bound a moment lies on
// decides anything.
const (
	leaseLasts   = 60 * time.Second
	touchWithin  = 90 * time.Second
	deadlineIn   = 6 * time.Minute
	grace        = 10 * time.Minute
	unseen       = 24 * time.Hour
	approvalEnds = 7 * 24 * time.Hour
	aMoment      = time.Second
)

const digest = "sha256:3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f"

var (
	begun    = time.UnixMilli(1_795_982_400_000)
	approved = begun.Add(-time.Minute)
	statuses = rule.Statuses()
	// sinceStart are the moments at which a row's clock stands.
	sinceStart = [clockPlaces]time.Duration{aMoment, deadlineIn + aMoment, deadlineIn + grace + aMoment, deadlineIn + unseen + aMoment}
)

func numbered(s rule.Status) status { return status(slices.Index(statuses, s) + 1) }

func (r row) is(s rule.Status) bool { return r.status == numbered(s) }

func (r row) ruleStatus() rule.Status { return statuses[r.status-1] }

// idOf makes a name of the database from a number.
func idOf(kind, number uint8) uuid.UUID { return uuid.UUID{0: 1, 14: kind, 15: number} }

const (
	kindSend uint8 = iota
	kindLease
	kindInstall
	kindMessage
)

func leaseID(number uint8) uuid.UUID {
	if number == 0 {
		return uuid.Nil
	}
	return idOf(kindLease, number)
}

// server is the decisions of server/send over rows in memory. It writes as the guarded statements of server/postgres do:
// a move names the status, and where they do the lease, that it was decided on.
type server struct {
	frames  *frames
	without *Rule
	leases  int // that are given
}

func (s state) now(r uint8) time.Time { return begun.Add(sinceStart[s.rows[r].clock]) }

func (s state) sendRow(r uint8) send.Row {
	one := s.rows[r]
	row := send.Row{
		ID: idOf(kindSend, r), Message: idOf(kindMessage, 0), Ordinal: int(r) + 1, Status: one.ruleStatus(), Digest: digest,
		LeaseToken: leaseID(one.lease), Attempt: attemptName(one.attempt), Vacated: one.is(rule.Failed) || one.is(rule.Canceled),
	}
	if one.lease > 0 {
		row.LeaseHolder = idOf(kindInstall, s.leases[one.lease-1].install)
		row.LeaseExpiresAt = begun.Add(leaseLasts)
	}
	if one.attempt > 0 {
		row.StartedAt, row.DeadlineAt = begun, begun.Add(deadlineIn)
	}
	return row
}

func (s state) facts(r uint8) send.Facts {
	f := send.Facts{
		Now: s.now(r), Row: s.sendRow(r), Mark: send.Mark{Epoch: 1, Event: 1}, Armed: true, ApprovalStands: true,
		ApprovedAt: approved, ApprovalEnds: begun.Add(approvalEnds), ApprovedDigest: digest, SessionIsNewest: true, IsGranted: true,
	}
	for i, other := range s.rows {
		if i == int(r) || other.status == 0 {
			continue
		}
		f.Delivered = f.Delivered || other.is(rule.Sent)
		f.AccountBusy = f.AccountBusy || other.is(rule.Leased) || other.is(rule.Started)
	}
	return f
}

// move writes a move that was decided, and refuses one that is not in the table.
func (s state) move(r uint8, to rule.Status, actor rule.Actor) state {
	row := &s.rows[r]
	if _, err := rule.Next(row.ruleStatus(), to, actor, row.attempt > 0); err != nil {
		panic(fmt.Sprintf("a decision made a move that is not in the table: %v", err))
	}
	row.status = numbered(to)
	if to == rule.Queued {
		row.lease = 0
	}
	return s
}

// lease gives a queued row to an install, when the facts allow it.
func (v server) lease(s state, r, install uint8) (state, bool) {
	given := s.leasesGiven()
	if given == v.leases || !s.rows[r].is(rule.Queued) {
		return s, false
	}
	if back := send.DecideLease(s.facts(r)); back.Refusal != rule.Allow {
		return s, false // what that does to the row, time undoes or a person
	}
	number := uint8(given + 1)
	s = s.move(r, rule.Leased, rule.Server)
	s.rows[r].lease = number
	s.leases[given] = lease{r + 1, install}
	return s.with(v.frames.toInstall(install, number, 0, map[string]any{"do": "lease", "frame": map[string]any{
		"send": fmt.Sprintf("send-%d", r+1), "lease_token": leaseName(number), "digest": digest,
	}})), true
}

// hear takes one frame of an install; it gives back the answer, and a word for people.
func (v server) hear(s state, f frame) (state, uint16, string) {
	r := s.leases[f.lease-1].row - 1
	switch f.kind {
	case "start":
		return v.start(s, r, f)
	case "report":
		return v.report(s, r, f)
	case "gone":
		if row := &s.rows[r]; row.lease == f.lease && row.attempt > 0 && row.gone == tabThere {
			row.gone = row.goneNow()
		}
		return s, v.frames.answer(f, "noted", map[string]any{}), "noted"
	case "release":
		if row := s.rows[r]; row.is(rule.Leased) && row.lease == f.lease {
			s = s.move(r, rule.Queued, rule.Server)
		}
		return s, v.frames.answer(f, "released", map[string]any{}), "released"
	}
	panic("the search knows no frame " + f.kind)
}

// facts are those of a decision about what an attempt asks. Without the first rule whoever asks with the right token is
// taken for the attempt that started: the start compares it, and so does what follows before anything is written.
func (v server) facts(s state, r uint8, f frame) send.Facts {
	facts := s.facts(r)
	if v.without.is(AttemptID) && facts.Row.HasStart() {
		facts.Row.Attempt = attemptName(f.attempt)
	}
	return facts
}

func (v server) start(s state, r uint8, f frame) (state, uint16, string) {
	facts := v.facts(s, r, f)
	d := send.DecideStart(facts, leaseID(f.lease), idOf(kindInstall, f.install), attemptName(f.attempt), digest)
	if refusal := d.Setback.Refusal; !d.Again && refusal != rule.Allow {
		switch refusal.Disposition() {
		case rule.Cancel:
			s = s.move(r, rule.Canceled, rule.Server)
		case rule.Wait, rule.Park:
			s = s.move(r, rule.Queued, rule.Server)
		}
		answer := v.frames.answer(f, "refused", map[string]any{"code": refusal, "text": refusal.Text()})
		return s, answer, "refused: " + string(refusal)
	}
	word := "acked again"
	if !d.Again {
		s = s.move(r, rule.Started, rule.Sender)
		s.rows[r].attempt = f.attempt
		word = "recorded, acked"
	}
	return s, v.frames.answer(f, "started", map[string]any{
		"attempt": attemptName(f.attempt), "touch_within_ms": touchWithin.Milliseconds(), "deadline_ms": deadlineIn.Milliseconds(),
		"epoch": 1, "event": 1,
	}), word
}

func (v server) report(s state, r uint8, f frame) (state, uint16, string) {
	facts := send.ReportFacts{Now: s.now(r), Row: s.sendRow(r), Mark: send.Mark{Epoch: 1, Event: 1}, ApprovedAt: approved}
	d := send.DecideReport(facts, leaseID(f.lease), f.report)
	// A move that is not a confirmation names the lease it was decided on.
	if d.To != "" && (d.To == rule.Sent || s.rows[r].lease == f.lease) {
		vacated := facts.Row.Vacated
		s = s.move(r, d.To, rule.Sender)
		if d.To == rule.Sent && vacated {
			s = s.cancelSiblings(r)
		}
	}
	now := s.rows[r].ruleStatus()
	return s, v.frames.answer(f, "recorded", map[string]any{
		"send": fmt.Sprintf("send-%d", r+1), "status": now, "code": string(now), "epoch": 1, "event": 1,
	}), "now " + string(now)
}

// cancelSiblings is what a late confirmation does to what has not begun.
func (s state) cancelSiblings(r uint8) state {
	for i := range s.rows {
		if i != int(r) && (s.rows[i].is(rule.Queued) || s.rows[i].is(rule.Leased)) {
			s = s.move(uint8(i), rule.Canceled, rule.Server)
		}
	}
	return s
}

// personURN is whom every page shows: PERSON of browser.js.
const personURN = "urn:li:fsd_profile:ACoAAA100000000000000000000000000000000"

// proceed is the answer to an attempt that has reached its page.
func (v server) proceed(s state, f frame) (map[string]any, string) {
	r := s.leases[f.lease-1].row - 1
	seen := send.Resolved{Attempt: attemptName(f.attempt), PersonURN: personURN, Connected: true, Participants: 1}
	halt := send.DecideResolve(v.facts(s, r, f), send.Joining{}, leaseID(f.lease), seen)
	if halt != "" {
		return map[string]any{"type": "halt", "re": f.id, "code": halt}, "halted: " + halt
	}
	return map[string]any{"type": "proceed", "re": f.id}, "goes on"
}

// goneAt is when the server heard that the tab of the row's attempt is gone, or nil.
func (s state) goneAt(r uint8) *time.Time {
	at := s.now(r)
	switch s.rows[r].gone {
	case tabThere:
		return nil
	case goneInTime:
		at = begun
	case goneLong:
		at = at.Add(-grace)
	}
	return &at
}

// resolve is what a person says who looked at what the provider has.
func (v server) resolve(s state, r uint8) (state, string, bool) {
	facts := send.ResolutionFacts{
		Now: s.now(r), Row: s.sendRow(r), GoneAt: s.goneAt(r), Quiet: send.Quiet{Grace: grace, Unseen: unseen},
	}
	if facts.GoneAt != nil && v.without.is(LateTab) {
		facts.GoneAt = &begun
	}
	if v.without.is(QuietTime) {
		facts.Quiet = send.Quiet{}
	}
	said := send.Resolution{Delivered: s.copies > 0, Note: "I looked in the conversation", AcceptUnseen: true}
	if send.DecideResolution(facts, said) != nil {
		return s, "", false
	}
	if said.Delivered {
		return s.move(r, rule.Sent, rule.Operator), "it was delivered", true
	}
	return s.move(r, rule.Failed, rule.Operator), "it was not delivered", true
}

// retry makes the message's next send.
func (v server) retry(s state, r uint8) (state, bool) {
	next := int(r) + 1
	if next == rowsMax || s.rows[r].status == 0 {
		return s, false
	}
	latest := r
	if s.rows[next].status > 0 {
		latest = uint8(next)
	}
	f := send.RetryFacts{Facts: s.facts(r), Latest: send.Latest{ID: idOf(kindSend, latest), Status: s.rows[latest].ruleStatus()}}
	if send.DecideRetry(f) != nil {
		return s, false
	}
	s.rows[next] = row{status: numbered(rule.Queued)}
	return s, true
}

// sweep moves a row past its deadline, as the statement of the sweep asks.
func (v server) sweep(s state, r uint8) (state, bool) {
	row := s.rows[r]
	if row.status == 0 || !row.is(rule.Started) || row.clock < clockDeadline {
		return s, false
	}
	return s.move(r, rule.Unconfirmed, rule.Server), true
}

// openLease is what a server says of a lease that a browser has in its journal.
func (s state) openLease(number uint8) map[string]any {
	row := s.rows[s.leases[number-1].row-1]
	held := row.lease == number && (row.is(rule.Leased) || row.is(rule.Started))
	return map[string]any{"status": row.ruleStatus(), "held": held}
}
