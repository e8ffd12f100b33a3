package parity_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sendonce/parity"
	"sendonce/server/rule"
	"sendonce/shared"
)

// The numbers that an HTTP answer may have, as the frames allow them.
const statusNumberMin, statusNumberMax = 100, 999

// shownMax bounds what a failing comparison prints.
const shownMax = 5

// Goal: both sides allow the same moves, over every from, to, actor and recorded start.
func TestMoves(t *testing.T) {
	t.Parallel()
	requireSame(t, diffMoves(t, loadExtension(t, nil)))
}

func diffMoves(_ *testing.T, js extension) []string {
	var diffs []string
	for _, from := range rule.Statuses() {
		for _, to := range rule.Statuses() {
			for _, actor := range rule.Actors() {
				for _, started := range []bool{false, true} {
					want := rule.Allowed(from, to, actor, started)
					got, err := js.allowed(from, to, actor, started)
					_, thrown := js.call("next", string(from), string(to), string(actor), started)
					_, refused := rule.Next(from, to, actor, started)
					if err != nil || got != want || (thrown == nil) != want || (refused == nil) != want {
						diffs = append(diffs, fmt.Sprintf("%s to %s by %s, started %t: Go %t, JavaScript %t %v", from, to, actor, started, want, got, err))
					}
				}
			}
		}
	}
	return diffs
}

// Goal: both sides make the same of every end with an act: every answer, look, repeat and number of copies.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	requireSame(t, diffOutcomes(t, loadExtension(t, nil)))
}

func answers() []rule.Answer {
	all := []rule.Answer{{Kind: rule.AnswerRedirect}, {Kind: rule.AnswerSignIn}, {Kind: rule.AnswerNone}, {Kind: rule.AnswerLost}}
	for number := statusNumberMin; number <= statusNumberMax; number++ {
		all = append(all, rule.Answer{Kind: rule.AnswerStatus, Status: number})
	}
	return all
}

func diffOutcomes(t *testing.T, js extension) []string {
	var ends []rule.Acted
	var arguments []any
	for _, answer := range answers() {
		for _, look := range rule.Looks() {
			for bits := range 8 {
				end := rule.Acted{Answer: answer, Double: bits&1 != 0, Foreign: bits&2 != 0, Look: look, Copies: 1 + bits>>2}
				ends = append(ends, end)
				arguments = append(arguments, map[string]any{
					"answer": answer, "double": end.Double, "foreign": end.Foreign, "look": look, "copies": end.Copies,
				})
			}
		}
	}
	var diffs []string
	for i, got := range js.each(t, "classify", arguments) {
		if want := rule.Classify(ends[i]); got.Error != "" || got.outcome() != want {
			diffs = append(diffs, fmt.Sprintf("%+v: Go %v, JavaScript %v", ends[i], want, got))
		}
	}
	return diffs
}

// Goal: both sides make the same of every end without an act.
func TestEnds(t *testing.T) {
	t.Parallel()
	requireSame(t, diffEnds(t, loadExtension(t, nil)))
}

func diffEnds(t *testing.T, js extension) []string {
	var ends []rule.Unacted
	var arguments []any
	for _, reason := range rule.Reasons() {
		for _, find := range rule.Finds() {
			for _, box := range rule.Boxes() {
				for bits := range 4 {
					end := rule.Unacted{Reason: reason, Find: find, Box: box, Request: bits&1 != 0, Unbroken: bits&2 != 0}
					ends = append(ends, end)
					arguments = append(arguments, map[string]any{
						"reason": reason, "find": find, "box": box, "request": end.Request, "unbroken": end.Unbroken,
					})
				}
			}
		}
	}
	var diffs []string
	for i, got := range js.each(t, "end", arguments) {
		if want := rule.End(ends[i]); got.Error != "" || got.outcome() != want {
			diffs = append(diffs, fmt.Sprintf("%+v: Go %v, JavaScript %v", ends[i], want, got))
		}
	}
	return diffs
}

// Goal: both sides do the same to an account, for every answer.
func TestAccountEffects(t *testing.T) {
	t.Parallel()
	requireSame(t, diffEffects(t, loadExtension(t, nil)))
}

func diffEffects(t *testing.T, js extension) []string {
	all := answers()
	var arguments []any
	for _, answer := range all {
		arguments = append(arguments, answer)
	}
	var diffs []string
	for i, got := range js.each(t, "accountEffect", arguments) {
		if want := rule.AccountEffect(all[i]); got.Error != "" || got.Effect != want {
			diffs = append(diffs, fmt.Sprintf("%v: Go %q, JavaScript %v", all[i], want, got))
		}
	}
	return diffs
}

