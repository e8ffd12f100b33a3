//go:build chaos

package e2e_test

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// chaosTimesUsual is how often each fault strikes at each step, unless TIMES says otherwise.
const chaosTimesUsual = 10

// chaosTimes is how often each fault strikes at each step.
func chaosTimes(t *testing.T) int {
	t.Helper()
	said := os.Getenv("TIMES")
	if said == "" {
		return chaosTimesUsual
	}
	times, err := strconv.Atoi(said)
	if err != nil || times < 1 {
		t.Fatalf("TIMES is %q, want a number from 1", said)
	}
	return times
}

// chaosRow is what was seen of one fault at one step.
type chaosRow struct {
	fault, when          string
	times, sends, copies int
	repeats              repeats
	// duplicates are copies that a second click made; lost are approved messages that ended nowhere.
	duplicates, lost int
	// unconfirmed were so at any time, unconfirmedAfter still after deadline, grace and a look.
	unconfirmed, unconfirmedAfter int
	// left are those that a person had to settle, clicks what the worst of them took on the console.
	left, clicks int
	also         string
}

func (row chaosRow) line() string {
	clicks := "-"
	if row.left > 0 {
		clicks = strconv.Itoa(row.clicks)
	}
	cells := make([]string, 0, 12)
	for _, number := range []int{
		row.times, row.sends, row.copies, row.repeats.browser, row.repeats.page, row.duplicates, row.lost, row.unconfirmed,
		row.unconfirmedAfter, row.left,
	} {
		cells = append(cells, strconv.Itoa(number))
	}
	return chaosKey(row.fault, row.when) + " " + strings.Join(append(cells, clicks, orDash(row.also)), " | ") + " |\n"
}

// holds checks what must be so of every fault.
func (row chaosRow) holds(t *testing.T) {
	t.Helper()
	t.Log(strings.TrimSuffix(row.line(), "\n"))
	if row.duplicates != 0 || row.lost != 0 {
		t.Errorf("%s, %s: %d duplicates and %d lost, want none", row.fault, row.when, row.duplicates, row.lost)
	}
}

// chaosWriting keeps tests that end at one time from writing over each other's lines.
var chaosWriting sync.Mutex

// writeChaos holds the rows, and with UPDATE writes them in place of what the document has of them.
func writeChaos(t *testing.T, rows ...chaosRow) {
	t.Helper()
	for _, row := range rows {
		row.holds(t)
	}
	if os.Getenv("UPDATE") == "" || t.Failed() {
		return
	}
	chaosWriting.Lock()
	defer chaosWriting.Unlock()
	lines := chaosLines(t)
	for _, row := range rows {
		lines = append(lines, row.line())
	}
	var table strings.Builder
	for _, fault := range chaosFaults() {
		for _, when := range fault.when {
			table.WriteString(newestLine(lines, chaosKey(fault.name, when)))
		}
	}
	if err := chaosPart.Write(chaosColumns + table.String()); err != nil {
		t.Fatal(err)
	}
}

// newestLine is the last line that begins with the key, or "".
func newestLine(lines []string, key string) (newest string) {
	for _, line := range lines {
		if strings.HasPrefix(line, key) {
			newest = strings.TrimSuffix(line, "\n") + "\n"
		}
	}
	return newest
}
