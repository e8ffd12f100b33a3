package person

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// Stakes is what there is of a person: what a merge or a removal would meet.
type Stakes struct {
	ID        uuid.UUID
	Name      string
	Owner     uuid.UUID // uuid.Nil for nobody
	OwnerName string
	Level     people.Level
	Rows      []uuid.UUID
	// Messages are all that were ever proposed, Proposed those of them that wait for a person.
	Messages, Proposed int
	// Waiting are sends that are queued or leased, or that a machine would send again; the others are counted by their status.
	Waiting, Started, Unconfirmed, Sent int
	// Intents grows with each message and each send.
	Intents   int
	IsRemoved bool
}

// Meeting is two messages for one intent that may both still go out, one to each of two people.
type Meeting struct {
	Kept, Gone uuid.UUID
	Purpose    string // folded
}

// Merging is what a merge would do: from then on Gone is Kept.
type Merging struct {
	Kept, Gone Stakes
	Meetings   []Meeting
}

// The ends of what stood before a person was merged or removed, as the history has them.
const (
	voidedByMerge   = "merged"
	voidedByRemoval = "removed"
)

// Seen names what a person was shown: another one is asked for when something has changed since.
func (m Merging) Seen() string { return seen(m.Kept, m.Gone, len(m.Meetings)) }

func seen(facts ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%v", facts))
	return hex.EncodeToString(sum[:config.SeenBytes])
}

// IsDone reports whether both are one already.
func (m Merging) IsDone() bool { return m.Kept.ID == m.Gone.ID }

// Refused says why they cannot be merged by that principal as things stand, or nil. What has begun keeps nobody from it: its end is recorded
// where it began, and whatever is meant for either of them waits for that end from then on.
func (m Merging) Refused(by access.Principal) *problem.Problem {
	switch {
	case m.Kept.IsRemoved || m.Gone.IsRemoved:
		return removed()
	case by.Role != access.Admin && m.Kept.Owner != uuid.Nil && m.Gone.Owner != uuid.Nil && m.Gone.Owner != m.Kept.Owner && m.Gone.Owner != by.ID:
		return problem.New(problem.OwnedByAnother, "%s owns the one, and would lose them to %s; keep %[1]s's person, or let an admin merge them",
			m.Gone.OwnerName, m.Kept.OwnerName).With("owner", m.Gone.OwnerName)
	case len(m.Meetings) > 0:
		first := m.Meetings[0]
		return problem.New(problem.IntentsMeet, "messages %s and %s are for one intent and may both still go out; withdraw one of them, or "+
			"wait for its end (if it is unconfirmed: look, and say what you saw), then merge", first.Kept, first.Gone).
			With("message_ids", []uuid.UUID{first.Kept, first.Gone}).With("meetings", len(m.Meetings))
	}
	return nil
}

// Effects says to a person what the merge would do.
func (m Merging) Effects() []string {
	said := []string{
		fmt.Sprintf("%s and %s are one person from then on, and that is for good.", called(m.Kept), called(m.Gone)),
		"All messages, their histories and their receipts stay as they are, each at the address that it named.",
		"Whatever is counted per person counts both: the same text, the same intent, replies, and how often they are written to.",
	}
	if waiting := m.Kept.Waiting + m.Gone.Waiting; waiting > 0 {
		said = append(said, counted(waiting, "approved message that has not begun is taken back: whoever approved it saw one history of two. It waits for approval again.",
			"approved messages that have not begun are taken back: whoever approved them saw one history of two. They wait for approval again."))
	}
	if begun := m.Kept.Started + m.Gone.Started; begun > 0 {
		said = append(said, counted(begun, "send has begun and ends by itself.", "sends have begun and end by themselves."))
	}
	if unsettled := m.Kept.Unconfirmed + m.Gone.Unconfirmed; unsettled > 0 {
		said = append(said, counted(unsettled, "send needs a look; until then nothing with its text goes out to either address.",
			"sends need a look; until then nothing with their texts goes out to either address."))
	}
	if m.Kept.Level == people.DoNotContact || m.Gone.Level == people.DoNotContact {
		said = append(said, "They must not be contacted, at either address: the stricter of the two holds.")
	}
	if m.Gone.OwnerName != "" && m.Kept.OwnerName != "" && m.Gone.OwnerName != m.Kept.OwnerName {
		said = append(said, fmt.Sprintf("They stay %s's; %s owns them no longer.", m.Kept.OwnerName, m.Gone.OwnerName))
	}
	return said
}

func called(s Stakes) string {
	if s.Name != "" {
		return s.Name
	}
	return s.ID.String()
}

// Preview is what a merge would do, as this transaction sees it.
func Preview(ctx context.Context, store Store, workspace, kept, gone uuid.UUID) (m Merging, err error) {
	if m.Kept, err = store.PersonStakes(ctx, workspace, kept); err != nil {
		return m, err
	}
	if m.Gone, err = store.PersonStakes(ctx, workspace, gone); err != nil || m.IsDone() {
		return m, err
	}
	m.Meetings, err = store.IntentsOfBoth(ctx, m.Kept.Rows, m.Gone.Rows)
	return m, err
}

// Merge has gone be the same person as kept, exactly as it was shown under seen. It sends nothing, and nothing that was approved before
// goes out after it: what has not begun is taken back, since its approval was given without the other's history.
func Merge(ctx context.Context, store Store, who access.Principal, kept, gone uuid.UUID, seen string) (people.Person, error) {
	if err := who.Require(access.Decide); err != nil {
		return people.Person{}, err
	}
	found, err := Preview(ctx, store, who.Workspace, kept, gone)
	if err != nil {
		return people.Person{}, err
	}
	if found.IsDone() {
		return store.PersonGet(ctx, who.Workspace, kept)
	}
	messages, err := store.PeopleHold(ctx, who.Workspace, found.Kept, found.Gone)
	if err != nil {
		return people.Person{}, err
	}
	held, err := Preview(ctx, store, who.Workspace, kept, gone)
	if err != nil {
		return people.Person{}, err
	}
	if held.Seen() != seen || held.IsDone() {
		return people.Person{}, moved()
	}
	if refused := held.Refused(who); refused != nil {
		return people.Person{}, refused
	}
	if err := store.TakeBack(ctx, messages, who.ID, voidedByMerge, rule.ApprovalMissing); err != nil {
		return people.Person{}, err
	}
	if err := store.PersonMerge(ctx, held.Kept.ID, held.Gone.ID, who.ID); err != nil {
		return people.Person{}, fmt.Errorf("merge person %s into %s: %w", gone, kept, err)
	}
	return store.PersonGet(ctx, who.Workspace, kept)
}

func moved() error {
	return problem.New(problem.WorldMoved, "something about them has changed since you looked; look at a new preview")
}
