package e2e_test

import (
	"net/http"
	"slices"

	"sendonce/e2e/standin"
	"sendonce/server/rule"
)

const (
	byThePage    = "by the page"
	byTheBrowser = "by the browser"
)

// drops are connections that end after accepting, so often, before the answer: Chromium repeats the request by itself, and
// shows the extension one clean request with the last answer.
func drops(times int, last answer, lags bool) matrixCase {
	drop := standin.Fault{When: standin.AfterAccept, Do: standin.Close}
	name := "dropped once after accepting, then " + last.name
	if times > 1 {
		name = "dropped twice after accepting, then " + last.name
	}
	c := last.before()
	c.name, c.side, c.end, c.once = name, byTheBrowser, confirmed, false
	if lags {
		c.side += ", first shown to the second look"
		c.lag = standin.NewGate()
		drop.HideFromThread = c.lag
		c.faults[0].HideFromThread = c.lag
	}
	for range times {
		c.faults = append([]standin.Fault{drop}, c.faults...)
	}
	c.requests = times + 1
	c.copies, c.repeats.browser = times, times-1
	if last.do == standin.AsUsual {
		c.copies, c.repeats.browser = times+1, times
	}
	if c.repeats.browser > 0 {
		c.incident = browserRepeated
	}
	return c
}

// usual is no fault at all.
var usual = answer{"200", standin.AsUsual, confirmed, rule.EffectNone}

// droppedOnce is what either protocol repeats.
func droppedOnce() []matrixCase {
	return []matrixCase{
		drops(1, usual, false), drops(1, usual, true),
		drops(1, answerNamed("429 with Retry-After"), false), drops(1, answerNamed("429 with Retry-After"), true),
		drops(1, answerNamed("400"), false), drops(1, answerNamed("400"), true),
	}
}

// droppedTwice is what HTTP/1.1 repeats twice, and HTTP/2 once: there the last answer is never asked for.
func droppedTwice(protocol standin.Protocol) []matrixCase {
	cases := []matrixCase{
		drops(2, usual, false), drops(2, answerNamed("429 with Retry-After"), false), drops(2, answerNamed("400"), false),
	}
	for i := range cases {
		if protocol == standin.HTTP2 {
			cases[i].requests, cases[i].copies, cases[i].repeats.browser, cases[i].effect = 2, 2, 1, rule.EffectNone
		}
	}
	return cases
}

// pagePosts are requests that no click of ours made, or one click twice.
func pagePosts() []matrixCase {
	refuse := standin.Fault{When: standin.BeforeAccept, Do: standin.Status(http.StatusBadRequest)}
	limit := standin.Fault{When: standin.BeforeAccept, Do: standin.Status(http.StatusTooManyRequests), RetryAfter: limitPause}
	lost := standin.Fault{When: standin.AfterAccept, Do: standin.Status(http.StatusServiceUnavailable), HideFromThread: standin.NewGate()}
	twice, itself, another := standin.Variant{PostsTwice: true}, standin.Variant{PostsItself: true}, standin.Variant{PostsAnother: true}
	return []matrixCase{
		{
			name: "two requests for one click, both accepted", side: byThePage, page: twice,
			clicks: 1, requests: 2, copies: 2, repeats: repeats{page: 1}, end: confirmed, incident: browserRepeated,
		},
		{
			name: "two requests for one click, one refused", side: byThePage, page: twice, faults: []standin.Fault{refuse}, once: true,
			clicks: 1, requests: 2, copies: 1, end: confirmed, incident: doubleIncident,
		},
		{
			name: "two requests for one click, one limited", side: byThePage, page: twice, faults: []standin.Fault{limit}, once: true,
			clicks: 1, requests: 2, copies: 1, end: confirmed, incident: doubleIncident, effect: rule.EffectCoolDown,
		},
		{
			name: "two requests for one click, both refused", side: byThePage, page: twice, faults: []standin.Fault{refuse},
			clicks: 1, requests: 2, end: doubleRequest,
		},
		{
			name: "two requests for one click, both accepted and not shown", side: byThePage, page: twice, faults: []standin.Fault{lost},
			clicks: 1, requests: 2, copies: 2, repeats: repeats{page: 1}, end: doubleRequest,
		},
		{name: "a request for what was typed, without a click", side: byThePage, page: itself, requests: 1, copies: 1, end: foreignRequest},
		{
			name: "a request for what was typed, without a click, refused", side: byThePage, page: itself, faults: []standin.Fault{refuse},
			requests: 1, end: foreignRequest,
		},
		{
			name: "a request for what was typed, without a click, and the text left in the box",
			side: byThePage, page: standin.Variant{PostsItself: true, KeepsTyped: true}, requests: 1, copies: 1, end: foreignRequest,
		},
		{
			name: "what was typed is taken out by the page, for a request that is not seen",
			side: byThePage, page: standin.Variant{PostsItself: true, HoldSend: standin.NewGate()}, end: foreignRequest,
		},
		{name: "a request of the page's own beside ours", side: byThePage, page: another, clicks: 1, requests: 1, copies: 1, end: confirmed},
		{
			name: "a request of the page's own beside ours, both refused", side: byThePage, page: another, faults: []standin.Fault{refuse},
			clicks: 1, requests: 1, end: foreignRequest,
		},
	}
}

// pagePostsNamed is the case of that name; a name that there is not is a mistake of the test.
func pagePostsNamed(name string) matrixCase {
	cases := pagePosts()
	return cases[slices.IndexFunc(cases, func(c matrixCase) bool { return c.name == name })]
}

// everyRepeat is all of them for one protocol.
func everyRepeat(protocol standin.Protocol) []matrixCase {
	return slices.Concat(pagePosts(), droppedOnce(), droppedTwice(protocol))
}
