package parity_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

type (
	fuzzedClocks struct {
		Wall float64 `json:"wall"`
		Mono float64 `json:"mono"`
	}
	fuzzedGo struct {
		WindowMS    float64  `json:"window_ms"`
		ElapsedMS   float64  `json:"elapsed_ms"`
		AskedWallMS float64  `json:"asked_wall_ms"`
		ApartMaxMS  float64  `json:"apart_max_ms"`
		Text        string   `json:"text"`
		PersonID    string   `json:"person_id"`
		MemberURN   string   `json:"member_urn"`
		URL         string   `json:"url"`
		LastID      *string  `json:"last_id"`
		OtherKeys   []string `json:"other_keys"`
	}
	// fuzzedMoment is everything on which the click is decided.
	fuzzedMoment struct {
		Go     fuzzedGo        `json:"go"`
		Now    fuzzedClocks    `json:"now"`
		Poised *fuzzedClocks   `json:"poised"`
		Alive  bool            `json:"alive"`
		Spent  bool            `json:"spent"`
		Facts  json.RawMessage `json:"facts"`
		Box    string          `json:"box"`
	}
)

// Goal: of whatever moment, a click is allowed only when a second reading of design and page finds nothing against it, and
// the moment that was judged is allowed. Method: one page of seedFacts, then whatever the bits of changes do to it.
func FuzzGate(f *testing.F) {
	for page := range seedFacts() {
		for _, late := range []int64{0, 88_000, 89_000, 89_001, -2_000} {
			f.Add(uint8(page), int64(1_000), late, late, "Hello Ada", "Hello\u00a0Ada", uint64(0))
		}
		for change := range uint64(20) {
			f.Add(uint8(page), int64(1_000), int64(0), int64(1_999), "Hello Ada", "Hello Ada", uint64(1)<<change)
		}
		f.Add(uint8(page), int64(1_000), int64(0), int64(2_001), "Hello Ada", "Hello Eda", uint64(0))
	}
	js := newBrowserSide(f)
	f.Fuzz(func(t *testing.T, page uint8, elapsed, mono, wall int64, text, box string, changes uint64) {
		if !utf8.ValidString(text + box) {
			return
		}
		moment, facts := momentOf(page, text, box, changes)
		moment.Go.ElapsedMS, moment.Now.Mono, moment.Now.Wall = float64(elapsed), moment.Now.Mono+float64(mono), moment.Now.Wall+float64(elapsed)+float64(wall)
		moment.Facts = encoded(t, facts)
		decided := call[struct {
			Click  bool
			Reason string
		}](t, js, "page", "decide", moment)
		if decided.Click == (decided.Reason != "") {
			t.Errorf("%+v: a click has no reason, and a refusal has one", decided)
		}
		if wrong := against(moment, facts); decided.Click != (wrong == "") {
			t.Errorf("the click is allowed: %t, %q; against it: %q of %s", decided.Click, decided.Reason, wrong, encoded(t, moment))
		}
	})
}

// momentOf is the moment in which a page of seedFacts was judged, with its changes since: each is one bit.
func momentOf(page uint8, text, box string, changes uint64) (fuzzedMoment, fuzzedFacts) {
	facts := seedFacts()[int(page)%len(seedFacts())]
	facts.Send, facts.Composers = "enabled", 1
	m := fuzzedMoment{Alive: true, Box: box, Now: fuzzedClocks{1_795_982_400_000, 5_000}, Poised: &fuzzedClocks{1_795_982_400_000, 5_000}}
	m.Go = fuzzedGo{90_000, 0, 1_795_982_400_000, 2_000, text, "ACoAAA1", rita, facts.URL, nil, append([]string{}, facts.keys()...)}
	if n := len(facts.Items); n > 0 {
		m.Go.LastID = &facts.Items[n-1].URN
	}
	for bit, change := range []func(){
		func() { m.Alive = false },
		func() { m.Spent = true },
		func() { m.Poised = nil },
		func() { facts.SignIn = true },
		func() { facts.Members = []fuzzedMember{} },
		func() { facts.Members = append(facts.Members, fuzzedMember{ada, "ada-example", ""}) },
		func() { facts.URL = "https://www.linkedin.com/messaging/thread/2-other/" },
		func() { facts.Others = []fuzzedOther{} },
		func() { facts.Others = append(facts.Others, fuzzedOther{"ACoAAB1", ""}) },
		func() { facts.Others = append(facts.Others, fuzzedOther{"ACoAAA1", "again"}) },
		func() { facts.Recipients++ },
		func() { facts.Composers++ },
		func() { facts.Composers = 0 },
		func() { facts.Inmail = true },
		func() { facts.Send = "none" },
		func() { facts.Send = "disabled" },
		func() { facts.Items = append(facts.Items, fuzzedItem{"urn:li:msg_message:x", true, nil, text}) },
		func() { facts.Items = []fuzzedItem{} },
		func() { m.Go.OtherKeys = []string{"bob"} },
		func() { facts.Occupied = true },
	} {
		if changes>>bit&1 == 1 {
			change()
		}
	}
	return m, facts
}

// against is what speaks against a click, or "".
func against(m fuzzedMoment, facts fuzzedFacts) string {
	if !m.Alive || m.Spent || m.Poised == nil {
		return "nobody who may act is there"
	}
	mono, wall := m.Go.ElapsedMS+(m.Now.Mono-m.Poised.Mono), m.Now.Wall-m.Go.AskedWallMS
	isIn := func(ms float64) bool { return 0 <= ms && ms <= m.Go.WindowMS }
	if !isIn(mono) || !isIn(wall) || math.Abs(wall-mono) > m.Go.ApartMaxMS {
		return "the window is over"
	}
	if facts.SignIn || !saysMember(fuzzedFacts{Members: facts.Members}, m.Go.MemberURN) {
		return "another member may be signed in"
	}
	keys, judged := facts.keys(), slices.Sorted(slices.Values(m.Go.OtherKeys))
	isNamed := slices.Contains(keys, m.Go.PersonID) || facts.Recipients == 1 && slices.Equal(keys, slices.Compact(judged))
	if facts.URL != m.Go.URL || len(keys) > 1 || facts.Recipients > 1 || !isNamed {
		return "the page is another one than was judged"
	}
	last := ""
	if n := len(facts.Items); n > 0 {
		last = facts.Items[n-1].URN
	}
	if (m.Go.LastID == nil) != (len(facts.Items) == 0) || m.Go.LastID != nil && *m.Go.LastID != last {
		return "something was written since"
	}
	spaced := func(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }
	if facts.Composers != 1 || facts.Inmail || facts.Send != "enabled" || spaced(m.Box) != spaced(m.Go.Text) {
		return "the box does not hold the text alone, ready to go"
	}
	return ""
}
