package search

import (
	"fmt"
	"slices"

	"sendonce/server/rule"
)

// The most of everything that a search may be about.
const (
	rowsMax     = 2 // a message's first send, and one retry
	installsMax = 2
	leasesMax   = 3
	framesMax   = 20 // that are ever said, the repeated ones once
	flyingMax   = 2  // delivery requests on their way to the provider at one time
)

// Bounds of a search. They are small on purpose: what two copies need is few things in an unlucky order.
type Bounds struct {
	Leases int  // that are given, up to leasesMax
	Deaths int  // of workers and browsers
	FromGo bool // it begins when the first attempt is about to click: what comes before is the usual life
	States int  // that are looked at
}

func (b Bounds) String() string {
	from := "the beginning"
	if b.FromGo {
		from = "the eve of the first click"
	}
	return fmt.Sprintf("%d leases, %d deaths, from %s", b.Leases, b.Deaths, from)
}

// state is everything at one moment. It can be compared, so that no state is looked at twice.
type state struct {
	rows     [rowsMax]row
	leases   [leasesMax]lease // by number less one
	browsers [installsMax]browser
	net      [framesMax]uint16 // numbers of the frames that were said, in their order
	flying   [flyingMax]request
	copies   uint8 // that the provider has; each is of a click of its own
	deaths   uint8
}

// status is a rule.Status by its place in rule.Statuses(), plus one. 0: the row is not there.
type status uint8

// A row's clock, counted from its start.
const (
	clockRuns     uint8 = iota // before the deadline
	clockDeadline              // passed
	clockGrace                 // passed as well
	clockUnseen                // and so is the longest wait
	clockPlaces
)

type row struct {
	status  status
	lease   uint8
	attempt uint8
	clock   uint8
	gone    uint8 // as the server knows it
}

// When a tab was gone, counted as the clock of its row is.
const (
	tabThere   uint8 = iota
	goneInTime       // before the deadline
	goneLate         // after it
	goneLong         // after it, and a grace has passed since
)

// goneNow is how a tab stands that is gone from now on.
func (r row) goneNow() uint8 {
	if r.clock == clockRuns {
		return goneInTime
	}
	return goneLate
}

// lease is for which row, from 1, and for which install a lease was given. Its token is genuine for ever.
type lease struct{ row, install uint8 }

// What a page is about to do, or did and nobody has heard yet.
const (
	pageNone     uint8 = iota
	pageTold           // it was told to go, and has not acted
	pageAccepted       // it clicked; the provider took the message and said so
	pageSilent         // it clicked; no answer was seen
	pageRefused        // it clicked; the provider refused
)

type browser struct {
	worker                uint32 // 0: none lives
	store, behind, before uint32 // now, before the last write, before the last lease
	word                  uint32 // with which the page was told to go
	page                  uint8
	life                  uint8 // workers so far
	tab                   bool
	linked                bool // the page's worker still lives
	late                  bool // the touch window of the attempt that runs is over
	noLag                 bool // what the provider took stands in the thread at once
}

// request is a delivery request on its way: it arrives some time, or never. row 0: none.
type request struct {
	row, install uint8
	tab          uint8
}

// with says a frame. From then on it may arrive at any time and any number of times, or never: that is all that a network
// can do which loses, delays, repeats and reorders.
func (s state) with(frame uint16) state {
	for i, known := range s.net {
		switch {
		case known == frame:
			return s
		case known == 0:
			s.net[i] = frame
			slices.Sort(s.net[:i+1])
			return s
		}
	}
	panic("more frames were said than framesMax")
}

// fly puts a request on its way, if there is room.
func (s state) fly(r request) (state, bool) {
	for i := range s.flying {
		if s.flying[i].row == 0 {
			s.flying[i] = r
			return s, true
		}
	}
	return s, false
}

func (s state) landed(i int) state {
	copy(s.flying[i:], s.flying[i+1:])
	s.flying[flyingMax-1] = request{}
	return s
}

// flies reports whether a request of the row is on its way whose tab is in one of those places.
func (s state) flies(row uint8, tabs ...uint8) bool {
	return slices.ContainsFunc(s.flying[:], func(r request) bool { return r.row == row && slices.Contains(tabs, r.tab) })
}

// still forgets what can make no difference any more, so that states that differ in it alone are one.
func (w *world) still(s state) state {
	for i := range s.browsers {
		b := &s.browsers[i]
		now := w.ext.seen[b.worker]
		switch now.Phase {
		case "asking", "opening", "resolving":
		default:
			b.late = b.late && b.page == pageTold && b.linked
		}
		b.linked = b.linked && b.page != pageNone
		b.noLag = b.noLag && (now.lease > 0 || b.worker == 0)
		if int(s.deaths) == w.bounds.Deaths {
			b.behind, b.before = b.store, b.store
		}
	}
	for i := range s.rows {
		r := &s.rows[i]
		if r.status > 0 && !r.is(rule.Started) && !r.is(rule.Unconfirmed) {
			r.gone = tabThere
			if !s.flies(uint8(i)+1, tabThere, goneInTime, goneLate) {
				r.clock = clockRuns
			}
		}
	}
	return s
}

// leasesGiven is how many leases were given.
func (s state) leasesGiven() int {
	given := 0
	for _, one := range s.leases {
		if one.row > 0 {
			given++
		}
	}
	return given
}

// tabGone is what becomes of a browser's tab. What it sent may still arrive.
func (s state) tabGone(install uint8) state {
	b := &s.browsers[install]
	b.tab, b.page, b.word, b.linked = false, pageNone, 0, false
	for i := range s.flying {
		if r := &s.flying[i]; r.row > 0 && r.install == install && r.tab == tabThere {
			r.tab = s.rows[r.row-1].goneNow()
		}
	}
	return s
}
