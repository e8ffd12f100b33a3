package e2e_test

import (
	"testing"
	"time"

	"sendonce/e2e/standin"
)

// samplePatience bounds a sample's cases in one browser, on a busy machine.
const samplePatience = 5 * time.Minute

// Goal: an answer that proves nothing is settled by the conversation alone: found is sent, anything else needs a look, and
// nothing is sent again by a machine but a message that LinkedIn's rate limit put off. A request that the browser or the
// page repeats is told to a person. This is the sample of the full matrix over HTTP/1.1.
func TestAnswersOverHTTP1(t *testing.T) {
	m := newMatrix(t, standin.HTTP1, samplePatience)
	status503, limit := answerNamed("503"), answerNamed("429 with Retry-After")
	m.runs(status503.before(), status503.after(), status503.hidden())
	m.runs(limit.before())
	m.runs(drops(1, usual, false), drops(1, limit, true))
	m.runs(pagePostsNamed("two requests for one click, both accepted"))
}

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
