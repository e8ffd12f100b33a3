package delivery

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var start = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

func drawObservation(t *rapid.T) Observation {
	return Observation{
		Kind:   rapid.SampledFrom(append(Kinds(), Manual)).Draw(t, "kind"),
		At:     start.Add(time.Duration(rapid.IntRange(0, 4).Draw(t, "minutes")) * time.Minute),
		Detail: rapid.SampledFrom([]string{"", "full", "unknown"}).Draw(t, "detail"),
	}
}

// Goal: repeated and reordered observations come to the same, and no further one takes a state back or a trouble away.
func TestFoldKnowsNoOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seen := rapid.SliceOfN(rapid.Custom(drawObservation), 0, 8).Draw(t, "seen")
		want := Fold(seen)
		again := rapid.Permutation(append(slices.Clone(seen), rapid.SliceOfN(rapid.SampledFrom(append(seen, Observation{})), 0, 6).Draw(t, "repeated")...)).Draw(t, "again")
		again = slices.DeleteFunc(again, func(o Observation) bool { return o.Kind == "" })
		if got := Fold(again); !cmp.Equal(got, want) {
			t.Fatalf("%v in another order:\n%s", seen, cmp.Diff(want, got))
		}
		more := Fold(append(slices.Clone(seen), drawObservation(t)))
		if slices.Index(way, more.State) < slices.Index(way, want.State) {
			t.Fatalf("went back from %s to %s", want.State, more.State)
		}
		if want.Bounced != nil && more.Bounced == nil || want.Undelivered != nil && more.Undelivered == nil ||
			!want.ByHandAt.IsZero() && more.ByHandAt.IsZero() {
			t.Fatal("a trouble or a message by hand was forgotten")
		}
	})
}

func TestFold(t *testing.T) {
	t.Parallel()
	at := func(minute int, kind Kind, detail string) Observation {
		return Observation{Kind: kind, At: start.Add(time.Duration(minute) * time.Minute), Detail: detail}
	}
	for name, c := range map[string]struct {
		seen []Observation
		want Evidence
	}{
		"nothing": {nil, Evidence{}},
		"a late sent does not take delivered back": {
			[]Observation{at(2, Delivered, ""), at(1, Sent, ""), at(2, Delivered, "")},
			Evidence{State: Delivered, At: start.Add(2 * time.Minute)},
		},
		"a bounce after delivered stands beside it": {
			[]Observation{at(1, Delivered, ""), at(5, Bounced, "full")},
			Evidence{State: Delivered, At: start.Add(time.Minute), Bounced: &Trouble{start.Add(5 * time.Minute), "full"}},
		},
		"a bounce that was not final": {
			[]Observation{at(1, Bounced, "busy"), at(5, Delivered, "")},
			Evidence{State: Delivered, At: start.Add(5 * time.Minute), Bounced: &Trouble{start.Add(time.Minute), "busy"}},
		},
		"a message by hand is no step, and the first one counts": {
			[]Observation{at(1, Read, ""), at(7, Manual, ""), at(4, Manual, "")},
			Evidence{State: Read, At: start.Add(time.Minute), ByHandAt: start.Add(4 * time.Minute)},
		},
		"an automatic answer is no reply": {
			[]Observation{at(1, Delivered, ""), at(2, AutoReplied, "")},
			Evidence{State: Delivered, At: start.Add(time.Minute)},
		},
		"only trouble": {
			[]Observation{at(3, Undelivered, "refused")},
			Evidence{Undelivered: &Trouble{start.Add(3 * time.Minute), "refused"}},
		},
	} {
		if got := Fold(c.seen); !cmp.Equal(got, c.want) {
			t.Errorf("%s:\n%s", name, cmp.Diff(c.want, got))
		}
	}
}
