//go:build full

package e2e_test

import (
	"fmt"
	"testing"
)

// Goal: every hand of the table, at every step.
func TestEveryHand(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: matrixWithin})
	in := r.install()
	for i, c := range handCases {
		t.Run(c.name, func(t *testing.T) { r.attempt(t, in, fmt.Sprintf("hand-%d", i)).meets(c) })
	}
}
