package parity_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

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
		for how, same := range map[string]string{
			"as it is": body, "decomposed": norm.NFD.String(body), "with other line ends": strings.ReplaceAll(body, "\n", " \r\n"),
			"with no-break spaces": "\n" + strings.ReplaceAll(body, " ", "\u00a0") + "\t\n",
		} {
			if !call[bool](t, js, "text", "sameText", body, same) {
				t.Errorf("%q is not found again %s: %q", body, how, same)
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

// Goal: of whatever a page shows, a copy is only what is own, equal, new enough and nobody else's.
func FuzzThread(f *testing.F) {
	urn := func(member string, at int64) string {
		return fmt.Sprintf("urn:li:msg_message:(urn:li:fsd_profile:%s,2-%s)", member, base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%db00001-100&x_1", at)))
	}
	const at = 1795982400000
	member, other := "ACoAAM1", "ACoAAP1"
	items := []fuzzedItem{
		{urn(member, at), true, nil, "Hello Ada"},
		{urn(member, at), true, &member, "Hello\u00a0Ada "},
		{urn(member, at+1), true, &other, "Hello Ada"},
		{urn(member, at-300_000), true, nil, "Hello Ada"},
		{urn(member, at-299_999), true, nil, "Hello Ada"},
		{urn(other, at+2), false, nil, "Yes"},
		{"urn:li:clientMessage:1", true, nil, "Hello Ada"},
	}
	wanted := fuzzedWanted{"Hello Ada", "urn:li:fsd_profile:" + member, at, []string{urn(member, at-299_999)}}
	for most := range len(items) + 1 {
		f.Add(encoded(f, items[:most]), encoded(f, wanted))
	}
	f.Add([]byte(`[{"urn":"urn:li:msg_message:(urn:li:fsd_profile:A,2-)","own":true}]`), []byte(`{}`))
	js := newBrowserSide(f)
	f.Fuzz(func(t *testing.T, rawItems, rawWanted []byte) {
		var items []fuzzedItem
		wanted := fuzzedWanted{HeldIDs: []string{}}
		if json.Unmarshal(rawItems, &items) != nil || items == nil || json.Unmarshal(rawWanted, &wanted) != nil || wanted.HeldIDs == nil {
			return
		}
		read := call[threadRead](t, js, "thread", "readThread", items, wanted)
		if (read.Find == "fresh") != (len(read.Copies) > 0) || len(read.Copies) > config.CopiesPerReportMax {
			t.Errorf("%+v of %+v for %+v", read, items, wanted)
		}
		checkCopies(t, js, read.Copies, items, wanted)
		if read.Replied != slices.ContainsFunc(items, func(i fuzzedItem) bool {
			at := call[*int64](t, js, "text", "messageTime", i.URN)
			return !isOwn(i, wanted) && at != nil && *at > wanted.ApprovedAtMS
		}) {
			t.Errorf("replied is %t of %+v for %+v", read.Replied, items, wanted)
		}
	})
}

// isOwn: a sender that is named by a profile's id, and is not the member, speaks against the page's own mark.
func isOwn(i fuzzedItem, wanted fuzzedWanted) bool {
	isNamed := i.Sender != nil && profileID.MatchString(*i.Sender)
	return i.Own && (!isNamed || "urn:li:fsd_profile:"+*i.Sender == wanted.MemberURN)
}

func checkCopies(t *testing.T, js browserSide, copies []copyRead, items []fuzzedItem, wanted fuzzedWanted) {
	t.Helper()
	seen := map[string]bool{}
	for _, c := range copies {
		tooOld := !time.UnixMilli(c.SentAtMS).After(time.UnixMilli(wanted.ApprovedAtMS).Add(-config.ApprovalSlack))
		stands := slices.ContainsFunc(items, func(i fuzzedItem) bool {
			return i.URN == c.ProviderID && isOwn(i, wanted) && call[bool](t, js, "text", "sameText", i.Text, wanted.Body)
		})
		if tooOld || !stands || seen[c.ProviderID] || slices.Contains(wanted.HeldIDs, c.ProviderID) {
			t.Errorf("%+v is no copy of ours in %+v for %+v", c, items, wanted)
		}
		seen[c.ProviderID] = true
	}
}

func encoded(t testing.TB, value any) []byte {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
