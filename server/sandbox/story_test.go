package sandbox

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// Goal: people read of every story that there is, in the order in which they are looked through, and of none that there is not.
func TestEveryStoryIsDocumented(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, row := range regexp.MustCompile("(?m)^\\| `sandbox-([a-z-]+)` \\|").FindAllStringSubmatch(string(raw), -1) {
		told = append(told, row[1])
	}
	want := []string{"anything"}
	for _, s := range stories {
		want = append(want, s.name)
	}
	if !slices.Equal(told, want) {
		t.Errorf("docs/sandbox.md tells of %v, the sandbox knows %v", told, want)
	}
}

// Goal: a story is chosen by the whole words of an address, and one that a person has seen through is over.
func TestStoryOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		slug  string
		tries int
		want  string
	}{
		{"sandbox-lost", 0, "lost"},
		{"sandbox-lost-7", 0, "lost"},
		{"sandbox-lost", 1, ""},
		{"sandbox-losty", 0, ""},
		{"lost", 0, ""},
		{"sandbox-refused", 3, "refused"},
		{"sandbox", 0, ""},
		{"sandbox-no-answer-x", 5, "no-answer"},
		{"", 0, ""},
	} {
		if got := storyOf(c.slug, c.tries); got.name != c.want || got.opensIn < opensIn {
			t.Errorf("%s after %d attempts is %+v, want %q", c.slug, c.tries, got, c.want)
		}
	}
}
