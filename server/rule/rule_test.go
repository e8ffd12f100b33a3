package rule

import (
	"strings"
	"testing"

	"sendonce/shared"
)

// Nothing leads from a started row back to the queue, whoever asks: promise 2 in one loop over the whole table.
func TestNothingLeadsBackToTheQueueAfterAStart(t *testing.T) {
	t.Parallel()
	for _, from := range Statuses() {
		for _, to := range []Status{Queued, Leased} {
			for _, actor := range Actors() {
				for _, started := range []bool{false, true} {
					touched := started || from == Started || from == Unconfirmed || from == Sent || from == Failed
					if touched && Allowed(from, to, actor, started) {
						t.Errorf("%s to %s by %s (started %t) is allowed", from, to, actor, started)
					}
				}
			}
		}
	}
}

func TestEveryStatusMayBecomeSentByEvidence(t *testing.T) {
	t.Parallel()
	for _, from := range Statuses() {
		if from == Sent {
			continue
		}
		started := !from.AdmitsStart(false)
		for _, actor := range []Actor{Sender, Observer} {
			if !Allowed(from, Sent, actor, started) {
				t.Errorf("a confirmation by %s is refused from %s", actor, from)
			}
		}
	}
}

func TestClassifyNeverCallsAnAmbiguityFailed(t *testing.T) {
	t.Parallel()
	proves := func(status int) bool {
		return status == 999 || status >= 400 && status <= 499 && status != 408 && status != 425
	}
	for status := 100; status <= 999; status++ {
		for _, look := range Looks() {
			got := Classify(Acted{Answer: Answer{AnswerStatus, status}, Look: look, Copies: 1})
			want := Unconfirmed
			switch {
			case look == LookFound:
				want = Sent
			case look == LookAbsent && proves(status):
				want = Failed
			}
			if got.Status != want {
				t.Errorf("answer %d, look %s: %s, want %s", status, look, got.Status, want)
			}
		}
	}
}

func TestEveryCodeHasWords(t *testing.T) {
	t.Parallel()
	for _, row := range theTable.Outcomes {
		if theTable.Words.Codes[row.Code] == "" {
			t.Errorf("outcome code %s has no words", row.Code)
		}
	}
	for _, row := range theTable.Ends {
		if theTable.Words.Codes[row.Code] == "" {
			t.Errorf("end code %s has no words", row.Code)
		}
	}
	for _, r := range Refusals() {
		if r.Text() == "" {
			t.Errorf("refusal %s has no words", r)
		}
	}
	for _, reason := range Reasons() {
		if !strings.HasSuffix(CodeText(CodeNotAttempted, reason), theTable.Words.Reasons[reason]) || theTable.Words.Reasons[reason] == "" {
			t.Errorf("reason %s has no words", reason)
		}
	}
	for _, s := range Statuses() {
		if s.Label() == "" || s.Text() == "" {
			t.Errorf("status %s has no words", s)
		}
	}
}

func TestParseRefusesATableItCannotObey(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string][2]string{
		"unknown actor":  {`"by": ["server"], "event": "lease"`, `"by": ["robot"], "event": "lease"`},
		"unknown status": {`"to": "leased"`, `"to": "rented"`},
		"unknown member": {`"version": 1`, `"version": 1, "extra": 2`},
	} {
		broken := strings.Replace(string(shared.StatusesJSON), edit[0], edit[1], 1)
		if broken == string(shared.StatusesJSON) {
			t.Fatalf("%s: the edit changes nothing", name)
		}
		if _, err := parse([]byte(broken)); err == nil {
			t.Errorf("%s: parsed", name)
		}
	}
}

func TestDigestCoversRulesAndNotWords(t *testing.T) {
	t.Parallel()
	reworded := strings.Replace(string(shared.StatusesJSON), `"label": "Queued"`, `"label": "In the queue"`, 1)
	changed := strings.Replace(string(shared.StatusesJSON), `"sibling_exists": "cancel"`, `"sibling_exists": "wait"`, 1)
	for raw, same := range map[string]bool{reworded: true, changed: false} {
		digest, err := rulesDigest([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if (digest == Digest()) != same {
			t.Errorf("digest equal: %t, want %t", !same, same)
		}
	}
}
