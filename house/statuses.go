package house

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// statusPlaces are where a status may be written as a literal: the table, its two rule modules, what is generated,
// proofs, and the test programs' own words.
var statusPlaces = []string{
	"shared", "server/rule", "extension/core/rule.js", "extension/generated", "extension/test", "parity", "e2e", "bench", "house",
	"server/postgres/db",
}

// otherMeanings are words that happen to be spelled like a status and mean something else there.
var otherMeanings = []struct{ folder, word, why string }{
	{"server/console/static", "queued", "htmx, as its authors ship it: a request that waits"},
	{"server/gateway", "started", "the frame that answers a start"},
	{"server/sandbox", "started", "the frame that answers a start"},
	{"server/gateway", "leased", "a phase of the install's journal, before anything was asked"},
	{"extension/core", "started", "the frame that answers a start"},
	{"extension/core", "leased", "a phase of the journal, before anything was asked"},
	{"extension/core/attempt", "failed", "how a request of the page ended"},
	{"extension/platform/requests.js", "failed", "how a request of the page ended"},
}

// statusLiterals finds statuses that are written out where rule.Queued and its like belong.
func statusLiterals(root string) ([]finding, error) {
	statuses, err := statusNames(root)
	if err != nil {
		return nil, err
	}
	names, err := files(root, ".go", ".js", ".html")
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, name := range names {
		if withinAny(name, statusPlaces) || isTest(name) || !withinAny(name, []string{"server", "extension"}) {
			continue
		}
		literals, err := literalsOf(root, name)
		if err != nil {
			return nil, err
		}
		for _, literal := range literals {
			if slices.Contains(statuses, literal.text) && !hasOtherMeaning(name, literal.text) {
				found = append(found, finding{name, literal.line, fmt.Sprintf("writes the status %q out; use the rule's name for it", literal.text)})
			}
		}
	}
	return found, nil
}

func statusNames(root string) ([]string, error) {
	content, err := read(root, "shared/statuses.json")
	if err != nil {
		return nil, err
	}
	var table struct {
		Statuses map[string]json.RawMessage `json:"statuses"`
	}
	if err := json.Unmarshal([]byte(content), &table); err != nil {
		return nil, fmt.Errorf("read shared/statuses.json: %w", err)
	}
	var names []string
	for name := range table.Statuses {
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("shared/statuses.json names no status")
	}
	return names, nil
}

func hasOtherMeaning(name, word string) bool {
	for _, meaning := range otherMeanings {
		if within(name, meaning.folder) && word == meaning.word {
			return true
		}
	}
	return false
}

type literal struct {
	text string
	line int
}

func literalsOf(root, name string) ([]literal, error) {
	if strings.HasSuffix(name, ".go") {
		return goLiterals(filepath.Join(root, name))
	}
	content, err := read(root, name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".js") {
		content = withoutComments(content)
	}
	return quotedWords(content), nil
}

func goLiterals(path string) ([]literal, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []literal
	ast.Inspect(file, func(node ast.Node) bool {
		if basic, ok := node.(*ast.BasicLit); ok && basic.Kind == token.STRING {
			if text, err := strconv.Unquote(basic.Value); err == nil {
				found = append(found, literal{text, set.Position(basic.Pos()).Line})
			}
		}
		return true
	})
	return found, nil
}

var quotedWord = regexp.MustCompile("[\"'`]([a-z_]+)[\"'`]")

func quotedWords(text string) []literal {
	var found []literal
	for _, at := range quotedWord.FindAllStringSubmatchIndex(text, -1) {
		found = append(found, literal{text[at[2]:at[3]], lineOf(text, at[0])})
	}
	return found
}
