package imports

import (
	"fmt"
	"slices"

	"sendonce/server/people"
	"sendonce/server/problem"
)

// judge says what becomes of whom a row names. why is for people.
func judge(c Candidate, m Met) (v Verdict, why string) {
	switch {
	case m.WasRemoved:
		return DoNotContact, people.Contact{Level: people.DoNotContact, Because: "removed"}.Text()
	case m.IsTwo || hasAnotherProfile(c, m.Person):
		return Invalid, conflicts()
	case m.Because != "":
		return DoNotContact, people.Contact{Level: people.DoNotContact, Because: m.Because}.Text()
	case m.Person.DoNotContact():
		return DoNotContact, m.Person.Contact.Text()
	case m.Unconfirmed:
		return Unconfirmed, "a message may have reached them; a person must look before anything else goes out"
	case m.Person.Contact.Level == people.Owned:
		return Owned, fmt.Sprintf("%s owns them", m.Person.Contact.OwnerName)
	case m.Contacted:
		return Contacted, ""
	case len(m.Person.Rows) > 0:
		return IsKnown, ""
	}
	return IsNew, ""
}

func conflicts() string {
	return problem.PersonConflict.Title() + "; leave one of them out, or merge the two if they are one"
}

// hasAnotherProfile: nobody who has a profile gets another one by an address that somebody typed: what is approved for them would go there.
func hasAnotherProfile(c Candidate, p people.Person) bool {
	isProfile := func(one people.Identity) bool { return one.Kind != people.Email }
	return slices.ContainsFunc(p.Identities, isProfile) && slices.ContainsFunc(c.Identities, func(one people.Identity) bool {
		return isProfile(one) && !slices.Contains(p.Identities, one)
	})
}

// Twins are the addresses of an import's rows, by which a later row that names the same person is found. They are kept in memory, and
// made anew from the rows when they are lost.
type Twins struct {
	mapping int // the number of the mapping that they are of
	to      int // the number of the last row among them
	rows    map[people.Identity]int
}

// NewTwins are those of no row yet.
func NewTwins() *Twins { return &Twins{rows: map[people.Identity]int{}} }

// meet is the earlier row that names the same person and counts, or 0. To meet a row again changes nothing.
func (t *Twins) meet(number int, c Candidate) (earlier int) {
	for _, identity := range c.Identities {
		if row, isThere := t.rows[identity]; isThere && row < number && (earlier == 0 || row < earlier) {
			earlier = row
		}
	}
	counts := number
	if earlier != 0 {
		counts = earlier
	}
	for _, identity := range c.Identities {
		if _, isThere := t.rows[identity]; !isThere {
			t.rows[identity] = counts
		}
	}
	return earlier
}
