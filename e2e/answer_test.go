package e2e_test

import (
	"testing"
	"time"

	"sendonce/e2e/standin"
)

// samplePatience bounds a sample's cases in one browser, on a busy machine.
const samplePatience = 5 * time.Minute

// Goal: as over HTTP/1.1; and an account that LinkedIn refuses is stopped until a person clears it, and then the next
// message goes.
func TestAnswersOverHTTP2(t *testing.T) {
	m := newMatrix(t, standin.HTTP2, samplePatience)
	hang, forbidden := answerNamed("none: it hangs"), answerNamed("403").before()
	forbidden.nextWaits = true
	m.runs(hang.before(), hang.after(), answerNamed("200 that names no message").before())
	m.runs(answerNamed("500").after(), forbidden, answerNamed("200 HTML after a redirect to a checkpoint").after())
	m.runs(drops(1, usual, false))
	m.runs(pagePostsNamed("a request for what was typed, without a click"))
}
