//go:build full

package e2e_test

import (
	"os"
	"testing"
	"time"

	"sendonce/e2e/standin"
)

// matrixPatience bounds the cases of one browser, on a busy machine.
const matrixPatience = 20 * time.Minute

// Goal: every answer that LinkedIn may give, on either side of accepting, and every request that the browser or the page
// repeats, ends as the table of outcomes says, without a second click; and the document says the same.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	seen := make([]map[standin.Protocol]*matrix, len(matrixTables))
	t.Run("browsers", func(t *testing.T) {
		for i, table := range matrixTables {
			seen[i] = map[standin.Protocol]*matrix{}
			for _, protocol := range matrixProtocols {
				m := &matrix{}
				seen[i][protocol] = m
				t.Run(table.title+" "+protocolNames[protocol], func(t *testing.T) {
					m.start(t, protocol, matrixPatience)
					m.runs(table.cases(protocol)...)
				})
			}
		}
	})
	if t.Failed() {
		return // a line is missing, or is not what it must be
	}
	document := matrixDocument(func(table int, protocol standin.Protocol) []string {
		lines := seen[table][protocol].lines
		if len(lines) != len(matrixTables[table].cases(protocol)) {
			t.Skip("only some of the cases ran, so there is no whole document")
		}
		return lines
	})
	// UPDATE takes what was seen for what the document ought to say.
	if os.Getenv("UPDATE") == "" {
		holdDocument(t, document)
	} else if err := os.WriteFile(matrixDocumentPath(t), []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
}
