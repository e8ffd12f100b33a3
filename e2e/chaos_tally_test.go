//go:build chaos

package e2e_test

import (
	"context"
	"errors"
	"slices"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/rule"
)

// chaos counts what becomes of messages that faults struck.
type chaos struct {
	*rig
	in    *install
	fault string
	blows []*blow
}

// blow is one message that a fault struck.
type blow struct {
	when   string
	m      harness.Message
	person standin.Person
	text   string
	// isLost: it came to no end, and did not say what it waits for.
	isLost bool
}

const (
	// graceUsual is SENDONCE_GRACE where nothing else is set.
	graceUsual = 10 * time.Minute
	// chaosEndWithin bounds the wait for a message's end, when nobody but the deadline's sweep knows of it.
	chaosEndWithin = deadline + caseWithin
	// looksWithin bounds all later looks of one world.
	looksWithin = 10 * time.Minute
)

// awaitEnds waits until every message that was struck has come to an end.
func (c *chaos) awaitEnds(when string, blows ...*blow) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.ctx, chaosEndWithin)
	defer cancel()
	for _, b := range blows {
		b.when = when
		c.blows = append(c.blows, b)
		last := harness.Send{}
		if _, err := c.api.Await(ctx, b.m.ID, func(m harness.Message) bool {
			last = m.Last()
			return isEnd(last.Status) || rule.Status(last.Status) == rule.Canceled
		}); err != nil && last.WaitingFor == "" {
			b.isLost = true
			c.Errorf("the message to %s came to no end and does not say what it waits for: %v", b.person.Slug, err)
		}
	}
}

// rows has everything looked at that nobody could confirm, and counts, by when it was struck. A person then settles the rest.
func (c *chaos) rows() []chaosRow {
	c.Helper()
	c.must(c.database.AwaitFirstLooks(c.ctx))
	c.looksAgainAfterGrace()
	var rows []chaosRow
	for _, b := range c.blows {
		i := slices.IndexFunc(rows, func(row chaosRow) bool { return row.when == b.when })
		if i < 0 {
			i = len(rows)
			rows = append(rows, chaosRow{fault: c.fault, when: b.when})
		}
		c.count(&rows[i], b)
	}
	for _, row := range rows {
		c.repeats.browser += row.repeats.browser
		c.repeats.page += row.repeats.page
	}
	return rows
}

// looksAgainAfterGrace lets deadline and grace pass, and has each unconfirmed send looked at once more.
func (c *chaos) looksAgainAfterGrace() {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.ctx, looksWithin)
	defer cancel()
	c.must(c.database.Advance(ctx, deadline+graceUsual))
	since, err := c.database.Now(ctx)
	c.must(err)
	for _, b := range c.blows {
		read, err := c.api.Message(ctx, b.m.ID)
		c.must(err)
		for _, send := range read.Sends {
			if rule.Status(send.Status) == rule.Unconfirmed {
				c.must(c.api.CheckAgain(ctx, send.ID))
			}
		}
	}
	c.must(c.database.AwaitLooksAfter(ctx, since))
}

// count adds one message to its row.
func (c *chaos) count(row *chaosRow, b *blow) {
	c.Helper()
	read, err := c.api.Message(c.ctx, b.m.ID)
	c.must(err)
	state := c.site.State().To(b.person.ID, b.text)
	row.times++
	row.sends += len(read.Sends)
	row.copies += len(state.Copies)
	row.repeats.browser += state.BrowserCopies()
	row.repeats.page += state.PageCopies()
	row.duplicates += state.Duplicates()
	if b.isLost {
		row.lost++
	}
	for _, send := range read.Sends {
		moves, err := c.database.Moves(c.ctx, send.ID)
		c.must(err)
		if slices.Contains(moves, string(rule.Unconfirmed)) {
			row.unconfirmed++
		}
	}
	last := read.Last()
	c.holdsAgainstTheLedger(b, last, len(state.Copies))
	if rule.Status(last.Status) == rule.Unconfirmed {
		row.unconfirmedAfter++
		row.left++
		row.clicks = max(row.clicks, c.settledByAPerson(last))
	}
}

// holdsAgainstTheLedger checks that what a send says, after all looks, is what LinkedIn has.
func (c *chaos) holdsAgainstTheLedger(b *blow, last harness.Send, copies int) {
	c.Helper()
	saysSent := rule.Status(last.Status) == rule.Sent
	if saysSent != (copies > 0) {
		c.Errorf("%s: the send to %s is %s (%s) with %d copies in the ledger", b.when, b.person.Slug, last.Status, last.Code, copies)
	}
	if last.Instruction != rule.Instruction(rule.Status(last.Status), "linkedin") {
		c.Errorf("%s: the send to %s is %s and its instruction %q", b.when, b.person.Slug, last.Status, last.Instruction)
	}
}

// settledByAPerson says of a send that nothing was delivered, as the console does, and returns the clicks: the button, and
// the tick when its browser has not said that its tab is gone.
func (c *chaos) settledByAPerson(send harness.Send) (clicks int) {
	c.Helper()
	const note = "There is no such message in the conversation."
	err := c.api.Resolve(c.ctx, send.ID, "not_delivered", note)
	var problem *harness.Problem
	if errors.As(err, &problem) && problem.Code == "browser_not_seen" {
		c.must(c.api.ResolveUnseen(c.ctx, send.ID, note))
		return 2
	}
	c.must(err)
	return 1
}
