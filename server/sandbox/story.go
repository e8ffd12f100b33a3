package sandbox

import (
	"strings"

	"sendonce/server/rule"
)

// storyPrefix begins the address of every recipient that has a story of its own.
const storyPrefix = "sandbox-"

// story is what happens to whoever is written to under /in/sandbox-NAME, or /in/sandbox-NAME-and-anything. It is the same each
// time. docs/sandbox.md tells them to people.
type story struct {
	name string
	// once: only the first attempt meets it. Later ones are sent, so that the story has an end after a person has acted.
	once bool
	// stops is the reason for which the browser does not press Send, or "".
	stops string
	// stood: the same text stands in the conversation already.
	stood bool
	// answer is what is seen of the delivery request, look what the conversation shows right after it.
	answer rule.Answer
	look   rule.Look
	// copies are those that the made-up LinkedIn takes.
	copies int
	// hidesFor is for how many steps the conversation does not show them.
	hidesFor int
	// silent: the browser says nothing until the deadline has passed.
	silent bool
	// opensIn is how many steps the page takes to open.
	opensIn int
	// retryIn is after how many steps LinkedIn wants to be asked again, 0 when it does not say.
	retryIn int
}

const (
	opensIn     = 2  // steps, of an ordinary page
	opensLate   = 8  // steps, of a slow one
	hidesFor    = 16 // steps
	speaksAfter = 8  // steps after the deadline
	retriesIn   = 6  // steps
)

func answered(status int) rule.Answer { return rule.Answer{Kind: rule.AnswerStatus, Status: status} }

var (
	accepted = answered(200)
	nothing  = rule.Answer{Kind: rule.AnswerNone}
)

// ordinary is the story of everybody who has none of their own.
var ordinary = story{answer: accepted, look: rule.LookFound, copies: 1, opensIn: opensIn}

// stories are looked through in this order.
var stories = []story{
	{name: "slow", answer: accepted, look: rule.LookFound, copies: 1, opensIn: opensLate},
	{name: "no-answer", answer: nothing, look: rule.LookAbsent, copies: 1, hidesFor: hidesFor},
	{name: "late", answer: accepted, look: rule.LookFound, copies: 1, silent: true},
	{name: "lost", once: true, answer: nothing, look: rule.LookAbsent},
	{name: "server-error", once: true, answer: answered(503), look: rule.LookAbsent},
	{name: "limited", once: true, answer: answered(429), look: rule.LookAbsent, retryIn: retriesIn},
	{name: "refused", answer: answered(400), look: rule.LookAbsent},
	{name: "stopped", once: true, answer: answered(403), look: rule.LookAbsent},
	{name: "signed-out", once: true, stops: rule.ReasonSignedOut},
	{name: "not-connected", stops: "not_connected"},
	{name: "inmail", stops: "would_cost_inmail"},
	{name: "replied", stops: "replied"},
	{name: "already-there", stops: "repeat_text", stood: true},
	{name: "twice", answer: accepted, look: rule.LookFound, copies: 2},
}

// storyOf is decided by the address alone. tries are the attempts that this person has met before.
func storyOf(slug string, tries int) story {
	for _, s := range stories {
		rest, named := strings.CutPrefix(slug, storyPrefix+s.name)
		if !named || rest != "" && !strings.HasPrefix(rest, "-") || s.once && tries > 0 {
			continue
		}
		if s.opensIn == 0 {
			s.opensIn = opensIn
		}
		return s
	}
	return ordinary
}
