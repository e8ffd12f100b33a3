package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"sendonce/e2e/standin"
)

// rewriteCase is a page that does something with what is typed into it.
type rewriteCase struct {
	name     string
	variant  standin.Variant
	text     string
	ends     func(*writing)
	inSample bool
}

// rewriteCases are pages that change the text, and pages that only look as if they did.
var rewriteCases = []rewriteCase{
	{"a page that puts no-break spaces", standin.Variant{Rewrite: "keep_together", RewriteAt: "typed"}, "Hello  there, Pat", arrives, false},
	{"a page that decorates the text", standin.Variant{Rewrite: "decorate", RewriteAt: "after_typing"}, "Hello Pat,\n\nbye", arrives, false},
	{"a page that decorates the text as it is sent", standin.Variant{Rewrite: "decorate", RewriteAt: "sent"}, "Hello Pat,\n\nbye", arrives, false},
	{"a page that keeps spaces", standin.Variant{KeepsSpaces: true}, "  Hello  Pat,\n\n   bye", arrives, false},
	{"a page that draws in animation frames", standin.Variant{AnimationFrames: true}, "Hello Pat,\n\nbye", arrivesShown, false},

	{"a smiley becomes an emoji", standin.Variant{Rewrite: "emoji", RewriteAt: "typed"}, "Hello :)", isCleared, true},
	{"quotes become curly", standin.Variant{Rewrite: "quotes", RewriteAt: "typed"}, `Say "hello"`, isCleared, false},
	{"spaces are trimmed", standin.Variant{Rewrite: "trim", RewriteAt: "typed"}, "  indented", isCleared, false},

	{"a smiley becomes an emoji just before the click", standin.Variant{Rewrite: "emoji", RewriteAt: "after_typing"}, "Hello :)", isLeft, true},
	{"quotes become curly just before the click", standin.Variant{Rewrite: "quotes", RewriteAt: "after_typing"}, `Say "hello"`, isLeft, false},
	{"spaces are trimmed just before the click", standin.Variant{Rewrite: "trim", RewriteAt: "after_typing"}, "  indented", isLeft, false},

	{"a smiley becomes an emoji in the page's own sending", standin.Variant{Rewrite: "emoji", RewriteAt: "sent"}, "Hello :)", wasChanged, false},
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

// isLeft is how it ends when the text in the box is no longer ours: nothing is clicked, and it is not ours to clear.
func isLeft(w *writing) {
	w.wantsUnconfirmed(w.m, "draft_left")
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
	w.wantsUnconfirmed(w.m, "foreign_request")
	w.wants(w.person, strings.ReplaceAll(w.body, ":)", "🙂"))
	w.awaitEmpty()
}

// runRewriteCases runs the cases in one browser, one after the other, alternately as a first message and into an existing
// conversation.
func runRewriteCases(t *testing.T, r *rig, in *install, cases []rewriteCase) {
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			person := pat(i)
			person.Slug = "rory-" + person.Slug
			w := r.writing(t, in, person, c.variant)
			w.byID, w.body = true, c.text
			if i%2 == 1 {
				acquainted(w)
			}
			w.write()
			c.ends(w)
		})
	}
}
