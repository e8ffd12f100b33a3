// Package template is texts that are written once and said to many: a template has variables, and each message that is proposed from
// it gets its own text, once. From then on that text is the message's, byte for byte; nothing is rendered later.
package template

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"sendonce/server/access"
	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// Variable is a place in a template that each message fills.
type Variable struct {
	Name string `json:"name"`
	// Required: a message is refused where nothing is known to stand there. Else Default stands there, which may be nothing.
	Required bool   `json:"required"`
	Default  string `json:"default"`
}

// Template is a template in one version.
type Template struct {
	ID      uuid.UUID
	Version int
	Content
	CreatedAt time.Time
	ChangedBy string // the name of the principal who wrote this version
	ChangedAt time.Time
}

// Content is what a version says. Variables are those of its texts, in the order in which they first stand there.
type Content struct {
	Name      string
	Subject   string // may be ""
	Body      string
	Variables []Variable
}

// Store is one transaction on templates, scoped by workspace. What is not there is problem.NotFound.
type Store interface {
	// TemplateInsert makes the template with its first version.
	TemplateInsert(ctx context.Context, workspace, id, by uuid.UUID, c Content) error
	// TemplateLock keeps everybody else from writing the next version.
	TemplateLock(ctx context.Context, workspace, id uuid.UUID) error
	// TemplateNext makes the next version the current one.
	TemplateNext(ctx context.Context, id, by uuid.UUID, version int, c Content) error
	// TemplateGet reads the current version.
	TemplateGet(ctx context.Context, workspace, id uuid.UUID) (Template, error)
	// Known is what is known of a person, by the names of variables.
	Known(ctx context.Context, workspace, person uuid.UUID) (map[string]string, error)
}

// Reader reads outside a command, each time from one snapshot.
type Reader interface {
	TemplateRead(ctx context.Context, workspace, id uuid.UUID) (Template, error)
	// TemplateList lists templates whose ids follow after, by id.
	TemplateList(ctx context.Context, workspace, after uuid.UUID, most int) ([]Template, error)
	// TemplatePreview is what a message to the person would say.
	TemplatePreview(ctx context.Context, workspace, id, person uuid.UUID) (Preview, error)
}

// Create makes a template. What its texts name and c.Variables does not is required.
func Create(ctx context.Context, store Store, who access.Principal, c Content) (Template, error) {
	if err := who.Require(access.Compose); err != nil {
		return Template{}, err
	}
	c, err := read(c)
	if err != nil {
		return Template{}, err
	}
	id := uuid.Must(uuid.NewV7())
	if err := store.TemplateInsert(ctx, who.Workspace, id, who.ID, c); err != nil {
		return Template{}, err
	}
	return store.TemplateGet(ctx, who.Workspace, id)
}

// Change is a change of a template. A nil field stays as it is. Variables are all that are declared from then on.
type Change struct {
	// Version is the one that was read; 0 is whichever is current.
	Version             int
	Name, Subject, Body *string
	Variables           *[]Variable
}

// Amend writes the next version. Messages that were proposed from an earlier one keep their texts. Nothing is written when it changes
// nothing.
func Amend(ctx context.Context, store Store, who access.Principal, id uuid.UUID, change Change) (Template, error) {
	if err := who.Require(access.Compose); err != nil {
		return Template{}, err
	}
	if err := store.TemplateLock(ctx, who.Workspace, id); err != nil {
		return Template{}, err
	}
	was, err := store.TemplateGet(ctx, who.Workspace, id)
	if err != nil {
		return Template{}, err
	}
	if change.Version != 0 && change.Version != was.Version {
		return Template{}, problem.New(problem.VersionNotCurrent, "the current version is %d; read it and change that one", was.Version).
			With("current_version", was.Version)
	}
	next, err := read(change.apply(was.Content))
	if err != nil {
		return Template{}, err
	}
	if next.equal(was.Content) {
		return was, nil
	}
	if err := store.TemplateNext(ctx, id, who.ID, was.Version+1, next); err != nil {
		return Template{}, err
	}
	return store.TemplateGet(ctx, who.Workspace, id)
}

// apply keeps of the declared variables those that the new texts still have, unless others are declared.
func (change Change) apply(c Content) Content {
	for _, one := range []struct{ from, to *string }{{change.Name, &c.Name}, {change.Subject, &c.Subject}, {change.Body, &c.Body}} {
		if one.from != nil {
			*one.to = *one.from
		}
	}
	if change.Variables != nil {
		c.Variables = *change.Variables
		return c
	}
	if named, err := c.Named(); err == nil {
		c.Variables = slices.DeleteFunc(slices.Clone(c.Variables), func(v Variable) bool { return !slices.Contains(named, v.Name) })
	}
	return c
}

// Named are the variables that the texts name, in their order.
func (c Content) Named() ([]string, error) {
	_, named, err := c.texts()
	return named, err
}

func (c Content) equal(other Content) bool {
	return c.Name == other.Name && c.Subject == other.Subject && c.Body == other.Body && slices.Equal(c.Variables, other.Variables)
}

// texts are the parsed subject and body, and all variables that they name.
func (c Content) texts() (parsed [2]text, named []string, err error) {
	for i, one := range []struct{ field, raw string }{{"subject", c.Subject}, {"body", c.Body}} {
		if parsed[i], err = parse(one.field, one.raw); err != nil {
			return parsed, nil, err
		}
		for _, name := range parsed[i].names {
			if !slices.Contains(named, name) {
				named = append(named, name)
			}
		}
	}
	return parsed, named, nil
}

// read makes what somebody wrote canonical. The error is a *problem.Problem about a field.
func read(c Content) (Content, error) {
	var err error
	if c.Name, err = message.CanonicalLine("name", c.Name, config.TemplateNameRunesMax); err != nil {
		return c, err
	}
	if c.Name == "" {
		return c, problem.Field("name", "it is empty; call the template what people look for, like \"First contact, engineers\"")
	}
	if c.Subject, err = message.CanonicalLine("subject", c.Subject, config.SubjectRunesMax); err != nil {
		return c, err
	}
	if c.Body, err = message.CanonicalBody("body", c.Body); err != nil {
		return c, err
	}
	named, err := c.Named()
	if err != nil {
		return c, err
	}
	if len(named) > config.TemplateVariablesMax {
		return c, problem.Field("body", "it has %d variables; %d is the most", len(named), config.TemplateVariablesMax)
	}
	c.Variables, err = declare(named, c.Variables)
	return c, err
}

// declare is the variables of a text in its order: as they were declared, else required.
func declare(named []string, declared []Variable) ([]Variable, error) {
	const field = "variables"
	of := map[string]Variable{}
	for _, v := range declared {
		_, isTwice := of[v.Name]
		switch {
		case !slices.Contains(named, v.Name):
			return nil, problem.Field(field, "the texts have no variable %.40q; they have %v", v.Name, named)
		case isTwice:
			return nil, problem.Field(field, "%s stands there twice", v.Name)
		case v.Required && v.Default != "":
			return nil, problem.Field(field, "%s is required and has a default; it is one or the other", v.Name)
		}
		var err error
		if v.Default, err = readValue(field, v.Default); err != nil {
			return nil, err
		}
		of[v.Name] = v
	}
	all := make([]Variable, len(named))
	for i, name := range named {
		v, isDeclared := of[name]
		if !isDeclared {
			v = Variable{Name: name, Required: true}
		}
		all[i] = v
	}
	return all, nil
}
