//go:build full

package e2e_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

// matrixPatience bounds the cases of one browser, on a busy machine.
const matrixPatience = 20 * time.Minute

// Goal: every answer that LinkedIn may give, on either side of accepting, and every request that the browser or the page
// repeats, ends as the table of outcomes says, without a second click; and the document says the same.
func TestFaultMatrix(t *testing.T) {
	tables := []struct {
		title string
		cases func(standin.Protocol) []matrixCase
	}{
		{"Every answer", everyAnswer},
		{"Requests that repeat, or that nobody clicked for", everyRepeat},
	}
	protocols := []standin.Protocol{standin.HTTP1, standin.HTTP2}
	matrices := make([][]*matrix, len(tables))
	t.Run("browsers", func(t *testing.T) {
		for i, table := range tables {
			matrices[i] = make([]*matrix, len(protocols))
			for j, protocol := range protocols {
				t.Run(table.title+" "+protocolNames[protocol], func(t *testing.T) {
					m := newMatrix(t, protocol, matrixPatience)
					matrices[i][j] = m
					m.runs(table.cases(protocol)...)
				})
			}
		}
	})
	if t.Failed() {
		return // a line is missing, or is not what it must be
	}
	var page strings.Builder
	page.WriteString(matrixHead)
	for i, table := range tables {
		page.WriteString("\n## " + table.title + "\n" + matrixColumns)
		for j, protocol := range protocols {
			if matrices[i][j] == nil || len(matrices[i][j].lines) != len(table.cases(protocol)) {
				t.Skip("only some of the cases ran, so there is no whole document to compare")
			}
			page.WriteString(strings.Join(matrices[i][j].lines, ""))
		}
	}
	holdDocument(t, page.String())
}

// holdDocument compares the document with what was seen, or writes it when UPDATE is set.
func holdDocument(t *testing.T, seen string) {
	t.Helper()
	root, err := harness.Root(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "docs", "fault-matrix.md")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(seen), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; UPDATE=1 make e2e-full writes it", err)
	}
	if diff := cmp.Diff(string(written), seen); diff != "" {
		t.Errorf("%s differs from what was seen; read the difference, then UPDATE=1 make e2e-full (-file +seen):\n%s", path, diff)
	}
}
