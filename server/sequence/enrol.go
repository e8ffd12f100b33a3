package sequence

import (
	"context"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/rule"
)

// NewEnrolment is an enrolment to be made.
type NewEnrolment struct {
	ID, Sequence, Person, Account, By uuid.UUID
	Channel                           string
}

// Enrol puts a person into a sequence, to be written to from the account. Whoever is in it, has answered to it, or has had all its steps, is
// refused with the enrolment that says so.
func Enrol(ctx context.Context, store Store, who access.Principal, sequence, person, account uuid.UUID) (Enrolment, error) {
	s, err := takes(ctx, store, who, sequence)
	if problem.Is(err, problem.NotFound) {
		return Enrolment{}, problem.Field("sequence_id", "there is no such sequence; GET /v1/sequences lists them")
	}
	if err != nil {
		return Enrolment{}, err
	}
	if err := store.PeopleToEnrol(ctx, who.Workspace, []uuid.UUID{person}); err != nil {
		return Enrolment{}, err
	}
	id, err := enrol(ctx, store, who, s, person, account)
	if err != nil {
		return Enrolment{}, err
	}
	return store.EnrolmentGet(ctx, who.Workspace, id)
}

// Enrolling is one of many who are to be enrolled, and what came of it.
type Enrolling struct {
	Person    uuid.UUID
	Row       int              // of the import; 0 where they were named
	Enrolment uuid.UUID        // that was made; uuid.Nil where it was refused
	Refused   *problem.Problem // why not
}

// EnrolMany enrols each of these as Enrol would, and says of each what came of it. They are at most config.EnrolAtOnceMax.
func EnrolMany(ctx context.Context, store Store, who access.Principal, sequence, account uuid.UUID, named []uuid.UUID) ([]Enrolling, error) {
	if len(named) == 0 || len(named) > config.EnrolAtOnceMax {
		return nil, problem.Field("people", "name from 1 to %d", config.EnrolAtOnceMax)
	}
	all := make([]Enrolling, len(named))
	for i, person := range named {
		all[i].Person = person
	}
	return enrolMany(ctx, store, who, sequence, account, all)
}

// EnrolImport enrols those who are in the next config.EnrolAtOnceMax rows after that one of an import which has somebody. next is the row to
// go on after; 0 when there is none.
func EnrolImport(ctx context.Context, store Store, who access.Principal, sequence, account, of uuid.UUID, after int) (all []Enrolling, next int, err error) {
	if err := who.Require(access.Import); err != nil {
		return nil, 0, err
	}
	all, err = store.PeopleOfImport(ctx, who.Workspace, of, after, config.EnrolAtOnceMax+1)
	if problem.Is(err, problem.NotFound) {
		return nil, 0, problem.Field("import_id", "there is no such import; GET /v1/imports lists them")
	}
	if err != nil {
		return nil, 0, err
	}
	if len(all) > config.EnrolAtOnceMax {
		all = all[:config.EnrolAtOnceMax]
		next = all[len(all)-1].Row
	}
	all, err = enrolMany(ctx, store, who, sequence, account, all)
	return all, next, err
}

func enrolMany(ctx context.Context, store Store, who access.Principal, sequence, account uuid.UUID, all []Enrolling) ([]Enrolling, error) {
	s, err := takes(ctx, store, who, sequence)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(all))
	for i, one := range all {
		ids[i] = one.Person
	}
	if err := store.PeopleToEnrol(ctx, who.Workspace, ids); err != nil {
		return nil, err
	}
	for i := range all {
		one := &all[i]
		one.Enrolment, err = enrol(ctx, store, who, s, one.Person, account)
		p := problem.As(err)
		if err != nil && (p == nil || p.Field == accountField) {
			return nil, err
		}
		one.Refused = p
	}
	return all, nil
}

// accountField is the field that is wrong for everybody alike.
const accountField = "account_id"

// takes is the sequence, if it takes somebody.
func takes(ctx context.Context, store Store, who access.Principal, id uuid.UUID) (Sequence, error) {
	if err := who.Require(access.Propose); err != nil {
		return Sequence{}, err
	}
	s, err := store.SequenceGet(ctx, who.Workspace, id)
	if err != nil {
		return Sequence{}, err
	}
	if s.State == Stopped || s.State == Finished {
		return Sequence{}, over(s)
	}
	if len(s.Steps) == 0 {
		return Sequence{}, problem.New(problem.SequenceEmpty, "the sequence has no step to begin with; set its steps first")
	}
	return s, nil
}

// enrol enrols a locked person. Where it refuses, it has written nothing.
func enrol(ctx context.Context, store Store, who access.Principal, s Sequence, person, account uuid.UUID) (uuid.UUID, error) {
	other, state, hasAnswered, err := store.EnrolmentOther(ctx, who.Workspace, s.ID, person)
	if err != nil {
		return uuid.Nil, err
	}
	if state == Running || state == Paused || state == Held || hasAnswered {
		return uuid.Nil, already(other, state)
	}
	had, err := store.StepsHad(ctx, s.ID, person)
	if err != nil {
		return uuid.Nil, err
	}
	if other != uuid.Nil && (Facts{Had: had}).unsent() == nil && next(s.Steps, had) == nil {
		return uuid.Nil, already(other, state)
	}
	contact, err := store.PersonContact(ctx, person, account, uuid.Nil)
	if err != nil {
		return uuid.Nil, err
	}
	if contact.Level == people.DoNotContact {
		return uuid.Nil, problem.Refused(rule.Suppressed).With("because", contact.Because)
	}
	n := NewEnrolment{ID: uuid.Must(uuid.NewV7()), Sequence: s.ID, Person: person, Account: account, By: who.ID, Channel: channel}
	return n.ID, store.EnrolmentInsert(ctx, who.Workspace, n)
}

func already(other uuid.UUID, state State) *problem.Problem {
	return problem.New(problem.AlreadyEnrolled, "the person is in the sequence by enrolment %s, which is %s", other, state).
		With("enrolment_id", other).With("enrolment_state", state)
}
