package api_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// neverSeen are documented answers and fields that no test of this package has, with the reason.
var neverSeen = map[string]string{
	"/components/schemas/ReceiptKeys/properties/next_cursor": "it is null: all keys stand on one page",
}

// whole runs all tests of the package, then asks whether they have seen all that is documented.
type whole struct{ *testing.M }

func (w whole) Run() int {
	code := w.M.Run()
	if code != 0 || !isWhole() {
		return code
	}
	for _, missing := range theContract.unseen() {
		fmt.Fprintln(os.Stderr, "server/api/openapi documents what no test of server/api has seen:", missing)
		code = 1
	}
	return code
}

// isWhole: a part of the tests sees a part of the document.
func isWhole() bool {
	for _, name := range []string{"test.run", "test.skip", "test.fuzz", "test.list", "test.bench"} {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	return true
}

func (c *contract) saw(what ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range what {
		c.seen[one] = true
	}
}

// note notes the fields of a valid value.
func (c *contract) note(at string, value any) {
	c.saw(c.fields(at, value, map[string]bool{})...)
}

// fields are the documented ones below a schema, each once, by where it stands in the document. With a value only those that
// have one in it.
func (c *contract) fields(at string, value any, done map[string]bool) (found []string) {
	if value == nil {
		return nil
	}
	_, all := value.(everyField)
	place, at := c.place(at)
	schema, ok := place.(map[string]any)
	if !ok || all && done[at] {
		return nil
	}
	done[at] = true
	if ref, ok := schema["$ref"].(string); ok {
		found = append(found, c.fields(strings.TrimPrefix(ref, "#"), value, done)...)
	}
	for _, branches := range []string{"anyOf", "allOf"} {
		list, _ := schema[branches].([]any)
		for i := range list {
			found = append(found, c.fields(join(at, branches, strconv.Itoa(i)), value, done)...)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name := range properties {
		member := value
		if !all {
			object, _ := value.(map[string]any)
			member = object[name]
		}
		field := join(at, "properties", name)
		if list, ok := member.([]any); member != nil && (!ok || len(list) > 0) {
			found = append(append(found, field), c.fields(field, member, done)...)
		}
	}
	items := value
	if !all {
		list, _ := value.([]any)
		for _, one := range list {
			found = append(found, c.fields(join(at, "items"), one, done)...)
		}
		return found
	}
	return append(found, c.fields(join(at, "items"), items, done)...)
}

// everyField stands for a value that has every field.
type everyField struct{}

// unseen lists what is documented and was seen by no test, and what is excused for nothing.
func (c *contract) unseen() []string {
	wanted := map[string]bool{}
	for _, o := range c.operations {
		_, at := c.place(join(o.at, "requestBody"))
		for _, field := range c.fields(join(at, "content", plainJSON, "schema"), everyField{}, map[string]bool{}) {
			wanted[field] = true
		}
		for _, status := range c.names(join(o.at, "responses")) {
			_, at := c.place(join(o.at, "responses", status))
			if len(c.codes(at)) == 0 {
				wanted[o.String()+" "+status] = true
			}
			for _, code := range c.codes(at) {
				wanted[o.String()+" "+status+" "+code] = true
			}
			for _, kind := range c.names(join(at, "content")) {
				for _, field := range c.fields(join(at, "content", kind, "schema"), everyField{}, map[string]bool{}) {
					wanted[field] = true
				}
			}
		}
	}
	var missing []string
	for _, what := range slices.Sorted(maps.Keys(wanted)) {
		if !c.seen[what] && neverSeen[what] == "" {
			missing = append(missing, what)
		}
	}
	for what := range neverSeen {
		if c.seen[what] || !wanted[what] {
			missing = append(missing, what+" (excused by neverSeen for nothing)")
		}
	}
	return missing
}

// codes are the problem codes of a response.
func (c *contract) codes(response string) []string {
	at := join(response, "content", problemJSON, "schema", "properties", "code")
	place, _ := c.place(at)
	schema, _ := place.(map[string]any)
	if only, ok := schema["const"].(string); ok {
		return []string{only}
	}
	var codes []string
	list, _ := schema["enum"].([]any)
	for _, one := range list {
		codes = append(codes, one.(string))
	}
	return codes
}

// held is a transport that holds every exchange of a test against the document.
type held struct{ t testing.TB }

func (h held) RoundTrip(request *http.Request) (*http.Response, error) {
	var asked []byte
	if request.Body != nil {
		var err error
		if asked, err = io.ReadAll(request.Body); err != nil {
			return nil, err
		}
		request = request.Clone(request.Context())
		request.Body = io.NopCloser(bytes.NewReader(asked))
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return response, nil // it has no end
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(answer))
	err = theContract.hold(exchange{
		request.Method, request.URL.Path, slices.Collect(maps.Keys(request.URL.Query())), asked, response.StatusCode, response.Header, answer,
	})
	if err != nil {
		h.t.Errorf("%s %s %.300s\nis answered %d %.600s\nand that is not as server/api/openapi has it: %v", request.Method, request.URL, asked, response.StatusCode, answer, err)
	}
	return response, nil
}
