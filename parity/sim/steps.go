package sim

import (
	"net/http"
	"slices"
	"time"
)

// steps is a sequence that people put others into, in some worlds. Its second step is due as soon as the first one was sent.
type steps struct {
	id       string
	enrolled []string // ids, in the order in which they were made
}

// steppedEvery so many worlds one has a sequence.
const steppedEvery = 3

const (
	firstStep, secondStep = "the first step", "the second step"

	stepSaid    = "a step of a sequence was proposed: "
	enrolmentNo = "an enrolment was refused: "
	stepsEnded  = "an enrolment ended: "
)

// setSteps writes the sequence, in some worlds.
func (p *people) setSteps(seed uint64) {
	if seed%steppedEvery != 0 {
		return
	}
	var sequence struct{ ID string }
	if !p.ask("POST", "/v1/sequences", map[string]any{"name": "Engineers"}, &sequence).ok() {
		p.w.t.Fatal("the sequence could not be made")
	}
	var all []map[string]any
	for _, purpose := range []string{firstStep, secondStep} {
		var template struct{ ID string }
		p.ask("POST", "/v1/templates", map[string]any{"name": purpose, "body": "Hello, this is " + purpose + "."}, &template)
		all = append(all, map[string]any{
			"purpose": purpose, "channel": "linkedin", "template_id": template.ID, "delay": map[string]any{"count": 0, "unit": "days"},
		})
	}
	if !p.ask("PUT", "/v1/sequences/"+sequence.ID+"/steps", map[string]any{"steps": all}, nil).ok() {
		p.w.t.Fatal("the steps could not be set")
	}
	p.steps = &steps{id: sequence.ID}
}

// stepChoices is what people do about the sequence, and a server, whose turn it is to look.
func (p *people) stepChoices() []choice {
	if p.steps == nil {
		return nil
	}
	return []choice{{15, p.enrol}, {30, p.lookAtSteps}, {1, p.moveSequence}, {2, p.moveEnrolment}}
}

// enrol puts somebody who is known into the sequence, now and then once more.
func (p *people) enrol() {
	m := p.any()
	if m == nil {
		return
	}
	id := p.idOf(m.person)
	if id == "" {
		return
	}
	var made struct{ ID string }
	got := p.ask("POST", "/v1/enrolments", map[string]any{"sequence_id": p.steps.id, "person_id": id, "account_id": p.accounts[m.member]}, &made)
	if got.ok() {
		p.steps.enrolled = append(p.steps.enrolled, made.ID)
		p.w.pass(time.Millisecond) // the next one comes after it
	} else if got.status == http.StatusConflict {
		p.w.note(enrolmentNo + got.problem.Code)
	}
}

func (p *people) moveSequence() {
	p.ask("POST", "/v1/sequences/"+p.steps.id+"/"+[]string{"pause", "resume", "resume"}[p.w.rng.IntN(3)], map[string]any{}, nil)
}

func (p *people) moveEnrolment() {
	if len(p.steps.enrolled) == 0 {
		return
	}
	id := p.steps.enrolled[p.w.rng.IntN(len(p.steps.enrolled))]
	p.ask("POST", "/v1/enrolments/"+id+"/"+[]string{"pause", "resume", "resume", "resume", "stop"}[p.w.rng.IntN(5)], map[string]any{}, nil)
}

// lookAtSteps has one of the servers look at the enrolments that are due, and people read what it proposed.
func (p *people) lookAtSteps() {
	s := p.w.aliveServer()
	if s == nil {
		return
	}
	if err := s.enrolments.WorkOnce(p.w.ctx); err != nil && !s.isDead() {
		p.w.breach("%s could not look at the enrolments: %v", s.name, err)
	}
	p.w.settle()
	for _, m := range p.proposedSteps() {
		p.w.note(stepSaid + m.purpose)
		p.messages = append(p.messages, m)
		if p.w.chance(0.9) {
			p.approveIt(m)
			p.w.pass(time.Millisecond)
		}
	}
}

