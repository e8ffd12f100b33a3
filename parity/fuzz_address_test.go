package parity_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// place is what the extension takes an address for.
type place struct {
	Kind         string
	Conversation string
	PersonURN    *string `json:"person_urn"`
	Key          string
}

var (
	profileURN = regexp.MustCompile(`^urn:li:fsd_profile:(ACo[A-Za-z0-9_-]+)$`)
	profileID  = regexp.MustCompile(`^ACo[A-Za-z0-9_-]+$`)
	messageURN = regexp.MustCompile(`^urn:li:msg_message:\(urn:li:fsd_profile:[A-Za-z0-9_-]+,2-[A-Za-z0-9+/_-]+={0,2}\)$`)
)

// Goal: an address is taken for a page of LinkedIn only when a second reading says so too, a page to write to names only
// one person, and the address that is made of a name leads back to that name.
func FuzzPlace(f *testing.F) {
	for _, seed := range []string{
		"https://www.linkedin.com/messaging/thread/2-MTc2==/", "https://www.linkedin.com/m/in/j%C3%BCrgen-x/?a=b#c", "2-MTc2==",
		"https://www.linkedin.com/messaging/compose/?profileUrn=urn%3Ali%3Afsd_profile%3AACoAAB1&recipient=ACoAAB1", "jürgen-x", "a/b",
		"https://www.linkedin.com/messaging/compose/?profileUrn=urn:li:fsd_profile:A&profileUrn=urn:li:fsd_profile:B&recipient=B",
		"https://www.linkedin.com/messaging/compose/?%72ecipient=A&recipient=B", "https://www.linkedin.com/messaging/thread/new/?recipient=",
		"https://www.linkedin.com@evil.example/in/ada", "https://www.linkedin.com\\@evil.example/in/ada", "https://www.linkedin.com:443/in/ada",
		"https://www.linkedin.com/in/%zz", "https://www.linkedin.com/checkpoint/challenge", "urn:li:fsd_profile:ACoAAB1", "a?b#c%2F", "..", "new",
	} {
		f.Add(seed)
	}
	js := newBrowserSide(f)
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // a browser's address and the server's frames are UTF-8
		}
		checkPlace(t, text, call[place](t, js, "urls", "place", text))
		if text != "" {
			checkWayBack(t, js, text)
		}
	})
}

func checkPlace(t *testing.T, text string, is place) {
	t.Helper()
	if is.Kind == "outside" {
		return
	}
	// net/url refuses control characters and broken escapes, which browsers drop or keep.
	read, err := url.Parse(strings.Map(dropControls, text))
	if err != nil {
		return
	}
	if read.Scheme != "https" || read.Host != "www.linkedin.com" || read.User != nil {
		t.Errorf("%q is taken for %+v; its origin is %s://%s", text, is, read.Scheme, read.Host)
	}
	if is.Kind != "compose" || is.PersonURN == nil {
		return
	}
	if !profileURN.MatchString(*is.PersonURN) {
		t.Errorf("%q is taken to be written to %q, which names nobody", text, *is.PersonURN)
	}
	query, err := url.ParseQuery(read.RawQuery)
	if err != nil {
		return
	}
	id := strings.TrimPrefix(*is.PersonURN, "urn:li:fsd_profile:")
	isOther := func(want string) func(string) bool { return func(got string) bool { return got != want } }
	if slices.ContainsFunc(query["profileUrn"], isOther(*is.PersonURN)) || slices.ContainsFunc(query["recipient"], isOther(id)) {
		t.Errorf("%q is taken to be written to %s alone", text, *is.PersonURN)
	}
}

func dropControls(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}

func checkWayBack(t *testing.T, js browserSide, name string) {
	t.Helper()
	// "new" is LinkedIn's own word for a conversation that has no id yet.
	thread := call[place](t, js, "urls", "place", call[string](t, js, "urls", "threadUrl", name))
	if name != "new" && (thread.Kind != "thread" || thread.Conversation != name) {
		t.Errorf("the address of the conversation %q leads to %+v", name, thread)
	}
	if profile := call[place](t, js, "urls", "place", call[string](t, js, "urls", "profileUrl", name)); profile.Kind != "profile" || profile.Key != name {
		t.Errorf("the address of the profile %q leads to %+v", name, profile)
	}
	compose := call[place](t, js, "urls", "place", call[string](t, js, "urls", "composeUrl", name))
	if compose.Kind != "compose" || (compose.PersonURN != nil) != profileURN.MatchString(name) || compose.PersonURN != nil && *compose.PersonURN != name {
		t.Errorf("the address to write to %q leads to %+v", name, compose)
	}
}
