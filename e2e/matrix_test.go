package e2e_test

import (
	"net/http"
	"slices"
	"time"

	"sendonce/e2e/standin"
	"sendonce/server/rule"
)

// end is what design 3's table makes of an attempt.
type end struct {
	status rule.Status
	code   string
}

var (
	confirmed      = end{rule.Sent, "confirmed"}
	noEvidence     = end{rule.Unconfirmed, "no_evidence"}
	serverError    = end{rule.Unconfirmed, "server_error"}
	noAnswer       = end{rule.Unconfirmed, "no_answer"}
	doubleRequest  = end{rule.Unconfirmed, "double_request"}
	foreignRequest = end{rule.Unconfirmed, "foreign_request"}
	stopped        = end{rule.Failed, "account_stopped"}
	limited        = end{rule.Failed, "rate_limited"}
	refused        = end{rule.Failed, "refused_by_provider"}
)

// The incidents that one attempt may open.
const (
	browserRepeated = "browser_repeated"
	doubleIncident  = "double_request"
)

// limitPause is the Retry-After of every 429 here. The server waits up to a fifth longer by chance: after limitOver it has
// surely waited. The database's clock is moved by that, and all its moves together stay below the five minutes by which
// LinkedIn's clock may differ from the server's.
const (
	limitPause = 50 * time.Second
	limitOver  = limitPause + limitPause/5
)

// answer is one way to answer the delivery request.
type answer struct {
	name string
	do   standin.Answer
	// unseen is the end when the conversation does not show the message; shown, it is sent whatever the answer.
	unseen end
	// effect is what the answer, and nothing else, does to the account.
	effect rule.Effect
}

var answers = []answer{
	{"200 that names no message", standin.Status(http.StatusOK), noEvidence, rule.EffectNone},
	{"200 HTML after a redirect to a checkpoint", standin.RedirectToHTML, noEvidence, rule.EffectStop},
	{"200 HTML after a redirect to the feed", standin.RedirectToFeed, noEvidence, rule.EffectNone},
	{"400", standin.Status(http.StatusBadRequest), refused, rule.EffectNone},
	{"401", standin.Status(http.StatusUnauthorized), stopped, rule.EffectStop},
	{"403", standin.Status(http.StatusForbidden), stopped, rule.EffectStop},
	{"422", standin.Status(http.StatusUnprocessableEntity), refused, rule.EffectNone},
	{"429 with Retry-After", standin.Status(http.StatusTooManyRequests), limited, rule.EffectCoolDown},
	{"451", standin.Status(http.StatusUnavailableForLegalReasons), stopped, rule.EffectStop},
	{"500", standin.Status(http.StatusInternalServerError), serverError, rule.EffectNone},
	{"503", standin.Status(http.StatusServiceUnavailable), serverError, rule.EffectNone},
	{"999", standin.Status(999), stopped, rule.EffectStop},
	{"none: it hangs", standin.Hang, noAnswer, rule.EffectNone},
	{"none: the connection is closed", standin.Close, noAnswer, rule.EffectNone},
	{"none: the connection is reset", standin.ResetConnection, noAnswer, rule.EffectNone},
	{"none: the stream is broken", standin.BreakStream, noAnswer, rule.EffectNone},
}

// answerNamed is the answer of that name; a name that the table does not have is a mistake of the test.
func answerNamed(name string) answer {
	return answers[slices.IndexFunc(answers, func(a answer) bool { return a.name == name })]
}

// repeats counts copies that no second click made: the browser's, when it repeats a request by itself, and the page's,
// when it posts again for one click.
type repeats struct{ browser, page int }

// matrixCase is one send, and what the design says must become of it.
type matrixCase struct {
	name, side string
	// faults strike the first, the second, ... request; the last one strikes all that follow, unless it is once.
	faults []standin.Fault
	once   bool
	page   standin.Variant
	// lag is released when the first look has been answered; nil is no lag.
	lag *standin.Gate
	// nextWaits has another message approved meanwhile, which must wait until a person clears the account.
	nextWaits bool

	clicks, requests, copies int
	// orMore: Chromium repeats a request once for each idle connection that it has, and there is at least one.
	orMore   bool
	repeats  repeats
	end      end
	effect   rule.Effect
	incident string
}

const (
	beforeAccepting = "before accepting"
	afterAccepting  = "after accepting"
	notShown        = "after accepting, not shown"
)

// before is the answer instead of accepting.
func (a answer) before() matrixCase {
	return a.on(beforeAccepting, standin.Fault{When: standin.BeforeAccept}, a.unseen)
}

// after is the answer although the message was accepted, which the conversation shows.
func (a answer) after() matrixCase {
	c := a.on(afterAccepting, standin.Fault{When: standin.AfterAccept}, confirmed)
	c.copies = 1
	return c
}

// hidden is the answer although the message was accepted, while the conversation lags behind.
func (a answer) hidden() matrixCase {
	c := a.on(notShown, standin.Fault{When: standin.AfterAccept, HideFromThread: standin.NewGate()}, a.unseen)
	c.copies = 1
	return c
}

func (a answer) on(side string, fault standin.Fault, end end) matrixCase {
	fault.Do = a.do
	if a.effect == rule.EffectCoolDown {
		fault.RetryAfter = limitPause
	}
	return matrixCase{
		name: a.name, side: side, faults: []standin.Fault{fault}, clicks: 1, requests: 1, end: end, effect: a.effect,
		once: end == limited, // its retry is a send of its own, and goes out
	}
}

// broken is a case in which each connection ends unanswered. Chromium repeats the request: over HTTP/2 once, over HTTP/1.1
// until it has no used connection left.
func (c matrixCase) broken(protocol standin.Protocol) matrixCase {
	c.orMore = protocol == standin.HTTP1
	c.requests = 2
	if c.copies > 0 {
		c.copies, c.repeats.browser = 2, 1
	}
	if c.end == confirmed {
		c.incident = browserRepeated
	}
	return c
}

// everyAnswer is the full product for one protocol: each answer before and after accepting, and where it proves nothing
// also while the conversation does not show what was accepted.
func everyAnswer(protocol standin.Protocol) []matrixCase {
	var cases []matrixCase
	for _, a := range answers {
		if a.do == standin.BreakStream && protocol == standin.HTTP1 {
			continue // a stream of HTTP/1.1 is its connection
		}
		sides := []matrixCase{a.before(), a.after()}
		if a.unseen.status == rule.Unconfirmed {
			sides = append(sides, a.hidden())
		}
		for _, c := range sides {
			if a.do == standin.Close || a.do == standin.ResetConnection {
				c = c.broken(protocol)
			}
			cases = append(cases, c)
		}
	}
	return cases
}
