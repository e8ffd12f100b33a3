//go:build chaos

package e2e_test

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/rule"
)

const (
	// costWithin bounds one round of all answers in one browser, on a busy machine.
	costWithin = 20 * time.Minute
	// leftShareMax is how much of what LinkedIn accepted may be left to a person, in percent.
	leftShareMax = 2
	// clicksMax is what settling one send may take of a person.
	clicksMax = 2
)

// cost adds up what many rounds saw.
type cost struct {
	mu    sync.Mutex
	lines []costLine
}

// priced is one send, how its attempt ended and whether LinkedIn had accepted it.
type priced struct {
	c    matrixCase
	m    harness.Message
	seen matrixRow
}

// Goal: safety costs nobody a send, and few people a look: of what LinkedIn accepted at most 2 in 100 sends are left to a
// person after later looks; of what it did not accept, every one that is left has the look's finding filled in and takes two
// clicks at most; and of sends that nothing happens to none is left.
func TestCostOfSafety(t *testing.T) {
	t.Parallel()
	all := &cost{}
	t.Run("rounds", func(t *testing.T) {
		for n := range chaosTimes(t) {
			for _, protocol := range matrixProtocols {
				t.Run(fmt.Sprintf("%s, time %d", protocolNames[protocol], n+1), func(t *testing.T) { all.round(t, protocol) })
			}
		}
	})
	if t.Failed() {
		return // a send is missing, or did not end as it must
	}
	all.holds(t)
	if os.Getenv("UPDATE") == "" || t.Failed() {
		return
	}
	table := costColumns
	for _, key := range costKeys() {
		table += all.lines[slices.IndexFunc(all.lines, func(l costLine) bool { return l.key() == key })].line()
	}
	if err := costPart.Write(table + all.total().line()); err != nil {
		t.Fatal(err)
	}
}

// round sends one message for each answer, lets time pass and browsers look, and settles what is left as a person does.
func (k *cost) round(t *testing.T, protocol standin.Protocol) {
	m := newMatrix(t, protocol, costWithin)
	c := &chaos{rig: m.rig, in: m.install}
	var sends []priced
	for _, one := range costCases(protocol) {
		m.Run(one.name+", "+one.side, func(t *testing.T) {
			sent, seen := m.run(m.under(t), one)
			sends = append(sends, priced{one, sent, seen})
			c.blows = append(c.blows, &blow{m: sent})
		})
	}
	c.must(c.database.AwaitFirstLooks(c.ctx))
	for _, s := range sends {
		for _, fault := range s.c.faults {
			if fault.HideFromThread != nil {
				fault.HideFromThread.Release()
			}
		}
	}
	c.looksAgainAfterGrace()
	page, err := m.install.OpenConsole(c.ctx, c.server)
	c.must(err)
	for _, s := range sends {
		k.add(c, s, page)
	}
}

// add says of one send where it ended, and settles it when it was left to a person.
func (k *cost) add(c *chaos, s priced, page *harness.Console) {
	c.Helper()
	read, err := c.api.Message(c.ctx, s.m.ID)
	c.must(err)
	first := read.Sends[0]
	one := costLine{name: s.c.name, side: s.c.side, times: 1, accepted: min(s.seen.copies, 1)}
	switch was, is := s.seen.end.status, rule.Status(first.Status); {
	case was == rule.Sent && is == rule.Sent:
		one.atOnce = 1
	case is == rule.Sent:
		one.byLook = 1
	case was == rule.Failed && is == rule.Failed:
		one.proven = 1
	case is == rule.Unconfirmed:
		one.left, one.leftAccepted = 1, one.accepted
		said, err := page.NotDelivered(c.ctx, s.m.ID, first.ID)
		c.must(err)
		if one.clicks = said.Clicks; said.Note != "" {
			one.filled = 1
		}
	default:
		c.Errorf("%s, %s: the attempt ended %s, and later it is %s", s.c.name, s.c.side, was, is)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.lines, func(l costLine) bool { return l.key() == one.key() })
	if i < 0 {
		k.lines = append(k.lines, one)
		return
	}
	k.lines[i] = k.lines[i].with(one)
}

// with is both lines together.
func (l costLine) with(other costLine) costLine {
	l.times += other.times
	l.accepted += other.accepted
	l.atOnce += other.atOnce
	l.byLook += other.byLook
	l.proven += other.proven
	l.left += other.left
	l.leftAccepted += other.leftAccepted
	l.filled += other.filled
	l.clicks = max(l.clicks, other.clicks)
	return l
}

func (k *cost) total() costLine {
	total := costLine{name: costTotal}
	for _, l := range k.lines {
		total = total.with(l)
	}
	return total
}

// holds checks the goals.
func (k *cost) holds(t *testing.T) {
	t.Helper()
	for _, l := range k.lines {
		t.Log(l.line())
		if l.name == unfaulted.name && l.side == unfaulted.side && l.left != 0 {
			t.Errorf("%d sends that nothing happened to are left to a person", l.left)
		}
	}
	total := k.total()
	t.Log(total.line())
	if total.leftAccepted*100 > leftShareMax*total.accepted {
		t.Errorf("%d of %d accepted sends are left to a person, want %d %% at most", total.leftAccepted, total.accepted, leftShareMax)
	}
	if untouched := total.left - total.leftAccepted; total.filled < untouched || total.clicks > clicksMax {
		t.Errorf("of %d that are left and were not accepted, %d have the finding filled in, and the worst took %d clicks; want all, and %d at most",
			untouched, total.filled, total.clicks, clicksMax)
	}
}
