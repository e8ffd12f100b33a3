package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/incident"
	"sendonce/server/problem"
)

// incidentView: why is the plain reason of this one, where its kind does not say it; do says what a person does about it;
// ends_with what ends it by itself, null where a person closes it.
type incidentView struct {
	ID        uuid.UUID     `json:"id"`
	Kind      incident.Kind `json:"kind"`
	Text      string        `json:"text"`
	Why       *string       `json:"why"`
	Do        string        `json:"do"`
	EndsWith  *string       `json:"ends_with"`
	SubjectID uuid.UUID     `json:"subject_id"`
	MessageID *uuid.UUID    `json:"message_id"`
	AccountID *uuid.UUID    `json:"account_id"`
	InstallID *uuid.UUID    `json:"install_id"`
	Count     int           `json:"count"`
	OpenedAt  time.Time     `json:"opened_at"`
	LastAt    time.Time     `json:"last_at"`
	ClosedAt  *time.Time    `json:"closed_at"`
	ClosedBy  *string       `json:"closed_by"`
	Note      *string       `json:"note"`
}

func showIncident(i incident.Incident) incidentView {
	return incidentView{
		ID: i.ID, Kind: i.Kind, Text: i.Kind.Text(), Why: orNull(i.Why()), Do: i.Kind.Do(), EndsWith: orNull(i.Kind.Ends()), SubjectID: i.Subject,
		MessageID: i.Message, AccountID: i.Account, InstallID: i.Install, Count: i.Count, OpenedAt: i.OpenedAt, LastAt: i.LastAt,
		ClosedAt: i.ClosedAt, ClosedBy: i.ClosedBy, Note: i.Note,
	}
}

type incidentEventView struct {
	At        time.Time  `json:"at"`
	What      string     `json:"what"`
	Count     int        `json:"count"`
	MessageID *uuid.UUID `json:"message_id"`
	By        *string    `json:"by"`
	Note      *string    `json:"note"`
}

type storyView struct {
	incidentView
	Timeline []incidentEventView `json:"timeline"`
	Earlier  []incidentView      `json:"earlier"`
}

func showStory(s incident.Story) storyView {
	v := storyView{showIncident(s.Incident), []incidentEventView{}, []incidentView{}}
	for _, e := range s.Timeline {
		v.Timeline = append(v.Timeline, incidentEventView{e.At, e.What, e.Count, e.Message, e.By, e.Note})
	}
	for _, one := range s.Earlier {
		v.Earlier = append(v.Earlier, showIncident(one))
	}
	return v
}

// listIncidents shows the open ones, or with ?state= the closed ones or all.
func (a *API) listIncidents(c call) error {
	state := c.QueryParam("state")
	if state != "" && state != "open" && state != "closed" && state != "all" {
		return problem.Field("state", `it must be "open", "closed" or "all"`)
	}
	p, err := readPage(c)
	if err != nil {
		return err
	}
	found, err := a.reads.IncidentList(c.ctx(), c.who.Workspace, incident.Page{
		Open: state != "closed", Closed: state == "closed" || state == "all", After: p.after, Most: p.most + 1,
	})
	if err != nil {
		return err
	}
	return showPage(c, p, found, func(i incident.Incident) uuid.UUID { return i.ID }, showIncident)
}

func (a *API) getIncident(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	story, err := a.reads.IncidentStory(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, showStory(story))
}

// closeIncident says that a person has seen a fact. A condition's incident ends by itself.
func (a *API) closeIncident(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	var in struct {
		Note string `json:"note"`
	}
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		closed, err := incident.Close(c.ctx(), tx, c.who, id, in.Note)
		return result{object: id, view: showIncident(closed)}, err
	})
}
