package parity_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sendonce/server/config"
)

// markedItem is a message that the page may mark as the newest that was seen.
type markedItem struct {
	fuzzedItem
	Seen bool `json:"seen"`
}

type laterRead struct {
	Kind       string `json:"kind"`
	ProviderID string `json:"provider_id"`
	AtMS       int64  `json:"at_ms"`
	TextDigest string `json:"text_digest"`
}

type observationRead struct {
	About    string      `json:"about"`
	Read     bool        `json:"read"`
	Messages []laterRead `json:"messages"`
}

// Goal: of whatever a page shows, only what stands after the newest message of ours is observed: as a reply what is surely the
// person's, as written by hand what is surely the member's and has a text, as read what the page marks. No text is among it.
func FuzzObserve(f *testing.F) {
	for shape := range uint64(48) {
		f.Add("Hello Ada", "Hello Eda", shape*0x9E3779B97F4A7C15, uint8(shape))
	}
	js := newBrowserSide(f)
	f.Fuzz(func(t *testing.T, body, other string, shape uint64, marks uint8) {
		if !utf8.ValidString(body + other) {
			return
		}
		items, times, wanted := conversationOf(body, other, shape)
		shown := make([]markedItem, len(items))
		for i, item := range items {
			shown[i] = markedItem{item, marks>>i&1 == 1}
		}
		got := call[*observationRead](t, js, "observe", "observe", map[string]any{"items": shown},
			map[string]any{"member_urn": rita, "person_urn": ada, "ours": wanted.HeldIDs})
		want := observedIn(t, js, shown, times, wanted)
		if !cmp.Equal(got, want, cmpopts.EquateEmpty()) {
			t.Errorf("the extension observes %+v, a second reading %+v in %s for %s", got, want, encoded(t, shown), encoded(t, wanted))
		}
	})
}

func observedIn(t testing.TB, js browserSide, items []markedItem, times []int64, wanted fuzzedWanted) *observationRead {
	var seen *observationRead
	for i, item := range items {
		if slices.Contains(wanted.HeldIDs, item.URN) {
			seen = &observationRead{About: item.URN, Read: item.Own && item.Seen}
			continue
		}
		if seen == nil {
			continue
		}
		seen.Read = seen.Read || item.Own && item.Seen
		byStranger := item.Sender != nil && profileID.MatchString(*item.Sender) && "urn:li:fsd_profile:"+*item.Sender != ada
		switch {
		case times[i] == 0:
		case item.Own && isOwn(item.fuzzedItem, wanted) && item.Text != "":
			seen.Messages = append(seen.Messages, laterRead{"manual", item.URN, times[i], call[string](t, js, "digest", "textDigest", item.Text)})
		case !item.Own && !byStranger:
			seen.Messages = append(seen.Messages, laterRead{"replied", item.URN, times[i], ""})
		}
	}
	if seen == nil || !seen.Read && len(seen.Messages) == 0 {
		return nil
	}
	seen.Messages = seen.Messages[max(0, len(seen.Messages)-config.ObservedPerFrameMax):]
	return seen
}
