// Package search is the bounded search: breadth first over what may happen to one message, its retry and two browsers,
// until the provider has two copies or the bound is reached. Without any one of the four rules in rules.go it must find
// two copies; with all it must find none.
//
// What is ours is decided by the code that ships. The server's side is the pure functions of server/send and server/rule
// over rows in memory; server.go writes only what the guarded statements of server/postgres would. The browser's side is
// the extension's reducer core/install.js and the last decision of linkedin/gate.js, run by goja; browser.js plays the
// browser around them. A rule is taken away in that code: the extension's file gets another text, and the server's function
// gets other facts. What the extension does with an event is remembered, so that it runs once for each.
//
// What is the world's is moves.go and browser.go: what a network, a provider, a clock, a person and a power cut may do.
// LeftOut says what of it is not modelled. Finding nothing is evidence up to the bound, not proof beyond it.
package search

// LeftOut says what the search takes for granted.
const LeftOut = `What the search leaves out:
  * Frames belong to no connection: one may arrive after its browser has connected anew. Every session counts as the newest.
  * A handshake is one step, and so is the question whether to write to the person who was found.
  * Clocks have a few values: in the touch window or past it; before the deadline, past it, past the grace, past the longest wait;
    a tab gone in time, late, or late and a grace ago.
  * Events that follow a write, and those of a page that loads, come at once. Workers die between two steps, not inside one.
  * A page may show a message late, before and after the click; after a refusal that hides a copy it shows it.
  * What left a browser arrives or dies before the grace is over that begins with the deadline or, when that is later, when
    its tab is gone; and before the longest wait is over otherwise.
  * The person looks and speaks in one moment, and says what they see.
  * No other message, account, limit, pause, check, stop by hand, edit or rate limit. Nobody else sends or types.`

// How many states are looked at.
const (
	StatesWithoutRule = 2_000_000 // two copies are found long before
	StatesWithAll     = 300_000
	StatesInTests     = 30_000
)

// Whole are the widest bounds.
var Whole = Bounds{Leases: leasesMax, Deaths: 2, States: StatesWithAll}
