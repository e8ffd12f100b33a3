package person

import (
	"maps"
	"slices"

	"sendonce/server/config"
	"sendonce/server/message"
	"sendonce/server/people"
	"sendonce/server/problem"
	"sendonce/server/template"
)

// ownNames are what templates call what a person has members of their own for.
var ownNames = []string{"name", "company", "linkedin", "email"}

// ReadField makes what is known of a person under a name canonical: one line, or "" for nothing. The error is a *problem.Problem about
// field.
func ReadField(field, name, raw string) (string, error) {
	if !template.IsVariable(name) || slices.Contains(ownNames, name) {
		return "", problem.Field(field, "a field has the name of a variable of templates, like first_name, and is none of %v", ownNames)
	}
	return message.CanonicalLine(field, raw, config.PersonFieldRunesMax)
}

// setFields sets each of these beside what is known of the person already.
func setFields(p *people.Person, set map[string]string) error {
	fields := maps.Clone(p.Fields)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		value, err := ReadField("fields", name, set[name])
		if err != nil {
			return err
		}
		fields[name] = value
		if value == "" {
			delete(fields, name)
		}
	}
	if len(fields) > config.PersonFieldsMax {
		return problem.Field("fields", "they would be %d; %d is the most", len(fields), config.PersonFieldsMax)
	}
	p.Fields = fields
	return nil
}
