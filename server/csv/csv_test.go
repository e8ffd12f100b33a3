package csv

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"sendonce/server/config"
)

func readAll(raw []byte) (rows []Row, f *File, err error) {
	if f, err = Open(raw); err != nil {
		return nil, nil, err
	}
	for {
		row, err := f.Next()
		if errors.Is(err, io.EOF) {
			return rows, f, nil
		}
		if err != nil {
			return rows, f, err
		}
		rows = append(rows, row)
	}
}

func cellsOf(rows []Row) [][]string {
	var cells [][]string
	for _, row := range rows {
		cells = append(cells, row.Cells)
	}
	return cells
}

func inUTF16(text string, isBig bool, mark ...byte) []byte {
	for _, unit := range utf16.Encode([]rune(text)) {
		if isBig {
			mark = append(mark, byte(unit>>8), byte(unit))
			continue
		}
		mark = append(mark, byte(unit), byte(unit>>8))
	}
	return mark
}

func in1252(text string) []byte {
	raw, err := charmap.Windows1252.NewEncoder().Bytes([]byte(text))
	if err != nil {
		panic(err)
	}
	return raw
}

// Goal: one list is the same list in every encoding that spreadsheets write, with and without its mark, and with every end of line.
func TestEncodings(t *testing.T) {
	t.Parallel()
	const list = "email,first name\nada@example.com,Jürgen\nbea@example.com,Zoë – “B”\n"
	want := [][]string{{"email", "first name"}, {"ada@example.com", "Jürgen"}, {"bea@example.com", "Zoë – “B”"}}
	for name, c := range map[string]struct {
		raw []byte
		is  Encoding
	}{
		"utf-8":                     {[]byte(list), UTF8},
		"utf-8 with its mark":       {[]byte("\ufeff" + list), UTF8},
		"utf-16le with its mark":    {inUTF16(list, false, 0xFF, 0xFE), UTF16LE},
		"utf-16be with its mark":    {inUTF16(list, true, 0xFE, 0xFF), UTF16BE},
		"utf-16le":                  {inUTF16(list, false), UTF16LE},
		"utf-16be":                  {inUTF16(list, true), UTF16BE},
		"windows-1252":              {in1252(list), Windows1252},
		"carriage returns":          {[]byte(strings.ReplaceAll(list, "\n", "\r\n")), UTF8},
		"an old Macintosh":          {[]byte(strings.ReplaceAll(list, "\n", "\r")), UTF8},
		"no end of the last line":   {[]byte(strings.TrimSuffix(list, "\n")), UTF8},
		"empty lines between":       {[]byte(strings.ReplaceAll(list, "\n", "\n\n")), UTF8},
		"the mark and 1252":         {append([]byte{}, in1252(list)...), Windows1252},
		"utf-16le, carriage return": {inUTF16(strings.ReplaceAll(list, "\n", "\r\n"), false, 0xFF, 0xFE), UTF16LE},
	} {
		rows, f, err := readAll(c.raw)
		if err != nil || f.Encoding != c.is || !cmp.Equal(cellsOf(rows), want) {
			t.Errorf("%s: %v, %q, %v", name, f, cellsOf(rows), err)
		}
	}
	// A letter that is broken in a file of UTF-8 spoils its row, and no other.
	rows, f, err := readAll([]byte("email,name\nada@example.com,Jürgen Müller\nbea@example.com,Zo\xff\nchloe@example.com,Zoë\n"))
	if err != nil || f.Encoding != UTF8 || len(rows) != 4 || rows[2].Flaw == "" || rows[2].Cells != nil || rows[3].Cells[1] != "Zoë" || rows[1].Cells[1] != "Jürgen Müller" {
		t.Errorf("a broken letter: %+v, %v", rows, err)
	}
}

// Goal: the delimiter is the one by which the rows are rows; another one that stands in a cell shifts nothing, and a quoted cell may hold
// delimiters, quotes and lines.
func TestDelimiters(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][][]string{
		"a,b\n1,2\n":        {{"a", "b"}, {"1", "2"}},
		"a;b\n1;2\n":        {{"a", "b"}, {"1", "2"}},
		"a\tb\n1\t2\n":      {{"a", "b"}, {"1", "2"}},
		"a|b\n1|2\n":        {{"a", "b"}, {"1", "2"}},
		"email\nada@x.io\n": {{"email"}, {"ada@x.io"}},
		"name;note;email\n\"Ray, Ann\";\"line1\nline2\";ann@example.com\n":                 {{"name", "note", "email"}, {"Ray, Ann", "line1\nline2", "ann@example.com"}},
		"email,first,note\nann@example.com,Ann,a;b;c;d\nbob@example.com,Bob,\"x, y; z\"\n": {{"email", "first", "note"}, {"ann@example.com", "Ann", "a;b;c;d"}, {"bob@example.com", "Bob", "x, y; z"}},
		"a;b;c\n1,5;2,5;3,5\n1,5;2,5;3,5\n":                                                {{"a", "b", "c"}, {"1,5", "2,5", "3,5"}, {"1,5", "2,5", "3,5"}},
		"sep=;\r\na;b\r\n1,2;3\r\n":                                                        {{"a", "b"}, {"1,2", "3"}},
		"\"sep=|\"\na|b\n1,2,3|4\n":                                                        {{"a", "b"}, {"1,2,3", "4"}},
		"a,b\n\"say \"\"hi\"\"\",2\n":                                                      {{"a", "b"}, {"say \"hi\"", "2"}},
		" a , b \n 1 ,\u00a0\n":                                                            {{"a", "b"}, {"1", ""}},
		"a,b\n1\n1,2,3\n":                                                                  {{"a", "b"}, {"1"}, {"1", "2", "3"}},
	} {
		rows, _, err := readAll([]byte(raw))
		if err != nil || !cmp.Equal(cellsOf(rows), want) {
			t.Errorf("%q: %q, %v", raw, cellsOf(rows), err)
		}
	}
	rows, _, _ := readAll([]byte("sep=;\na;b\n1;2\n"))
	if rows[0].Number != 2 || rows[1].Number != 3 {
		t.Errorf("numbers after the line of the delimiter: %+v", rows)
	}
}

