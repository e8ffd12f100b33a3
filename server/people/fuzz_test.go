package people

import (
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"sendonce/server/problem"
)

// identityRunesMax is what the table person_identities holds.
const identityRunesMax = 320

// Goal: whatever address is taken, its key is one that the same person has under every spelling of the address, and a
// refusal names the field.
func FuzzParseLinkedIn(f *testing.F) {
	for _, seed := range []string{
		"/in/jürgen-x", "https://de.linkedin.com/in/J%C3%BCrgen-x/?utm=1", "/in/İx", "/in/" + someID, "urn:li:fsd_profile:" + someID,
		"  linkedin.com/in/jürgen-x/details/experience/  ", "https://touch.linkedin.com/mwlite/in/a", "https://www.linkedin.com/in/j%25C3%25BCrgen",
		"in/👩‍👩‍👧", "/in/ﬀ-ß-ſ-K", "/in/\u1100\u1161", "https://www.linkedin.com@evil.example/in/ada",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		identity, err := ParseLinkedIn("linkedin", raw)
		if err != nil {
			namesField(t, raw, err)
			return
		}
		checkKey(t, raw, identity)
		if strings.Contains(identity.Value, "/") || strings.Contains(identity.Value, "%") {
			t.Errorf("%q gives the key %q", raw, identity.Value)
		}
		for _, same := range spellings(identity) {
			if again, err := ParseLinkedIn("linkedin", same); err != nil || again != identity {
				t.Errorf("%q gives %v, but %q gives %v, %v", raw, identity, same, again, err)
			}
		}
	})
}

// Goal: as FuzzParseLinkedIn, for mail addresses.
func FuzzParseEmail(f *testing.F) {
	for _, seed := range []string{
		" Ada.Example@Example.COM ", "ada+x@example.com", `"a b"@example.com`, "a@[192.0.2.1]", "jürgen@exämple.de", "İ@x.de",
		"ju\u0308rgen@example.com", "Ada <ada@example.com>", "a@b.c, d@e.f", "a\u00a0b@example.com", "a\u0085@example.com",
		"a@BÜCHER.example", "a@xn--bcher-kva.example", "a@xn--a.example", "a@例え。jp", "a@straße.example", "a@xn--strae-oqa.example", "a@\u13a0.example",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		identity, err := ParseEmail("email", raw)
		if err != nil {
			namesField(t, raw, err)
			return
		}
		checkKey(t, raw, identity)
		for _, same := range []string{identity.Value, " " + asciiUpper(identity.Value) + "\t", norm.NFD.String(identity.Value), inOwnLetters(t, identity.Value)} {
			if again, err := ParseEmail("email", same); err != nil || again != identity {
				t.Errorf("%q gives %v, but %q gives %v, %v", raw, identity, same, again, err)
			}
		}
	})
}

// inOwnLetters is a mail address with its domain as people write it.
func inOwnLetters(t *testing.T, address string) string {
	t.Helper()
	at := strings.LastIndexByte(address, '@') + 1
	domain, err := idna.Lookup.ToUnicode(address[at:])
	if err != nil {
		t.Errorf("%q: its domain is none: %v", address, err)
	}
	return address[:at] + domain
}

// spellings are other addresses of the same profile.
func spellings(i Identity) []string {
	if i.Kind == LinkedInURN {
		id := strings.TrimPrefix(i.Value, profileURNPrefix)
		return []string{i.Value, "/in/" + id, "https://www.linkedin.com/in/" + id + "/?x=1", i.ProfileURL()}
	}
	once := url.PathEscape(i.Value)
	return []string{
		"/in/" + i.Value, "in/" + i.Value + "/", "linkedin.com/in/" + i.Value + "/details/skills", i.ProfileURL(),
		"https://www.linkedin.com/in/" + once, "http://DE.linkedin.com/IN/" + once + "/?a=/b#c/d", "https://m.linkedin.com//in//" + url.PathEscape(once),
		"\t/in/" + norm.NFD.String(i.Value) + "\n", "/in/" + asciiUpper(i.Value),
	}
}

func namesField(t *testing.T, raw string, err error) {
	t.Helper()
	if p := problem.As(err); p == nil || p.Code != problem.InvalidField || p.Field == "" {
		t.Errorf("%q is refused without a field: %v", raw, err)
	}
}

// checkKey holds an identity against what every key is.
func checkKey(t *testing.T, raw string, i Identity) {
	t.Helper()
	length := utf8.RuneCountInString(i.Value)
	if length == 0 || length > identityRunesMax || !utf8.ValidString(i.Value) || !norm.NFC.IsNormalString(i.Value) {
		t.Errorf("%q gives the key %q: it must be UTF-8 in NFC, of 1 to %d characters", raw, i.Value, identityRunesMax)
	}
	if strings.ContainsFunc(i.Value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		t.Errorf("%q gives the key %q, which holds white space or a control character", raw, i.Value)
	}
}

func asciiUpper(text string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, text)
}
