package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/problem"
	"sendonce/server/sequence"
)

// sequenceView is a sequence with its steps in their order. Enrolments counts those in each state.
type sequenceView struct {
	ID         uuid.UUID      `json:"id"`
	Name       string         `json:"name"`
	State      sequence.State `json:"state"`
	Version    int            `json:"version"`
	Steps      []stepView     `json:"steps"`
	Enrolments countsView     `json:"enrolments"`
	CreatedBy  string         `json:"created_by"`
	CreatedAt  time.Time      `json:"created_at"`
	ChangedBy  string         `json:"changed_by"`
	ChangedAt  time.Time      `json:"changed_at"`
}

// countsView is how many enrolments stand how.
type countsView struct {
	Running  int `json:"running"`
	Paused   int `json:"paused"`
	Held     int `json:"held"`
	Finished int `json:"finished"`
	Stopped  int `json:"stopped"`
}

type stepView struct {
	ID         uuid.UUID `json:"id"`
	Purpose    string    `json:"purpose"`
	Channel    string    `json:"channel"`
	TemplateID uuid.UUID `json:"template_id"`
	Delay      delayView `json:"delay"`
}

type delayView struct {
	Count int           `json:"count"`
	Unit  sequence.Unit `json:"unit"`
}

func showSequence(s sequence.Sequence) sequenceView {
	v := sequenceView{
		ID: s.ID, Name: s.Name, State: s.State, Version: s.Version, Steps: []stepView{},
		Enrolments: countsView{s.Counts[sequence.Running], s.Counts[sequence.Paused], s.Counts[sequence.Held], s.Counts[sequence.Finished], s.Counts[sequence.Stopped]},
		CreatedBy:  s.CreatedBy, CreatedAt: s.CreatedAt, ChangedBy: s.ChangedBy, ChangedAt: s.ChangedAt,
	}
	for _, one := range s.Steps {
		v.Steps = append(v.Steps, stepView{one.ID, one.Purpose, one.Channel, one.Template, delayView{one.Delay.Count, one.Delay.Unit}})
	}
	return v
}

type sequenceRequest struct {
	Name string `json:"name"`
}

func (a *API) createSequence(c call) error {
	var in sequenceRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	return a.run(c, http.StatusCreated, once, func(tx command.Tx) (result, error) {
		s, err := sequence.Create(c.ctx(), tx, c.who, in.Name)
		return result{object: s.ID, view: showSequence(s)}, err
	})
}

type stepsRequest struct {
	Version optional[int] `json:"version"`
	Steps   []stepRequest `json:"steps"`
}

// stepRequest is a step as it is to be; a new one has no id.
type stepRequest struct {
	ID         *uuid.UUID `json:"id"`
	Purpose    string     `json:"purpose"`
	Channel    string     `json:"channel"`
	TemplateID uuid.UUID  `json:"template_id"`
	Delay      delayView  `json:"delay"`
}

func (a *API) setSteps(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	var in stepsRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	version := 0
	if in.Version.Given {
		if version = orZero(in.Version.Value); version < 1 {
			return problem.Field("version", "name the version that was read, or leave it out")
		}
	}
	steps := make([]sequence.Step, len(in.Steps))
	for i, one := range in.Steps {
		steps[i] = sequence.Step{
			ID: orZero(one.ID), Purpose: one.Purpose, Channel: one.Channel, Template: one.TemplateID,
			Delay: sequence.Delay{Count: one.Delay.Count, Unit: one.Delay.Unit},
		}
	}
	defer a.enrolments.Wake()
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		s, err := sequence.SetSteps(c.ctx(), tx, c.who, id, version, steps)
		return result{object: id, view: showSequence(s)}, err
	})
}

// moveSequence has a sequence be in another state.
func (a *API) moveSequence(to sequence.State) func(call) error {
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
			s, err := sequence.Move(c.ctx(), tx, c.who, id, to)
			return result{object: id, view: showSequence(s)}, err
		})
	}
}

func (a *API) listSequences(c call) error {
	p, err := readPage(c)
	if err != nil {
		return err
	}
	found, err := a.reads.SequenceList(c.ctx(), c.who.Workspace, p.after, p.most+1)
	if err != nil {
		return err
	}
	return showPage(c, p, found, func(s sequence.Sequence) uuid.UUID { return s.ID }, showSequence)
}

func (a *API) getSequence(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	s, err := a.reads.SequenceRead(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, showSequence(s))
}