// proposedSteps are those that people have not read yet.
func (p *people) proposedSteps() (fresh []*message) {
	rows, err := p.w.owner.Query(p.w.ctx, `SELECT m.id::text, m.version, v.digest, v.body, m.purpose, m.account_id::text, i.value
		FROM step_messages t JOIN messages m ON m.id = t.message_id JOIN message_versions v ON v.message_id = m.id AND v.version = m.version
		JOIN person_identities i ON i.person_id = m.person_id AND i.kind = 'linkedin_slug' ORDER BY t.created_at, i.value`)
	p.w.must(err)
	defer rows.Close()
	for rows.Next() {
		m := &message{approved: map[string]bool{}}
		var account, slug string
		p.w.must(rows.Scan(&m.id, &m.version, &m.digest, &m.body, &m.purpose, &account, &slug))
		for _, one := range p.w.site.members {
			if p.accounts[one] == account {
				m.member = one
			}
		}
		for _, one := range p.w.site.persons {
			if one.slug == slug {
				m.person = one
			}
		}
		known := slices.ContainsFunc(p.messages, func(other *message) bool { return other.id == m.id })
		if !known && m.person != nil && m.member != nil {
			fresh = append(fresh, m)
		}
	}
	p.w.must(rows.Err())
	return fresh
}

// finallySteps holds what has begun of the sequence against its promises. The numbers of the history are in order, whatever the clock does;
// two who were merged are one for what began after that.
func (w *World) finallySteps() {
	if w.people.steps == nil {
		return
	}
	w.people.lookAtSteps()
	w.breachEach("message %s of a sequence began beside another one to the same person, or is a step that they had", `WITH starts AS (
			SELECT e.id, e.send_id, e.message_id, p.one_id, t.step_id, t.sequence_id,
				coalesce((SELECT max(v.id) FROM events v WHERE v.type = 'person_merged' AND v.person_id = t.person_id), 0) AS merged
			FROM send_events e JOIN step_messages t ON t.message_id = e.message_id JOIN same_people p ON p.person_id = t.person_id
			WHERE e.from_status = 'leased' AND e.to_status = 'started')
		SELECT later.message_id::text FROM starts later JOIN starts earlier USING (one_id, sequence_id)
		WHERE earlier.message_id <> later.message_id AND earlier.id < later.id AND later.id > greatest(later.merged, earlier.merged)
			AND (SELECT x.to_status FROM send_events x WHERE x.send_id = earlier.send_id AND x.id < later.id ORDER BY x.id DESC LIMIT 1)
				NOT IN ('failed', CASE WHEN earlier.step_id = later.step_id THEN 'failed' ELSE 'sent' END)`)
	w.breachEach("person %s is in the sequence twice", `SELECT p.one_id::text FROM enrolments e JOIN same_people p ON p.person_id = e.person_id
		WHERE e.state = 'running' GROUP BY p.one_id HAVING count(*) > 1`)
	w.breachEach("enrolment %s goes on, though they replied or must not be contacted", `SELECT e.id::text FROM enrolments e
		JOIN same_people p ON p.person_id = e.person_id JOIN people r ON r.id = ANY (p.ids)
		WHERE e.state = 'running' AND (r.replied_at > e.created_at OR r.suppressed_at IS NOT NULL)`)
	w.breachEach("enrolment %s runs and does not say what it waits for", `SELECT id::text FROM enrolments WHERE state = 'running' AND reason IN ('new', 'resumed')`)
	w.each("SELECT state || ' ' || reason FROM enrolments", func(how string) { w.note(stepsEnded + how) })
}

func (w *World) breachEach(what, query string) {
	w.each(query, func(one string) { w.breach(what, one) })
}

// each does something with each text that a query of the owner's finds.
func (w *World) each(query string, do func(string)) {
	w.must(w.clock.show(w.ctx))
	rows, err := w.owner.Query(w.ctx, query)
	w.must(err)
	defer rows.Close()
	for rows.Next() {
		var one string
		w.must(rows.Scan(&one))
		do(one)
	}
	w.must(rows.Err())
}
