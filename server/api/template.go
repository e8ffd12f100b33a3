package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/problem"
	"sendonce/server/template"
)

// templateView is a template in its current version.
type templateView struct {
	ID        uuid.UUID      `json:"id"`
	Version   int            `json:"version"`
	Name      string         `json:"name"`
	Subject   *string        `json:"subject"`
	Body      string         `json:"body"`
	Variables []variableView `json:"variables"`
	CreatedAt time.Time      `json:"created_at"`
	ChangedBy string         `json:"changed_by"`
	ChangedAt time.Time      `json:"changed_at"`
}

// variableView: Default is null where nothing stands there by default.
type variableView struct {
	Name     string  `json:"name"`
	Required bool    `json:"required"`
	Default  *string `json:"default"`
}

func showTemplate(t template.Template) templateView {
	v := templateView{
		ID: t.ID, Version: t.Version, Name: t.Name, Subject: orNull(t.Subject), Body: t.Body, Variables: []variableView{},
		CreatedAt: t.CreatedAt, ChangedBy: t.ChangedBy, ChangedAt: t.ChangedAt,
	}
	for _, one := range t.Variables {
		v.Variables = append(v.Variables, variableView{one.Name, one.Required, orNull(one.Default)})
	}
	return v
}

func readVariables(views []variableView) []template.Variable {
	variables := make([]template.Variable, len(views))
	for i, one := range views {
		variables[i] = template.Variable{Name: one.Name, Required: one.Required, Default: orZero(one.Default)}
	}
	return variables
}

type templateRequest struct {
	Name      string         `json:"name"`
	Subject   string         `json:"subject"`
	Body      string         `json:"body"`
	Variables []variableView `json:"variables"`
}

func (a *API) createTemplate(c call) error {
	var in templateRequest
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	content := template.Content{Name: in.Name, Subject: in.Subject, Body: in.Body, Variables: readVariables(in.Variables)}
	return a.run(c, http.StatusCreated, once, func(tx command.Tx) (result, error) {
		t, err := template.Create(c.ctx(), tx, c.who, content)
		return result{object: t.ID, view: showTemplate(t)}, err
	})
}

type templateChange struct {
	Version   optional[int]            `json:"version"`
	Name      optional[string]         `json:"name"`
	Subject   optional[string]         `json:"subject"`
	Body      optional[string]         `json:"body"`
	Variables optional[[]variableView] `json:"variables"`
}

func (a *API) changeTemplate(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	var in templateChange
	once, err := readCommand(c, &in)
	if err != nil {
		return err
	}
	change := template.Change{Name: textOf(in.Name), Subject: textOf(in.Subject), Body: textOf(in.Body)}
	if in.Version.Given {
		if change.Version = orZero(in.Version.Value); change.Version < 1 {
			return problem.Field("version", "name the version that was read, or leave it out")
		}
	}
	if in.Variables.Given {
		variables := readVariables(orZero(in.Variables.Value))
		change.Variables = &variables
	}
	return a.run(c, http.StatusOK, once, func(tx command.Tx) (result, error) {
		t, err := template.Amend(c.ctx(), tx, c.who, id, change)
		return result{object: id, view: showTemplate(t)}, err
	})
}

func (a *API) listTemplates(c call) error {
	p, err := readPage(c)
	if err != nil {
		return err
	}
	found, err := a.reads.TemplateList(c.ctx(), c.who.Workspace, p.after, p.most+1)
	if err != nil {
		return err
	}
	return showPage(c, p, found, func(t template.Template) uuid.UUID { return t.ID }, showTemplate)
}

func (a *API) getTemplate(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	t, err := a.reads.TemplateRead(c.ctx(), c.who.Workspace, id)
	if err != nil {
		return err
	}
	return showJSON(c, http.StatusOK, showTemplate(t))
}

// previewView is what a message from the template to one person would say. Subject and body are null where it would be refused.
type previewView struct {
	TemplateID      uuid.UUID    `json:"template_id"`
	TemplateVersion int          `json:"template_version"`
	PersonID        uuid.UUID    `json:"person_id"`
	Subject         *string      `json:"subject"`
	Body            *string      `json:"body"`
	Length          int          `json:"length"`
	LengthMax       int          `json:"length_max"`
	Values          []valueView  `json:"values"`
	Missing         []string     `json:"missing"`
	Refused         *refusedView `json:"refused"`
}

type valueView struct {
	Name  string          `json:"name"`
	Value string          `json:"value"`
	From  template.Source `json:"from"`
}

// previewTemplate takes ?person=, any id of one.
func (a *API) previewTemplate(c call) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	person, err := uuid.Parse(c.QueryParam("person"))
	if err != nil {
		return problem.Field("person", "name the id of the person; GET /v1/people lists them")
	}
	p, err := a.reads.TemplatePreview(c.ctx(), c.who.Workspace, id, person)
	if err != nil {
		return err
	}
	v := previewView{
		TemplateID: p.ID, TemplateVersion: p.Version, PersonID: p.Person, Subject: orNull(p.Subject), Body: orNull(p.Body), Length: p.Length,
		LengthMax: config.BodyRunesMax, Values: []valueView{}, Missing: append([]string{}, p.Missing...), Refused: showRefused(p.Refused),
	}
	for _, one := range p.Values {
		v.Values = append(v.Values, valueView{one.Name, one.Value, one.From})
	}
	return showJSON(c, http.StatusOK, v)
}
