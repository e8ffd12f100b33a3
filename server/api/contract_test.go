package api_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/unicode/norm"

	"sendonce/server/api/openapi"
)

// contract is the OpenAPI document as the tests hold the API against it. Places in it are JSON pointers.
type contract struct {
	root       any
	operations []operation

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
	// seen are the answers and the fields that some test has had.
	seen map[string]bool
}

// operation is one method of one path.
type operation struct {
	method, path string // as in /v1/sends/{id}
	at           string
}

func (o operation) String() string { return o.method + " " + o.path }

const (
	documentURL = "https://sendonce.example/openapi.json"
	plainJSON   = "application/json"
	problemJSON = "application/problem+json"
)

var theContract = readContract()

func readContract() *contract {
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapi.Document()))
	if err != nil {
		panic(err)
	}
	c := &contract{root: root, compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}, seen: map[string]bool{}}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	if err := c.compiler.AddResource(documentURL, root); err != nil {
		panic(err)
	}
	for _, path := range c.names("/paths") {
		for _, method := range c.names(join("/paths", path)) {
			if method != "parameters" {
				c.operations = append(c.operations, operation{strings.ToUpper(method), path, join("/paths", path, method)})
			}
		}
	}
	return c
}

// A name in a pointer, and back.
var (
	asPointer   = strings.NewReplacer("~", "~0", "/", "~1")
	fromPointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// join goes further from a place.
func join(at string, names ...string) string {
	for _, name := range names {
		at += "/" + asPointer.Replace(name)
	}
	return at
}

// place follows references until there is none, and returns what stands there: nil for nothing.
func (c *contract) place(at string) (any, string) {
	value := c.root
	for _, name := range strings.Split(at, "/")[1:] {
		name = fromPointer.Replace(name)
		switch within := value.(type) {
		case map[string]any:
			value = within[name]
		case []any:
			index, err := strconv.Atoi(name)
			if err != nil {
				return nil, at
			}
			value = within[index]
		}
	}
	if object, ok := value.(map[string]any); ok && len(object) == 1 {
		if ref, ok := object["$ref"].(string); ok {
			return c.place(strings.TrimPrefix(ref, "#"))
		}
	}
	return value, at
}

func (c *contract) names(at string) []string {
	value, _ := c.place(at)
	object, _ := value.(map[string]any)
	return slices.Sorted(maps.Keys(object))
}

// find is the operation of a request; ok is false where the document has no such path. An operation without a place says that
// the path has other methods. Of two paths the one with fewer parameters is meant, as the router has it.
func (c *contract) find(method, path string) (found operation, ok bool) {
	parts := strings.Split(path, "/")
	fewest := len(parts)
	for _, o := range c.operations {
		names := strings.Split(o.path, "/")
		parameters := 0
		fits := len(names) == len(parts)
		for i := 0; fits && i < len(names); i++ {
			if strings.HasPrefix(names[i], "{") {
				parameters++
			} else {
				fits = names[i] == parts[i]
			}
		}
		switch {
		case !fits || parameters > fewest:
		case o.method == method:
			found, ok, fewest = o, true, parameters
		case parameters < fewest || !ok:
			found, ok, fewest = operation{path: o.path}, true, parameters
		}
	}
	return found, ok
}

// schema compiles the one that stands at a place.
func (c *contract) schema(at string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.schemas[at]; known != nil {
		return known, nil
	}
	compiled, err := c.compiler.Compile(documentURL + "#" + strings.ReplaceAll(at, "%", "%25"))
	if err != nil {
		return nil, fmt.Errorf("the schema at %s: %w", at, err)
	}
	c.schemas[at] = compiled
	return compiled, nil
}

// fits reads a body by the schema at a place.
func (c *contract) fits(at string, body []byte) (any, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return value, c.valid(at, value)
}

func (c *contract) valid(at string, value any) error {
	schema, err := c.schema(at)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// exchange is a request and its answer.
type exchange struct {
	method, path string
	query        []string // the names of its parameters
	request      []byte
	status       int
	header       http.Header
	answer       []byte
}

// hold says what of an exchange is not as it is documented, and notes what it has shown.
func (c *contract) hold(x exchange) error {
	o, ok := c.find(x.method, x.path)
	if !ok {
		return nil // that every route is there is a test of its own
	}
	if o.at == "" {
		if x.status != http.StatusMethodNotAllowed {
			return fmt.Errorf("status %d of a method that %s has not", x.status, o.path)
		}
		return nil
	}
	if x.status < http.StatusMultipleChoices {
		if err := c.holdRequest(o, x); err != nil {
			return fmt.Errorf("the request was accepted: %w", err)
		}
	}
	return c.holdAnswer(o, x)
}

func (c *contract) holdRequest(o operation, x exchange) error {
	for _, name := range x.query {
		if !c.takes(o, name) {
			return fmt.Errorf("the parameter %s is not documented", name)
		}
	}
	body, at := c.place(join(o.at, "requestBody"))
	if body == nil {
		if len(x.request) > 0 {
			return fmt.Errorf("its body is not documented")
		}
		return nil
	}
	if kinds := c.names(join(at, "content")); !slices.Contains(kinds, plainJSON) {
		return nil // a file: its own tests read it
	}
	if len(x.request) == 0 {
		x.request = []byte("{}")
	}
	at = join(at, "content", plainJSON, "schema")
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(x.request))
	if err != nil {
		return err
	}
	if err := c.valid(at, canonical(value)); err != nil {
		return err
	}
	c.note(at, value)
	return nil
}

func (c *contract) takes(o operation, parameter string) bool {
	list, _ := c.place(join(o.at, "parameters"))
	all, _ := list.([]any)
	for i := range all {
		one, _ := c.place(join(o.at, "parameters", strconv.Itoa(i)))
		if p, _ := one.(map[string]any); p["name"] == parameter && p["in"] == "query" {
			return true
		}
	}
	return false
}

// canonical makes of texts what the document counts the lengths of.
func canonical(value any) any {
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(norm.NFC.String(strings.ReplaceAll(value, "\r\n", "\n")))
	case map[string]any:
		out := map[string]any{}
		for name, one := range value {
			out[name] = canonical(one)
		}
		return out
	}
	return value
}

