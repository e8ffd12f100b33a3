// Package openapi is what programs can read about the REST API: one OpenAPI 3.1 document, written by hand in a file per area. The
// tests of package api hold it against what the handlers answer.
package openapi

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

//go:embed *.json
var files embed.FS

// Document is the OpenAPI document, as JSON. It cannot change while the program runs, and is put together for the first who asks: the
// commands never do.
var Document = sync.OnceValue(joined)

// document is the files one after the other. What one of them writes a second time is an error.
type document struct {
	OpenAPI    string         `json:"openapi"`
	Info       jsontext.Value `json:"info"`
	Servers    jsontext.Value `json:"servers"`
	Tags       list           `json:"tags"`
	Paths      members        `json:"paths"`
	Components struct {
		SecuritySchemes members `json:"securitySchemes"`
		Parameters      members `json:"parameters"`
		RequestBodies   members `json:"requestBodies"`
		Headers         members `json:"headers"`
		Responses       members `json:"responses"`
		Schemas         members `json:"schemas"`
	} `json:"components"`
}

// joined panics on a file that is not well formed: a test of this package reads them all.
func joined() []byte {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		panic(err)
	}
	var all document
	for _, name := range names {
		raw, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		if err := json.Unmarshal(raw, &all, json.RejectUnknownMembers(true)); err != nil {
			panic(fmt.Errorf("read %s: %w", name, err))
		}
	}
	out, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return out
}
