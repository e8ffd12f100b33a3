package imports

import (
	"context"
	"io"
	"strconv"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/csv"
)

// resultColumns stand behind the columns of the file.
var resultColumns = []string{"row", "verdict", "outcome", "person_id", "why"}

// WriteResults writes what became of each row: its cells as they were, and what was made of it. It reads a part at a time.
func WriteResults(ctx context.Context, reads Reader, workspace uuid.UUID, i Import, out io.Writer) error {
	w, err := csv.NewWriter(out, i.Delimiter)
	if err != nil {
		return err
	}
	if err := w.Row(append(append([]string{}, i.Header...), resultColumns...)); err != nil {
		return err
	}
	for after := 0; after < i.LastRow; {
		rows, err := reads.ImportRows(ctx, workspace, i.ID, Page{After: after, Most: config.ImportChunkRows})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		for _, row := range rows {
			if err := w.Row(row.result(len(i.Header))); err != nil {
				return err
			}
		}
		after = rows[len(rows)-1].Number
	}
	return w.Flush()
}

// result is a row of the results, with as many cells of the file's as that has columns.
func (r Row) result(columns int) []string {
	cells := append([]string{}, r.Cells[:min(len(r.Cells), columns)]...)
	for len(cells) < columns {
		cells = append(cells, "")
	}
	person := ""
	if r.Person != uuid.Nil {
		person = r.Person.String()
	}
	return append(cells, strconv.Itoa(r.Number), string(r.Verdict), string(r.Outcome), person, r.Why)
}
