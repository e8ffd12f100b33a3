package template

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/problem"
)

// Source is where a value comes from.
type Source string

// The sources, in the order in which they are asked.
const (
	FromGiven   Source = "given"   // whoever proposes the message names it
	FromPerson  Source = "person"  // what is known of the person
	FromDefault Source = "default" // the template's own, where nothing else is known
	FromNothing Source = "nothing" // it stays empty
)

// Sources lists every source.
func Sources() []Source { return []Source{FromGiven, FromPerson, FromDefault, FromNothing} }

// Value is what stands for a variable in one message.
type Value struct {
	Name  string
	Value string
	From  Source
}

// Preview is what a message from the template to one person would say. Refused says why there would be none; the texts are empty then.
type Preview struct {
	Template
	Person        uuid.UUID
	Values        []Value
	Missing       []string // required, and not known of this person
	Subject, Body string
	Length        int // of the body, as LinkedIn counts
	Refused       *problem.Problem
}

// writtenForNothing is what programs write where they know nothing; in a message it is a mistake that its reader sees. A name that is
// spelled like one of them ("Null") is told apart by its capital letter.
var writtenForNothing = []string{
	"null", "NULL", "undefined", "UNDEFINED", "nil", "none", "NONE", "nan", "NaN", "n/a", "N/A", "#N/A", "#REF!", "#VALUE!", "#NAME?",
}

// IsNothing reports whether a reader would see nothing of a value, or what a program writes for nothing.
func IsNothing(value string) bool {
	return message.Fold(value) == "" || slices.Contains(writtenForNothing, strings.TrimSpace(value))
}

// readValue refuses what may not stand for a variable: a value is text, and never another template.
func readValue(field, raw string) (string, error) {
	if strings.Contains(raw, opens) || strings.Contains(raw, closes) {
		return "", problem.Field(field, "it holds %s or %s, as if it were a template itself", opens, closes)
	}
	return message.CanonicalNote(field, raw)
}

// fill finds what stands for each variable of a version. missing are those that are required and not known.
func (c Content) fill(given, known map[string]string) (values []Value, missing []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		isOurs := slices.ContainsFunc(c.Variables, func(v Variable) bool { return v.Name == name })
		if !isOurs {
			return nil, nil, problem.Field(fieldOf(name), "the template has no variable of that name; it has %v", c.names())
		}
	}
	for _, v := range c.Variables {
		value := Value{Name: v.Name, From: FromNothing}
		for _, one := range []struct {
			raw  string
			from Source
		}{{given[v.Name], FromGiven}, {known[v.Name], FromPerson}, {v.Default, FromDefault}} {
			if IsNothing(one.raw) {
				continue
			}
			text, err := readValue(fieldOf(v.Name), one.raw)
			if err != nil {
				return nil, nil, err
			}
			value.Value, value.From = text, one.from
			break
		}
		if v.Required && value.From == FromNothing {
			missing = append(missing, v.Name)
		}
		values = append(values, value)
	}
	return values, missing, nil
}

func (c Content) names() []string {
	names := make([]string, len(c.Variables))
	for i, v := range c.Variables {
		names[i] = v.Name
	}
	return names
}

// fieldOf is the part of a proposal that names a variable. A name that is none is cut, as everything of a stranger's.
func fieldOf(name string) string {
	const most = 60
	return "template.variables." + strings.ToValidUTF8(name[:min(len(name), most)], "")
}

// write is the texts with these values.
func (c Content) write(values []Value) (subject, body string, err error) {
	parsed, _, err := c.texts()
	if err != nil {
		return "", "", err
	}
	of := map[string]string{}
	for _, v := range values {
		of[v.Name] = v.Value
	}
	if subject, err = message.CanonicalLine("subject", parsed[0].fill(of), config.SubjectRunesMax); err != nil {
		return "", "", err
	}
	body, err = message.CanonicalBody("body", parsed[1].fill(of))
	return subject, body, err
}

// missed is the refusal of a message for want of a value.
func missed(t Template, names []string) *problem.Problem {
	p := problem.New(problem.VariableMissing, "the template needs %s, and nothing is known to stand there; give a value, or add it to what is known of the person",
		strings.Join(names, ", "))
	p.Field = fieldOf(names[0])
	return p.With("template_id", t.ID).With("template_version", t.Version).With("missing", names)
}

// NewPreview is what a message from the template to a person would say, of whom that is known.
func NewPreview(t Template, person uuid.UUID, known map[string]string) Preview {
	p := Preview{Template: t, Person: person}
	var err error
	if p.Values, p.Missing, err = t.fill(nil, known); err == nil && len(p.Missing) > 0 {
		err = missed(t, p.Missing)
	}
	if err == nil {
		p.Subject, p.Body, err = t.write(p.Values)
	}
	p.Length, p.Refused = message.Length(p.Body), problem.As(err)
	return p
}

// Writer writes the texts of one proposal. It implements message.Writer.
type Writer struct {
	Store    Store
	Template uuid.UUID
	Given    map[string]string
}

// Write implements message.Writer.
func (w Writer) Write(ctx context.Context, workspace, person uuid.UUID) (message.Written, error) {
	t, err := w.Store.TemplateGet(ctx, workspace, w.Template)
	if problem.Is(err, problem.NotFound) {
		return message.Written{}, problem.Field("template.id", "there is no such template; GET /v1/templates lists them")
	}
	if err != nil {
		return message.Written{}, err
	}
	known, err := w.Store.Known(ctx, workspace, person)
	if err != nil {
		return message.Written{}, err
	}
	values, missing, err := t.fill(w.Given, known)
	if err != nil {
		return message.Written{}, err
	}
	if len(missing) > 0 {
		return message.Written{}, missed(t, missing)
	}
	written := message.Written{From: message.Origin{Template: t.ID, Version: t.Version}}
	written.Subject, written.Body, err = t.write(values)
	return written, err
}
