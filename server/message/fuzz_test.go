package message

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sendonce/server/config"
	"sendonce/server/problem"
)

// Goal: what is canonical stays as it is, whatever came in: nothing is rendered anew later. A refusal names the field.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{"Hello\r\nAda ", "a\u0308\n\n", " x", "\u1100\u1161", "a\u00a0\n\u2003\nb", "a\tb", "a\x00b", "a\xff", "\u2028"} {
		f.Add(seed)
	}
	canonicals := map[string]func(field, raw string) (string, error){
		"body": CanonicalBody, "note": CanonicalNote,
		"line": func(field, raw string) (string, error) { return CanonicalLine(field, raw, config.SubjectRunesMax) },
	}
	f.Fuzz(func(t *testing.T, raw string) {
		for field, canonical := range canonicals {
			once, err := canonical(field, raw)
			if err != nil {
				if p := problem.As(err); p == nil || p.Field != field {
					t.Errorf("%q is refused without the field %s: %v", raw, field, err)
				}
				continue
			}
			if twice, err := canonical(field, once); err != nil || twice != once {
				t.Errorf("%s: %q gives %q, and that gives %q, %v", field, raw, once, twice, err)
			}
			if !norm.NFC.IsNormalString(once) || strings.ContainsAny(once, "\r\x00") || !utf8.ValidString(once) {
				t.Errorf("%s: %q gives %q, which is not as a message box and Postgres keep it", field, raw, once)
			}
		}
	})
}

// Goal: "the same words" do not hang on how often a text was folded, on its composition, or on what made it canonical.
func FuzzFold(f *testing.F) {
	for _, seed := range []string{"hello ADA, straße", " Hello\u00a0Ada,\n\nStraße ", "Hel\u200blo", "İ\u0345", "ǰ\u0323", "\u1e9e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !utf8.ValidString(raw) {
			return // a text that is kept is UTF-8
		}
		folded := Fold(raw)
		for how, same := range map[string]string{
			"folded": folded, "decomposed": norm.NFD.String(raw), "spaced": " " + strings.ReplaceAll(raw, " ", "\u00a0\n ") + "\n",
		} {
			if again := Fold(same); again != folded {
				t.Errorf("%q folds to %q, but %s it folds to %q", raw, folded, how, again)
			}
		}
		if body, err := CanonicalBody("body", raw); err == nil && !bytes.Equal(TextHash(body), TextHash(raw)) {
			t.Errorf("%q and its canonical form %q are two texts", raw, body)
		}
	})
}
