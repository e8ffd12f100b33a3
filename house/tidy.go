package house

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	fileLinesMax     = 400
	functionLinesMax = 70
	// A longer file says why in a comment that begins with these words, in its first lines.
	longFileReason = "Long because"
	reasonLinesMax = 10
)

var (
	codeSuffixes = []string{".go", ".js", ".sql", ".css", ".html", ".tmpl", ".sh"}
	textSuffixes = append([]string{".md", ".json", ".yml", ".yaml", "Makefile", "Dockerfile", "run", ".txt"}, codeSuffixes...)
)

// longFiles finds files over the bound that do not say why, except generated ones.
func longFiles(root string) ([]finding, error) {
	return eachFile(root, codeSuffixes, func(name, content string) []finding {
		lines := strings.Split(content, "\n")
		head := strings.Join(lines[:min(len(lines), reasonLinesMax)], "\n")
		if len(lines)-1 <= fileLinesMax || isGenerated(content) || strings.Contains(head, longFileReason) {
			return nil
		}
		return []finding{{name, 0, fmt.Sprintf("has %d lines; split it, or say %q at its top", len(lines)-1, longFileReason)}}
	})
}

// longFunctions finds Go functions over the bound, tests excepted: a table of cases may be long.
func longFunctions(root string) ([]finding, error) {
	var parseErr error
	found, err := eachFile(root, []string{".go"}, func(name, content string) []finding {
		if isTest(name) || isGenerated(content) {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, content, parser.SkipObjectResolution)
		if err != nil {
			parseErr = errors.Join(parseErr, err)
			return nil
		}
		var found []finding
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from, to := set.Position(function.Pos()).Line, set.Position(function.End()).Line
			if to-from+1 > functionLinesMax {
				found = append(found, finding{name, from, fmt.Sprintf("%s has %d lines; at most %d", function.Name.Name, to-from+1, functionLinesMax)})
			}
		}
		return found
	})
	return found, errors.Join(err, parseErr)
}

// bagFolders are names that say nothing about what is inside, so everything ends up there.
var bagFolders = []string{"util", "utils", "common", "helper", "helpers", "model", "models", "misc", "lib"}

func bags(root string) ([]finding, error) {
	names, err := files(root)
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, name := range names {
		for _, part := range strings.Split(path.Dir(name), "/") {
			if slices.Contains(bagFolders, part) {
				found = append(found, finding{name, 0, "stands in a folder named " + part + "; name it by what it does"})
			}
		}
	}
	return found, nil
}

// The words are put together here so that the rule does not find itself.
var leftover = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)

// leftovers finds notes that belong in an issue.
func leftovers(root string) ([]finding, error) {
	return eachLine(root, codeSuffixes, leftover, "leaves work undone in a comment; do it or open an issue")
}

// machinePath finds folders of one machine, and package registries, which an install must be free to choose.
var machinePath = regexp.MustCompile(`(^|[^\w.])/(wo` + `rk|ro` + `ot|ho` + `me/[a-z]+|Us` + `ers/[a-z]+|tmp` + `/h)/|registry\.npm` + `js\.org|proxy\.gol` + `ang\.org`)

func machinePaths(root string) ([]finding, error) {
	return eachLine(root, textSuffixes, machinePath, "names a path of one machine or a registry")
}

func eachLine(root string, suffixes []string, pattern *regexp.Regexp, says string) ([]finding, error) {
	return eachFile(root, suffixes, func(name, content string) []finding {
		var found []finding
		for i, line := range strings.Split(content, "\n") {
			if match := pattern.FindString(line); match != "" {
				found = append(found, finding{name, i + 1, says + ": " + strings.TrimSpace(match)})
			}
		}
		return found
	})
}

func eachFile(root string, suffixes []string, check func(name, content string) []finding) ([]finding, error) {
	names, err := files(root, suffixes...)
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, name := range names {
		content, err := read(root, name)
		if err != nil {
			return nil, err
		}
		found = append(found, check(name, content)...)
	}
	return found, nil
}

var fileName = regexp.MustCompile(`^[\w./-]+\.(js|html|css|png|svg|json)$`)

// manifestFiles finds files that the extension's manifest names and that do not exist.
func manifestFiles(root string) ([]finding, error) {
	const manifest = "extension/manifest.json"
	content, err := read(root, manifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal([]byte(content), &tree); err != nil {
		return nil, fmt.Errorf("read %s: %w", manifest, err)
	}
	var found []finding
	for _, text := range textsOf(tree) {
		if !fileName.MatchString(text) {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, "extension", filepath.FromSlash(text))); err != nil {
			found = append(found, finding{manifest, 0, "names " + text + ", which does not exist"})
		}
	}
	return found, nil
}

func textsOf(tree any) []string {
	var texts []string
	switch node := tree.(type) {
	case string:
		texts = append(texts, node)
	case []any:
		for _, child := range node {
			texts = append(texts, textsOf(child)...)
		}
	case map[string]any:
		for _, child := range node {
			texts = append(texts, textsOf(child)...)
		}
	}
	return texts
}
