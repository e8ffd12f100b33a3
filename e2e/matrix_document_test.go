package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

var (
	matrixProtocols = []standin.Protocol{standin.HTTP1, standin.HTTP2}
	matrixTables    = []struct {
		title string
		cases func(standin.Protocol) []matrixCase
	}{
		{"Every answer", everyAnswer},
		{"Requests that repeat, or that nobody clicked for", everyRepeat},
	}
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
* Over HTTP/2 Chromium repeats a request once, so that after two drops the last answer is never asked for.
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
		orDash(string(seen.effect)), orDash(seen.incident),
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

func orDash(word string) string {
	if word == "" {
		return "-"
	}
	return word
}

// matrixDocument is the whole page. lines are those of a table (by its place) for a protocol.
func matrixDocument(lines func(table int, protocol standin.Protocol) []string) string {
	var page strings.Builder
	page.WriteString(matrixHead)
	for i, table := range matrixTables {
		page.WriteString("\n## " + table.title + "\n" + matrixColumns)
		for _, protocol := range matrixProtocols {
			page.WriteString(strings.Join(lines(i, protocol), ""))
		}
	}
	return page.String()
}

func matrixDocumentPath(t *testing.T) string {
	t.Helper()
	root, err := harness.Root(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "docs", "fault-matrix.md")
}

// holdDocument compares the document with what it ought to be.
func holdDocument(t *testing.T, ought string) {
	t.Helper()
	written, err := os.ReadFile(matrixDocumentPath(t))
	if err != nil {
		t.Fatalf("%v; UPDATE=1 make e2e-full writes it", err)
	}
	if diff := cmp.Diff(string(written), ought); diff != "" {
		t.Errorf("docs/fault-matrix.md is out of date; UPDATE=1 make e2e-full writes it (-file +ought):\n%s", diff)
	}
}

// Goal: the document has a line for every case, which says what the case asks for. That this is what happens, the full
// matrix shows.
func TestDocumentHasEveryCase(t *testing.T) {
	t.Parallel()
	holdDocument(t, matrixDocument(func(table int, protocol standin.Protocol) []string {
		var lines []string
		for _, c := range matrixTables[table].cases(protocol) {
			lines = append(lines, lineOf(c, protocolNames[protocol], c.wanted(matrixRow{})))
		}
		return lines
	}))
}
