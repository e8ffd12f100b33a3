package csv

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"sendonce/server/config"
)

// Goal: whatever a stranger uploads, it is read to its end or refused; each row has cells that a database keeps and that are bounded, or
// says what is wrong with it; and what is written of it is read back with as many cells, none of them a formula.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		"email,name\nada@example.com,Ada\n", "\ufeffa;b\n1;\"x\ny\"\n", "a\tb\n1\t2", "sep=|\na|b\n", "a,b\n\"1\n2", "a\"b\n", "\xff\xfea\x00,\x00b\x00\n\x00", "\xfe\xff\x00a",
		"J\xfcrgen,x\n", "\x00", "a\rb\rc", "=1+1,@x\n", "\xef\xbb\xbf", "a,b\n" + strings.Repeat(",", 200), "a\n\xff\n", "\"", "\"\"\"", "\xff\xfe\x00\xd8\x00\xd8",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := Open(raw)
		if err != nil {
			return
		}
		var out bytes.Buffer
		w, err := NewWriter(&out, file.Delimiter)
		if err != nil {
			t.Fatal(err)
		}
		var widths []int
		last := 0
		for {
			row, err := file.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return
			}
			if row.Number <= last || (row.Flaw != "") == (row.Cells != nil) {
				t.Fatalf("row %d after %d: %+v", row.Number, last, row)
			}
			last = row.Number
			for _, cell := range row.Cells {
				if !utf8.ValidString(cell) || strings.ContainsAny(cell, "\x00\ufffd") || utf8.RuneCountInString(cell) > config.ImportCellRunesMax {
					t.Fatalf("row %d holds %q", row.Number, cell)
				}
			}
			if row.IsBlank() || row.Flaw != "" {
				continue
			}
			if err := w.Row(row.Cells); err != nil {
				t.Fatal(err)
			}
			widths = append(widths, len(row.Cells))
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		again := reader(bytes.NewReader(out.Bytes()[len(marks[0].bytes):]), file.Delimiter)
		for i, width := range widths {
			cells, err := again.Read()
			if err != nil || len(cells) != width {
				t.Fatalf("row %d of %d cells is written so that it is read as %q: %v", i, width, cells, err)
			}
			for _, cell := range cells {
				if asText(cell) != cell && !strings.HasPrefix(cell, "'") {
					t.Fatalf("%q is a formula", cell)
				}
			}
		}
	})
}
