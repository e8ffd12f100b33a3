package search_test

import (
	"slices"
	"testing"

	"sendonce/parity/search"
)

// retried is how the retry comes to its click, in the other browser.
var retried = []string{
	"a person retries send 1", "browser 1 is given send 2 to lease", "browser 1 hears lease of lease 2",
	"the server hears start of lease 2", "browser 1 hears started of lease 2",
	"browser 1 opens the conversation, which does not show the message", "browser 1 asks to write, goes on",
}

// ways are the shortest ways to two copies without each rule, as make search finds them, and without a part of one.
func ways() map[*search.Rule][]string {
	return map[*search.Rule][]string{
		&search.AttemptID: slices.Concat(search.Usual, []string{
			"browser 0 clicks; the provider takes it",
			"browser 0 loses its power: all it wrote of its last lease is lost", "browser 0 has a new worker",
			"browser 0 hears lease of lease 1", "the server hears start of lease 1 (attempt of worker 2)",
			"browser 0 hears started of lease 1 (attempt of worker 2)",
			"browser 0 opens the conversation, which does not show the message", "browser 0 asks to write, goes on",
			"browser 0 clicks; the provider takes it",
		}),
		&search.TouchWindow: slices.Concat(search.Usual, []string{
			"the deadline of send 1 passes", "send 1 becomes unconfirmed", "the grace after the deadline of send 1 passes",
			"the longest wait for send 1 passes", "a person looks and says of send 1: it was not delivered",
		}, retried, []string{"browser 1 clicks; the provider takes it", "browser 0 clicks; the provider takes it"}),
		&search.Journal: slices.Concat(search.Usual, []string{
			"browser 0 clicks; the provider takes it", "browser 0 loses its power: its last write is lost",
			"browser 0 has a new worker", "the server hears report of lease 1",
		}, retried, []string{"browser 1 clicks; the provider takes it"}),
		&search.QuietTime: slices.Concat(search.Usual, []string{
			"browser 0 clicks; the request is on its way", "the deadline of send 1 passes", "send 1 becomes unconfirmed",
			"a person looks and says of send 1: it was not delivered",
		}, retried, []string{"browser 1 clicks; the provider takes it", "a request on its way reaches the provider"}),
		// A machine sleeps with the request unsent, wakes when deadline and grace are over, sends it, and its tab is closed.
		&search.LateTab: slices.Concat(search.Usual, []string{
			"browser 0 clicks; the request is on its way", "the deadline of send 1 passes", "send 1 becomes unconfirmed",
			"the grace after the deadline of send 1 passes", "browser 0 closes the tab: watching",
			"browser 0 looks, and is shown nothing", "browser 0 closes the tab", "the server hears gone of lease 1",
			"a person looks and says of send 1: it was not delivered",
		}, retried, []string{"browser 1 clicks; the provider takes it", "a request on its way reaches the provider"}),
	}
}

// Without each rule, its way leads to two copies; with all, it ends before. That no other way does, make search shows.
func TestEachRuleClosesItsWay(t *testing.T) {
	t.Parallel()
	for rule, steps := range ways() {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			copies, followed, err := search.Follow(rule, rule.Within, steps)
			if err != nil {
				t.Fatal(err)
			}
			if followed < len(steps) {
				t.Fatalf("without the rule there is no step %d, %q", followed+1, steps[followed])
			}
			if copies != 2 {
				t.Errorf("without the rule the provider has %d copies, want 2", copies)
			}
			copies, followed, err = search.Follow(nil, rule.Within, steps)
			if err != nil {
				t.Fatal(err)
			}
			if followed == len(steps) || copies > 1 {
				t.Errorf("with the rule there are %d copies after %d of %d steps", copies, followed, len(steps))
			}
		})
	}
}

func TestWithAllRulesNoTwoCopiesAppear(t *testing.T) {
	t.Parallel()
	within := search.TouchWindow.Within // without that rule two copies appear before as many states
	within.States = search.StatesInTests
	r, err := search.Run(nil, within, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Path != nil {
		t.Fatalf("two copies with all four rules:\n%s", r.Story())
	}
	t.Log(r)
}
