package house

import (
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const modulePrefix = "sendonce/"

// importDirection finds Go imports that the two tables of edges.go do not allow, and folders that they do not know.
func importDirection(root string) ([]finding, error) {
	names, err := files(root, ".go")
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, name := range names {
		if within(name, "tools") || strings.Contains(name, "/testdata/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		folder := path.Dir(name)
		rule, known := ruleOf(folder)
		if !known {
			found = append(found, finding{name, 0, "its folder has no rule in house/edges.go; add one with its reason"})
			continue
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, err
			}
			if says := refuseImport(name, folder, imported, rule); says != "" {
				found = append(found, finding{name, 0, says})
			}
		}
	}
	return found, nil
}

// ruleOf is the rule of the nearest folder. "server" is the command's own folder and speaks for no other.
func ruleOf(folder string) (folderRule, bool) {
	best, known := folderRule{}, false
	for _, rule := range folderRules {
		if rule.folder == "server" && folder != "server" {
			continue
		}
		if within(folder, rule.folder) && len(rule.folder) >= len(best.folder) {
			best, known = rule, true
		}
	}
	return best, known
}

func refuseImport(name, folder, imported string, rule folderRule) string {
	if ours, ok := strings.CutPrefix(imported, modulePrefix); ok {
		if isTest(name) || within(ours, folder) || within(ours, rule.folder) || withinAny(ours, rule.may) {
			return ""
		}
		return "must not import " + ours + ": " + rule.why
	}
	for _, module := range moduleRules {
		if !within(imported, module.prefix) || module.inTests && isTest(name) {
			continue
		}
		if !withinAny(folder, module.folders) {
			return "must not import " + imported + ": " + module.why
		}
	}
	return ""
}

// chromeFolders are the parts of the extension that may name the browser's interface. The viewer is a page script: it
// opens the one port to its worker and cannot import.
var chromeFolders = []string{
	"extension/platform", "extension/background.js", "extension/background", "extension/popup", "extension/options",
	"extension/linkedin/viewer.js", "extension/test", "extension/types",
}

// pureFiles are what goja runs: core/, and LinkedIn's addresses, which core/ reads as data.
var pureFiles = []string{"extension/core", "extension/linkedin/urls.js"}

// pureMayImport is where the imports of pure files may lead.
var pureMayImport = append([]string{"extension/generated"}, pureFiles...)

// impure is what they must not name: what a machine, a moment or a browser would answer differently. \p{} is there
// because goja never matches it, silently.
var impure = regexp.MustCompile(`\b(Date\b|Math\.random|setTimeout|setInterval|fetch\(|crypto\b|Intl\b|new URL\b|document\.|window\.|navigator\.|localStorage)|\\p\{`)

var (
	chromeName = regexp.MustCompile(`\b(chrome|browser)\.[a-z]`)
	jsImport   = regexp.MustCompile(`(?m)^\s*(?:(?:import|export)\b[^'";]*\bfrom\s*|import\s*)['"]([^'"]+)['"]`)
)

// jsDirection finds chrome.* outside its places, impure words in pure files, and imports that lead out of them.
func jsDirection(root string) ([]finding, error) {
	names, err := files(root, ".js")
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, name := range names {
		if !within(name, "extension") {
			continue
		}
		content, err := read(root, name)
		if err != nil {
			return nil, err
		}
		code := withoutComments(content)
		if at := chromeName.FindStringIndex(code); at != nil && !withinAny(name, chromeFolders) {
			found = append(found, finding{name, lineOf(code, at[0]), "names the browser's interface; that is for extension/platform"})
		}
		if !withinAny(name, pureFiles) {
			continue
		}
		if at := impure.FindStringIndex(code); at != nil {
			found = append(found, finding{name, lineOf(code, at[0]), "is pure: " + code[at[0]:at[1]] + " comes in as an argument"})
		}
		for _, match := range jsImport.FindAllStringSubmatch(code, -1) {
			target := path.Join(path.Dir(name), match[1])
			if !withinAny(target, pureMayImport) {
				found = append(found, finding{name, 0, "is pure and must not import " + target})
			}
		}
	}
	return found, nil
}

var jsComments = regexp.MustCompile(`(?s)/\*.*?\*/|(?m)(?:^|[\s;])//[^\n]*`)

// withoutComments blanks comments and keeps the lines.
func withoutComments(js string) string {
	return jsComments.ReplaceAllStringFunc(js, func(comment string) string {
		return strings.Repeat("\n", strings.Count(comment, "\n"))
	})
}

func lineOf(text string, offset int) int { return 1 + strings.Count(text[:offset], "\n") }
