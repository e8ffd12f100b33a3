package main

const (
	byHand       = "a second line behind the server's own: only a hand at a prompt meets it, and the simulation has none"
	noOverlap    = "in a world one transaction follows the other; in this two overlap"
	oneHistory   = "a world has one workspace, is never armed anew and forgets no event"
	movesAlone   = "the simulation's follower holds moves and authority against what is so, and no notice"
	neverWaiting = "the simulation's follower neither waits nor streams"
	described    = "what a program reads of an answer or a refusal: the people and programs of the simulation read less"
)

// notSimulated are breakages of what the simulation has no part of, though it runs their file.
var notSimulated = map[string]string{
	"undocumented-field":           described,
	"undocumented-status":          described,
	"undocumented-right":           described,
	"undocumented-route":           described,
	"a-standard-member-is-taken":   described,
	"started-goes-back-to-queued":  byHand,
	"lease-may-be-extended":        byHand,
	"attempt-may-be-rewritten":     byHand,
	"a-start-may-be-forgotten":     byHand,
	"guards-sleep-under-replica":   byHand,
	"two-live-sends":               byHand,
	"sibling-of-a-delivered-one":   byHand,
	"sent-without-evidence":        byHand,
	"no-quiet-time":                byHand,
	"a-late-tab-by-hand":           byHand,
	"any-proof-will-do":            byHand,
	"history-is-optional":          byHand,
	"closed-incident-is-rewritten": byHand,
	"forgotten-without-a-trace":    byHand,

	"event-shown-too-early":         noOverlap,
	"event-held-back-by-a-stranger": noOverlap,
	"move-by-its-own-number-alone":  noOverlap,
	"event-by-its-own-number-alone": noOverlap,
	"arming-overtakes-a-writer":     oneHistory,
	"arming-overtakes-a-move":       oneHistory,
	"cursor-of-another-workspace":   oneHistory,
	"cursor-outlives-a-restore":     oneHistory,
	"cursor-outlives-its-events":    oneHistory,
	"completed-before-the-retry":    movesAlone,
	"completed-by-an-edit":          movesAlone,
	"asked-though-approved":         movesAlone,
	"delivery-told-again":           movesAlone,
	"readers-without-number":        neverWaiting,
	"wait-outlives-its-token":       neverWaiting,
	"stream-begins-again":           neverWaiting,
	"sandbox-made-real":             byHand,
	"browser-changes-sides":         byHand,
	"sandbox-gives-out-a-code":      "no sandbox is in it",
	"edit-of-any-version":           "its programs name no version in an edit: they mean whichever stands",
}

// cannotSee are breakages of what the simulation models, which none of its worlds shows, with why.
var cannotSee = map[string]string{}
