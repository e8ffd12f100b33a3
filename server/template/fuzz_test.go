package template

import (
	"strings"
	"testing"

	"sendonce/server/problem"
)

// Goal: whatever somebody writes as a template and whatever stands for its variables, it is refused by a field, or a message is its
// literal parts with the values as they are: no value is ever read as a template, and no brace of a template goes out.
func FuzzTemplate(f *testing.F) {
	for _, seed := range [][3]string{
		{"Hi {{first_name}},", "Ada", ""},
		{"{{a}}{{b}}", "{{b}}", "x"},
		{"{{a", "x", "y"},
		{"{a}", "x", "y"},
		{"{{ a }} }}", "x", "y"},
		{"{{#a}}x{{/a}}", "true", ""},
		{"{{{a}}}", "<b>", ""},
		{"a{{b}}\r\nc\u00a0", "\ufeff", "null"},
		{"{{a}}{{a}}", strings.Repeat("👋", 900), "\x00"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, body, first, second string) {
		c, err := read(Content{Name: "x", Body: body})
		if err != nil {
			requireField(t, err)
			return
		}
		again, err := read(c)
		if err != nil || again.Body != c.Body || len(again.Variables) != len(c.Variables) {
			t.Fatalf("%q is read as %q, and that as %q: %v", body, c.Body, again.Body, err)
		}
		given := map[string]string{}
		for i, v := range c.Variables {
			given[v.Name] = []string{first, second}[i%2]
		}
		values, missing, err := c.fill(given, nil)
		if err != nil || len(missing) > 0 {
			if err != nil {
				requireField(t, err)
			}
			return
		}
		_, written, err := c.write(values)
		if err != nil {
			requireField(t, err)
			return
		}
		braces := 0
		for _, v := range values {
			braces += strings.Count(c.Body, v.Name) * strings.Count(v.Value, "{")
		}
		if strings.Count(written, "{") > braces {
			t.Errorf("%q with %q: a brace of the template stands in %q", c.Body, values, written)
		}
		if len(values) == 0 && written != c.Body {
			t.Errorf("%q says %q", c.Body, written)
		}
	})
}

func requireField(t *testing.T, err error) {
	t.Helper()
	if p := problem.As(err); p == nil || p.Field == "" || p.Code.HTTPStatus() != 422 {
		t.Fatalf("it is refused as %v", err)
	}
}
