package template

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sendonce/server/config"
	"sendonce/server/problem"
)

func content(body string, variables ...Variable) Content {
	return Content{Name: "First contact", Body: body, Variables: variables}
}

// Goal: a template is read once, and what could go out raw is refused by its field: a brace that belongs to no variable, a variable that
// is not closed, has no name, or is declared and not there.
func TestTemplatesAreReadStrictly(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]Variable{
		"Hello":                                     {},
		"Hi {{first_name}},":                        {{Name: "first_name", Required: true}},
		"Hi {{ first_name }}, {{a1}} {{a1}}":        {{Name: "first_name", Required: true}, {Name: "a1", Required: true}},
		"{{a}}{{b}}":                                {{Name: "a", Required: true}, {Name: "b", Required: true}},
		"a < b && c > \"d\" <b>{{x}}</b> 100 %":     {{Name: "x", Required: true}},
		"{{" + "a" + strings.Repeat("b", 39) + "}}": {{Name: "a" + strings.Repeat("b", 39), Required: true}},
	} {
		got, err := read(content(body))
		if err != nil || !cmp.Equal(got.Variables, want) || got.Body != body {
			t.Errorf("%q: %+v, %v", body, got, err)
		}
	}
	for _, body := range []string{
		"", " ", "Hi {{first_name", "Hi {{first_name}", "Hi {first_name}", "Hi {first_name}}", "Hi {{{first_name}}}", "Hi {{}}", "Hi {{ }}", "Hi {{First}}",
		"Hi {{first name}}", "Hi {{1a}}", "Hi {{a.b}}", "Hi {{#if a}}{{/if}}", "Hi {{> other}}", "Hi {{! note }}", "Hi {{=<% %>=}}", "Hi {{& a}}", "Hi {{é}}",
		"Hi {{a{{b}}", "Hi }} {{a}}", "Hi {{a}} }", "a\tb", "{{" + strings.Repeat("a", 41) + "}}", strings.Repeat("x", config.BodyRunesMax+1), "\xff",
	} {
		if got, err := read(content(body)); !problem.Is(err, problem.InvalidField) || problem.As(err).Field != "body" {
			t.Errorf("%q was taken as %+v, %v", body, got, err)
		}
	}
	many := ""
	for i := range config.TemplateVariablesMax + 1 {
		many += "{{a" + strings.Repeat("b", i/26) + string(rune('a'+i%26)) + "}}"
	}
	if _, err := read(content(many)); !problem.Is(err, problem.InvalidField) {
		t.Errorf("%d variables: %v", config.TemplateVariablesMax+1, err)
	}
	for name, wrong := range map[string]Content{
		"variables": content("Hi {{a}}", Variable{Name: "b"}),
		"name":      {Body: "Hi"},
		"subject":   {Name: "x", Subject: "a {{", Body: "Hi"},
	} {
		if _, err := read(wrong); !problem.Is(err, problem.InvalidField) || problem.As(err).Field != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, v := range [][]Variable{
		{{Name: "a", Required: true, Default: "x"}},
		{{Name: "a"}, {Name: "a"}},
		{{Name: "a", Default: "{{b}}"}},
		{{Name: "a", Default: "}}"}},
		{{Name: "A"}},
		{{Name: "a", Default: strings.Repeat("x", config.NoteRunesMax+1)}},
		{{Name: "a", Default: "\xff"}},
		{{Name: "a", Default: "a\x00b"}},
	} {
		if got, err := read(content("Hi {{a}}", v...)); !problem.Is(err, problem.InvalidField) || problem.As(err).Field != "variables" {
			t.Errorf("%+v was taken as %+v, %v", v, got, err)
		}
	}
}

