package e2e_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sendonce/e2e/standin"
	"sendonce/house/proof"
)

// unfaulted is a send that nothing happens to.
var unfaulted = matrixCase{name: "200", side: "nothing happens", clicks: 1, requests: 1, copies: 1, end: confirmed}

// costCases are one send as usual, and the full product of answers.
func costCases(protocol standin.Protocol) []matrixCase {
	return append([]matrixCase{unfaulted}, everyAnswer(protocol)...)
}

// costPart is the part of docs/proof.md that says what the safety costs.
var costPart = proof.Part{Name: "cost of safety", Command: "UPDATE=1 make cost"}

const costColumns = `| answer | | times | accepted | sent at once | sent by a later look | proven not delivered | left to a person | of these accepted | finding filled in | clicks each |
|---|---|---|---|---|---|---|---|---|---|---|
`

// costTotal names the line of all together.
const costTotal = "**all**"

// costLine is what became of one answer's sends, over both protocols.
type costLine struct {
	name, side string
	// times is how many sends there were, accepted of how many LinkedIn has a copy.
	times, accepted int
	// Where they ended: atOnce and proven by the attempt's own report, byLook by a later look, left with a person.
	atOnce, byLook, proven, left int
	// leftAccepted of those left were accepted; on the page of filled of them the look's finding was filled in.
	leftAccepted, filled int
	// clicks is what the worst of those left took.
	clicks int
}

func (l costLine) key() string { return "| " + l.name + " | " + l.side + " |" }

func (l costLine) line() string {
	clicks := "-"
	if l.left > 0 {
		clicks = strconv.Itoa(l.clicks)
	}
	var cells []string
	for _, number := range []int{l.times, l.accepted, l.atOnce, l.byLook, l.proven, l.left, l.leftAccepted, l.filled} {
		cells = append(cells, strconv.Itoa(number))
	}
	return l.key() + " " + strings.Join(append(cells, clicks), " | ") + " |\n"
}

// costKeys begin the lines of the document, in its order.
func costKeys() []string {
	var keys []string
	for _, protocol := range matrixProtocols {
		for _, c := range costCases(protocol) {
			if key := (costLine{name: c.name, side: c.side}).key(); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// Goal: the document says what safety costs for every answer, no kind left out. That this is what it costs, `make cost` shows.
func TestProofHasTheCostOfEveryAnswer(t *testing.T) {
	t.Parallel()
	var got []string
	for _, line := range proofLines(t, costPart, costColumns) {
		cells := strings.SplitAfterN(line, "|", 4)
		got = append(got, strings.Join(cells[:len(cells)-1], ""))
	}
	if diff := cmp.Diff(append(costKeys(), costLine{name: costTotal}.key()), got); diff != "" {
		t.Errorf("docs/proof.md is not what the answers ask for; UPDATE=1 make cost writes it (-want +got):\n%s", diff)
	}
}
