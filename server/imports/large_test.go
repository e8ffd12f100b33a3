//go:build full

package imports_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sendonce/server/config"
	"sendonce/server/imports"
)

// Goal: as many rows as a file may have are uploaded, shown and taken in within a minute and 200 MB, and once more when all are known.
func TestAsManyRowsAsMayBe(t *testing.T) {
	w := newWorld(t)
	const (
		within    = time.Minute
		memoryMax = 200 << 20
	)
	var out strings.Builder
	out.WriteString("Email;LinkedIn URL;First Name;Last Name;Company;Title;City;Notes\n")
	for i := range config.ImportRowsMax {
		fmt.Fprintf(&out, "person.%d@example.com;https://www.linkedin.com/in/sample-person-%d/;Ada%d;Example;Company %d;Engineer;Berlin;\"met at a fair, said yes; or no\"\n", i, i, i, i%500)
	}
	file := out.String()
	runtime.GC()
	var peak atomic.Uint64
	stop, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for every := time.NewTicker(50 * time.Millisecond); ; {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), m.HeapInuse))
			select {
			case <-stop:
				every.Stop()
				return
			case <-every.C:
			}
		}
	}()
	for _, want := range []imports.Outcome{imports.Made, imports.Unchanged} {
		begun := time.Now()
		id := w.upload(file)
		uploaded := time.Since(begun)
		for twins := imports.NewTwins(); w.step(id, twins); {
		}
		shown := time.Since(begun)
		w.begin(id)
		for w.step(id, imports.NewTwins()) {
		}
		took := time.Since(begun)
		if i := w.read(id); i.Outcomes[want] != config.ImportRowsMax || took > within {
			t.Errorf("%v in %s, want %d %s within %s", i.Outcomes, took, config.ImportRowsMax, want, within)
		}
		t.Logf("%s: %d rows of %d MB uploaded in %s, shown by %s, taken in by %s", want, config.ImportRowsMax, len(file)>>20, uploaded, shown, took)
	}
	close(stop)
	<-watched
	if peak.Load() > memoryMax {
		t.Errorf("the heap had %d MB, want at most %d", peak.Load()>>20, memoryMax>>20)
	}
	t.Logf("the heap had %d MB at most", peak.Load()>>20)
}
