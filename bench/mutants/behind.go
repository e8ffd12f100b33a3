package main

import (
	"slices"
	"strings"
)

// Lines of defence that stand behind others, and are no breakages of the list: what each keeps, the first line keeps as well, as long as
// one transaction of a world follows the other.
const (
	queueOfOpenAccounts = "the queue of an account that may not send is not asked"
	startOfOneToken     = "the row starts by its own token alone"
	lookBeforeTyping    = "the extension looks whether the text stands there"
	siblingAtTheStart   = "no send begins beside one that was delivered"
)

var secondLines = map[string]edit{
	queueOfOpenAccounts: {
		"server/postgres/migrations/00018_checks.sql",
		"SELECT a.id FROM lookable_accounts a\nWHERE EXISTS", "SELECT a.id FROM accounts a\nWHERE EXISTS",
	},
	startOfOneToken:   {"server/postgres/db/send.sql.go", "AND status = 'leased' AND lease_token = $5 AND least(", "AND status = 'leased' AND $5::uuid IS NOT NULL AND least("},
	lookBeforeTyping:  {"extension/core/attempt/judge.js", "if (thread.find === 'fresh') return", "if (false) return"},
	siblingAtTheStart: {"server/send/facts.go", "case f.Delivered:", "case false:"},
}

// behind names what is broken together with a breakage that no world shows alone: second lines, or other breakages of the list. Those alone
// must leave every promise as it is, so that what is seen of both is seen of this one.
var behind = map[string][]string{
	"stopped-account-sends":            {queueOfOpenAccounts},
	"two-leases-per-account":           {queueOfOpenAccounts},
	"pause-of-account-is-ignored":      {queueOfOpenAccounts},
	"pause-of-team-is-ignored":         {queueOfOpenAccounts},
	"pause-of-install-is-ignored":      {"paused-install-is-offered"},
	"paused-install-is-offered":        {"pause-of-install-is-ignored"},
	"pace-is-not-heard-by-a-start":     {"pace-is-not-asked-before-a-lease"},
	"pace-is-not-asked-before-a-lease": {"pace-is-not-heard-by-a-start"},
	"stale-token-starts":               {startOfOneToken},
	"any-attempt-is-acked":             {"lease-again-begins-again"},
	"lease-again-begins-again":         {"any-attempt-is-acked"},
	"late-delivery-cancels-nothing":    {siblingAtTheStart},
	"revived-worker-proves":            {"revived-worker-says-absent"},
	"revived-worker-says-absent":       {"revived-worker-proves"},
}

// brokenWith are the edits of what stands behind a breakage.
func brokenWith(name string) (edits []edit) {
	for _, line := range behind[name] {
		if second, is := secondLines[line]; is {
			edits = append(edits, second)
			continue
		}
		for _, m := range all() {
			if m.name == line {
				edits = append(edits, edit{m.file, m.find, m.replace})
			}
		}
	}
	return edits
}

// controls are the second lines of these breakages, each set of them broken alone.
func controls(given []mutant) (alone []mutant) {
	known := map[string]bool{}
	for _, m := range given {
		lines := slices.Sorted(slices.Values(behind[m.name]))
		name := strings.Join(lines, " + ")
		if len(lines) == 0 || known[name] {
			continue
		}
		known[name] = true
		edits := brokenWith(m.name)
		alone = append(alone, bySimulation(mutant{
			name: "alone: " + name, file: edits[0].file, find: edits[0].find, replace: edits[0].replace, behind: edits[1:], isControl: true,
		}))
	}
	return alone
}
