package csv

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"sendonce/server/config"
)

// Goal: a row of millions of empty cells is refused before it has taken a hundred times its length of memory, and quotes, which hold
// what is no cell of its own, are followed as the reader of rows follows them.
func TestWideRowsTakeNoMemory(t *testing.T) {
	const wide, mostMB = 4 << 20, 32
	for name, file := range map[string]string{
		"one line":          "a,b\n" + strings.Repeat(",", wide),
		"quoted line feeds": "a,b\n" + strings.Repeat("\"\n\",", wide/4),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := readAll([]byte(file))
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; !errors.Is(err, ErrTooWide) || took > mostMB {
			t.Errorf("%s: %v, and %d MB", name, err, took)
		}
	}
	full := strings.Repeat("a,", config.ImportColumnsMax-1)
	notes := "\"" + strings.Repeat("x,\n", config.ImportCellRunesMax/3) + "\""
	for name, file := range map[string]string{
		"as wide as may be":  full + "a\n" + full + "b\n",
		"commas in quotes":   "a,b\n" + notes + "," + notes + "\n",
		"a quote of its own": "a,b\n5\" screen,x\n" + strings.Repeat("\"one, two\",\"three \"\"four\"\", five\"\n", 200),
	} {
		if _, _, err := readAll([]byte(file)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
