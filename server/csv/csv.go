// Package csv reads what spreadsheets and other programs export, whatever way they write it, and writes it back so that no spreadsheet
// takes a cell for a formula. It knows nothing of what stands in a cell.
package csv

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"sendonce/server/config"
)

// Errors of a whole file: nothing of it can be trusted.
var (
	ErrEmpty   = errors.New("it holds no row")
	ErrTooWide = fmt.Errorf("it has more than %d columns", config.ImportColumnsMax)
	ErrTooLong = fmt.Errorf("it has more than %d rows; split it", config.ImportRowsMax)
)

// NotClosedError is a quote that swallows all rows behind it.
type NotClosedError struct{ Line int }

func (e NotClosedError) Error() string {
	return fmt.Sprintf("the quote that begins in line %d is never closed, so that all behind it is one cell", e.Line)
}

// Row is one row of a file. Flaw says why its cells cannot be trusted, and there are none then.
type Row struct {
	Number int // as a spreadsheet counts: the first row of the file is 1
	Cells  []string
	Flaw   string
}

// IsBlank reports whether nothing stands in it.
func (r Row) IsBlank() bool {
	return r.Flaw == "" && strings.TrimSpace(strings.Join(r.Cells, "")) == ""
}

// File is a file that is being read, from its first row on.
type File struct {
	Encoding  Encoding
	Delimiter rune
	rows      *csv.Reader
	number    int
	ahead     *reading // what was read to see whether there is more
}

// reading is what one read came to.
type reading struct {
	cells []string
	err   error
}

// Open says how a file is written, and reads nothing yet.
func Open(raw []byte) (*File, error) {
	text, is := detect(raw)
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, ErrEmpty
	}
	f := &File{Encoding: is}
	sample, err := io.ReadAll(io.LimitReader(f.decode(text), sampleBytesMax))
	if err != nil {
		return nil, fmt.Errorf("decode the file: %w", err)
	}
	decoded := bufio.NewReader(f.decode(text))
	if said, lines := saysDelimiter(sample); said != 0 {
		f.Delimiter = said
		f.number = 1
		if _, err := decoded.Discard(lines); err != nil {
			return nil, ErrEmpty
		}
	} else {
		f.Delimiter = guess(sample)
	}
	f.rows = reader(&narrow{from: decoded, delimiter: byte(f.Delimiter)}, f.Delimiter)
	return f, nil
}

// decode is the file in UTF-8, with a line feed at the end of each line.
func (f *File) decode(text []byte) io.Reader {
	if !bytes.ContainsRune(text, '\n') && bytes.ContainsRune(text, '\r') { // as an old Macintosh ends lines
		return lineFeeds{f.Encoding.decoder().Reader(bytes.NewReader(text))}
	}
	return f.Encoding.decoder().Reader(bytes.NewReader(text))
}

type lineFeeds struct{ io.Reader }

// Read implements io.Reader.
func (l lineFeeds) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	for i := range p[:n] {
		if p[i] == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

func reader(r io.Reader, delimiter rune) *csv.Reader {
	rows := csv.NewReader(r)
	rows.Comma = delimiter
	rows.FieldsPerRecord = -1
	return rows
}

// Next is the next row, or io.EOF.
func (f *File) Next() (Row, error) {
	cells, err := f.read()
	if errors.Is(err, io.EOF) {
		return Row{}, io.EOF
	}
	f.number++
	row := Row{Number: f.number}
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse):
		if parse.Line > parse.StartLine && errors.Is(err, csv.ErrQuote) && f.isAtEnd() {
			return Row{}, NotClosedError{parse.StartLine}
		}
		row.Flaw = "its quotes do not match"
		if parse.Line > parse.StartLine {
			row.Flaw = fmt.Sprintf("its quotes do not match: lines %d to %d were read as one row", parse.StartLine, parse.Line)
		}
		return row, nil
	case err != nil:
		return Row{}, fmt.Errorf("read row %d: %w", f.number, err)
	case len(cells) > config.ImportColumnsMax:
		return Row{}, ErrTooWide
	case f.number > config.ImportRowsMax+1: // beside the row of names
		return Row{}, ErrTooLong
	}
	row.Cells = make([]string, len(cells))
	for i, cell := range cells {
		row.Cells[i] = readable(cell)
		if utf8.RuneCountInString(cell) > config.ImportCellRunesMax {
			return Row{Number: f.number, Flaw: fmt.Sprintf("its cell %d has more than %d characters", i+1, config.ImportCellRunesMax)}, nil
		}
		if strings.ContainsRune(row.Cells[i], utf8.RuneError) {
			return Row{Number: f.number, Flaw: fmt.Sprintf("its cell %d holds a character that cannot be read", i+1)}, nil
		}
	}
	return row, nil
}

// isAtEnd is asked after an error: nothing follows a quote that is never closed.
func (f *File) isAtEnd() bool {
	cells, err := f.rows.Read()
	f.ahead = &reading{cells, err}
	return errors.Is(err, io.EOF)
}

func (f *File) read() ([]string, error) {
	if next := f.ahead; next != nil {
		f.ahead = nil
		return next.cells, next.err
	}
	return f.rows.Read()
}

// readable has the sign for what cannot be read in place of bytes that are no text, and of the character zero, which no database keeps.
func readable(cell string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(strings.TrimSpace(cell), string(utf8.RuneError)), "\x00", string(utf8.RuneError))
}

// sampleBytesMax is how much of a file is looked at for its delimiter.
const sampleBytesMax = 64 << 10

// delimiters that programs write, the most usual first.
var delimiters = []rune{',', ';', '\t', '|'}

// delimiterLine is how a spreadsheet is told the delimiter: a line before the first row.
var delimiterLine = regexp.MustCompile(`^"?sep=([,;\t|])"?\r?\n`)

// saysDelimiter is the delimiter that the first line says, and the bytes of that line; 0 when it says none.
func saysDelimiter(sample []byte) (rune, int) {
	match := delimiterLine.FindSubmatch(sample)
	if match == nil {
		return 0, 0
	}
	return rune(match[1][0]), len(match[0])
}

// guess is the delimiter by which most rows of the sample have as many cells as the first; of two, the one that makes more cells. A
// delimiter that stands in a note makes one cell of the first row, and so none of the others like it.
func guess(sample []byte) rune {
	best, most, widest := delimiters[0], 0, 1
	for _, delimiter := range delimiters {
		rows := reader(bytes.NewReader(sample), delimiter)
		first, alike := 0, 0
		for {
			cells, err := rows.Read()
			if err != nil { // the last row of a sample may be cut off
				break
			}
			if first == 0 {
				first = len(cells)
			}
			if len(cells) == first {
				alike++
			}
		}
		if first > 1 && (alike > most || alike == most && first > widest) {
			best, most, widest = delimiter, alike, first
		}
	}
	return best
}
