package main

const (
	byHand       = "a second line behind the server's own: only a hand at a prompt meets it, and the simulation has none"
	noOverlap    = "in a world one transaction follows the other; in this two overlap"
	oneHistory   = "a world has one workspace, is never armed anew and forgets no event"
	movesAlone   = "the simulation's follower holds moves and authority against what is so, and no notice"
	neverWaiting = "the simulation's follower neither waits nor streams"
	described    = "what a program reads of an answer or a refusal: the people and programs of the simulation read less"
	honestPages  = "the browsers of the simulation speak of the conversation that they have open, and of no more than there is"
	plainThreads = "the conversations of the simulation have two people, marks that agree, and each text as it was typed"
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
	"anybody-observes":              honestPages,
	"any-member-observes":           honestPages,
	"any-person-observes":           honestPages,
	"observes-without-a-grant":      honestPages,
	"observes-without-bound":        honestPages,
	"copy-without-bound":            honestPages,
	"copies-of-every-account":       honestPages,
	"copies-to-every-person":        honestPages,
	"recognised-stays-by-hand":      described,
	"reply-to-what-never-went":      described,
	"last-by-hand-counts":           described,
	"by-hand-is-trouble":            movesAlone,
	"a-third-one-replies":           plainThreads,
	"marks-that-contradict":         plainThreads,
	"digest-of-the-page":            plainThreads,
	"edit-of-any-version":           "its programs name no version in an edit: they mean whichever stands",
}

// cannotSee are breakages of what the simulation models, which none of its worlds shows, with why.
var cannotSee = map[string]string{
	"observation-confirms":       "a copy that a browser may speak of was recorded when its send was confirmed: nothing is left to confirm",
	"observes-before-the-report": "it changes an order of two frames, and each of them counts for itself",
	"observes-any-page":          "another mailbox has other ids for its messages, so that none of ours stands on a wrong page",
	"observations-crowd-out":     "its servers are never so long without an answer that so many wait",
}
