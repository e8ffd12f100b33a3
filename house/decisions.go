package house

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
)

const decisionsFolder = "docs/decisions"

var decisionName = regexp.MustCompile(`^([0-9]{4})-[a-z0-9-]+\.md$`)

// decisionNumbers finds decisions that share a number or whose title has another one: other files name them by it.
func decisionNumbers(root string) ([]finding, error) {
	of := map[int]string{}
	return eachFile(root, []string{".md"}, func(name, content string) []finding {
		if path.Dir(name) != decisionsFolder {
			return nil
		}
		match := decisionName.FindStringSubmatch(path.Base(name))
		if match == nil {
			return []finding{{name, 0, "name it NNNN-what-it-decides.md"}}
		}
		number, _ := strconv.Atoi(match[1]) // four digits
		if before := of[number]; before != "" {
			return []finding{{name, 0, fmt.Sprintf("has the number of %s; take the next free one", before)}}
		}
		of[number] = name
		if begins := fmt.Sprintf("# %d. ", number); !strings.HasPrefix(content, begins) {
			return []finding{{name, 1, fmt.Sprintf("its title must begin with %q", begins)}}
		}
		return nil
	})
}
