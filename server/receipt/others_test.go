package receipt_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"sendonce/server/message"
	"sendonce/server/receipt"
)

// others is what Node makes of receipts.
type others struct {
	Good, Altered bool
	Written       string
}

// Goal: anyone can verify a receipt with a few lines of their own: the example in docs/, run by Node, which reads and writes
// JSON by itself. What it writes holds here again.
func TestOthersCanVerify(t *testing.T) {
	t.Parallel()
	key := keyOf(1)
	random := rand.New(rand.NewPCG(1, 2))
	var raws []json.RawMessage
	for range 30 {
		raws = append(raws, sign(t, anyReceipt(random), key))
	}
	asked, err := json.Marshal(map[string]any{
		"keys": map[string]any{"items": receipt.Published([]ed25519.PrivateKey{keyOf(2), key})}, "receipts": raws,
	})
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	node := exec.CommandContext(t.Context(), "node", "testdata/others.mjs")
	node.Stdin, node.Stderr = bytes.NewReader(asked), &stderr
	answered, err := node.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var said []others
	if err := json.Unmarshal(answered, &said); err != nil || len(said) != len(raws) {
		t.Fatalf("%v: %s", err, answered)
	}
	for i, one := range said {
		if !one.Good || one.Altered {
			t.Errorf("Node: good %t, altered %t: %s", one.Good, one.Altered, raws[i])
		}
		if _, err := receipt.Verify([]byte(one.Written), publicOf(key)); err != nil {
			t.Errorf("as Node writes it: %v: %s", err, one.Written)
		}
		sameByJCS(t, raws[i], []byte(one.Written))
	}
}

// sameByJCS holds the two spellings against each other in a third library.
func sameByJCS(t *testing.T, one, two []byte) {
	t.Helper()
	first, err := jcs.Transform(one)
	if err != nil {
		t.Fatal(err)
	}
	second, err := jcs.Transform(two)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Errorf("%s and %s are two values", first, second)
	}
}

// anyReceipt has texts and numbers that libraries like to treat differently.
func anyReceipt(random *rand.Rand) receipt.Receipt {
	r := example()
	letters := []rune("ab \"\\/<>&'\u007f\u0080é\u0301\u2028\u2029\ufeff\ufffd\uffff\U0001F600\U0010FFFF{}[]:,\n\r\t\b\f\u0001")
	text := func() string {
		var out strings.Builder
		for range random.IntN(12) {
			out.WriteRune(letters[random.IntN(len(letters))])
		}
		return out.String()
	}
	r.Message.Purpose, r.Message.Person.Name, r.Versions[0].Body = text(), ptr(text()), text()
	r.Incidents[0].Count = int(random.Int64N(1<<53)) - 1<<52
	body := fmt.Sprintf(`{%q:%d,"b":%d.5,"c":1e400,"d":[-0,0.1,%d],%q:{}}`, "k"+fmt.Sprint(random.Uint32()), random.Int64(), random.IntN(9), random.Uint64(), "\U0001F600")
	r.Sends[0].Evidence = receipt.Of(message.Message{Sends: []message.Send{
		{Evidence: []message.Evidence{{Kind: "report", Body: json.RawMessage(body)}}},
	}}, receipt.Rows{}).Sends[0].Evidence
	return r
}
