package parity_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
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

// Goal: of whatever moment, a click is allowed only when a second reading of design and page finds nothing against it.
func FuzzGate(f *testing.F) {
	for _, facts := range seedFacts() {
		facts.Send = "enabled"
		allowed := fuzzedGo{90_000, 1_000, 1_795_982_400_000, 2_000, "Hello Ada", "ACoAAA1", rita, facts.URL, nil, facts.keys()}
		if n := len(facts.Items); n > 0 {
			allowed.LastID = &facts.Items[n-1].URN
		}
		for _, late := range []float64{0, 89_000, 89_001, -2_000} {
			now := fuzzedClocks{allowed.AskedWallMS + 1_000 + late, 5_000 + late}
			moment := fuzzedMoment{allowed, now, &fuzzedClocks{allowed.AskedWallMS, 5_000}, true, false, encoded(f, facts), "Hello\u00a0Ada"}
			f.Add(encoded(f, moment))
			moment.Spent = true
			f.Add(encoded(f, moment))
			moment.Spent, moment.Box = false, "Hello Eda"
			f.Add(encoded(f, moment))
		}
	}
	js := newBrowserSide(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		moment := fuzzedMoment{Go: fuzzedGo{OtherKeys: []string{}}}
		if json.Unmarshal(raw, &moment) != nil || moment.Go.OtherKeys == nil {
			return
		}
		facts, ok := readFacts(moment.Facts)
		if !ok {
			return
		}
		moment.Facts = encoded(t, facts)
		decided := call[struct {
			Click  bool
			Reason string
		}](t, js, "page", "decide", moment)
		if decided.Click == (decided.Reason != "") {
			t.Errorf("%+v: a click has no reason, and a refusal has one", decided)
		}
		if wrong := against(moment, facts); decided.Click && wrong != "" {
			t.Errorf("the click is allowed although %s: %s", wrong, encoded(t, moment))
		}
	})
}

// against is what speaks against a click, or "".
func against(m fuzzedMoment, facts fuzzedFacts) string {
	if !m.Alive || m.Spent || m.Poised == nil {
		return "nobody who may act is there"
	}
	mono, wall := m.Go.ElapsedMS+m.Now.Mono-m.Poised.Mono, m.Now.Wall-m.Go.AskedWallMS
	isIn := func(ms float64) bool { return 0 <= ms && ms <= m.Go.WindowMS }
	// Two orders of the same sum differ in the last bits of very large numbers.
	if near := math.Max(1, math.Abs(mono)) * 1e-9; !isIn(mono) && !isIn(mono+near) && !isIn(mono-near) || !isIn(wall) || math.Abs(wall-mono) > m.Go.ApartMaxMS+near {
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
