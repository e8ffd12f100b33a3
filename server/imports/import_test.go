package imports

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"sendonce/server/people"
)

// Goal: columns are known by the names that other programs export, no two of them as the same; in a file without names by what stands
// in them.
func TestGuess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, first, want []string }{
		{[]string{"E-Mail", "First Name", "LAST_NAME", "Person Linkedin Url", "Firma", "Notes"}, nil, []string{"email", "first_name", "last_name", "linkedin", "company", ""}},
		{[]string{"email", "Email Address", "Name"}, nil, []string{"email", "", "name"}},
		{[]string{"", "x"}, nil, []string{"", ""}},
	} {
		if got := guess(c.header, c.first, true); !cmp.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.header, got, c.want)
		}
	}
	got := guess([]string{"Column 1", "Column 2", "Column 3"}, []string{"Ada", "ada@example.com", "https://www.linkedin.com/in/ada"}, false)
	if want := []string{"", "email", "linkedin"}; !cmp.Equal(got, want) {
		t.Errorf("without names: %q, want %q", got, want)
	}
}

// Goal: a row fills what is empty, and nothing else: never a value that there is, never with another column's, never twice.
func TestFill(t *testing.T) {
	t.Parallel()
	email := people.Identity{Kind: people.Email, Value: "ada@example.com"}
	other := people.Identity{Kind: people.LinkedInSlug, Value: "ada"}
	known := people.Person{ID: uuid.New(), Name: "Ada", Fields: map[string]string{"city": "Berlin"}, Identities: []people.Identity{email}}
	next, add, isChanged := fill(known, Candidate{Identities: []people.Identity{email, other}, Name: "ADA", Company: "Acme", Fields: map[string]string{"city": "Bonn", "title": "Engineer", "ps": ""}})
	if !isChanged || next.Name != "Ada" || next.Company != "Acme" || !cmp.Equal(next.Fields, map[string]string{"city": "Berlin", "title": "Engineer"}) || !cmp.Equal(add, []people.Identity{other}) {
		t.Errorf("filled: %+v %v %t", next, add, isChanged)
	}
	if !cmp.Equal(known.Fields, map[string]string{"city": "Berlin"}) || len(known.Identities) != 1 {
		t.Errorf("what was read was changed: %+v", known)
	}
	if again, add, isChanged := fill(next, Candidate{Identities: []people.Identity{other}, Company: "Other", Fields: map[string]string{"title": "x"}}); isChanged || len(add) > 0 || !cmp.Equal(again, next) {
		t.Errorf("filled again: %+v %v %t", again, add, isChanged)
	}
}

// Goal: several rows that name one known person by different addresses change them once, and nobody gets a second profile by it.
func TestRowsOfOnePerson(t *testing.T) {
	t.Parallel()
	one, two := people.Identity{Kind: people.Email, Value: "a@x.io"}, people.Identity{Kind: people.Email, Value: "b@x.io"}
	ada := people.Person{ID: uuid.New(), Rows: []uuid.UUID{{1}}, Fields: map[string]string{}, Identities: []people.Identity{one, two}}
	profile := func(slug string) people.Identity { return people.Identity{Kind: people.LinkedInSlug, Value: slug} }
	candidates := []*Candidate{
		{Identities: []people.Identity{one, profile("ada")}, Name: "Ada"},
		{Identities: []people.Identity{two}, Name: "Other", Company: "Acme"},
		{Identities: []people.Identity{two, profile("bea")}},
		{Identities: []people.Identity{two}},
	}
	rows := make([]Row, len(candidates))
	met := make([]*Met, len(candidates))
	for at := range rows {
		rows[at], met[at] = Row{Number: at + 2, Verdict: IsKnown}, &Met{Person: ada}
	}
	changes := settle(rows, candidates, met)
	if len(changes) != 1 || changes[0].Next.Name != "Ada" || changes[0].Next.Company != "Acme" || !cmp.Equal(changes[0].Add, []people.Identity{profile("ada")}) || len(changes[0].Was.Identities) != 2 {
		t.Errorf("%+v", changes)
	}
	var outcomes []Outcome
	for _, row := range rows {
		outcomes = append(outcomes, row.Outcome)
	}
	if !cmp.Equal(outcomes, []Outcome{Filled, Filled, LeftOut, Unchanged}) || rows[2].Verdict != Invalid {
		t.Errorf("%v %v", outcomes, rows[2])
	}
}

// Goal: the earlier row counts, whatever is met again and in whatever parts.
func TestTwins(t *testing.T) {
	t.Parallel()
	mail := func(value string) Candidate {
		return Candidate{Identities: []people.Identity{{Kind: people.Email, Value: value}}}
	}
	twins := NewTwins()
	for range 2 {
		for number, c := range []Candidate{
			mail("a"), mail("b"), mail("a"),
			{Identities: append(mail("b").Identities, mail("a").Identities...)},
			{Identities: append(mail("b").Identities, mail("c").Identities...)},
			mail("c"), // of what a twin says as well, the row that counts
		} {
			want := map[int]int{2: 1, 3: 1, 4: 2, 5: 2}[number]
			if got := twins.meet(number+1, c); got != want {
				t.Errorf("row %d is a twin of %d, want %d", number+1, got, want)
			}
		}
	}
}
