//go:build full

package e2e_test

import (
	"strconv"
	"testing"
)

// Goal: whatever the step and however the worker dies, its successor clicks nothing, closes the tab, and says what it can
// prove.
func TestWorkerDiesAtEveryStep(t *testing.T) {
	for i, w := range []way{closed, idle, reloaded, killed} {
		t.Run(w.name, func(t *testing.T) {
			r := newWorld(t, world{browsers: 1, within: matrixWithin})
			in := r.install()
			for j, d := range deaths {
				t.Run(d.at.name, func(t *testing.T) {
					r.attempt(t, in, "case-"+strconv.Itoa(i)+"-"+strconv.Itoa(j)).dies(d, w)
				})
			}
		})
	}
}
