package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"sendonce/e2e/standin"
)

// rewriteCase is a page that does something with what is typed into it.
type rewriteCase struct {
	name    string
	variant standin.Variant
	text    string
	// isKnown: into an existing conversation; else as a first message.
	isKnown  bool
	ends     func(*writing)
	inSample bool
}

// rewriteCases are pages that change the text, and pages that only look as if they did.
var rewriteCases = []rewriteCase{
	{
		name: "a page that puts no-break spaces", variant: standin.Variant{Rewrite: "keep_together", RewriteAt: "typed"},
		text: "Hello  there, Pat", ends: arrives,
	},
	{
		name: "a page that decorates the text", variant: standin.Variant{Rewrite: "decorate", RewriteAt: "after_typing"},
		text: "Hello Pat,\n\nbye", isKnown: true, ends: arrives,
	},
	{
		name: "a page that decorates the text as it is sent", variant: standin.Variant{Rewrite: "decorate", RewriteAt: "sent"},
		text: "Hello Pat,\n\nbye", ends: arrives,
	},
	{
		name: "a page that keeps spaces", variant: standin.Variant{KeepsSpaces: true},
		text: "  Hello  Pat,\n\n   bye", isKnown: true, ends: arrives,
	},
	{
		name: "a page that draws in animation frames", variant: standin.Variant{AnimationFrames: true},
		text: "Hello Pat,\n\nbye", ends: arrivesShown,
	},

	{
		name: "a smiley becomes an emoji", variant: standin.Variant{Rewrite: "emoji", RewriteAt: "typed"},
		text: "Hello :)", isKnown: true, ends: isCleared, inSample: true,
	},
	{
		name: "quotes become curly", variant: standin.Variant{Rewrite: "quotes", RewriteAt: "typed"},
		text: `Say "hello"`, ends: isCleared,
	},
	{
		name: "spaces are trimmed", variant: standin.Variant{Rewrite: "trim", RewriteAt: "typed"},
		text: "  indented", isKnown: true, ends: isCleared,
	},

	{
		name: "a smiley becomes an emoji just before the click", variant: standin.Variant{Rewrite: "emoji", RewriteAt: "after_typing"},
		text: "Hello :)", ends: isLeft, inSample: true,
	},
	{
		name: "quotes become curly just before the click", variant: standin.Variant{Rewrite: "quotes", RewriteAt: "after_typing"},
		text: `Say "hello"`, isKnown: true, ends: isLeft,
	},
	{
		name: "spaces are trimmed just before the click", variant: standin.Variant{Rewrite: "trim", RewriteAt: "after_typing"},
		text: "  indented", ends: isLeft,
	},

	{
		name: "the page turns to someone else just before the click", variant: standin.Variant{SwapsTo: ben.Slug},
		text: "Hello Pat", isKnown: true, ends: isClearedAs("wrong_person"),
	},
	{
		name: "the first message turns to someone else just before the click", variant: standin.Variant{SwapsTo: ben.Slug},
		text: "Hello Pat", ends: isClearedAs("wrong_person"), inSample: true,
	},

	{
		name: "a smiley becomes an emoji in the page's own sending", variant: standin.Variant{Rewrite: "emoji", RewriteAt: "sent"},
		text: "Hello :)", isKnown: true, ends: wasChanged,
	},
}

func arrives(w *writing) {
	w.wantsArrived()
	w.wantsTyped()
}

// arrivesShown is how it ends on a page that stands still in a hidden tab: it is shown, and then goes on.
func arrivesShown(w *writing) {
	w.isShown = true
	arrives(w)
}

func isCleared(w *writing) { w.wantsCleared("no_composer") }

func isClearedAs(reason string) func(*writing) {
	return func(w *writing) { w.wantsCleared(reason) }
}

// isLeft is how it ends when the text in the box is no longer ours: nothing is clicked, and it is not ours to clear.
func isLeft(w *writing) {
	w.wantsALook("draft_left")
	w.awaitSite(func(s standin.State) bool { return len(w.left(s)) == 1 })
	if left := w.left(w.site.State()); slices.Contains(left, w.body) {
		w.Errorf("the box holds %q, which the page was to change", left)
	}
	w.wantsOwnBoxOnly(w.site.State())
	w.wantsNothingSent()
}

// wasChanged is how it ends when the page sends something else than what stood in the box at the click, which nothing can
// prevent: a person is told.
func wasChanged(w *writing) {
	w.wantsALook("foreign_request")
	w.wants(w.person, strings.ReplaceAll(w.body, ":)", "🙂"))
	w.awaitEmpty()
}

// runRewriteCases runs the cases in one browser, one after the other.
func runRewriteCases(t *testing.T, r *rig, in *install, cases []rewriteCase) {
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			person := pat(i)
			person.Slug = "rory-" + person.Slug
			w := r.writing(t, in, person, c.variant)
			w.byID, w.body = true, c.text
			if c.isKnown {
				acquainted(w)
			}
			w.write()
			c.ends(w)
		})
	}
}
