// Package problem is the closed list of ways in which Sendonce refuses what a program or a person asks for. The domain
// returns a *Problem; the API and the console show it. It knows no HTTP: the number beside a code is only what the API
// answers with. What is no *Problem is a defect or an outage, and no stranger reads its text.
package problem

import (
	"errors"
	"fmt"
	"slices"

	"sendonce/server/rule"
)

// Problem is one refusal. Nothing was changed.
type Problem struct {
	Code Code
	// Field names the part of the request that is wrong, as a path like "person.linkedin", or "".
	Field string
	// Detail says what is wrong and what to do instead. It holds no message text and no secret.
	Detail string
	// More are members of the answer beside the standard ones, by snake_case name.
	More map[string]any
}

func (p *Problem) Error() string {
	if p.Field != "" {
		return fmt.Sprintf("%s: %s: %s", p.Code, p.Field, p.Detail)
	}
	return fmt.Sprintf("%s: %s", p.Code, p.Detail)
}

// New makes a problem that is about no single field.
func New(code Code, format string, args ...any) *Problem {
	return &Problem{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Field makes a problem about one field of the request.
func Field(field, format string, args ...any) *Problem {
	return &Problem{Code: InvalidField, Field: field, Detail: fmt.Sprintf(format, args...)}
}

// Refused is a refusal of the table as an answer.
func Refused(refusal rule.Refusal) *Problem { return New(Code(refusal), "%s", refusal.Text()) }

// standard are the members that every problem has of its own.
var standard = []string{"type", "title", "status", "detail", "code", "field"}

// With adds a member to the answer. It panics on a standard one's name, which would take the place of the value.
func (p *Problem) With(name string, value any) *Problem {
	if slices.Contains(standard, name) {
		panic("problem.With: " + name + " is a standard member")
	}
	if p.More == nil {
		p.More = map[string]any{}
	}
	p.More[name] = value
	return p
}

// As returns the problem that err is or wraps, or nil.
func As(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return nil
}

// Is reports whether err is a problem with that code.
func Is(err error, code Code) bool {
	p := As(err)
	return p != nil && p.Code == code
}
