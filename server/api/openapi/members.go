package openapi

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// list is an array to which each file adds.
type list []jsontext.Value

// UnmarshalJSONFrom adds the elements of one array.
func (l *list) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil { // [
		return err
	}
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		*l = append(*l, value.Clone())
	}
	_, err := d.ReadToken()
	return err
}

// members is an object to which each file adds, in the order in which it was written: that is the order to read it in.
type members []member

type member struct {
	name  string
	value jsontext.Value
}

// UnmarshalJSONFrom adds the members of one object.
func (m *members) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil { // {
		return err
	}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if slices.ContainsFunc(*m, func(one member) bool { return one.name == name }) {
			return fmt.Errorf("%s stands in another file already", name)
		}
		*m = append(*m, member{name, value.Clone()})
	}
	_, err := d.ReadToken()
	return err
}

// MarshalJSONTo writes one object.
func (m members) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, one := range m {
		if err := e.WriteToken(jsontext.String(one.name)); err != nil {
			return err
		}
		if err := e.WriteValue(one.value); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}
