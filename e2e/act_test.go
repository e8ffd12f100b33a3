package e2e_test

import (
	"context"
	"slices"
	"time"

	"sendonce/e2e/harness"
	"sendonce/e2e/standin"
	"sendonce/server/rule"
)

// toldWithin bounds the wait for what a page says on its own account.
const toldWithin = 10 * time.Second

// result is what the table makes of an attempt.
type result struct {
	status rule.Status
	code   string
	reason string
}

var (
	isSent       = result{rule.Sent, "confirmed", ""}
	isForeign    = result{rule.Unconfirmed, "foreign_request", ""}
	isDraftLeft  = result{rule.Unconfirmed, "draft_left", ""}
	isHalted     = result{rule.Failed, "not_attempted", "halted"}
	isOccupied   = result{rule.Failed, "not_attempted", "occupied_draft"}
	isElsewhere  = result{rule.Failed, "not_attempted", "wrong_person"}
	isTooLate    = result{rule.Failed, "not_attempted", "too_late"}
	isSenderLost = result{rule.Unconfirmed, "sender_lost", ""}
)

// ownWords are what the recruiter writes by hand.
const ownWords = "Own words"

// handCase is something that a person or the page does to our tab at one step of an attempt.
type handCase struct {
	name string
	at   step
	do   func(s *struck)
	want result
	// arrives is what the person of the case really gets; ours stands for our message.
	arrives []string
	clicks  int
	// mayBeTold: the worker may hear that the page was ready, and tell it to go, before it hears that the page is gone. Then
	// no word of the page is unknown.
	mayBeTold bool
	// left is what the box held last; ours stands for our message.
	left     string
	variant  standin.Variant
	inSample bool
}

// ours stands for the text of our message in the table.
const ours = "(our message)"

var handCases = []handCase{
	{name: "stops before anything was opened", at: atStart, do: stops, want: isHalted},

	{name: "types before us", at: atLoaded, do: types, want: isOccupied, left: ownWords, inSample: true},
	{name: "sends before us", at: atLoaded, do: sendsOwn, want: isForeign, arrives: []string{ownWords}, clicks: 1},
	{name: "goes to another page before we type", at: atLoaded, do: navigates, want: isElsewhere},
	{name: "closes the tab before we type", at: atLoaded, do: closes, want: isHalted},
	{name: "stops before we type", at: atLoaded, do: stops, want: isHalted},

	{name: "types beside our text", at: atTyped, do: types, want: isDraftLeft, left: ours + ownWords},
	{name: "empties the box", at: atTyped, do: empties, want: isForeign},
	{name: "goes to another page with our text in it", at: atTyped, do: navigates, want: isDraftLeft, left: ours},
	{name: "closes the tab with our text in it", at: atTyped, do: closes, want: isDraftLeft, left: ours},
	{name: "stops with our text in the box", at: atTyped, do: stops, want: isHalted, inSample: true},
	{name: "stops, and the page keeps the draft", at: atTyped, do: stops, want: isDraftLeft, left: ours, variant: standin.Variant{KeepsDraft: true}},

	{name: "presses Send on our text", at: atPoised, do: pressesSend, want: isForeign, arrives: []string{ours}, clicks: 1, inSample: true},
	{name: "types beside our text when it is ready", at: atPoised, do: types, want: isDraftLeft, left: ours + ownWords},
	{name: "empties the box when it is ready", at: atPoised, do: empties, want: isForeign},
	{name: "goes to another page when it is ready", at: atPoised, do: navigates, want: isDraftLeft, mayBeTold: true, left: ours},
	{name: "closes the tab when it is ready", at: atPoised, do: closes, want: isDraftLeft, mayBeTold: true, left: ours},
	{name: "the page changes to another conversation, with our text", at: atPoised, do: swaps(true), want: isElsewhere, left: ours, inSample: true},
	{name: "the page changes to another conversation, without our text", at: atPoised, do: swaps(false), want: isForeign, left: ours},

	{name: "stops when the page was told to go", at: atGo, do: stops, want: isSent, arrives: []string{ours}, clicks: 1},
	{name: "types after the click", at: atRequest, do: types, want: isSent, arrives: []string{ours}, clicks: 1, left: ownWords},
	{name: "sends another text after the click", at: atRequest, do: sendsOwn, want: isSent, arrives: []string{ours, ownWords}, clicks: 2},
	{name: "goes to another page after the click", at: atRequest, do: navigates, want: isSent, arrives: []string{ours}, clicks: 1},
	{name: "closes the tab after the click", at: atRequest, do: closes, want: isSent, arrives: []string{ours}, clicks: 1},
	{name: "stops after the click", at: atRequest, do: stops, want: isSent, arrives: []string{ours}, clicks: 1},
}

// meets runs one case.
func (s *struck) meets(c handCase) {
	s.Helper()
	clicks, noted := len(s.site.Clicks()), s.in.proxy.Count(harness.Upstream, "noted")
	s.variant = c.variant
	release := s.stopAt(c.at)
	c.do(s)
	release()
	if c.mayBeTold {
		s.wantsUnconfirmed(s.m, c.want.code, isSenderLost.code)
	} else {
		s.wantsResult(c.want)
	}
	s.must(s.in.proxy.Wait(s.ctx, harness.Upstream, "noted", noted+1))
	s.wants(s.person, s.texts(c.arrives...)...)
	s.wants(ben)
	s.wantsClicks(clicks + c.clicks)
	s.wantsInBox(s.texts(c.left)[0])
	s.wantsCleanedUp()
	if s.isPaused {
		_, err := s.in.Command(s.ctx, "resume")
		s.must(err)
	}
}

// wantsResult waits until the attempt has ended, and checks that its row says what the table says.
func (s *struck) wantsResult(want result) {
	s.Helper()
	row, err := s.database.AwaitRow(s.ctx, s.m.ID, hasEnded)
	s.must(err)
	if got := (result{rule.Status(row.Status), row.Code, row.Reason}); got != want {
		s.Errorf("the send is %+v, want %+v", got, want)
	}
	read, err := s.api.Message(s.ctx, s.m.ID)
	s.must(err)
	if got := read.Last().Instruction; got != rule.Instruction(want.status, "linkedin") {
		s.Errorf("the person reads the instruction %q", got)
	}
	if rows, err := s.database.Rows(s.ctx, s.m.ID); err != nil || len(rows) != 1 {
		s.Errorf("the message has %d sends, want 1: %v", len(rows), err)
	}
}

// hasEnded: an attempt was begun and its end is known, or the server has given it up.
func hasEnded(row harness.Row) bool {
	return !slices.Contains([]rule.Status{rule.Queued, rule.Leased, rule.Started}, rule.Status(row.Status))
}

// wantsInBox waits until the person's box was last heard of with this text.
func (s *struck) wantsInBox(want string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, toldWithin)
	defer cancel()
	got := ""
	if err := s.site.Wait(ctx, func(state standin.State) bool {
		newest := standin.Box{}
		for _, told := range state.Typed(s.person.ID) {
			if told.Count >= newest.Count { // what a page tells may be overtaken
				newest = told
			}
		}
		got = newest.Text
		return got == want
	}); err != nil {
		s.Errorf("the box holds %q, want %q", got, want)
	}
}
