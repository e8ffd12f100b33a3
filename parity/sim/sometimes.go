package sim

import (
	"slices"

	"sendonce/server/delivery"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// What worlds note of what they see.
const (
	lateWin     = "a late confirmation won over "
	checkFound  = "a check found a message"
	retryNo     = "a retry was refused: "
	startNo     = "a start was refused: "
	knownTwice  = "a message is known to have gone out twice, with an incident"
	secondWrong = "a second copy after a person was wrong"
	shownAgain  = "an event was shown again to a program that had lost it"
	observed    = "a browser observed "
)

// sometimes lists what a large number of worlds must see: a promise that is never put to the test proves nothing.
func sometimes() []string {
	seen := []string{lateWin + string(rule.Unconfirmed), lateWin + string(rule.Failed), checkFound, knownTwice, secondWrong, shownAgain, peopleMarked, peopleLifted, peopleMerged, stepSaid + firstStep, stepSaid + secondStep}
	for _, code := range []problem.Code{problem.AlreadyRetried, problem.NeedsALook, problem.NotEnded, problem.IdenticalWaits} {
		seen = append(seen, retryNo+string(code))
	}
	for _, kind := range []delivery.Kind{delivery.Replied, delivery.Read, delivery.Manual} {
		seen = append(seen, observed+string(kind))
	}
	for _, code := range paceRefusals {
		seen = append(seen, paceHeld+string(code))
	}
	for _, code := range retryRefusals {
		seen = append(seen, retryNo+string(code))
	}
	for _, code := range startRefusals {
		seen = append(seen, startNo+string(code))
	}
	return seen
}

// retryRefusals and startRefusals are those that worlds meet. Whatever takes a lease back (an edit, a withdrawal, a pause) does
// it in its own transaction, so that a start of it is refused as stale, and its own name is met only where two transactions race.
var (
	retryRefusals = []rule.Refusal{rule.ContentChanged, rule.SiblingExists, rule.Withdrawn}
	startRefusals = []rule.Refusal{rule.StaleLease}
)

// Unseen lists what none of the worlds saw, and should have.
func (t Total) Unseen() []string {
	return slices.DeleteFunc(sometimes(), func(what string) bool { return t.Seen[what] > 0 })
}