// Goal: both sides carry the same table, word for word, under the same digest, and list the same statuses and refusals.
func TestTableAndWords(t *testing.T) {
	t.Parallel()
	js := loadExtension(t, nil)
	statuses := js.vm.Get("statuses").ToObject(js.vm)
	if got := statuses.Get("RULES_DIGEST").String(); got != rule.Digest() {
		t.Errorf("RULES_DIGEST is %s in the extension and %s in Go", got, rule.Digest())
	}
	carried, err := json.Marshal(statuses.Get("TABLE"))
	if err != nil {
		t.Fatal(err)
	}
	var want, got map[string]any
	for raw, into := range map[string]*map[string]any{string(shared.StatusesJSON): &want, string(carried): &got} {
		if err := json.Unmarshal([]byte(raw), into); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the extension's table differs (-shared +extension):\n%s", diff)
	}
	if diff := cmp.Diff(anys(rule.Statuses()), js.rule.Get("STATUSES").Export()); diff != "" {
		t.Errorf("statuses (-Go +JavaScript):\n%s", diff)
	}
	words := got["words"].(map[string]any)
	for _, status := range rule.Statuses() {
		inTable := words["statuses"].(map[string]any)[string(status)].(map[string]any)
		if inTable["label"] != status.Label() || inTable["text"] != status.Text() {
			t.Errorf("%s is called %q, %q in Go", status, status.Label(), status.Text())
		}
	}
	refusals := got["refusals"].(map[string]any)
	for _, refusal := range rule.Refusals() {
		if refusals[string(refusal)] != string(refusal.Disposition()) || words["refusals"].(map[string]any)[string(refusal)] != refusal.Text() {
			t.Errorf("%s does %q, %q in Go", refusal, refusal.Disposition(), refusal.Text())
		}
	}
	if len(refusals) != len(rule.Refusals()) {
		t.Errorf("%d refusals in the extension, %d in Go", len(refusals), len(rule.Refusals()))
	}
}

func anys(statuses []rule.Status) []any {
	var out []any
	for _, status := range statuses {
		out = append(out, string(status))
	}
	return out
}

// Goal: each comparison can fail: a table that differs in one place, or a rule that reads it differently, is found by it.
func TestParityCanFail(t *testing.T) {
	t.Parallel()
	code, err := os.ReadFile(filepath.Join(parity.Root(), "extension", ruleModule))
	if err != nil {
		t.Fatal(err)
	}
	table := "export const RULES_DIGEST = ''; export const TABLE = " + string(shared.StatusesJSON)
	cases := []struct {
		name, module, old, new string
		diff                   func(*testing.T, extension) []string
	}{
		{"a move more", tableModule, `"from": ["leased"], "to": "started"`, `"from": ["queued", "leased"], "to": "started"`, diffMoves},
		{"another actor", tableModule, `"by": ["sender"], "event": "proof"`, `"by": ["server"], "event": "proof"`, diffMoves},
		{"a start not looked at", ruleModule, `started !== (start === 'always')`, `false`, diffMoves},
		{"a range longer by one", tableModule, `"from": 500, "to": 599`, `"from": 500, "to": 600`, diffOutcomes},
		{"copies not counted", ruleModule, `acted.copies > 1`, `acted.copies > 2`, diffOutcomes},
		{"an end in another order", ruleModule, `ENDS.find(`, `ENDS.findLast(`, diffEnds},
		{"an account not stopped", tableModule, `{"kind": "sign_in"}], "effect": "stop"`, `{"kind": "lost"}], "effect": "stop"`, diffEffects},
	}
	texts := map[string]string{tableModule: table, ruleModule: string(code)}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(texts[c.module], c.old, c.new, 1)
			if changed == texts[c.module] {
				t.Fatalf("%s holds no %q", c.module, c.old)
			}
			if diffs := c.diff(t, loadExtension(t, map[string]string{c.module: changed})); len(diffs) == 0 {
				t.Error("the comparison found nothing")
			}
		})
	}
}

func requireSame(t *testing.T, diffs []string) {
	t.Helper()
	if len(diffs) > 0 {
		t.Errorf("%d differences, such as:\n%s", len(diffs), strings.Join(diffs[:min(len(diffs), shownMax)], "\n"))
	}
}
