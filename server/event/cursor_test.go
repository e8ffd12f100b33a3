package event

import (
	"strings"
	"testing"
	"time"

	"sendonce/server/problem"
)

var someCursor = Cursor{
	Epoch: 3, Position: Position{ShownAfter: 1 << 40, ID: 77}, At: time.Date(2026, time.March, 4, 5, 6, 7, 8000, time.UTC),
}

// Goal: a cursor has one text, and no other text is one.
func TestCursorText(t *testing.T) {
	t.Parallel()
	for _, c := range []Cursor{{}, {Epoch: 1}, someCursor} {
		if got, err := ParseCursor(c.String()); err != nil || got != c {
			t.Errorf("%+v came back as %+v, %v", c, got, err)
		}
	}
	good := someCursor.String()
	negative, late := someCursor, someCursor
	negative.ID = -1
	late.At = time.UnixMicro(lastMoment + 1)
	for name, text := range map[string]string{
		"empty": "", "one short": good[1:], "one long": good + "A", "padded": good + "=", "no base64": strings.Repeat("!", len(good)),
		"bits after the end": good[:len(good)-1] + "B", "white space": good + "\n", "a negative number": negative.String(),
		"a moment beyond all": late.String(), "before 1970": Cursor{At: time.UnixMicro(-1)}.String(),
	} {
		if got, err := ParseCursor(text); !problem.Is(err, problem.InvalidCursor) {
			t.Errorf("%s: %q is %+v, %v", name, text, got, err)
		}
	}
}

// Goal: the feed goes on only after an event of this history, of which it has everything that followed.
func TestWhatACursorIsHeldAgainst(t *testing.T) {
	t.Parallel()
	at := func(after, id int64) *Cursor { return &Cursor{Epoch: 2, Position: Position{after, id}} }
	horizon := Position{ShownAfter: 10, ID: 5}
	for name, c := range map[string]struct {
		after *Cursor
		known bool
		want  problem.Code
	}{
		"the beginning":               {nil, false, ""},
		"an event":                    {at(10, 6), true, ""},
		"the last that was forgotten": {at(10, 5), false, ""},
		"one before it":               {at(10, 4), true, problem.CursorExpired},
		"of an older transaction":     {at(9, 9), true, problem.CursorExpired},
		"the empty feed":              {at(0, 0), false, problem.CursorExpired},
		"no event of this history":    {at(11, 1), false, problem.CursorOfAnother},
		"another epoch":               {&Cursor{Epoch: 1, Position: Position{11, 1}}, true, problem.CursorOfAnother},
		"a later epoch":               {&Cursor{Epoch: 3, Position: Position{11, 1}}, true, problem.CursorOfAnother},
	} {
		got := judge(c.after, Reading{Epoch: 2, Horizon: horizon, IsKnown: c.known})
		if c.want == "" && got != nil || c.want != "" && (got == nil || got.Code != c.want) {
			t.Errorf("%s: %v, want %q", name, got, c.want)
		}
	}
}