// Goal: a required variable without a value refuses the message and is named, also where a program has written "null" for nothing; a
// default stands where nothing is known; what is optional leaves nothing; what is given goes before what is known.
func TestValues(t *testing.T) {
	t.Parallel()
	c, err := read(Content{Name: "x", Subject: "For {{first_name}}", Body: "Hi {{first_name}},\n{{greeting}}{{ps}}", Variables: []Variable{
		{Name: "first_name", Required: true}, {Name: "greeting", Default: "Good day"}, {Name: "ps"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, nothing := range []string{"", "  ", "null", " null ", "NULL", "undefined", "none", "NaN", "n/a", "#N/A", "\u200b", "\u00a0"} {
		for from, known := range map[string][2]map[string]string{
			"given": {{"first_name": nothing}, {}}, "person": {{}, {"first_name": nothing}},
		} {
			_, missing, err := c.fill(known[0], known[1])
			if err != nil || !cmp.Equal(missing, []string{"first_name"}) {
				t.Errorf("%q %s: %v, %v", nothing, from, missing, err)
			}
		}
	}
	for name, one := range map[string]struct {
		given, known  map[string]string
		subject, body string
	}{
		"known":            {nil, map[string]string{"first_name": "Ada", "other": "x"}, "For Ada", "Hi Ada,\nGood day"},
		"given":            {map[string]string{"first_name": "Bea"}, map[string]string{"first_name": "Ada"}, "For Bea", "Hi Bea,\nGood day"},
		"null given":       {map[string]string{"first_name": "null"}, map[string]string{"first_name": "Ada"}, "For Ada", "Hi Ada,\nGood day"},
		"all":              {map[string]string{"first_name": "Ada", "greeting": "Moin", "ps": "\n\nPS"}, nil, "For Ada", "Hi Ada,\nMoinPS"},
		"a surname":        {map[string]string{"first_name": "Null"}, nil, "For Null", "Hi Null,\nGood day"},
		"plain stays":      {map[string]string{"first_name": `<b>&"'`}, nil, `For <b>&"'`, "Hi <b>&\"',\nGood day"},
		"no second round":  {map[string]string{"first_name": "{greeting}"}, nil, "For {greeting}", "Hi {greeting},\nGood day"},
		"composed letters": {map[string]string{"first_name": "Ju\u0308rgen"}, nil, "For Jürgen", "Hi Jürgen,\nGood day"},
		"lines in a value": {map[string]string{"first_name": "Ada", "ps": "a\r\nb"}, nil, "For Ada", "Hi Ada,\nGood daya\nb"},
	} {
		values, missing, err := c.fill(one.given, one.known)
		if err != nil || len(missing) > 0 {
			t.Errorf("%s: %v, %v", name, missing, err)
			continue
		}
		subject, body, err := c.write(values)
		if err != nil || subject != one.subject || body != one.body {
			t.Errorf("%s: %q %q, %v", name, subject, body, err)
		}
	}
	for field, given := range map[string]map[string]string{
		"template.variables.frist_name": {"frist_name": "Ada"},
		"template.variables.first_name": {"first_name": "{{greeting}}"},
		"template.variables.greeting":   {"first_name": "Ada", "greeting": strings.Repeat("x", config.NoteRunesMax+1)},
		"template.variables.ps":         {"first_name": "Ada", "ps": "a\x07b"},
	} {
		if _, _, err := c.fill(given, nil); !problem.Is(err, problem.InvalidField) || problem.As(err).Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for name, value := range map[string]string{"body": "a\tb", "subject": "a\nb"} {
		values, _, err := c.fill(map[string]string{"first_name": value}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.write(values); !problem.Is(err, problem.InvalidField) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Goal: what is written holds each person's own values alone (the values of one are never those of another), and counts as LinkedIn
// counts: an emoji is two.
func TestPreviews(t *testing.T) {
	t.Parallel()
	c, err := read(content("Hi {{first_name}}, {{note}}", Variable{Name: "first_name", Default: "there"}, Variable{Name: "note"}))
	if err != nil {
		t.Fatal(err)
	}
	template := Template{Version: 1, Content: c}
	for name, want := range map[string]string{"Andrew": "Hi Andrew,", "Miha": "Hi Miha,", "": "Hi there,", "👋": "Hi 👋,"} {
		p := NewPreview(template, [16]byte{}, map[string]string{"first_name": name})
		if p.Body != want || p.Refused != nil || p.Length != len([]rune(want))+strings.Count(want, "👋") {
			t.Errorf("%q: %+v", name, p)
		}
	}
	long := strings.Repeat("👋", config.BodyRunesMax/2)
	whole := Template{Version: 1, Content: Content{Name: "x", Body: long + "{{a}}", Variables: []Variable{{Name: "a"}}}}
	if p := NewPreview(whole, [16]byte{}, nil); p.Refused != nil || p.Length != config.BodyRunesMax {
		t.Errorf("as long as may be: %d, %v", p.Length, p.Refused)
	}
	if p := NewPreview(whole, [16]byte{}, map[string]string{"a": "x"}); p.Refused == nil || p.Refused.Field != "body" || p.Body != "" {
		t.Errorf("one too long: %+v", p.Refused)
	}
	needs := Template{Version: 3, Content: Content{Name: "x", Body: "{{a}} {{b}}", Variables: []Variable{{Name: "a", Required: true}, {Name: "b", Required: true}}}}
	if p := NewPreview(needs, [16]byte{}, nil); p.Refused == nil || p.Refused.Code != problem.VariableMissing || p.Refused.Field != "template.variables.a" ||
		!cmp.Equal(p.Missing, []string{"a", "b"}) || p.Body != "" {
		t.Errorf("nothing known: %+v", p)
	}
}

// Goal: a change keeps what it does not name, and of the declared variables those that the new texts still have.
func TestChanges(t *testing.T) {
	t.Parallel()
	was, err := read(Content{Name: "x", Subject: "s", Body: "{{a}} {{b}}", Variables: []Variable{{Name: "a", Default: "A"}, {Name: "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	body, name, none := "{{c}} {{a}}", "y", []Variable{}
	for label, one := range map[string]struct {
		change Change
		want   []Variable
	}{
		"the name":      {Change{Name: &name}, was.Variables},
		"the body":      {Change{Body: &body}, []Variable{{Name: "c", Required: true}, {Name: "a", Default: "A"}}},
		"the variables": {Change{Variables: &none}, []Variable{{Name: "a", Required: true}, {Name: "b", Required: true}}},
	} {
		got, err := read(one.change.apply(was))
		if err != nil || !cmp.Equal(got.Variables, one.want) || got.Subject != "s" {
			t.Errorf("%s: %+v, %v", label, got, err)
		}
	}
}

// Goal: a change whose text is far too long is refused before its variables are compared with each other.
func TestManyVariablesAreNotCompared(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for n := range config.RequestBodyBytesMax / len("{{v100000}}") {
		fmt.Fprintf(&body, "{{v%d}}", 100_000+n)
	}
	if _, err := (Content{Body: body.String()}).Named(); !problem.Is(err, problem.InvalidField) || !strings.Contains(err.Error(), "more than 50 variables") {
		t.Errorf("%v", err)
	}
}
