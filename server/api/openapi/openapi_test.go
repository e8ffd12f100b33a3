package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

type object = map[string]any

func read(t *testing.T) object {
	t.Helper()
	var root object
	if err := json.Unmarshal(Document(), &root); err != nil {
		t.Fatal(err)
	}
	return root
}

// walk visits every object of the document with its place, as names from the root.
func walk(at []string, value any, visit func(at []string, o object)) {
	switch value := value.(type) {
	case object:
		visit(at, value)
		for _, name := range slices.Sorted(maps.Keys(value)) {
			walk(append(slices.Clip(at), name), value[name], visit)
		}
	case []any:
		for i, one := range value {
			walk(append(slices.Clip(at), fmt.Sprint(i)), one, visit)
		}
	}
}

// operations are all of the document, by their operationId.
func operations(t *testing.T, root object) map[string]object {
	t.Helper()
	found := map[string]object{}
	for path, item := range root["paths"].(object) {
		for method, one := range item.(object) {
			o, ok := one.(object)
			if !ok {
				continue // the path's parameters
			}
			id, _ := o["operationId"].(string)
			if id == "" || found[id] != nil {
				t.Errorf("%s %s: the operationId %q is missing or another one's", method, path, id)
			}
			if strings.Contains(path, "{id}") && item.(object)["parameters"] == nil {
				t.Errorf("%s does not say what the id in its path is", path)
			}
			found[id] = o
		}
	}
	return found
}

// An operation can be found, understood and called by what the document says of it alone.
func TestOperationsSayWhatIsNeeded(t *testing.T) {
	t.Parallel()
	root := read(t)
	uses := map[string]int{}
	for id, o := range operations(t, root) {
		for _, name := range []string{"summary", "description"} {
			if text, _ := o[name].(string); text == "" {
				t.Errorf("%s has no %s", id, name)
			}
		}
		tags, _ := o["tags"].([]any)
		if len(tags) != 1 {
			t.Errorf("%s has %d tags, want one", id, len(tags))
		}
		for _, tag := range tags {
			uses[tag.(string)]++
		}
		if _, ok := o["security"].([]any); !ok {
			t.Errorf("%s does not say whether it needs a token", id)
		}
		refusals := 0
		for status := range o["responses"].(object) {
			if status >= "4" {
				refusals++
			}
		}
		if refusals == 0 {
			t.Errorf("%s refuses nothing", id)
		}
	}
	for _, tag := range root["tags"].([]any) {
		name, _ := tag.(object)["name"].(string)
		if text, _ := tag.(object)["description"].(string); text == "" || uses[name] == 0 {
			t.Errorf("the tag %q has no description or no operation", name)
		}
		delete(uses, name)
	}
	if len(uses) > 0 {
		t.Errorf("these tags are nowhere described: %v", uses)
	}
}

// isField: the object is the schema of a field.
func isField(at []string) bool { return len(at) > 1 && at[len(at)-2] == "properties" }

// open are schemas with fields that take others beside them: what is built upon them is closed where it is used.
var open = []string{"components/schemas/Problem", "components/schemas/FieldProblem", "components/schemas/KeyProblem", "components/schemas/BegunProblem", "components/schemas/IntentProblem", "components/schemas/VersionProblem", "components/schemas/Incident", "components/schemas/FoundPersonMembers", "components/schemas/Suppression"}

// Every field says what it is, every answer and every description of one is closed, and no component lies unused.
func TestSchemasAreWhole(t *testing.T) {
	t.Parallel()
	root := read(t)
	refers := map[string]bool{}
	walk(nil, root, func(at []string, o object) {
		where := strings.Join(at, "/")
		if ref, ok := o["$ref"].(string); ok {
			refers[ref] = true
		}
		_, isObject := o["properties"].(object)
		if isField(at) && at[len(at)-1] != "code" && o["description"] == nil && o["$ref"] == nil {
			t.Errorf("the field %s has no description", where)
		}
		if isObject && !isField(at[:max(0, len(at)-1)]) && o["additionalProperties"] == nil && o["unevaluatedProperties"] == nil && !slices.Contains(open, where) {
			t.Errorf("the object %s is not closed", where)
		}
		if len(at) > 1 && at[len(at)-2] == "responses" && o["description"] == nil && o["$ref"] == nil {
			t.Errorf("the answer %s has no description", where)
		}
	})
	for kind, components := range root["components"].(object) {
		for name := range components.(object) {
			if ref := "#/components/" + kind + "/" + name; kind != "securitySchemes" && !refers[ref] {
				t.Errorf("nothing refers to %s", ref)
			}
		}
	}
}

// A file that says again what another has said, or something that is no part, is noticed.
func TestMembersStandOnce(t *testing.T) {
	t.Parallel()
	var m members
	if err := m.add(`{"b":1,"a":{"x":[]}}`); err != nil {
		t.Fatal(err)
	}
	if err := m.add(`{"a":2}`); err == nil || !strings.Contains(err.Error(), "a stands in another file") {
		t.Errorf("a member twice: %v", err)
	}
	var l list
	for _, text := range []string{`[1]`, `[2,3]`} {
		if err := l.add(text); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := json.Marshal([]any{len(l), string(l[2]), m[0].name}); err != nil || string(out) != `[3,"3","b"]` {
		t.Errorf("%s %v: every file adds, in the order that was written", out, err)
	}
}
