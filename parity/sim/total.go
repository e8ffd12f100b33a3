package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Total adds up what many worlds saw.
type Total struct {
	Worlds, Events, Broken int
	Counts                 Counts
	Seen                   map[string]int
}

// Add adds one world.
func (t *Total) Add(r Result) {
	t.Worlds++
	t.Events += r.Events
	if len(r.Broken) > 0 {
		t.Broken++
	}
	t.Counts.Messages += r.Counts.Messages
	t.Counts.Sends += r.Counts.Sends
	t.Counts.Clicks += r.Counts.Clicks
	t.Counts.Copies += r.Counts.Copies
	t.Counts.BrowserCopies += r.Counts.BrowserCopies
	t.Counts.Duplicates += r.Counts.Duplicates
	if t.Seen == nil {
		t.Seen = map[string]int{}
	}
	for what, count := range r.Seen {
		t.Seen[what] += count
	}
}

// String is the figures, and each rare thing with how often it was seen.
func (t Total) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d worlds, %d events: %d messages, %d sends, %d clicks, %d copies (%d by browsers or pages), %d duplicates; %d worlds broke a promise\n",
		t.Worlds, t.Events, t.Counts.Messages, t.Counts.Sends, t.Counts.Clicks, t.Counts.Copies, t.Counts.BrowserCopies, t.Counts.Duplicates, t.Broken)
	for _, seen := range slices.Sorted(maps.Keys(t.Seen)) {
		fmt.Fprintf(&b, "%8d  %s\n", t.Seen[seen], seen)
	}
	return b.String()
}
