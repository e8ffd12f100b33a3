package parity_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

type (
	fuzzedMember struct {
		URN  string `json:"urn"`
		Slug string `json:"slug"`
		Name string `json:"name"`
	}
	fuzzedOther struct {
		Key  string `json:"key"`
		Name string `json:"name"`
	}
)

// fuzzedFacts is what the page script reads from a page.
type fuzzedFacts struct {
	URL          string         `json:"url"`
	SignIn       bool           `json:"sign_in"`
	Members      []fuzzedMember `json:"members"`
	Others       []fuzzedOther  `json:"others"`
	Recipients   int            `json:"recipients"`
	MessageLinks []string       `json:"message_links"`
	Invitable    bool           `json:"invitable"`
	Name         string         `json:"name"`
	Composers    int            `json:"composers"`
	Occupied     bool           `json:"occupied"`
	Send         string         `json:"send"`
	Inmail       bool           `json:"inmail"`
	Items        []fuzzedItem   `json:"items"`
}

func (f fuzzedFacts) urns() []string {
	var urns []string
	for _, member := range f.Members {
		urns = append(urns, member.URN)
	}
	return urns
}

func (f fuzzedFacts) keys() []string {
	var keys []string
	for _, other := range f.Others {
		keys = append(keys, other.Key)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// readFacts makes facts of bytes. No list of a page is null.
func readFacts(raw []byte) (fuzzedFacts, bool) {
	facts := fuzzedFacts{Members: []fuzzedMember{}, Others: []fuzzedOther{}, MessageLinks: []string{}, Items: []fuzzedItem{}}
	ok := json.Unmarshal(raw, &facts) == nil && facts.Members != nil && facts.Others != nil && facts.MessageLinks != nil && facts.Items != nil
	return facts, ok
}

const (
	ada, rita = "urn:li:fsd_profile:ACoAAA1", "urn:li:fsd_profile:ACoAAR1"
	writeAda  = "https://www.linkedin.com/messaging/compose/?profileUrn=urn%3Ali%3Afsd_profile%3AACoAAA1&recipient=ACoAAA1"
)

func seedFacts() []fuzzedFacts {
	members := []fuzzedMember{{rita, "rita-recruiter", "Rita Recruiter"}}
	sender := "ACoAAA1"
	return []fuzzedFacts{
		{
			URL: "https://www.linkedin.com/messaging/thread/2-MTc2==/", Members: members, Others: []fuzzedOther{{"ACoAAA1", "Ada Example"}}, Composers: 1, Send: "enabled",
			Items: []fuzzedItem{{"urn:li:msg_message:(" + rita + ",2-MTc5NTk4MjQwMDAwMGIx)", false, &sender, "Hello"}}, MessageLinks: []string{},
		},
		{URL: writeAda, Members: members, Others: []fuzzedOther{{"ada-example", "Ada Example"}}, Recipients: 1, Composers: 1, Send: "disabled", Items: []fuzzedItem{}, MessageLinks: []string{}},
		{URL: "https://www.linkedin.com/in/ada-example/", Members: members, Others: []fuzzedOther{}, MessageLinks: []string{writeAda, writeAda}, Name: "Ada Example", Items: []fuzzedItem{}},
		{URL: "https://www.linkedin.com/login", SignIn: true, Members: []fuzzedMember{}, Others: []fuzzedOther{{"a", ""}, {"b", ""}}, Recipients: 2, MessageLinks: []string{"https://www.linkedin.com/messaging/compose/?recipient="}, Invitable: true, Items: []fuzzedItem{}},
	}
}

// Goal: whatever a page shows, member and person are proved only by what names them, and nobody beside them is there.
func FuzzPerson(f *testing.F) {
	for _, facts := range seedFacts() {
		f.Add(encoded(f, facts), ada, "ada-example", rita)
		f.Add(encoded(f, facts), "urn:li:fsd_profile:ACoAAB1", "ada-example", rita)
		f.Add(encoded(f, facts), ada, "ada-example", ada)
		facts.Recipients += 2
		f.Add(encoded(f, facts), ada, "ada-example", rita)
	}
	js := newBrowserSide(f)
	f.Fuzz(func(t *testing.T, raw []byte, person, slug, member string) {
		facts, ok := readFacts(raw)
		if !ok || !utf8.ValidString(person+slug+member) {
			return
		}
		if call[string](t, js, "person", "proveMember", facts, member) == "proved" && !saysMember(facts, member) {
			t.Errorf("%s is proved to be signed in on %+v", member, facts)
		}
		proof := call[string](t, js, "person", "provePerson", facts, person, slug, member)
		at := call[place](t, js, "urls", "place", facts.URL)
		if proof == "proved" && !saysPerson(facts, at, person) {
			t.Errorf("%s is proved to be the person of %+v", person, facts)
		}
		resolved := call[struct{ Proof, URN string }](t, js, "person", "resolvePerson", facts, slug)
		if resolved.Proof == "proved" && !saysProfile(t, js, facts, at, slug, resolved.URN) {
			t.Errorf("%q is resolved to %+v on %+v", slug, resolved, facts)
		}
		if name := call[string](t, js, "person", "nameOf", facts, "known"); utf8.RuneCountInString(name) > 200 {
			t.Errorf("a name of %d characters", utf8.RuneCountInString(name))
		}
	})
}

func saysMember(facts fuzzedFacts, member string) bool {
	for _, item := range facts.Items {
		owner, ok := strings.CutPrefix(item.URN, "urn:li:msg_message:(")
		if owner, _, cut := strings.Cut(owner, ","); ok && cut && profileURN.MatchString(owner) && owner != member && messageURN.MatchString(item.URN) {
			return false
		}
	}
	return len(facts.Members) > 0 && !slices.ContainsFunc(facts.urns(), func(urn string) bool { return urn != member })
}

func saysPerson(facts fuzzedFacts, at place, person string) bool {
	id := strings.TrimPrefix(person, "urn:li:fsd_profile:")
	if !profileURN.MatchString(person) || len(facts.keys()) > 1 || facts.Recipients > 1 {
		return false
	}
	if at.Kind == "thread" {
		return slices.Equal(facts.keys(), []string{id})
	}
	return at.Kind == "compose" && at.PersonURN != nil && *at.PersonURN == person && facts.Recipients == 1
}

func saysProfile(t *testing.T, js browserSide, facts fuzzedFacts, at place, slug, urn string) bool {
	t.Helper()
	for _, link := range facts.MessageLinks {
		to := call[place](t, js, "urls", "place", link)
		if to.Kind != "compose" || to.PersonURN == nil || *to.PersonURN != urn {
			return false
		}
	}
	lower := cases.Lower(language.Und)
	same := lower.String(norm.NFC.String(at.Key)) == lower.String(norm.NFC.String(slug))
	return at.Kind == "profile" && same && !facts.Invitable && len(facts.MessageLinks) > 0 && profileURN.MatchString(urn)
}

// Goal: of whatever bytes the page posts, the text and the person are what the body says, and none is made up.
func FuzzDelivery(f *testing.F) {
	for _, seed := range []string{
		`{"message":{"body":{"attributes":[],"text":"Hi"},"originToken":"o-1","conversationUrn":"urn:li:msg_conversation:(urn:li:fsd_profile:ACoAAR1,2-abc==)"}}`,
		`{"message":{"body":{"text":"Hi"}},"hostRecipientUrns":["` + ada + `"]}`, `{"hostRecipientUrns":[{"toString":1,"valueOf":1}]}`, `{"hostRecipientUrns":[["` + ada + `"]]}`,
		`{"hostRecipientUrns":[null,7]}`, `null`, `[]`, `{`, `{"message":{"originToken":"` + strings.Repeat("x", 127) + `😀"}}`, `{"message":{"body":7,"originToken":""}}`,
	} {
		f.Add(seed)
	}
	js := newBrowserSide(f)
	f.Fuzz(func(t *testing.T, body string) {
		read := call[struct {
			Text     *string
			ToPerson *string `json:"to_person"`
		}](t, js, "delivery", "readDelivery", body)
		var said struct {
			Message struct {
				Body struct{ Text *string }
			}
			HostRecipientURNs []string
		}
		if !utf8.ValidString(body) || json.Unmarshal([]byte(body), &said) != nil {
			if read.ToPerson != nil && profileURN.MatchString(*read.ToPerson) && !strings.Contains(body, *read.ToPerson) {
				t.Errorf("%q is read as written to %s", body, *read.ToPerson)
			}
			return
		}
		if read.ToPerson != nil && profileURN.MatchString(*read.ToPerson) && !slices.Equal(said.HostRecipientURNs, []string{*read.ToPerson}) {
			t.Errorf("%q is read as written to %s", body, *read.ToPerson)
		}
		if read.Text != nil && (said.Message.Body.Text == nil || *said.Message.Body.Text != *read.Text) {
			t.Errorf("%q is read with the text %q", body, *read.Text)
		}
	})
}
