package receipt_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/receipt"
	"sendonce/server/rule"
)

// Goal: numbers that a browser sent and two libraries would read differently are kept as what it wrote, and no evidence keeps a
// message from having a receipt.
func TestNumbersOfEvidence(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"a":1,"b":[-9007199254740991,0]}`: `{"a":1,"b":[-9007199254740991,0]}`,
		`{"a":1.5}`:                         `{"a":"1.5"}`,
		`[1e3,9007199254740993]`:            `["1e3","9007199254740993"]`,
		`-0`:                                `"-0"`,
		`{"a":{"b":99999999999999999999}}`:  `{"a":{"b":"99999999999999999999"}}`,
		`"text"`:                            `"text"`,
		``:                                  `null`,
		`{`:                                 `null`,
	} {
		r := receipt.Of(message.Message{Sends: []message.Send{{Evidence: []message.Evidence{{Body: json.RawMessage(body)}}}}}, receipt.Rows{})
		if got := string(r.Sends[0].Evidence[0].Body); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
		sign(t, r, keyOf(1))
	}
}

// Goal: a receipt with more than it may hold keeps the newest of each list, says how many it leaves out, and is never too long to be read.
func TestReceiptIsBounded(t *testing.T) {
	t.Parallel()
	const over = 3
	many := config.ReceiptRowsMax + over
	m := message.Message{Authority: message.Approved}
	var rows receipt.Rows
	for i := range many {
		rows.Versions = append(rows.Versions, receipt.Version{Version: i + 1, Body: "x"})
		rows.Approvals = append(rows.Approvals, receipt.Approval{Version: i + 1})
		m.History = append(m.History, message.Event{What: message.WasEdited, Version: i + 1})
		m.Sends = append(m.Sends, message.Send{Ordinal: i + 1, Status: rule.Failed, Evidence: make([]message.Evidence, 2)})
	}
	r := receipt.Of(m, rows)
	if diff := cmp.Diff(receipt.LeftOut{Versions: over, Approvals: over, Sends: over, Evidence: config.ReceiptRowsMax, History: over}, r.LeftOut); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	if r.Versions[0].Version != over+1 || len(r.Sends[0].Evidence) != 0 || len(r.Sends[len(r.Sends)-1].Evidence) != 2 {
		t.Errorf("it keeps version %d as its first; the oldest send has %d pieces of evidence", r.Versions[0].Version, len(r.Sends[0].Evidence))
	}
	// A character has four bytes at most; quotes around each number of a frame make it half as long again; and three notes.
	if most := config.ReceiptRowsMax * (4*config.BodyRunesMax + config.FrameBytesMax*3/2 + 3*4*config.NoteRunesMax); most > config.ReceiptBytesMax {
		t.Errorf("a receipt of %d bytes could be made and would not be read", most)
	}
}

// Goal: also a message that nothing was sent of says how it stands.
func TestEveryAuthorityHasItsWords(t *testing.T) {
	t.Parallel()
	for _, authority := range message.Authorities() {
		if r := receipt.Of(message.Message{Authority: authority}, receipt.Rows{}); r.Message.Text == "" {
			t.Errorf("%s has no words", authority)
		}
	}
}
