package message

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/problem"
)

func TestCanonicalBody(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"Hello Ada":                         "Hello Ada",
		"\r\n\n Hello  Ada \t\r\n\r\nBye\r": " Hello  Ada\n\nBye",
		"Ju\u0308rgen":                      "Jürgen",
		"a\u00a0\n\u2003\nb":                "a\n\nb",
		"100\u00a0%\u00a0\u00a0!\u202f":     "100 %  !",
		"👩‍👩‍👧":                             "👩‍👩‍👧",
	} {
		got, err := CanonicalBody("body", raw)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", raw, got, err, want)
		}
	}
	if got, err := CanonicalBody("body", strings.Repeat("a\n", config.BodyLinesMax)+"\n"); err != nil {
		t.Errorf("%q: %v; that many lines are allowed", got, err)
	}
	for _, raw := range []string{strings.Repeat("a\n", config.BodyLinesMax) + "a", "", " \n ", "a\tb", "a\x00b", "a\u2028b", "a\xffb", "a\u0085b", "\u200b\n\u2060", "\ufe0f", "\u3164", "x" + strings.Repeat("\u0301", 31)} {
		if got, err := CanonicalBody("body", raw); !problem.Is(err, problem.InvalidField) {
			t.Errorf("%q was taken as %q, %v", raw, got, err)
		}
	}
}

func TestTextHashKnowsTheSameWords(t *testing.T) {
	t.Parallel()
	for _, same := range []string{"hello ADA, straße", " Hello\u00a0Ada,\n\nStraße ", "Hello Ada, STRASSE", "Hel\u200blo Ada, straße"} {
		if !bytes.Equal(TextHash(same), TextHash("Hello Ada, Straße")) {
			t.Errorf("%q is another text: %q", same, Fold(same))
		}
	}
	if !bytes.Equal(TextHash("Ᏹ"), TextHash("ᏹ")) {
		t.Error("a letter whose small form is the younger one is two letters")
	}
	if bytes.Equal(TextHash("Hello Ada."), TextHash("Hello Ada")) {
		t.Error("a full stop makes no difference")
	}
}

// A text of nothing that is seen is refused wherever a text is taken; one letter among it is a text.
func TestBlankTexts(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"\u200b", "\ufeff\u2060", "\u200d \u200d", "\u0301", "\u2800", "\u115f\u00ad", "\U000e0041"} {
		for take, fine := range map[string]bool{raw: false, raw + "a": true, raw + "👋": true} {
			_, body := CanonicalBody("body", take)
			_, line := CanonicalLine("purpose", take, config.PurposeRunesMax)
			_, note := CanonicalNote("note", take)
			for _, err := range []error{body, line, note} {
				if (err == nil) != fine {
					t.Errorf("%q: %v", take, err)
				}
			}
		}
	}
}

// The digest is a promise to programs that compute it themselves: one known value, and another for every change.
func TestDigest(t *testing.T) {
	t.Parallel()
	account, person := uuid.MustParse("11111111-1111-4111-8111-111111111111"), uuid.MustParse("22222222-2222-4222-8222-222222222222")
	target := Target{Channel: "linkedin", Account: account, Person: person, Purpose: "first contact"}
	after := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	content := Content{Body: "Hello Ada", SendAfter: &after}
	got, err := Digest(target, content)
	if err != nil {
		t.Fatal(err)
	}
	const want = "sha256:128645f5c675f318541bd8b0b6a054837899c3e0864220e432e3a9f443d68e52"
	if got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
	task, later, subject := "t", after.Add(time.Second), "s"
	for name, change := range map[string]func(*Target, *Content){
		"channel": func(m *Target, _ *Content) { m.Channel = "email" },
		"account": func(m *Target, _ *Content) { m.Account = person },
		"person":  func(m *Target, _ *Content) { m.Person = account },
		"purpose": func(m *Target, _ *Content) { m.Purpose = "x" },
		"task":    func(m *Target, _ *Content) { m.Task = &task },
		"subject": func(_ *Target, c *Content) { c.Subject = &subject },
		"body":    func(_ *Target, c *Content) { c.Body = "Hello  Ada" },
		"opens":   func(_ *Target, c *Content) { c.SendAfter = &later },
		"closes":  func(_ *Target, c *Content) { c.SendBefore = &later },
	} {
		m, c := target, content
		change(&m, &c)
		if changed, err := Digest(m, c); err != nil || changed == want {
			t.Errorf("the digest does not cover the %s", name)
		}
	}
}
