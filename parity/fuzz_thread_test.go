package parity_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/text/unicode/norm"

	"sendonce/server/config"
	"sendonce/server/message"
)

// fuzzedItem is one message of a conversation, as the page script reads it.
type fuzzedItem struct {
	URN    string  `json:"urn"`
	Own    bool    `json:"own"`
	Sender *string `json:"sender"`
	Text   string  `json:"text"`
}

type fuzzedWanted struct {
	Body         string   `json:"body"`
	MemberURN    string   `json:"member_urn"`
	ApprovedAtMS int64    `json:"approved_at_ms"`
	HeldIDs      []string `json:"held_ids"`
}

type copyRead struct {
	ProviderID string `json:"provider_id"`
	SentAtMS   int64  `json:"sent_at_ms"`
}

type threadRead struct {
	Find     string
	Copies   []copyRead
	Replied  bool
	Readable bool
}

// Goal: what was approved is found again in a page whatever an editor made of it, and what the extension takes for the
// same words the server takes for the same words.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"Hello Ada", "\n\nHi\u00a0 Ada \r\n\r\nbye\t\n", "Jose\u0301", "a\u2003\nb", "👩‍👩‍👧", "\u1100\u1161", "\u0085", "a \u00a0"} {
		f.Add(seed)
	}
	js := newBrowserSide(f)
	f.Fuzz(func(t *testing.T, raw string) {
		if !utf8.ValidString(raw) {
			return
		}
		folded := call[string](t, js, "text", "fold", raw)
		if again := call[string](t, js, "text", "fold", folded); again != folded {
			t.Errorf("%q folds to %q, and that to %q", raw, folded, again)
		}
		if message.Fold(folded) != message.Fold(raw) {
			t.Errorf("%q and %q are one text to the extension and two to the server", raw, folded)
		}
		if latin := call[*string](t, js, "text", "decodeBase64", base64.URLEncoding.EncodeToString([]byte(raw))); latin == nil || *latin != latin1(raw) {
			t.Errorf("the bytes of %q come out of base64 as %v", raw, latin)
		}
		body, err := message.CanonicalBody("body", raw)
		if err != nil {
			return
		}
		digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(body)))
		for how, same := range map[string]string{
			"as it is": body, "decomposed": norm.NFD.String(body), "with other line ends": strings.ReplaceAll(body, "\n", " \r\n"),
			"with no-break spaces": "\n" + strings.ReplaceAll(body, " ", "\u00a0") + "\t\n",
		} {
			if !call[bool](t, js, "text", "sameText", body, same) {
				t.Errorf("%q is not found again %s: %q", body, how, same)
			}
			if got := call[string](t, js, "digest", "textDigest", same); got != digest {
				t.Errorf("%q has the digest %s %s, want that of its bytes, %s", body, got, how, digest)
			}
		}
		if !call[bool](t, js, "page", "sameBytes", strings.ReplaceAll(body, " ", "\u00a0"), body) {
			t.Errorf("%q is not known in a box that holds no-break spaces", body)
		}
	})
}

func latin1(bytes string) string {
	var out strings.Builder
	for _, b := range []byte(bytes) {
		out.WriteRune(rune(b))
	}
	return out.String()
}

// Goal: of whatever a page shows, the copies are exactly what is own, equal, new enough and nobody else's, each once, and
// nothing is "replied" that is not another's and newer than the approval. Method: the bits of shape choose each message.
func FuzzThread(f *testing.F) {
	for shape := range uint64(48) {
		f.Add("Hello Ada", "Hello Eda", shape*0x9E3779B97F4A7C15)
	}
	js := newBrowserSide(f)
	f.Fuzz(func(t *testing.T, body, other string, shape uint64) {
		if !utf8.ValidString(body + other) {
			return
		}
		items, times, wanted := conversationOf(body, other, shape)
		read := call[threadRead](t, js, "thread", "readThread", items, wanted)
		want := threadRead{Find: "none", Readable: true}
		seen := map[string]bool{}
		for i, item := range items {
			isEqual := call[bool](t, js, "text", "sameText", item.Text, body)
			isKnown := times[i] != 0
			want.Readable = want.Readable && isKnown
			want.Replied = want.Replied || isKnown && !isOwn(item, wanted) && times[i] > wanted.ApprovedAtMS
			if !isOwn(item, wanted) || !isEqual {
				continue
			}
			if want.Find == "none" {
				want.Find = "old"
			}
			isNew := time.UnixMilli(times[i]).After(time.UnixMilli(wanted.ApprovedAtMS).Add(-config.ApprovalSlack))
			if isKnown && isNew && !seen[item.URN] && !slices.Contains(wanted.HeldIDs, item.URN) {
				want.Find, seen[item.URN] = "fresh", true
				want.Copies = append(want.Copies, copyRead{item.URN, times[i]})
			}
		}
		if !cmp.Equal(read, want, cmpopts.EquateEmpty()) {
			t.Errorf("the extension reads %+v, a second reading %+v of %s for %s", read, want, encoded(t, items), encoded(t, wanted))
		}
	})
}

// conversationOf makes messages, the time in the id of each (0 when it says none) and what is looked for.
func conversationOf(body, other string, shape uint64) ([]fuzzedItem, []int64, fuzzedWanted) {
	bits := func(most uint64) uint64 {
		shape = shape*6364136223846793005 + 1442695040888963407
		return (shape >> 33) % most
	}
	const approved = 1_795_982_400_000
	member, person, slug := "ACoAAR1", "ACoAAA1", "ada-example"
	wanted := fuzzedWanted{body, rita, approved, []string{}}
	items, times := []fuzzedItem{}, []int64{}
	for range bits(6) {
		at := approved + []int64{-300_001, -300_000, -299_999, 0, 1, 60_000}[bits(6)]
		id := fmt.Sprintf("%db0000%d-100&x_1", at, bits(3))
		if bits(8) == 0 {
			at, id = 0, "no time"
		}
		urn := "urn:li:msg_message:(" + rita + ",2-" + base64.StdEncoding.EncodeToString([]byte(id)) + ")"
		if bits(8) == 0 {
			at, urn = 0, "urn:li:clientMessage:1"
		}
		if bits(4) == 0 {
			wanted.HeldIDs = append(wanted.HeldIDs, urn)
		}
		text := []string{body, strings.ReplaceAll(body, " ", "\u00a0") + " \n", other}[bits(3)]
		items = append(items, fuzzedItem{urn, bits(4) > 0, []*string{nil, &member, &person, &slug}[bits(4)], text})
		times = append(times, at)
	}
	return items, times, wanted
}

// isOwn: a sender that is named by a profile's id, and is not the member, speaks against the page's own mark.
func isOwn(i fuzzedItem, wanted fuzzedWanted) bool {
	isNamed := i.Sender != nil && profileID.MatchString(*i.Sender)
	return i.Own && (!isNamed || "urn:li:fsd_profile:"+*i.Sender == wanted.MemberURN)
}

func encoded(t testing.TB, value any) []byte {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
