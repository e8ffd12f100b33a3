package house

import (
	"path"
	"regexp"
	"strings"
)

var (
	// aloneTests and alonePackages are what the Makefile runs without the race detector.
	aloneTests    = regexp.MustCompile(`(?m)^ALONE := (\S+)$`)
	alonePackages = regexp.MustCompile(`(?m)^ALONE_IN := (.+)$`)
	testFunction  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
)

// neverRun finds tests that the race detector's build leaves out and that nothing runs instead.
func neverRun(root string) ([]finding, error) {
	makefile, err := read(root, "Makefile")
	if err != nil {
		return nil, err
	}
	tests, packages := listed(aloneTests, makefile, "|"), listed(alonePackages, makefile, " ")
	return eachFile(root, []string{"_test.go"}, func(name, content string) []finding {
		constraint, _, _ := strings.Cut(content, "\n")
		if !strings.HasPrefix(constraint, "//go:build") || !strings.Contains(constraint, "!race") {
			return nil
		}
		var found []finding
		for _, function := range testFunction.FindAllStringSubmatch(content, -1) {
			if !tests[function[1]] || !packages["./"+path.Dir(name)] {
				found = append(found, finding{name, 0, function[1] + " is never run: name it in ALONE of the Makefile, and its package in ALONE_IN"})
			}
		}
		return found
	})
}

// listed are the words of the Makefile's line, which stand between separators.
func listed(line *regexp.Regexp, makefile, separator string) map[string]bool {
	words := map[string]bool{}
	if found := line.FindStringSubmatch(makefile); found != nil {
		for word := range strings.SplitSeq(found[1], separator) {
			words[word] = true
		}
	}
	return words
}
