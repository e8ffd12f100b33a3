package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// teller prints the story line by line, each with the seconds since the beginning.
type teller struct {
	out   io.Writer
	begun time.Time
}

func newTeller(out io.Writer) *teller { return &teller{out: out, begun: time.Now()} }

// act begins a part of the story.
func (t *teller) act(title string) {
	fmt.Fprintf(t.out, "\n%s\n%s\n", title, strings.Repeat("-", len(title)))
}

func (t *teller) line(format string, args ...any) {
	fmt.Fprintf(t.out, "%5.1fs  %s\n", time.Since(t.begun).Seconds(), fmt.Sprintf(format, args...))
}

// detail is a line that belongs to the one above it.
func (t *teller) detail(format string, args ...any) {
	fmt.Fprintf(t.out, "        %s\n", fmt.Sprintf(format, args...))
}
