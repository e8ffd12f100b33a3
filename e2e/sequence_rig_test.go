package e2e_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
)

const (
	aDay = 24 * time.Hour
	// untilReminded is after how many days the second step is due.
	untilReminded = 1
)

var (
	dana = standin.Person{Slug: "dana-muster", Name: "Dana Muster", Connected: true}
	emil = standin.Person{Slug: "emil-ejemplo", Name: "Emil Ejemplo", Connected: true}
)

// The steps of the tests' sequence.
var (
	question = harness.Step{Purpose: "question", Text: "Hello {{first_name}}, may I ask you something?"}
	reminder = harness.Step{Purpose: "reminder", Text: "{{first_name}}, did you see my question?", Days: untilReminded}
)

// sequenced is a rig with a list of five people, and a sequence of two steps for them.
type sequenced struct {
	*rig
	people   []standin.Person
	sequence string
}

// newSequenced adds who is missing on LinkedIn; the list and the sequence are made by creates.
func newSequenced(r *rig) *sequenced {
	r.Helper()
	for _, person := range []standin.Person{dana, emil} {
		_, err := r.site.AddPerson(person)
		r.must(err)
	}
	return &sequenced{rig: r, people: []standin.Person{ada, ben, chloe, dana, emil}}
}

// creates imports the list, makes the sequence and enrols everybody.
func (s *sequenced) creates() {
	s.Helper()
	list := s.imports(harness.Import{Verdicts: map[string]int{"new": len(s.people)}, Outcomes: map[string]int{"made": len(s.people)}})
	var err error
	s.sequence, err = s.api.Sequence(s.ctx, "Engineers", question, reminder)
	s.must(err)
	for _, one := range s.enrols(list) {
		if one.Refused != nil {
			s.Errorf("row %d is refused: %s", one.Row, one.Refused)
		}
	}
}

// imports imports the list, and checks what its rows were to come to and came to.
func (s *sequenced) imports(want harness.Import) (list string) {
	s.Helper()
	file := "LinkedIn URL,First name,Last name\n"
	for _, person := range s.people {
		first, last, _ := strings.Cut(person.Name, " ")
		file += fmt.Sprintf("%s/in/%s/,%s,%s\n", harness.LinkedIn, url.PathEscape(person.Slug), first, last)
	}
	shown, err := s.api.Upload(s.ctx, "engineers.csv", file)
	s.must(err)
	done, err := s.api.CarryOut(s.ctx, shown.ID)
	s.must(err)
	if got := (harness.Import{Verdicts: shown.Verdicts, Outcomes: done.Outcomes}); !cmp.Equal(got, want) {
		s.Errorf("the import (-want +got):\n%s", cmp.Diff(want, got))
	}
	return done.ID
}

// enrols enrols everybody in the list, and says of each what came of it.
func (s *sequenced) enrols(list string) []harness.Enrolled {
	s.Helper()
	all, err := s.api.EnrolImport(s.ctx, s.sequence, s.account, list)
	s.must(err)
	if len(all) != len(s.people) {
		s.Errorf("%d people of the list were to be enrolled, want %d", len(all), len(s.people))
	}
	return all
}

// says is the text of a step to a person.
func says(step harness.Step, to standin.Person) string {
	first, _, _ := strings.Cut(to.Name, " ")
	return strings.ReplaceAll(step.Text, "{{first_name}}", first)
}

// approves waits until a step is proposed to these people and approves it as a batch, whose texts it holds against the template.
// It returns the messages by their person's name.
func (s *sequenced) approves(step harness.Step, people ...standin.Person) map[string]harness.Message {
	s.Helper()
	waiting := s.awaitEnrolled(len(people), "running", "waits_for_approval")
	batch, err := s.api.PreviewBatch(s.ctx, s.sequence)
	s.must(err)
	var want, got []string
	for _, person := range people {
		want = append(want, says(step, person))
	}
	for _, item := range batch.Items {
		got = append(got, item.Body)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || batch.Allowed != len(people) || batch.Total != len(people) {
		s.Errorf("the batch is %+v; its texts (-want +got):\n%s", batch, diff)
	}
	done, err := s.api.ApproveBatch(s.ctx, batch.ID)
	s.must(err)
	if done.Made != len(people) {
		s.Errorf("the batch came to %+v, want %d sends", done, len(people))
	}
	messages := map[string]harness.Message{}
	for _, one := range waiting {
		messages[one.PersonName] = harness.Message{ID: one.MessageID}
	}
	return messages
}

// awaitEnrolled waits until so many enrolments stand like that, and returns them.
func (s *sequenced) awaitEnrolled(count int, state, reason string) []harness.Enrolment {
	s.Helper()
	is := func(one harness.Enrolment) bool { return one.State == state && one.Reason == reason }
	var found []harness.Enrolment
	_, err := s.api.AwaitEnrolments(s.ctx, s.sequence, func(all []harness.Enrolment) bool {
		found = slices.DeleteFunc(slices.Clone(all), func(one harness.Enrolment) bool { return !is(one) })
		return len(found) == count
	})
	if err != nil {
		s.Fatalf("%d are to be %s: %s: %v", count, state, reason, err)
	}
	return found
}

// later has time pass, for the database and for LinkedIn.
func (r *rig) later(by time.Duration) {
	r.Helper()
	r.must(r.database.Advance(r.ctx, by))
	r.site.Advance(by)
}

// replies has a person answer in the conversation that they were written to in.
func (r *rig) replies(person standin.Person) {
	r.Helper()
	id := r.profileID(person)
	ledger := r.site.Ledger()
	at := slices.IndexFunc(ledger, func(c standin.Copy) bool { return c.RecipientID == id })
	if at < 0 {
		r.Fatalf("%s was not written to", person.Name)
	}
	_, err := r.site.Say(ledger[at].ThreadID, standin.Message{From: person.Slug, Text: "Thank you, not now."})
	r.must(err)
}

// onTheWay is for whom the lease is that a proxy holds.
func (s *sequenced) onTheWay(in *install) standin.Person {
	s.Helper()
	frames := in.proxy.Frames()
	at := slices.IndexFunc(frames, func(f harness.Frame) bool { return f.Type == "lease" && f.Fate == harness.Held })
	if at < 0 {
		s.Fatal("no lease is on its way")
	}
	to, _ := frames[at].Body["person"].(map[string]any)
	who := slices.IndexFunc(s.people, func(p standin.Person) bool { return p.Slug == to["slug"] })
	if who < 0 {
		s.Fatalf("the lease is for %v", to)
	}
	return s.people[who]
}
