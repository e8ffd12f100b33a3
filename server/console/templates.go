package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/command"
	"sendonce/server/config"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/template"
)

type templatesPage struct {
	Templates  []template.Template
	More       string // the address of the next page, or ""
	MayCompose bool
	Key        string
}

func (s *Console) showTemplates(v visit) error {
	after, err := readAfter(v)
	if err != nil {
		return err
	}
	page := templatesPage{MayCompose: v.who.May(access.Compose), Key: uuid.NewString()}
	page.Templates, err = s.reads.TemplateList(v.ctx(), v.who.Workspace, after, config.PageSizeDefault+1)
	if err != nil {
		return err
	}
	if len(page.Templates) > config.PageSizeDefault {
		page.Templates = page.Templates[:config.PageSizeDefault]
		page.More = "/templates?after=" + page.Templates[len(page.Templates)-1].ID.String()
	}
	return s.show(v, "templates", "Templates", page)
}

// templatePage is a template, and what it says to somebody whom ?q= finds.
type templatePage struct {
	template.Template
	MayCompose bool
	Key        string
	Asked      string
	Previews   []previewed
	IsNobody   bool // nobody was found
}

// previewed is a preview with whom it is to.
type previewed struct {
	template.Preview
	To personCard
}

// previewsMost is how many people a page previews: those that a part of a name finds first.
const previewsMost = 3

func (s *Console) showTemplate(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	page := templatePage{MayCompose: v.who.May(access.Compose), Key: uuid.NewString(), Asked: v.QueryParam("q")}
	if page.Template, err = s.reads.TemplateRead(v.ctx(), v.who.Workspace, id); err != nil {
		return err
	}
	if page.Asked != "" {
		if page.Previews, err = s.previews(v, id, page.Asked); err != nil {
			return err
		}
		page.IsNobody = len(page.Previews) == 0
	}
	return s.show(v, "template", page.Name, page)
}

func (s *Console) previews(v visit, id uuid.UUID, typed string) ([]previewed, error) {
	asked := people.Page{Most: previewsMost}
	var err error
	if asked.Who, asked.Name, err = lookedFor(typed); err != nil {
		return nil, err
	}
	found, err := s.reads.PeopleList(v.ctx(), v.who.Workspace, asked)
	if err != nil {
		return nil, err
	}
	list := make([]previewed, len(found))
	for i, one := range found {
		p, err := s.reads.TemplatePreview(v.ctx(), v.who.Workspace, id, one.ID)
		if err != nil {
			return nil, err
		}
		list[i] = previewed{p, personCard{Person: one}}
	}
	return list, nil
}

// readTemplate is what the form says. A variable that it says nothing of is required.
func readTemplate(form url.Values) template.Content {
	c := template.Content{Name: form.Get("name"), Subject: form.Get("subject"), Body: form.Get("body")}
	for _, name := range form["variable"] {
		v := template.Variable{Name: name, Required: form.Get("need-"+name) == "required"}
		if form.Get("need-"+name) == "default" {
			v.Default = form.Get("default-" + name)
		}
		c.Variables = append(c.Variables, v)
	}
	return c
}

func (s *Console) addTemplate(v visit) error {
	form, err := v.FormParams()
	if err != nil {
		return problem.New(problem.InvalidField, "the form could not be read; reload the page")
	}
	content := readTemplate(form)
	answer, _, err := s.commands.Run(v.ctx(), v.who, once(v, fmt.Sprint(content)), func(tx command.Tx) (command.Answer, uuid.UUID, error) {
		made, err := template.Create(v.ctx(), tx, v.who, content)
		return command.Answer{Status: http.StatusSeeOther, Object: made.ID}, uuid.Nil, err
	})
	if err != nil {
		return err
	}
	return v.Redirect(http.StatusSeeOther, "/templates/"+answer.Object.String())
}

// changeTemplate is the form of a template. What it says of variables that the new texts no longer have counts for nothing.
func (s *Console) changeTemplate(v visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	form, err := v.FormParams()
	if err != nil {
		return problem.New(problem.InvalidField, "the form could not be read; reload the page")
	}
	c := readTemplate(form)
	version, err := strconv.Atoi(form.Get("version"))
	if err != nil || version < 1 {
		return problem.Field("version", "reload the page and change what it shows")
	}
	if named, err := c.Named(); err == nil {
		c.Variables = slices.DeleteFunc(c.Variables, func(one template.Variable) bool { return !slices.Contains(named, one.Name) })
	}
	payload, err := json.Marshal([]any{version, c})
	if err != nil {
		return err
	}
	return s.run(v, string(payload), "/templates/"+id.String(), func(tx command.Tx) (uuid.UUID, uuid.UUID, error) {
		_, err := template.Amend(v.ctx(), tx, v.who, id, template.Change{Version: version, Name: &c.Name, Subject: &c.Subject, Body: &c.Body, Variables: &c.Variables})
		return id, uuid.Nil, err
	})
}