// Goal: a row that cannot be trusted says so and holds nothing, and those around it are whole; a file of which nothing can be trusted is
// refused.
func TestFlaws(t *testing.T) {
	t.Parallel()
	for raw, flaw := range map[string]string{
		"a,b\n1\"2,3\nx,y\n":      "its quotes do not match",
		"a,b\n\"1\"2,3\nx,y\n":    "its quotes do not match",
		"a,b\n\"1\n2\"3,4\nx,y\n": "its quotes do not match: lines 2 to 3 were read as one row",
		"a,b\n1,2\x003\nx,y\n":    "its cell 2 holds a character that cannot be read",
		"a,b\n1,\ufffd\nx,y\n":    "its cell 2 holds a character that cannot be read",
		"a,b\n" + strings.Repeat("x", config.ImportCellRunesMax+1) + ",2\nx,y\n": fmt.Sprintf("its cell 1 has more than %d characters", config.ImportCellRunesMax),
	} {
		rows, _, err := readAll([]byte(raw))
		if err != nil || len(rows) != 3 || rows[1].Flaw != flaw || rows[1].Cells != nil || rows[1].Number != 2 || !cmp.Equal(rows[2].Cells, []string{"x", "y"}) || rows[2].Number != 3 {
			t.Errorf("%.40q: %+v, %v", raw, rows, err)
		}
	}
	for raw, want := range map[string]error{
		"": ErrEmpty, "\ufeff": ErrEmpty, " \r\n ": ErrEmpty, "sep=;\n": ErrEmpty,
		strings.Repeat("a,", config.ImportColumnsMax) + "a\n": ErrTooWide,
		"a\n" + strings.Repeat("x\n", config.ImportRowsMax+1): ErrTooLong,
		"a,b\n1,2\n\"3,4\n5,6\n7,8\n":                         NotClosedError{3},
	} {
		rows, _, err := readAll([]byte(raw))
		if !errors.Is(err, want) && !(errors.Is(want, ErrEmpty) && err == nil && len(rows) == 0) {
			t.Errorf("%.40q: %v, want %v", raw, err, want)
		}
	}
	if rows, _, err := readAll([]byte("a\n" + strings.Repeat("x\n", config.ImportRowsMax))); err != nil || len(rows) != config.ImportRowsMax+1 {
		t.Errorf("as many as may be: %d, %v", len(rows), err)
	}
}

// Goal: a file takes memory by its length, whatever stands in it: a line of delimiters alone is given up on, and one with the longest cells
// that may be is not.
func TestALineOfDelimiters(t *testing.T) {
	const mostBytes = 64 << 20 // of which reading the cells of such a line would take many times as much
	raw := bytes.Repeat([]byte(","), config.ImportBytesMax)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := readAll(raw)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrTooWide) || took > mostBytes {
		t.Errorf("%v after %d bytes of memory", err, took)
	}
	cell := `"` + strings.Repeat(",", config.ImportCellRunesMax) + `"`
	row := strings.TrimSuffix(strings.Repeat(cell+",", config.ImportColumnsMax-1), ",")
	if rows, _, err := readAll([]byte(row + "\n" + row + "\n")); err != nil || len(rows) != 2 || len(rows[1].Cells) != config.ImportColumnsMax-1 {
		t.Errorf("the longest cells: %d rows, %v", len(rows), err)
	}
}

// Goal: what is written is read back as it was, and no cell of it is a formula.
func TestWritingIsSafe(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"": "", "Ada": "Ada", "a;b": "a;b", "say \"hi\"": "say \"hi\"", "line1\nline2": "line1\nline2", "a=b": "a=b", "1-2": "1-2",
		"=HYPERLINK(\"http://x\")": "'=HYPERLINK(\"http://x\")", "+49 30 1": "'+49 30 1", "-1": "'-1", "@SUM(1)": "'@SUM(1)", "\t=1": "'\t'=1", " =1": "' =1", "＝1": "'＝1",
		// A spreadsheet of another country splits by its own delimiter, and takes the quotes for letters.
		"x,=1": "x,'=1", "x,\"=1&\"": "x,\"'=1&\"", "x;\t =1": "x;\t '=1", "x|@A1": "x|'@A1", "x\n-1\n+1": "x\n'-1\n'+1", "\"=1": "'\"=1", "a, b": "a, b", "a - b,c=1": "a - b,c=1",
	} {
		var out bytes.Buffer
		w, err := NewWriter(&out, ';')
		if err == nil {
			err = errors.Join(w.Row([]string{"x", cell}), w.Flush())
		}
		if err != nil || !bytes.HasPrefix(out.Bytes(), []byte("\xEF\xBB\xBF")) {
			t.Fatal(err)
		}
		r := csv.NewReader(bytes.NewReader(out.Bytes()[3:]))
		r.Comma = ';'
		if got, err := r.Read(); err != nil || !cmp.Equal(got, []string{"x", want}) {
			t.Errorf("%q is written %q: %q, %v", cell, out.String(), got, err)
		}
	}
}
