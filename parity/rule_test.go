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
	requireSame(t, diffMoves(loadExtension(t, nil)))
}

func diffMoves(js extension) []string {
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
	requireSame(t, diffOutcomes(loadExtension(t, nil)))
}

func answers() []rule.Answer {
	all := []rule.Answer{{Kind: rule.AnswerRedirect}, {Kind: rule.AnswerSignIn}, {Kind: rule.AnswerNone}, {Kind: rule.AnswerLost}}
	for number := statusNumberMin; number <= statusNumberMax; number++ {
		all = append(all, rule.Answer{Kind: rule.AnswerStatus, Status: number})
	}
	return all
}

func answerForJS(answer rule.Answer) map[string]any {
	if answer.Kind != rule.AnswerStatus {
		return map[string]any{"kind": answer.Kind}
	}
	return map[string]any{"kind": answer.Kind, "status": answer.Status}
}

func diffOutcomes(js extension) []string {
	var diffs []string
	for _, answer := range answers() {
		for _, look := range rule.Looks() {
			for bits := range 8 {
				double, foreign, copies := bits&1 != 0, bits&2 != 0, 1+bits>>2
				want := rule.Classify(rule.Acted{Answer: answer, Double: double, Foreign: foreign, Look: look, Copies: copies})
				got, err := js.outcome("classify", map[string]any{
					"answer": answerForJS(answer), "double": double, "foreign": foreign, "look": string(look), "copies": copies,
				})
				if err != nil || got != want {
					diffs = append(diffs, fmt.Sprintf("%v %s double %t foreign %t copies %d: Go %v, JavaScript %v %v", answer, look, double, foreign, copies, want, got, err))
				}
			}
		}
	}
	return diffs
}

// Goal: both sides make the same of every end without an act.
func TestEnds(t *testing.T) {
	t.Parallel()
	requireSame(t, diffEnds(loadExtension(t, nil)))
}

func diffEnds(js extension) []string {
	var diffs []string
	for _, reason := range rule.Reasons() {
		for _, find := range rule.Finds() {
			for _, box := range rule.Boxes() {
				for bits := range 4 {
					request, unbroken := bits&1 != 0, bits&2 != 0
					want := rule.End(rule.Unacted{Reason: reason, Find: find, Box: box, Request: request, Unbroken: unbroken})
					got, err := js.outcome("end", map[string]any{
						"reason": reason, "find": string(find), "box": string(box), "request": request, "unbroken": unbroken,
					})
					if err != nil || got != want {
						diffs = append(diffs, fmt.Sprintf("%s %s %s request %t unbroken %t: Go %v, JavaScript %v %v", reason, find, box, request, unbroken, want, got, err))
					}
				}
			}
		}
	}
	return diffs
}

// Goal: both sides do the same to an account, for every answer.
func TestAccountEffects(t *testing.T) {
	t.Parallel()
	requireSame(t, diffEffects(loadExtension(t, nil)))
}

func diffEffects(js extension) []string {
	var diffs []string
	for _, answer := range answers() {
		want := rule.AccountEffect(answer)
		got, err := js.call("accountEffect", answerForJS(answer))
		if err != nil || said(got) != string(want) {
			diffs = append(diffs, fmt.Sprintf("%v: Go %q, JavaScript %v %v", answer, want, got, err))
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
		diff                   func(extension) []string
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
			if diffs := c.diff(loadExtension(t, map[string]string{c.module: changed})); len(diffs) == 0 {
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
