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

// asText puts before what would be a formula the sign by which a spreadsheet takes a cell for text.
func asText(cell string) string {
	if begins := strings.TrimLeft(cell, " \u00a0"); begins != "" && strings.ContainsAny(begins[:runeLength(begins)], formulaBegins) {
		return "'" + cell
	}
	return cell
}

// runeLength is how many bytes the first character has.
func runeLength(text string) int {
	for i := range text {
		if i > 0 {
			return i
		}
	}
	return len(text)
}
