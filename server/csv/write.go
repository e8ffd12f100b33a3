package csv

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// Writer writes rows that a spreadsheet opens as they are: in UTF-8 with its mark, and no cell of them a formula.
type Writer struct{ rows *csv.Writer }

// NewWriter writes the mark. The caller flushes.
func NewWriter(w io.Writer, delimiter rune) (*Writer, error) {
	if _, err := w.Write(marks[0].bytes); err != nil {
		return nil, fmt.Errorf("write the mark of the file: %w", err)
	}
	rows := csv.NewWriter(w)
	rows.Comma, rows.UseCRLF = delimiter, true
	return &Writer{rows}, nil
}

// Row writes one row.
func (w *Writer) Row(cells []string) error {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = asText(cell)
	}
	return w.rows.Write(safe)
}

// Flush hands on what was written.
func (w *Writer) Flush() error {
	w.rows.Flush()
	return w.rows.Error()
}

// formulaBegins are the characters with which a spreadsheet begins to calculate (OWASP, CSV Injection), also in their wide forms.
const formulaBegins = "=+-@\t\r\n＝＋－＠"

// cellBegins end a cell for a spreadsheet, which splits a file by the delimiter of its own country whatever the file's is, and takes quotes
// that do not begin a cell of its own for letters.
const cellBegins = ",;\t|\r\n"

// asText puts before what would be a formula the sign by which a spreadsheet takes a cell for text: where the cell begins, and where one
// would begin behind another delimiter.
func asText(cell string) string {
	var text strings.Builder
	if begins := strings.TrimLeft(cell, around); begins != "" && strings.ContainsAny(begins[:runeLength(begins)], formulaBegins) {
		text.WriteByte('\'')
	}
	begins := false
	for _, r := range cell {
		if begins && strings.ContainsRune(formulaBegins, r) && !strings.ContainsRune(cellBegins, r) {
			text.WriteByte('\'')
		}
		text.WriteRune(r)
		begins = strings.ContainsRune(cellBegins, r) || begins && strings.ContainsRune(around, r)
	}
	return text.String()
}

// around are what may stand between the beginning of a cell and its formula.
const around = " \u00a0\""

// runeLength is how many bytes the first character has.
func runeLength(text string) int {
	for i := range text {
		if i > 0 {
			return i
		}
	}
	return len(text)
}
