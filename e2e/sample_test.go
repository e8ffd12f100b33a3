//go:build !full

package e2e_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sendonce/e2e/standin"
)

// sampleWithin bounds the sample of persons and texts, on a busy machine.
const sampleWithin = 240 * time.Second

// A fair sample of the tables of which `make e2e-full` runs every case.

// Goal: an answer that proves nothing is settled by the conversation alone: found is sent, anything else needs a look, and
// nothing is sent again by a machine but a message that LinkedIn's rate limit put off. A request that the browser or the
// page repeats is told to a person.
func TestAnswersOverHTTP1(t *testing.T) {
	m := newMatrix(t, standin.HTTP1, samplePatience)
	status503, limit := answerNamed("503"), answerNamed("429 with Retry-After")
	m.runs(status503.before(), status503.after(), status503.hidden())
	m.runs(limit.before())
	m.runs(drops(1, usual, false), drops(1, limit, true))
	m.runs(pagePostsNamed("two requests for one click, both accepted"))
}

// Goal: whatever a recruiter or the page does to our tab, at whatever step: nothing but what was approved goes out by our
// hand, at most once, and the row says what is true.
func TestRecruitersHand(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: samplePatience})
	in := r.install()
	for i, c := range handCases {
		if c.inSample {
			t.Run(c.name, func(t *testing.T) { r.attempt(t, in, fmt.Sprintf("hand-%d", i)).meets(c) })
		}
	}
}

// Goal: whatever the pages around a person show, the message goes to them, or to nobody for a reason that can be read; and
// it arrives byte for byte, or not at all.
func TestSomePersonsAndTexts(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: sampleWithin})
	in := r.install()
	runPersonCases(t, r, in, pick(allPersonCases(), func(c personCase) bool { return c.inSample }))
	runTextCases(t, r, in, standin.Variant{}, inSample(textCases))
	runRewriteCases(t, r, in, slices.DeleteFunc(slices.Clone(rewriteCases), func(c rewriteCase) bool { return !c.inSample }))
}

// inSample are the texts that every run of the tests sends.
func inSample(cases []textCase) []textCase {
	return slices.DeleteFunc(slices.Clone(cases), func(c textCase) bool { return !c.inSample })
}
