package api

import (
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/problem"
	"sendonce/server/sequence"
)

// enrolmentView is a person in a sequence. Text says the reason to a person, Detail what it does not say. History is null in lists.
type enrolmentView struct {
	ID         uuid.UUID       `json:"id"`
	SequenceID uuid.UUID       `json:"sequence_id"`
	PersonID   uuid.UUID       `json:"person_id"`
	PersonName string          `json:"person_name"`
	AccountID  uuid.UUID       `json:"account_id"`
	State      sequence.State  `json:"state"`
	Reason     sequence.Reason `json:"reason"`
	Text       string          `json:"text"`
	Detail     *string         `json:"detail"`
	MessageID  *uuid.UUID      `json:"message_id"`
	DueAt      *time.Time      `json:"due_at"`
	EnrolledBy string          `json:"enrolled_by"`
	CreatedAt  time.Time       `json:"created_at"`
	ChangedAt  time.Time       `json:"changed_at"`
	History    *[]movedView    `json:"history,omitzero"`
}

// movedView is one line of an enrolment's history. By is in whose name it was; null where somebody wrote to the database by hand.
type movedView struct {
	At        time.Time       `json:"at"`
	State     sequence.State  `json:"state"`
	Reason    sequence.Reason `json:"reason"`
	MessageID *uuid.UUID      `json:"message_id"`
	By        *string         `json:"by"`
}

func showListedEnrolment(e sequence.Enrolment) enrolmentView {
	return enrolmentView{
		ID: e.ID, SequenceID: e.Sequence, PersonID: e.Person, PersonName: e.Name, AccountID: e.Account, State: e.State, Reason: e.Reason,
		Text: e.Reason.Text(), Detail: orNull(e.Detail), MessageID: orNull(e.Message), DueAt: e.DueAt, EnrolledBy: e.By.Name,
		CreatedAt: e.CreatedAt, ChangedAt: e.ChangedAt,
	}
}

func showEnrolment(e sequence.Enrolment) enrolmentView {
	v := showListedEnrolment(e)
	history := []movedView{}
	for _, one := range e.History {
		history = append(history, movedView{one.At, one.State, one.Reason, orNull(one.Message), orNull(one.By)})
	}
	v.History = &history
	return v
}

type enrolRequest struct {
	SequenceID uuid.UUID `json:"sequence_id"`
	PersonID   uuid.UUID `json:"person_id"`
	AccountID  uuid.UUID `json:"account_id"`
}

func (a *API) enrol(c call) error {
	var in enrolRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	defer a.enrolments.Wake()
	return a.run(c, http.StatusCreated, once, func(tx command.Tx) (result, error) {
		e, err := sequence.Enrol(c.ctx(), tx, c.who, in.SequenceID, in.PersonID, in.AccountID)
		return result{object: e.ID, view: showEnrolment(e)}, err
	})
}

// enrolManyRequest names people, or an import whose people are meant, from the row after AfterRow on.
type enrolManyRequest struct {
	AccountID uuid.UUID   `json:"account_id"`
	People    []uuid.UUID `json:"people"`
	ImportID  *uuid.UUID  `json:"import_id"`
	AfterRow  int         `json:"after_row"`
}

// enrolledView is what came of many. NextAfterRow is null where no row follows.
type enrolledView struct {
	Enrolled     int             `json:"enrolled"`
	Items        []enrollingView `json:"items"`
	NextAfterRow *int            `json:"next_after_row"`
}

// enrollingView is one of them: enrolled, or refused. Row is null where they were named.
type enrollingView struct {
	PersonID    uuid.UUID    `json:"person_id"`
	Row         *int         `json:"row"`
	EnrolmentID *uuid.UUID   `json:"enrolment_id"`
	Refused     *refusedView `json:"refused"`
}

func (a *API) enrolMany(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	var in enrolManyRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	if (in.ImportID == nil) == (len(in.People) == 0) {
		return problem.Field("people", "name people or an import_id, one of both")
	}
	if in.AfterRow < 0 || in.ImportID == nil && in.AfterRow > 0 {
		return problem.Field("after_row", "it is next_after_row of the answer before, beside an import_id")
	}
	defer a.enrolments.Wake()
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		var all []sequence.Enrolling
		var next int
		var err error
		if in.ImportID != nil {
			all, next, err = sequence.EnrolImport(c.ctx(), tx, c.who, id, in.AccountID, *in.ImportID, in.AfterRow)
		} else {
			all, err = sequence.EnrolMany(c.ctx(), tx, c.who, id, in.AccountID, in.People)
		}
		return result{object: id, view: showEnrolled(all, next)}, err
	})
}

func showEnrolled(all []sequence.Enrolling, next int) enrolledView {
	v := enrolledView{Items: []enrollingView{}, NextAfterRow: orNull(next)}
	for _, one := range all {
		if one.Refused == nil {
			v.Enrolled++
		}
		v.Items = append(v.Items, enrollingView{one.Person, orNull(one.Row), orNull(one.Enrolment), showRefused(one.Refused)})
	}
	return v
}

// moveEnrolment has an enrolment be in another state.
func (a *API) moveEnrolment(to sequence.State) func(call) error {
	return func(c call) error {
		id, err := pathID(c)
		if err != nil {
			return err
		}
		once, err := readCommand(c, &struct{}{})
		if err != nil {
			return err
		}
		defer a.enrolments.Wake()
		return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
			e, err := sequence.MoveEnrolment(c.ctx(), tx, c.who, id, to)
			return result{object: id, view: showEnrolment(e), wake: e.Account}, err // the place of a lease that was called back is free
		})
	}
}

// listEnrolments takes ?sequence=, ?person= and ?state=.
func (a *API) listEnrolments(c call) error {
	p, err := readPage(c)
	if err != nil {
		return err
	}
	asked := sequence.Page{State: sequence.State(c.QueryParam("state")), After: p.after, Most: p.most + 1}
	if asked.State != "" && !slices.Contains(sequence.EnrolmentStates(), asked.State) {
		return problem.Field("state", "it must be one of %v", sequence.EnrolmentStates())
	}
	if asked.Sequence, err = queryID(c, "sequence"); err != nil {
		return err
	}
	if asked.Person, err = queryID(c, "person"); err != nil {
		return err
	}
	found, err := a.reads.EnrolmentList(c.ctx(), c.who.Workspace, asked)
	if err != nil {
		return err
	}
	return showPage(c, p, found, func(e sequence.Enrolment) uuid.UUID { return e.ID }, showListedEnrolment)
}

func (a *API) getEnrolment(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	e, err := a.reads.EnrolmentRead(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, showEnrolment(e))
}
