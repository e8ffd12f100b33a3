package imports

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/people"
)

// ErrMoved says that somebody else has made or changed one of the same people meanwhile. What was done is thrown away, and done again.
var ErrMoved = errors.New("somebody else has changed one of the same people")

// Step looks at some rows of an import, or carries some out: all of them or, when it fails, none. more is false when nothing is left
// to do for now.
func Step(ctx context.Context, store Store, open Open, twins *Twins) (more bool, err error) {
	i, isOurs, err := store.ImportTake(ctx, open.By.Workspace, open.ID)
	if err != nil || !isOurs {
		return false, err
	}
	switch i.State() {
	case Previewing:
		return true, i.look(ctx, store, open, twins)
	case Running:
		return true, i.carryOut(ctx, store, open)
	}
	return false, nil
}

// look gives the next rows their verdicts.
func (i Import) look(ctx context.Context, store Store, open Open, twins *Twins) error {
	if err := i.catchUp(ctx, store, twins); err != nil {
		return err
	}
	rows, err := store.RowsAfter(ctx, i.ID, i.JudgedTo, config.ImportChunkRows)
	if err != nil {
		return err
	}
	candidates := i.readAll(rows, twins)
	if _, err := meet(ctx, store, open, rows, candidates); err != nil {
		return err
	}
	to := rows[len(rows)-1].Number
	if err := store.RowsJudged(ctx, i.ID, i.JudgedTo, to, rows); err != nil {
		return err
	}
	twins.to = to
	return nil
}

// catchUp brings the twins to where the import is: another server may have looked at rows, or this one has lost them.
func (i Import) catchUp(ctx context.Context, store Store, twins *Twins) error {
	if twins.mapping != i.MappingNumber || twins.to > i.JudgedTo {
		twins.mapping, twins.to, twins.rows = i.MappingNumber, 0, map[people.Identity]int{}
	}
	for twins.to < i.JudgedTo {
		rows, err := store.RowsAfter(ctx, i.ID, twins.to, config.ImportChunkRows)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.Number <= i.JudgedTo {
				i.readAll([]Row{row}, twins)
			}
		}
		twins.to = min(rows[len(rows)-1].Number, i.JudgedTo)
	}
	return nil
}

// readAll sets the verdicts that the file alone gives, and returns whom the rows name, by their place; nil for those that are forgotten.
// Of a row that has its verdict only the addresses are returned: one of them may be of somebody who was removed.
func (i Import) readAll(rows []Row, twins *Twins) []*Candidate {
	candidates := make([]*Candidate, len(rows))
	for at := range rows {
		row := &rows[at]
		row.Verdict, row.Why, row.SameAs, row.Person = "", "", 0, uuid.Nil
		if row.IsForgotten {
			row.Verdict, row.Why = removedSince()
			continue
		}
		c, why := i.read(*row)
		candidates[at] = &c
		if why != "" {
			row.Verdict, row.Why = Invalid, why
		} else if row.SameAs = twins.meet(row.Number, c); row.SameAs != 0 {
			row.Verdict, row.Why = InFileTwice, fmt.Sprintf("row %d names the same person, and counts", row.SameAs)
		}
		if row.Verdict != "" {
			candidates[at] = &Candidate{Named: c.Named}
		}
	}
	return candidates
}

// removedSince is what becomes of a row that was emptied because whom it named was removed.
func removedSince() (Verdict, string) {
	return DoNotContact, people.Contact{Because: "removed"}.Text()
}

// meet gives the rows that name somebody the verdicts that what is known of them gives.
func meet(ctx context.Context, store Store, open Open, rows []Row, candidates []*Candidate) ([]*Met, error) {
	var asked []Candidate
	var places []int
	for at, c := range candidates {
		if c != nil {
			asked, places = append(asked, *c), append(places, at)
		}
	}
	met := make([]*Met, len(rows))
	if len(asked) == 0 {
		return met, nil
	}
	found, err := store.Meet(ctx, open.By.Workspace, open.By.ID, asked)
	if err != nil {
		return nil, err
	}
	for n, at := range places {
		met[at] = &found[n]
		if len(asked[n].Identities) == 0 && !found[n].WasRemoved {
			continue
		}
		rows[at].Verdict, rows[at].Why = judge(asked[n], found[n])
		rows[at].Person = found[n].Person.ID
		rows[at].IsForgotten = found[n].WasRemoved // what names them is not kept a second time
	}
	return met, nil
}

// carryOut does what the next rows come to now: what they were shown to come to may have changed, and is looked at again.
func (i Import) carryOut(ctx context.Context, store Store, open Open) error {
	rows, err := store.RowsAfter(ctx, i.ID, i.HandledTo, config.ImportChunkRows)
	if err != nil {
		return err
	}
	candidates := make([]*Candidate, len(rows))
	for at := range rows {
		row := &rows[at]
		if row.IsForgotten {
			row.Verdict, row.Why = removedSince()
			continue
		}
		if row.Verdict == InFileTwice {
			continue // whatever else has changed
		}
		c, why := i.read(*row)
		if why == "" {
			candidates[at] = &c
			continue
		}
		row.Verdict, row.Why = Invalid, why
	}
	met, err := meet(ctx, store, open, rows, candidates)
	if err != nil {
		return err
	}
	changes := settle(rows, candidates, met)
	if err := store.Apply(ctx, open.By.Workspace, changes); err != nil {
		return err
	}
	return store.RowsHandled(ctx, i.ID, i.HandledTo, rows[len(rows)-1].Number, rows)
}

// settle says what the rows come to, and what that changes: each person once, also where several rows name one.
func settle(rows []Row, candidates []*Candidate, met []*Met) []Change {
	var changes []Change
	of := map[uuid.UUID]int{}
	for at := range rows {
		row := &rows[at]
		row.Outcome = LeftOut
		if !row.Verdict.isTaken() || candidates[at] == nil {
			continue
		}
		was := met[at].Person
		if row.Verdict == IsNew {
			was.ID = uuid.Must(uuid.NewV7())
		}
		place, isThere := of[was.ID]
		if isThere { // an earlier row of these names the same person by another address
			was = changes[place].Next
		}
		if hasAnotherProfile(*candidates[at], was) {
			row.Verdict, row.Why = Invalid, conflicts()
			continue
		}
		row.Person = was.ID
		next, add, isChanged := fill(was, *candidates[at])
		switch {
		case row.Verdict == IsNew:
			row.Outcome = Made
		case isChanged:
			row.Outcome = Filled
		default:
			row.Outcome = Unchanged
			continue
		}
		if isThere {
			changes[place].Next, changes[place].Add = next, append(changes[place].Add, add...)
			continue
		}
		of[was.ID] = len(changes)
		changes = append(changes, Change{IsNew: row.Verdict == IsNew, Was: was, Next: next, Add: add})
	}
	return changes
}
