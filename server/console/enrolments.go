package console

import (
	"fmt"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/account"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/problem"
	"sendonce/server/sequence"
)

// enrolmentCard is a person in a sequence, on a page. Key is made for its buttons.
type enrolmentCard struct {
	sequence.Enrolment
	Called    string
	MayDecide bool
	Key       string
	OnPerson  bool // it stands on the person's own page
}

// StateText is the word for how it stands.
func (c enrolmentCard) StateText() string { return stateWords[c.State] }

// HasMessage reports whether it names a message.
func (c enrolmentCard) HasMessage() bool { return c.Message != uuid.Nil }

// IsOver reports whether it has come to its end.
func (c enrolmentCard) IsOver() bool {
	return c.State == sequence.Finished || c.State == sequence.Stopped
}

// IsRunning reports whether it goes on by itself.
func (c enrolmentCard) IsRunning() bool { return c.State == sequence.Running }

// IsHeld reports whether a person must settle something first.
func (c enrolmentCard) IsHeld() bool { return c.State == sequence.Held }

// enrolmentCards are enrolments with what their people are called.
func (s *Console) enrolmentCards(v visit, list []sequence.Enrolment) ([]enrolmentCard, error) {
	ids := make([]uuid.UUID, len(list))
	for i, one := range list {
		ids[i] = one.Person
	}
	called, err := s.called(v, ids)
	if err != nil {
		return nil, err
	}
	cards := make([]enrolmentCard, len(list))
	for i, one := range list {
		cards[i] = enrolmentCard{Enrolment: one, Called: called[one.Person], MayDecide: v.who.May(access.Decide), Key: uuid.NewString()}
	}
	return cards, nil
}

// called is what each of these is called, by id.
func (s *Console) called(v visit, people []uuid.UUID) (map[uuid.UUID]string, error) {
	called, err := s.reads.PeopleCalled(v.ctx(), v.who.Workspace, people)
	if err != nil {
		return nil, err
	}
	for id, name := range called {
		if name == "" {
			called[id] = "Somebody who was removed"
		}
	}
	return called, nil
}

// movedLine is a line of an enrolment's history.
type movedLine struct{ sequence.Event }

// StateText is the word for the state that it came to.
func (l movedLine) StateText() string { return stateWords[l.State] }

// HasMessage reports whether the line names a message.
func (l movedLine) HasMessage() bool { return l.Message != uuid.Nil }

type enrolmentPage struct {
	enrolmentCard
	Moves []movedLine
}

func (s *Console) showEnrolment(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	found, err := s.reads.EnrolmentRead(v.ctx(), v.who.Workspace, id)
	if err != nil {
		return err
	}
	cards, err := s.enrolmentCards(v, []sequence.Enrolment{found})
	if err != nil {
		return err
	}
	page := enrolmentPage{enrolmentCard: cards[0]}
	for _, one := range found.History {
		page.Moves = append(page.Moves, movedLine{one})
	}
	return s.show(v, "enrolment", fmt.Sprintf("%s in %s", page.Called, page.SequenceName), page)
}

// moveEnrolment has an enrolment be in another state.
func (s *Console) moveEnrolment(to sequence.State) func(visit) error {
	return func(v visit) error {
		id, err := pathID(v)
		if err != nil {
			return err
		}
		next := "/enrolments/" + id.String()
		if person, err := uuid.Parse(v.FormValue("person")); err == nil { // on whose page the button was
			next = "/people/" + person.String() + "#sequences"
		}
		defer s.enrolling.Wake()
		return s.run(v, "", next, func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
			e, err := sequence.MoveEnrolment(v.ctx(), tx, v.who, id, to)
			return id, e.Account, err // the place of a lease that was called back is free
		})
	}
}

// enrolChoices are what an enrolment is chosen from.
type enrolChoices struct {
	Sequences []sequence.Sequence // that take somebody
	Accounts  []account.Account
}

// IsReady reports whether there is something to choose.
func (c enrolChoices) IsReady() bool { return len(c.Sequences) > 0 && len(c.Accounts) > 0 }

// enrolChoices reads the oldest config.PageSizeMax of each.
func (s *Console) enrolChoices(v visit) (c enrolChoices, err error) {
	found, err := s.reads.SequenceList(v.ctx(), v.who.Workspace, uuid.Nil, config.PageSizeMax)
	if err != nil {
		return c, err
	}
	for _, one := range found {
		if (sequenceCard{one}).Takes() {
			c.Sequences = append(c.Sequences, one)
		}
	}
	c.Accounts, err = s.reads.AccountList(v.ctx(), v.who.Workspace, uuid.Nil, config.PageSizeMax)
	return c, err
}

// formID reads an id that a form chooses.
func formID(v visit, field string) (uuid.UUID, error) {
	id, err := uuid.Parse(v.FormValue(field))
	if err != nil {
		return uuid.Nil, problem.Field(field, "reload the page and choose one that it shows")
	}
	return id, nil
}

// enrolOne is the form of a person's page.
func (s *Console) enrolOne(v visit) error {
	person, err := formID(v, "person")
	if err != nil {
		return err
	}
	into, err := formID(v, "sequence")
	if err != nil {
		return err
	}
	from, err := formID(v, "account")
	if err != nil {
		return err
	}
	defer s.enrolling.Wake()
	return s.run(v, fmt.Sprint(person, into, from), "/people/"+person.String()+"#sequences", func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		e, err := sequence.Enrol(v.ctx(), tx, v.who, into, person, from)
		return e.ID, uuid.Nil, err
	})
}
