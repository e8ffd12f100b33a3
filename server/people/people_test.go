package people

import (
	"strings"
	"testing"

	"sendonce/server/problem"
)

const someID = "ACoAAB1cDeFgHiJkLmNoPqRsTuVwXyZ012345_-"

func TestParseLinkedIn(t *testing.T) {
	t.Parallel()
	jurgen := Identity{LinkedInSlug, "jürgen-x"}
	urn := Identity{LinkedInURN, "urn:li:fsd_profile:" + someID}
	for raw, want := range map[string]Identity{
		"https://de.linkedin.com/in/J%C3%BCrgen-x/?utm=1": jurgen,
		"/in/jürgen-x": jurgen,
		"in/JÜRGEN-X":  jurgen,
		"https://www.linkedin.com/in/ju\u0308rgen-x":       jurgen,
		"https://www.linkedin.com/in/j%25C3%25BCrgen-x":    jurgen,
		"  linkedin.com/in/jürgen-x/details/experience/  ": jurgen,
		"HTTPS://M.LinkedIn.com/in/jürgen-x#about":         jurgen,
		"https://touch.linkedin.com/mwlite/in/jürgen-x":    jurgen,
		"https://www.linkedin.com//in//jürgen-x//":         jurgen,
		"http://uk.linkedin.com/in/jürgen-x/en-us":         jurgen,
		"https://www.linkedin.com/in/" + someID + "/":      urn,
		"urn:li:fsd_profile:" + someID:                     urn,
		"https://www.linkedin.com/in/ada-example-12345":    {LinkedInSlug, "ada-example-12345"},
		"/in/می\u200cخواهم-x":                              {LinkedInSlug, "می\u200cخواهم-x"},
		"/in/👩\u200d👧-❤\ufe0f":                             {LinkedInSlug, "👩\u200d👧-❤\ufe0f"},
		"https://www.linkedin.com/in/" + someID[:38] + "/": {LinkedInSlug, strings.ToLower(someID[:38])},
	} {
		got, err := ParseLinkedIn("person.linkedin", raw)
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", raw, got, err, want)
		}
	}
}

func TestParseLinkedInRefuses(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"", "   ", "ada-example", "https://www.linkedin.com/", "https://www.linkedin.com/in/", "https://www.linkedin.com/in/me/",
		"https://www.linkedin.com/company/acme/", "https://www.linkedin.com/sales/lead/x", "https://www.linkedin.com/school/in/x",
		"https://www.linkedin.com/in/../company/acme", "https://www.linkedin.com/in/ada/../bob", "/in/%2e%2e/company",
		"https://evil.example/in/ada", "https://www.linkedin.com.evil.example/in/ada", "https://www.linkedin.com@evil.example/in/ada",
		"https://evil.example\\@www.linkedin.com/in/ada", "https://notlinkedin.com/in/ada", "ftp://www.linkedin.com/in/ada",
		"javascript:alert(1)//linkedin.com/in/ada", "https://www.linkedin.com:8443/in/ada", "https://www.linkedin.com/in/a%2Fb",
		"https://www.linkedin.com/in/a b", "https://www.linkedin.com/in/a%00b", "https://www.linkedin.com/in/%zz",
		"https://www.linkedin.com/in/\xff", "https://www.linkedin.com/in/" + strings.Repeat("a", 5000),
		"https://www.linkedin.com/in/%2525252525", "https://www.linkedin.com/in/<script>",
		// Characters that nobody sees: with them one profile would have many keys.
		"/in/ada-example\u200b", "/in/\u200bada-example", "/in/ada\u200b-example", "/in/ada-example\ufeff", "/in/ada-example%E2%80%8B", "/in/ada\u00ad-example",
		"/in/ada-example\ufe0f", "/in/ada-example\u200d", "/in/ada\u2060-example", "/in/jürgen\u202c", "/in/ada\u3164", "/in/ada\u034f-example", "/in/jü\u200d\u200drgen", "/in/jürgenü\u200d",
	} {
		got, err := ParseLinkedIn("person.linkedin", raw)
		if p := problem.As(err); p == nil || p.Code != problem.InvalidField || p.Field != "person.linkedin" {
			t.Errorf("%q: got %v, %v; want a problem that names the field", raw, got, err)
		}
	}
}

