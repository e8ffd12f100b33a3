package e2e_test

import "time"

// lasts is about how long a test of `make test` takes on two cores with other browsers beside it, its browser's start included.
// The longest begin first: with one bound for nearly all of them, a test of two minutes began after tests of twenty seconds, and
// ended alone. A figure that is wrong costs time and nothing else.
var lasts = map[string]time.Duration{
	"TestAnswersOverHTTP2": 115 * time.Second,
	"TestAnswersOverHTTP1": 110 * time.Second,
	// Its two browsers need two places at one time, for which one would stand empty later on: it is to be the first.
	"TestApprovedMessagesGoOutOnce":        60 * time.Second,
	"TestChecks":                           70 * time.Second,
	"TestWorkerDies":                       70 * time.Second,
	"TestSomePersonsAndTexts":              55 * time.Second,
	"TestASequenceAndAReply":               50 * time.Second,
	"TestRecruitersHand":                   45 * time.Second,
	"TestDatabaseDown":                     38 * time.Second,
	"TestBetweenLeaseAndStart":             36 * time.Second,
	"TestKilledServerMakesEachMessageOnce": 30 * time.Second,
	"TestDeliverySlowerThanTheDeadline":    30 * time.Second,
	"TestStartNeverAcknowledged":           30 * time.Second,
	"TestConfirmedAfterTheDeadline":        27 * time.Second,
	"TestServerKilled":                     20 * time.Second,
	"TestTwoSessionsOfOneInstall":          5 * time.Second,
	"TestLeaseAgainAfterTheWork":           5 * time.Second,
	"TestTextsThatCannotBeSent":            5 * time.Second,
}

// boundsPerRun: bounds have a busy machine in mind, and few tests take half of theirs.
const boundsPerRun = 2

// takes is how much of all browsers' time the test needs: what needs most begins first.
func (w world) takes(test string) time.Duration {
	each, isKnown := lasts[test]
	if !isKnown {
		each = w.within / boundsPerRun
	}
	return each * time.Duration(max(w.browsers, 1))
}
