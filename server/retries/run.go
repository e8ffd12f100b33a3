// Package retries is "retry all": a person is shown what would be sent again and what not, says yes to exactly that, and a
// run then retries one send after the other, each in a transaction of its own, so that it may stop and go on anywhere.
package retries

import (
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/problem"
)

// Filter chooses among the failed sends of a workspace. Zero values let everything through.
type Filter struct {
	Account uuid.UUID
	Code    string
}

// Run is one "retry all".
type Run struct {
	ID        uuid.UUID
	Filter    Filter
	CreatedAt time.Time
	BegunAt   *time.Time // nil while it is only a preview
	EndedAt   *time.Time
	// Allowed is how many the preview would send again, Refused how many not, by the reason.
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

// Total is how many failed sends the preview looked at.
func (r Run) Total() int { return r.Allowed + sum(r.Refused) }

// IsFull says that the preview stopped at as many as one run takes: what failed beside them is for the next one.
func (r Run) IsFull() bool { return r.Total() >= config.RetryItemsMax }

// Handled is how many of the allowed ones the run is through with.
func (r Run) Handled() int { return r.Made + sum(r.Moved) }

func sum(counts map[problem.Code]int) (total int) {
	for _, count := range counts {
		total += count
	}
	return total
}

// Item is one send of a run. Verdict is what the preview said, Outcome what the run made of it; "" is "sent again".
type Item struct {
	Send    uuid.UUID
	Verdict problem.Code
	Outcome *problem.Code // nil until the run is through with it
	Next    *uuid.UUID
}

// Open is a run that was begun and has not ended, with the one who began it.
type Open struct {
	ID uuid.UUID
	By access.Principal
}
