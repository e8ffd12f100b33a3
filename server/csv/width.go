package csv

import (
	"io"

	"sendonce/server/config"
)

// narrow reads a file and stops where a row has too many cells, before it is read as a whole: each empty cell takes one byte of a file, and
// forty of memory. It follows quotes as the reader of rows does.
type narrow struct {
	from      io.Reader
	delimiter byte
	at        place
	cells     int // of this row, before the one that is being read
}

// place is where in a row a byte stands.
type place int

const (
	atCell     place = iota // its first byte is next
	inCell                  // that no quote began
	inQuotes                // of which the closing one is still to come
	afterQuote              // in a cell that a quote began: another one stands for itself, else it has ended
)

// Read implements io.Reader.
func (n *narrow) Read(p []byte) (int, error) {
	count, err := n.from.Read(p)
	for i, b := range p[:count] {
		n.step(b)
		if n.cells >= config.ImportColumnsMax {
			return i, ErrTooWide
		}
	}
	return count, err
}

func (n *narrow) step(b byte) {
	switch {
	case n.at == inQuotes:
		if b == '"' {
			n.at = afterQuote
		}
	case b == '"' && (n.at == atCell || n.at == afterQuote):
		n.at = inQuotes
	case b == '\n':
		n.at, n.cells = atCell, 0
	case b == n.delimiter:
		n.at = atCell
		n.cells++
	default: // also behind a quote, where the reader gives the row up and goes on with the next line
		n.at = inCell
	}
}
