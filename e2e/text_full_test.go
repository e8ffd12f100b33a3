//go:build full

package e2e_test

import (
	"testing"

	"sendonce/e2e/standin"
)

// Goal: every text arrives as it was approved, in a box that puts no-break spaces and in one that keeps spaces, and a page
// that changes a text is caught.
func TestEveryText(t *testing.T) {
	t.Parallel()
	for name, variant := range map[string]standin.Variant{
		"a box that puts no-break spaces": {}, "a box that keeps spaces": {KeepsSpaces: true, Locale: "ar"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newWorld(t, world{browsers: 1, within: manyWithin})
			runTextCases(t, r, r.install(), variant, textCases)
		})
	}
}

// Goal: a page that changes the text is caught before the click where anything can, and a person is told where nothing can.
func TestEveryRewrite(t *testing.T) {
	r := newWorld(t, world{browsers: 1, within: manyWithin})
	runRewriteCases(t, r, r.install(), rewriteCases)
}
