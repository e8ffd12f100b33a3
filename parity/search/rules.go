package search

import (
	"fmt"
	"strings"
)

// Rule is one of the four rules without which two copies appear.
type Rule struct {
	Name, Says string
	// Within are the bounds in which two copies appear without it. Where the retry has a part in it, the first attempt's
	// usual life up to its click is not searched again.
	Within  Bounds
	changes []change
}

// change gives a file of the extension another text: find stands in it once.
type change struct{ file, find, replace string }

// The four rules. The touch window and the journal are the extension's: a search without one changes its code. The
// attempt's id and the quiet time are decided from facts by pure functions, so a search without one gives those other
// facts: an attempt that is always the asker's, and no time to wait.
var (
	AttemptID = Rule{
		Name: "attempt id", Says: "the same ack is repeated only to the attempt that was recorded",
		Within: Bounds{Leases: 1, Deaths: 1, States: StatesWithoutRule},
	}

	TouchWindow = Rule{
		Name: "touch window", Says: "Send is pressed only within the touch window",
		Within:  Bounds{Leases: 2, FromGo: true, States: StatesWithoutRule},
		changes: []change{{"linkedin/gate.js", "    if (!inTime(moment)) return { click: false, reason: 'too_late' };\n", ""}},
	}

	// Without it, a worker that died judges by its journal: no "go" was written, so nothing was sent.
	Journal = Rule{
		Name: "journal", Says: "a journal is a witness, not a judge",
		Within: Bounds{Leases: 2, Deaths: 1, FromGo: true, States: StatesWithoutRule},
		changes: []change{
			{"core/attempt/turn.js", "lease_token, send, account, phase: s.journal_phase,", "attempt: s.attempt, lease_token, send, account, phase: s.journal_phase,"},
			{"core/attempt.js", "import { acted, clearing,", "import { acted, unacted, clearing,"},
			{"core/attempt.js", "  else if (entry.phase === 'asked' && !started) acted(turn, 'impossible', []);\n", `  else if (entry.phase !== 'go_sent') {
    s.live = true;
    s.attempt = entry.attempt;
    unacted(turn, 'halted', 'untouched');
  }
`},
		},
	}

	QuietTime = Rule{
		Name: "quiet time", Says: "\"not delivered\" counts only when nothing can be on its way any more",
		Within: Bounds{Leases: 2, FromGo: true, States: StatesWithoutRule},
	}
)

// LateTab is a part of the quiet time. The way without it is long, so that it is followed in a test and not searched for.
var LateTab = Rule{
	Name: "quiet time since the tab was gone", Says: "the grace counts from when the tab was gone, if that is after the deadline",
	Within: QuietTime.Within,
}

// Rules lists the four.
func Rules() []*Rule { return []*Rule{&AttemptID, &TouchWindow, &Journal, &QuietTime} }

func (r *Rule) is(other Rule) bool { return r != nil && r.Name == other.Name }

// texts are the files of the extension that differ without the rule.
func (r *Rule) texts() (map[string]string, error) {
	if r == nil {
		return nil, nil
	}
	texts := map[string]string{}
	for _, c := range r.changes {
		text, is := texts[c.file]
		if !is {
			var err error
			if text, err = source(c.file); err != nil {
				return nil, err
			}
		}
		if n := strings.Count(text, c.find); n != 1 {
			return nil, fmt.Errorf("the text that carries the rule %q stands %d times in %s, want once; mend the list of rules", r.Name, n, c.file)
		}
		texts[c.file] = strings.Replace(text, c.find, c.replace, 1)
	}
	return texts, nil
}
