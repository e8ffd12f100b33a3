// Package delivery is how far a message came after it had left: what providers and browsers saw of it. That is evidence beside
// the status of a send, and no part of it. The package is pure.
package delivery

import (
	"slices"
	"time"

	"sendonce/server/rule"
)

// Kind is what one observation says.
type Kind string

// The kinds. The first five are steps on one way; the next two stand beside it, because a bounce may follow a delivery and a
// delivery may follow a bounce that was not final. The last two are no news of the message at all, but of what came after it.
const (
	Accepted    Kind = "accepted"      // the provider has taken it
	Sent        Kind = Kind(rule.Sent) // the provider has passed it on
	Delivered   Kind = "delivered"
	Read        Kind = "read"
	Replied     Kind = "replied"
	Undelivered Kind = "undelivered"
	Bounced     Kind = "bounced"
	AutoReplied Kind = "auto_replied" // an automatic answer came, as of somebody who is away: no reply, and no step
	Manual      Kind = "manual"       // its member has since written to the person by hand; only a browser can see that
)

// way is the steps in order: whoever came to one has passed those before it.
var way = []Kind{Accepted, Sent, Delivered, Read, Replied}

// Kinds lists every kind that a provider may tell of.
func Kinds() []Kind { return append(slices.Clone(way), Undelivered, Bounced, AutoReplied) }

// Proves reports whether an observation of this kind shows that the provider has the message.
func (k Kind) Proves() bool { return slices.Contains(way, k) }

// Observation is one thing that was seen of a message.
type Observation struct {
	Kind Kind
	// ProviderID is of the copy that it is about; "" when that is not known. SeenID is of the reply, or of the message by hand,
	// where a browser saw one.
	ProviderID, SeenID string
	At                 time.Time // by the clock of who saw it
	Detail             string    // a provider's own words, or ""
	Source             string    // the provider's name; "" for a browser
	ReceivedAt         time.Time
}

// Evidence is what all observations of a message, or of one copy of it, come to.
type Evidence struct {
	// State is the furthest step, "" when none was seen. At is when it was first seen.
	State Kind
	At    time.Time
	// Undelivered and Bounced are the first of their kind, or nil. They change no state.
	Undelivered, Bounced *Trouble
	// ByHandAt is when its member first wrote to the person by hand after it; zero when that was not seen.
	ByHandAt time.Time
}

// Trouble is why a message did not arrive, as the provider says.
type Trouble struct {
	At     time.Time
	Detail string
}

// Fold is what the observations come to. Their order and how often each is among them do not matter, and one more never
// takes the state back.
func Fold(seen []Observation) Evidence {
	var e Evidence
	for _, o := range seen {
		switch o.Kind {
		case Undelivered:
			e.Undelivered = first(e.Undelivered, o)
		case Bounced:
			e.Bounced = first(e.Bounced, o)
		case Manual:
			if e.ByHandAt.IsZero() || o.At.Before(e.ByHandAt) {
				e.ByHandAt = o.At.UTC()
			}
		default:
			e = e.reach(o)
		}
	}
	return e
}

func (e Evidence) reach(o Observation) Evidence {
	now, then := slices.Index(way, o.Kind), slices.Index(way, e.State)
	if now > then || now == then && now >= 0 && o.At.Before(e.At) {
		e.State, e.At = o.Kind, o.At.UTC()
	}
	return e
}

// first is the earlier of two. Of two of one moment it is the one whose detail sorts first, so that the order says nothing.
func first(known *Trouble, o Observation) *Trouble {
	if known == nil || o.At.Before(known.At) || o.At.Equal(known.At) && o.Detail < known.Detail {
		return &Trouble{At: o.At.UTC(), Detail: o.Detail}
	}
	return known
}
