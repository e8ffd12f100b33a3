// Package bulk is a command over many rows that a person is shown first: "retry all" and "approve all". They say yes to exactly
// what the preview shows, and a run then does it to one row after the other, each in a transaction of its own, so that it may
// stop and go on anywhere.
package bulk

import (
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// Kind is what a run does.
type Kind string

// The kinds of runs.
const (
	Retry    Kind = "retry"    // of failed sends
	Approval Kind = "approval" // of messages that wait for it
)

// Filter chooses among the failed sends, or the waiting messages, of a workspace. Zero values let everything through.
type Filter struct {
	Account uuid.UUID
	Code    string // of a failed send
	Purpose string // of a message
	// Sequence, Step and Enrolments are those that a message is of.
	Sequence, Step uuid.UUID
	Enrolments     []uuid.UUID
}

// Run is one "retry all" or "approve all".
type Run struct {
	ID        uuid.UUID
	Kind      Kind
	Filter    Filter
	CreatedAt time.Time
	BegunAt   *time.Time // nil while it is only a preview
	EndedAt   *time.Time
	// Allowed is how many the preview would queue a send of, Refused of how many not, by the reason.
	Allowed int
	Refused map[problem.Code]int
	// Made is how many sends the run has made so far, Moved how many it could not any more, by the reason.
	Made  int
	Moved map[problem.Code]int
}

// State is how far a run is.
type State string

// The states of a run.
const (
	Previewed State = "previewed"
	Running   State = "running"
	Done      State = "done"
)

// State is how far the run is.
func (r Run) State() State {
	switch {
	case r.EndedAt != nil:
		return Done
	case r.BegunAt != nil:
		return Running
	}
	return Previewed
}

// Total is how many rows the preview looked at.
func (r Run) Total() int { return r.Allowed + sum(r.Refused) }

// IsFull says that the preview stopped at as many as one run takes: what there is beside them is for the next one.
func (r Run) IsFull() bool { return r.Total() >= config.BulkItemsMax }

// Handled is how many of the allowed ones the run is through with.
func (r Run) Handled() int { return r.Made + sum(r.Moved) }

func sum(counts map[problem.Code]int) (total int) {
	for _, count := range counts {
		total += count
	}
	return total
}

// Item is one row of a run: a send, or a message in the version that was shown. Verdict is what the preview said, Outcome what
// the run made of it; "" is a send that is queued.
type Item struct {
	ID      uuid.UUID
	Version int             // of a message
	Digest  string          // of a message
	Content message.Content // of the version, its texts alone; empty where it was not asked for, and of a send
	Verdict problem.Code
	Outcome *problem.Code // nil until the run is through with it
	Next    *uuid.UUID    // the send that was queued
}

// Open is a run that was begun and has not ended, with the one who began it.
type Open struct {
	ID   uuid.UUID
	Kind Kind
	By   access.Principal
}

// Shown is a message of an approval as a person reads it. Its version, digest and content are those that the preview looked at,
// whatever has become of the message since.
type Shown struct {
	Item    Item
	Message message.Message
}