func (c *contract) holdAnswer(o operation, x exchange) error {
	status := strconv.Itoa(x.status)
	response, at := c.place(join(o.at, "responses", status))
	if response == nil {
		return fmt.Errorf("the status %s is not documented", status)
	}
	for _, name := range []string{"Location", "Idempotency-Replayed"} {
		documented, _ := c.place(join(at, "headers", name))
		if x.header.Get(name) != "" && documented == nil {
			return fmt.Errorf("the header %s is not documented", name)
		}
	}
	kinds := c.names(join(at, "content"))
	if len(kinds) == 0 {
		if len(x.answer) > 0 {
			return fmt.Errorf("a body of status %s is not documented", status)
		}
		c.saw(o.String() + " " + status)
		return nil
	}
	kind, _, _ := strings.Cut(x.header.Get("Content-Type"), ";")
	if !slices.Contains(kinds, kind) {
		return fmt.Errorf("the Content-Type %s is not one of %v", kind, kinds)
	}
	at = join(at, "content", kind, "schema")
	if schema, _ := c.place(at); schema == nil { // a page
		c.saw(o.String() + " " + status)
		return nil
	}
	value, err := c.fits(at, x.answer)
	if err != nil {
		return fmt.Errorf("status %s: %w", status, err)
	}
	c.note(at, value)
	if object, _ := value.(map[string]any); kind == problemJSON {
		status += fmt.Sprintf(" %s", object["code"])
	}
	c.saw(o.String() + " " + status)
	return nil
}
