package openapi

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

func (m *members) add(text string) error {
	return m.UnmarshalJSONFrom(jsontext.NewDecoder(strings.NewReader(text)))
}

func (l *list) add(text string) error {
	return l.UnmarshalJSONFrom(jsontext.NewDecoder(strings.NewReader(text)))
}
