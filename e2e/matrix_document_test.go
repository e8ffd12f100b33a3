package e2e_test

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// matrixHead begins the document that the full matrix is held against.
const matrixHead = `# The fault matrix

What becomes of one approved message under each fault, seen in a real Chromium with the extension as it is shipped, against
the stand-in LinkedIn whose ledger is the truth. ` + "`make e2e-full`" + ` runs every case, holds it against the table of outcomes, and
fails when this page differs from what it saw; ` + "`UPDATE=1 make e2e-full`" + ` writes this page. Each case is one send to a person of
its own; one browser per protocol runs a table from top to bottom.

* **Requests** are the delivery requests that reached LinkedIn, **copies** those that it accepted.
* A **browser copy** is one that Chromium made by repeating a request by itself, which it does when a used connection ends
  unanswered. A **page copy** is one that the page made by posting twice for one click. A **duplicate** is one that a second
  click of ours made.
* **Account** is what the answer does to the sending account, **incident** what a person is told beside the status.
* Over HTTP/1.1 the message begins its conversation, over HTTP/2 it goes into one that is there.
* A rate-limited send is followed by a new one after the pause, which is not in its line.
`

const matrixColumns = `
| | | protocol | clicks | requests | copies | browser copies | page copies | duplicates | status | code | account | incident |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
`

// lineOf is the document's line of a case.
func lineOf(c matrixCase, protocol string, seen matrixRow) string {
	requests, copies, browser := strconv.Itoa(seen.requests), strconv.Itoa(seen.copies), strconv.Itoa(seen.repeats.browser)
	if c.orMore { // how many it was this time is chance
		requests = fmt.Sprintf("%d or more", c.requests)
		if c.copies > 0 {
			copies, browser = fmt.Sprintf("%d or more", c.copies), fmt.Sprintf("%d or more", c.repeats.browser)
		}
	}
	cells := []string{
		c.name, c.side, protocol, strconv.Itoa(seen.clicks), requests, copies, browser, strconv.Itoa(seen.repeats.page),
		strconv.Itoa(seen.duplicates), string(seen.end.status), seen.end.code,
		cmp.Or(strings.ReplaceAll(string(seen.effect), "_", " "), "-"), cmp.Or(seen.incident, "-"),
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}
