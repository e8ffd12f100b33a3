package sandbox

import (
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/rule"
)

// phase is what an attempt does next.
type phase int

const (
	asks     phase = iota // for the start
	opens                 // the page of the person
	resolves              // who that is
	acts                  // types, and presses Send
	reports
	leaves // says that its tab is gone
)

// journalPhases are the protocol's words for them.
var journalPhases = map[phase]string{
	asks: "asked", opens: "acked", resolves: "acked", acts: "go_sent", reports: "done", leaves: "done",
}

// attempt is one lease from its arrival to the end of its tab.
type attempt struct {
	lease    heard
	id       string
	story    story
	phase    phase
	due      time.Time // when the next thing is done, or said again
	deadline time.Time
	said     string // the id of this phase's frame
	isSaid   bool   // its answer is waited for
	report   map[string]any
}

func newAttempt(lease heard) *attempt {
	return &attempt{lease: lease, id: uuid.NewString(), said: uuid.NewString()}
}

// journal names the open attempt as hello does.
func (b *Browser) journal() []any {
	if b.attempt == nil {
		return []any{}
	}
	a := b.attempt
	return []any{map[string]any{"lease_token": a.lease.LeaseToken, "attempt": a.id, "phase": journalPhases[a.phase]}}
}

// next goes over to a phase that begins after so many steps.
func (b *Browser) next(p phase, steps int, now time.Time) {
	b.attempt.phase, b.attempt.said, b.attempt.isSaid = p, uuid.NewString(), false
	b.attempt.due = now.Add(time.Duration(steps) * b.options.Step)
}

// proceed does what the attempt has to do now, or says again what has no answer.
func (b *Browser) proceed(c *connection, now time.Time) error {
	a := b.attempt
	if now.Before(a.due) {
		return nil
	}
	switch a.phase {
	case asks:
		return b.saysUntilAnswered(c, now, "start", map[string]any{"lease_token": a.lease.LeaseToken, "attempt": a.id, "digest": a.lease.Digest})
	case opens:
		a.story = storyOf(a.lease.slug(), b.site.try(a.lease.person()))
		if a.story.stops != "" {
			b.stopBefore(a.story.stops, now)
			return nil
		}
		b.next(resolves, a.story.opensIn-opensIn, now)
	case resolves:
		return b.saysUntilAnswered(c, now, "resolved", map[string]any{
			"lease_token": a.lease.LeaseToken, "attempt": a.id, "person_urn": a.lease.person(), "slug": a.lease.Person.Slug,
			"name": nameOf(a.lease.slug()), "connected": true, "participants": 1,
		})
	case acts:
		b.pressSend(now)
	case reports:
		return b.saysUntilAnswered(c, now, "report", a.report)
	case leaves:
		return b.saysUntilAnswered(c, now, "gone", map[string]any{"lease_token": a.lease.LeaseToken})
	}
	return nil
}

func (b *Browser) saysUntilAnswered(c *connection, now time.Time, kind string, fields map[string]any) error {
	b.attempt.due, b.attempt.isSaid = now.Add(config.SandboxAgainEvery), true
	return c.sayAs(b.attempt.said, kind, fields)
}

// hearAnswer takes the answer to what was last said.
func (b *Browser) hearAnswer(c *connection, h heard) error {
	now := time.Now()
	if b.look != nil && h.Type == "noted" && h.answers(b.look.said) {
		b.look = nil
		return b.ready(c)
	}
	a := b.attempt
	if a == nil || !h.answers(a.said) {
		return nil
	}
	switch h.Type {
	case "started":
		a.deadline = now.Add(time.Duration(h.DeadlineMS) * time.Millisecond)
		b.next(opens, opensIn, now)
	case "proceed":
		b.next(acts, 1, now)
	case "halt":
		b.stopBefore(h.Code, now)
	case "recorded":
		b.next(leaves, 0, now)
	case "refused", "noted":
		b.attempt = nil
		return b.ready(c)
	}
	return nil
}

// pressSend is the act: LinkedIn takes what the story says, and the report is made.
func (b *Browser) pressSend(now time.Time) {
	a := b.attempt
	var seen []Copied
	for range a.story.copies {
		seen = append(seen, b.site.take(Copied{
			PersonURN: a.lease.person(), Text: a.lease.Body, At: now, ShownFrom: now.Add(time.Duration(a.story.hidesFor) * b.options.Step),
		}))
	}
	if a.story.look != rule.LookFound {
		seen = nil
	}
	var retryAfter any
	if a.story.retryIn > 0 {
		retryAfter = (time.Duration(a.story.retryIn) * b.options.Step).Milliseconds()
	}
	a.report = b.reportOf("acted", map[string]any{
		"answer": a.story.answer, "double": false, "foreign": false, "look": a.story.look, "copies": copiesOf(seen), "conversation": nil,
		"origin_token": nil, "retry_after_ms": retryAfter, "acted_at_ms": now.UnixMilli(),
	}, rule.Classify(rule.Acted{Answer: a.story.answer, Look: a.story.look, Copies: len(seen)}))
	b.next(reports, 1, now)
	if a.story.silent {
		a.due = a.deadline.Add(speaksAfter * b.options.Step)
	}
}

// stopBefore ends the attempt without a click.
func (b *Browser) stopBefore(reason string, now time.Time) {
	a, find := b.attempt, rule.FindNone
	var seen []Copied
	if a.story.stood {
		find = rule.FindFresh
		seen = append(seen, b.site.take(Copied{PersonURN: a.lease.person(), Text: a.lease.Body, At: now, ShownFrom: now}))
	}
	a.report = b.reportOf("unacted", map[string]any{
		"reason": reason, "find": find, "box": rule.BoxUntouched, "request": false, "unbroken": true, "copies": copiesOf(seen), "conversation": nil,
	}, rule.End(rule.Unacted{Reason: reason, Find: find, Box: rule.BoxUntouched, Unbroken: true}))
	b.next(reports, 1, now)
}

func (b *Browser) reportOf(end string, evidence map[string]any, outcome rule.Outcome) map[string]any {
	var reason any
	if outcome.Reason != "" {
		reason = outcome.Reason
	}
	return map[string]any{
		"lease_token": b.attempt.lease.LeaseToken, "attempt": b.attempt.id, "end": end, "evidence": evidence,
		"outcome": map[string]any{"status": outcome.Status, "code": outcome.Code, "reason": reason},
	}
}

func copiesOf(seen []Copied) []any {
	copies := []any{}
	for _, c := range seen {
		copies = append(copies, map[string]any{"provider_id": c.ProviderID, "sent_at_ms": c.At.UnixMilli()})
	}
	return copies
}
