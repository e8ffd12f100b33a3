package e2e_test

import (
	"slices"
	"testing"

	"sendonce/e2e/standin"
)

// personCase is one way in which the pages around a person can be, and what comes of writing to them: the message goes to
// them, or the send fails for a reason with nothing typed and nothing sent to anyone.
type personCase struct {
	name       string
	variant    standin.Variant
	isStranger bool // not connected
	isNamed    bool // by profile id instead of slug, so that no profile is opened
	// before prepares the world, write writes; without it the case's text is simply written.
	before func(*writing)
	write  func(*writing)
	reason string // "" when it arrives
	// ends says how a case ends that is neither.
	ends func(*writing)
	// inSample cases run in every test; isSlow ones wait for a page that never shows what is needed.
	inSample, isSlow bool
}

// stale is the bubble of someone else that stays on every page.
func stale(more standin.Variant) standin.Variant {
	more.StaleBubbleOf = ben.Slug
	return more
}

// pageCases differ in what the pages show.
var pageCases = []personCase{
	{name: "three equal Message links and a decoy in an aside, name in h1", variant: standin.Variant{NameInH1: true}},
	{name: "a hidden copy of the messaging app", variant: standin.Variant{HiddenCopy: true}, isNamed: true},
	{name: "German", variant: standin.Variant{Locale: "de", HiddenCopy: true}},
	{name: "Arabic, from right to left", variant: standin.Variant{Locale: "ar", NameInH1: true, HiddenCopy: true}},
	{name: "Arabic, an existing conversation", variant: standin.Variant{Locale: "ar"}, isNamed: true, before: acquainted},
	{name: "a Message link of someone else outside an aside", variant: standin.Variant{DecoyInMain: true}, reason: "wrong_person"},
	{name: "not connected", isStranger: true, reason: "not_connected", inSample: true},
	{name: "not connected, German", isStranger: true, variant: standin.Variant{Locale: "de"}, reason: "not_connected"},
	{name: "not connected, by id", isStranger: true, isNamed: true, reason: "not_connected", isSlow: true},
	{name: "paid InMail offered on the profile", isStranger: true, variant: standin.Variant{PaidInMail: true}, reason: "not_connected"},
	{name: "paid InMail on the compose page", isStranger: true, isNamed: true, variant: standin.Variant{PaidInMail: true, Locale: "ar"}, reason: "would_cost_inmail"},

	{name: "someone else's bubble, minimised", variant: stale(standin.Variant{}), isNamed: true, reason: "wrong_person"},
	{
		name: "someone else's bubble, minimised, with a draft", variant: stale(standin.Variant{StaleDraft: "For him alone"}), isNamed: true,
		reason: "wrong_person", inSample: true,
	},
	{name: "someone else's bubble, open, with a draft", variant: stale(standin.Variant{StaleOpen: true, StaleDraft: "For him alone"}), reason: "wrong_person"},
	{
		name:    "someone else's bubble in the shadow root, open",
		variant: stale(standin.Variant{StaleOpen: true, StaleInShadow: true}), isNamed: true, reason: "wrong_person",
	},
	{
		name:    "someone else's bubble in the shadow root, minimised, with a draft, in an existing conversation",
		variant: stale(standin.Variant{StaleInShadow: true, StaleDraft: "For him alone"}), isNamed: true, before: acquainted, reason: "wrong_person",
	},
	{name: "the conversation in a bubble in the shadow root", variant: standin.Variant{InBubble: true}, isNamed: true, reason: "wrong_person", isSlow: true},
	{name: "two boxes", variant: standin.Variant{TwoPanes: true}, isNamed: true, reason: "wrong_person"},
	{name: "two boxes in an existing conversation", variant: standin.Variant{TwoPanes: true}, isNamed: true, before: acquainted, reason: "wrong_person"},

	{name: "a draft of the recruiter", variant: standin.Variant{Draft: "Dear Pat,\n\nabout"}, isNamed: true, reason: "occupied_draft", inSample: true},
	{name: "a draft in an existing conversation", variant: standin.Variant{Draft: "?"}, before: acquainted, reason: "occupied_draft"},
	{name: "the same text as a draft", variant: standin.Variant{Draft: "Hello"}, isNamed: true, before: func(w *writing) { w.body = "Hello" }, reason: "occupied_draft"},
	{name: "Enter sends, and there is no Send button", variant: standin.Variant{EnterToSend: true}, isNamed: true, reason: "enter_to_send", isSlow: true},
	{
		name: "Enter sends, in an existing conversation", variant: standin.Variant{EnterToSend: true}, isNamed: true, before: acquainted,
		reason: "enter_to_send", isSlow: true,
	},
	{name: "a conversation that shows no messages", isNamed: true, before: func(w *writing) { w.thread() }, reason: "no_composer", isSlow: true},
}

// acquainted gives the person a conversation of long ago.
func acquainted(w *writing) { w.thread(standin.Message{From: w.person.Slug, Text: "Nice to meet you"}) }

// runPersonCases runs the cases in one browser, one after the other.
func runPersonCases(t *testing.T, r *rig, in *install, cases []personCase) {
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			person := pat(i)
			person.Connected = !c.isStranger
			w := r.writing(t, in, person, c.variant)
			w.byID = c.isNamed
			if c.before != nil {
				c.before(w)
			}
			if c.write == nil {
				w.write()
			} else {
				c.write(w)
			}
			switch {
			case c.ends != nil:
				c.ends(w)
			case c.reason != "":
				w.wantsRefused(c.reason)
			default:
				w.wantsArrived()
			}
		})
	}
}

// pick chooses cases, in their order.
func pick(cases []personCase, wanted func(personCase) bool) []personCase {
	return slices.DeleteFunc(slices.Clone(cases), func(c personCase) bool { return !wanted(c) })
}

// allPersonCases are those of the pages and those of what happened before.
func allPersonCases() []personCase { return slices.Concat(pageCases, pastCases) }
