package event

import (
	"encoding/base64"
	"encoding/binary"
	"time"

	"sendonce/server/problem"
)

// Position is a place in the feed's order: by the newest transaction that must be over before the event is shown, then by id.
type Position struct {
	ShownAfter int64
	ID         int64
}

// before reports whether p comes before o.
func (p Position) before(o Position) bool {
	return p.ShownAfter < o.ShownAfter || p.ShownAfter == o.ShownAfter && p.ID < o.ID
}

// Cursor names an event of one history, the last that was read. The feed goes on after it. Its text is opaque.
type Cursor struct {
	Epoch int64
	Position
	// At is when the event happened, to a microsecond: a database that lost its last commits gives their numbers again, but
	// not at the same moment. Zero when the cursor names no event.
	At time.Time
}

// cursorBytes are four numbers of 64 bits.
const cursorBytes = 4 * 8

// String is the cursor as programs keep it.
func (c Cursor) String() string {
	raw := make([]byte, 0, cursorBytes)
	for _, n := range []int64{c.Epoch, c.ShownAfter, c.ID, micros(c.At)} {
		raw = binary.BigEndian.AppendUint64(raw, uint64(n))
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// lastMoment is beyond every event, and within what the database can read.
var lastMoment = time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// ParseCursor reads what String wrote, and nothing else.
func ParseCursor(text string) (Cursor, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) != cursorBytes {
		return Cursor{}, notOurs()
	}
	number := func(i int) int64 { return int64(binary.BigEndian.Uint64(raw[8*i:])) }
	c, at := Cursor{Epoch: number(0), Position: Position{ShownAfter: number(1), ID: number(2)}}, number(3)
	if c.Epoch < 0 || c.ShownAfter < 0 || c.ID < 0 || at < 0 || at > lastMoment {
		return Cursor{}, notOurs()
	}
	if at > 0 {
		c.At = time.UnixMicro(at).UTC()
	}
	if c.String() != text { // base64 passes over line ends, and over bits that belong to no byte
		return Cursor{}, notOurs()
	}
	return c, nil
}

func notOurs() error {
	return problem.New(problem.InvalidCursor, "use the cursor of an event, or next_cursor, as it is")
}

func micros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMicro()
}

// judge says why the feed cannot go on after this cursor, or nil.
func judge(after *Cursor, r Reading) *problem.Problem {
	const begin = "begin anew: take the cursor of ?after=latest, then read what is so now from the lists, then go on from that cursor"
	switch {
	case after == nil:
		return nil
	case after.Epoch != r.Epoch:
		return problem.New(problem.CursorOfAnother, "the database was restored, copied or armed anew since; %s", begin)
	case after.before(r.Horizon):
		return problem.New(problem.CursorExpired, "events after it are kept no longer; %s", begin)
	case !r.IsKnown && after.Position != r.Horizon:
		return problem.New(problem.CursorOfAnother, "this workspace's history holds no such event; %s", begin)
	}
	return nil
}
