package standin

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// variablesOf returns the raw value of the query's "variables": a Rest.li
// tuple whose own percent-encoding must survive until it is split.
func variablesOf(rawQuery string) string {
	for pair := range strings.SplitSeq(rawQuery, "&") {
		if raw, ok := strings.CutPrefix(pair, "variables="); ok {
			return raw
		}
	}
	return ""
}

// parseTuple reads "(key:value,key:List(value,value))" with percent-encoded
// values. A plain value is a list of one.
func parseTuple(raw string) (map[string][]string, error) {
	inner, opened := strings.CutPrefix(raw, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !opened || !closed {
		return nil, errors.New("variables are not a tuple in parentheses")
	}
	fields := map[string][]string{}
	for _, part := range splitOutside(inner) {
		key, value, ok := strings.Cut(part, ":")
		if !ok {
			return nil, fmt.Errorf("variable %q has no value", part)
		}
		values := []string{value}
		if list, ok := strings.CutPrefix(value, "List("); ok {
			values = splitOutside(strings.TrimSuffix(list, ")"))
		}
		for _, v := range values {
			decoded, err := url.PathUnescape(v)
			if err != nil {
				return nil, fmt.Errorf("variable %s: %w", key, err)
			}
			fields[key] = append(fields[key], decoded)
		}
	}
	return fields, nil
}

// splitOutside splits at the commas that stand outside parentheses.
func splitOutside(text string) []string {
	var parts []string
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}
