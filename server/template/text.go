package template

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/valyala/fasttemplate"

	"sendonce/server/config"
	"sendonce/server/problem"
)

// A variable stands between these two.
const (
	opens  = "{{"
	closes = "}}"
)

// variableName is what a variable is called: short, and the same in any file, form and program.
var variableName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// IsVariable reports whether a variable may be called so.
func IsVariable(name string) bool { return variableName.MatchString(name) }

// text is a text with variables, read once. There is nothing else in it: no condition, no loop, no other file, no escape.
type text struct {
	parsed *fasttemplate.Template
	names  []string // in the order in which they first stand
}

// parse reads a text with variables. A brace that belongs to none is refused: it is what is left of one that was mistyped, or written
// for another program, and would be read by whoever gets the message. The error is a *problem.Problem about field.
func parse(field, raw string) (text, error) {
	parsed, err := fasttemplate.NewTemplate(raw, opens, closes)
	if err != nil {
		return text{}, problem.Field(field, "a variable begins with {{ and is not closed by }}")
	}
	read := text{parsed: parsed}
	wrong := ""
	literal := parsed.ExecuteFuncString(func(_ io.Writer, tag string) (int, error) {
		name := strings.TrimSpace(tag)
		if !IsVariable(name) {
			wrong = "a variable is a name in {{ }}, like {{first_name}}: up to 40 small letters, digits and _, the first a letter"
		}
		if len(read.names) == config.TemplateVariablesMax && !slices.Contains(read.names, name) {
			wrong = fmt.Sprintf("it has more than %d variables", config.TemplateVariablesMax)
		}
		if wrong == "" { // a text that is refused is not read on: it may be long
			read.add(name)
		}
		return 0, nil
	})
	if wrong == "" && strings.ContainsAny(literal, "{}") {
		wrong = "a brace stands outside of a variable; a variable is written like {{first_name}}"
	}
	if wrong != "" {
		return text{}, problem.Field(field, "%s", wrong)
	}
	return read, nil
}

func (t *text) add(name string) {
	if !slices.Contains(t.names, name) {
		t.names = append(t.names, name)
	}
}

// fill writes the text with a value for each variable, as it is: what stands in a value is never read as a variable.
func (t text) fill(values map[string]string) string {
	return t.parsed.ExecuteFuncString(func(w io.Writer, tag string) (int, error) {
		return io.WriteString(w, values[strings.TrimSpace(tag)])
	})
}
