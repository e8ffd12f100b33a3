package send

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
)

// Rival is an attempt of another message with the text of one version, to the same person from the same account, of which
// no copy is recorded: a copy from its time may be its own. Until is when such a copy would have arrived.
type Rival struct {
	Version          int
	StartedAt, Until time.Time
}

func (r Rival) mayHaveLeft(one Seen) bool {
	return r.Version == one.Version && one.SentAt.After(r.StartedAt.Add(-config.ApprovalSlack)) &&
		one.SentAt.Before(r.Until.Add(config.ApprovalSlack))
}

// attribute says of which attempt each copy is: the latest of its version that had begun when LinkedIn took it. LinkedIn's
// clock is not ours. A copy older than every approval is nobody's, and so is one that a rival may have left: which of two
// messages with one text it is cannot be told, and the wrong guess would free the delivered one for a retry. Once the rival's
// own copy is known it is held, and what is left is clear; else a person looks.
func attribute(seen []Seen, tried []Tried, rivals []Rival) map[uuid.UUID][]Copy {
	of, given := map[uuid.UUID][]Copy{}, map[string]bool{}
	for _, one := range seen {
		if given[one.ProviderID] {
			continue // two versions have the same text: one copy is one attempt's
		}
		if slices.ContainsFunc(rivals, func(r Rival) bool { return r.mayHaveLeft(one) }) {
			continue
		}
		if owner := ownerOf(one, tried); owner != uuid.Nil {
			of[owner] = append(of[owner], one.Copy)
			given[one.ProviderID] = true
		}
	}
	return of
}

// ownerOf is uuid.Nil for a copy that is nobody's.
func ownerOf(one Seen, tried []Tried) uuid.UUID {
	first := uuid.Nil
	for _, t := range tried { // the newest first
		if t.Version != one.Version || !one.SentAt.After(t.ApprovedAt.Add(-config.ApprovalSlack)) {
			continue
		}
		if one.SentAt.After(t.StartedAt.Add(-config.ApprovalSlack)) {
			return t.Send
		}
		first = t.Send
	}
	return first
}
