package main

const (
	byHand = "a second line behind the server's own: only a hand at a prompt meets it, and the simulation has none"
)

// notSimulated are breakages of what the simulation has no part of, though it runs their file.
var notSimulated = map[string]string{
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
}

// cannotSee are breakages of what the simulation models, which none of its worlds shows, with why.
var cannotSee = map[string]string{}
