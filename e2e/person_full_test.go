//go:build full

package e2e_test

import (
	"testing"
	"time"
)

// manyWithin bounds the cases that one browser runs one after the other.
const manyWithin = 15 * time.Minute

// Goal: that of the sample TestSomePersonsAndTexts, over everything that is known of pages and pasts.
func TestEveryPerson(t *testing.T) {
	t.Parallel()
	for name, isSlow := range map[string]bool{"shown at once": false, "never shown": true} {
		t.Run(name, func(t *testing.T) {
			r := newWorld(t, world{browsers: 1, within: manyWithin})
			runPersonCases(t, r, r.install(), pick(allPersonCases(), func(c personCase) bool { return c.isSlow == isSlow }))
		})
	}
}