func TestParseEmail(t *testing.T) {
	t.Parallel()
	got, err := ParseEmail("person.email", "  Ada.Example@Example.COM ")
	if err != nil || got != (Identity{Email, "ada.example@example.com"}) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := ParseEmail("person.email", "Ju\u0308rgen@example.com"); err != nil || got != (Identity{Email, "jürgen@example.com"}) {
		t.Errorf("in another composition: got %v, %v", got, err)
	}
	for _, raw := range []string{
		"a@bücher.example", "a@xn--bcher-kva.example", "A@XN--BCHER-KVA.Example", " a@BU\u0308CHER.example", "a@bücher\u3002example", "a@bü\u00adcher.example",
	} {
		if got, err := ParseEmail("person.email", raw); err != nil || got != (Identity{Email, "a@xn--bcher-kva.example"}) {
			t.Errorf("%q, one spelling of a domain: got %v, %v", raw, got, err)
		}
	}
	for _, raw := range []string{
		"", "ada", "ada@", "Ada <ada@example.com>", "a@b.c, d@e.f", "ada@exa mple.com", "\xff@example.com",
		"a\u00a0b@example.com", "ada\u200b@example.com", "ada\u034f@example.com", "ada\ufe0f@example.com", "ada\u3164@example.com", "ada\u0085@example.com", strings.Repeat("a", 400) + "@example.com",
		"ada@[192.0.2.1]", "ada@ex_ample.com", "ada@xn--a.example", "ada@xn--abc-.example", "ada@-x.example", "ada@example..com", "ada@example\u3002\u3002com", "ada@example.com\u3002",
		"ada@" + strings.Repeat("ü.", 100) + "example",
	} {
		if got, err := ParseEmail("person.email", raw); problem.As(err) == nil {
			t.Errorf("%q: got %v, want a refusal", raw, got)
		}
	}
}

// Goal: a domain is written as it stands in the addresses that it covers, however it was typed; what is none is refused.
func TestParseDomain(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"example.com": "example.com", " @Mail.Example.COM ": "mail.example.com", "b\u00fccher.example": "xn--bcher-kva.example",
		"XN--BCHER-KVA.example": "xn--bcher-kva.example", "bu\u0308cher\u3002example": "xn--bcher-kva.example",
	} {
		got, err := ParseDomain("email_domain", raw)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", raw, got, err, want)
		}
		of, err := ParseEmail("email", "ada@"+strings.TrimPrefix(strings.TrimSpace(raw), "@"))
		if err != nil || of.Value != "ada@"+want {
			t.Errorf("%q: an address there is %q, %v", raw, of.Value, err)
		}
	}
	for _, raw := range []string{"", "com", "ada@example.com", "@@example.com", "https://example.com", "example.com/", "exa mple.com", "example..com", ".example.com", "[192.0.2.1]", "\xff.com", "a.example, b.example"} {
		got, err := ParseDomain("email_domain", raw)
		if p := problem.As(err); p == nil || p.Field != "email_domain" {
			t.Errorf("%q: %q, %v; want a problem that names the field", raw, got, err)
		}
	}
}

// Goal: whatever keeps a person from being written to has words, and only that.
func TestContactHasWords(t *testing.T) {
	t.Parallel()
	for _, because := range []string{"removed", "person", "linkedin_urn", "linkedin_slug", "email", "email_domain", "company"} {
		if (Contact{Level: DoNotContact, Because: because}).Text() == "" {
			t.Errorf("%s has no words", because)
		}
	}
	if (Contact{Level: Owned}).Text() == "" || (Contact{Level: TooOften}).Text() == "" || (Contact{Level: Free}).Text() != "" || (Contact{}).Text() != "" {
		t.Error("a level has no words, or one that is free has some")
	}
}
