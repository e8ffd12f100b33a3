package client

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Problem is a refusal of the server (RFC 9457). Nothing was changed, unless its status is 500 or above.
type Problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"` // stable; docs/api.md
	Title  string `json:"title"`
	Field  string `json:"field"` // a path like person.linkedin, or ""
	Detail string `json:"detail"`
	// Members are all of the answer, those of one code alone too.
	Members map[string]any `json:"-"`
}

// Error is a sentence for people.
func (p *Problem) Error() string {
	var said strings.Builder
	fmt.Fprintf(&said, "%s (%s)", p.Title, p.Code)
	if p.Field != "" {
		fmt.Fprintf(&said, ", in %s", p.Field)
	}
	if p.Detail != "" {
		said.WriteString(": " + p.Detail)
	}
	return said.String()
}

// Member is a member of the answer that is text, or "".
func (p *Problem) Member(name string) string {
	text, _ := p.Members[name].(string)
	return text
}

// problemOf reads an answer that is no success. What is no problem of the API, such as a proxy's page, is shown as it begins.
func problemOf(status int, raw []byte) *Problem {
	p := &Problem{}
	if json.Unmarshal(raw, p) != nil || p.Code == "" || json.Unmarshal(raw, &p.Members) != nil {
		text := raw[:min(len(raw), problemTextMax)]
		p = &Problem{Code: "no_problem_details", Title: "The answer is none of the API", Detail: strings.ToValidUTF8(string(text), "�")}
	}
	if p.Title == "" || !utf8.ValidString(p.Title) {
		p.Title = "The server refused"
	}
	p.Status = status
	return p
}

// UnknownError says that nobody here knows whether the request was carried out. Ask it again as it was, with the same key: it is
// then the same request. Err is what happened to the last try.
type UnknownError struct {
	Key string // "" when the request had none
	Err error
}

func (e *UnknownError) Error() string {
	return "it is not known whether the server did it; the same request with the same key may be made again: " + e.Err.Error()
}

func (e *UnknownError) Unwrap() error { return e.Err }
