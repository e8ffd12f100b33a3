package gateway

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"sendonce/server/config"
	"sendonce/server/send"
)

const goldenFrames = "../../shared/frames"

// Goal: every golden frame is taken or refused here as it is by the extension, with the same field named.
func TestGoldenFrames(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob(filepath.Join(goldenFrames, "*.json"))
	if err != nil || len(names) < 100 {
		t.Fatalf("%d golden frames, %v", len(names), err)
	}
	seen := map[string]bool{}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var golden struct {
			From  string
			Valid bool
			Field *string
			Frame json.RawMessage
		}
		if err := json.Unmarshal(raw, &golden); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var bad *fault
		if golden.From == "install" {
			var f frame
			f, bad = decode(golden.Frame)
			seen[golden.From+" "+f.Type] = true
		} else {
			bad = checkOutgoing(golden.Frame)
			var head struct{ Type string }
			_ = json.Unmarshal(golden.Frame, &head)
			seen[golden.From+" "+head.Type] = true
		}
		want := ""
		if golden.Field != nil {
			want = *golden.Field
		}
		switch {
		case golden.Valid && bad != nil:
			t.Errorf("%s: refused: %s %s", filepath.Base(name), bad.Field, bad.Text)
		case !golden.Valid && bad == nil:
			t.Errorf("%s: taken", filepath.Base(name))
		case !golden.Valid && bad.Field != want:
			t.Errorf("%s: names %q, want %q", filepath.Base(name), bad.Field, want)
		}
	}
	for side, shapes := range map[string]map[string]shape{"install": fromInstall, "server": fromServer} {
		for name := range shapes {
			if !seen[side+" "+name] {
				t.Errorf("no golden frame of the type %s from the %s", name, side)
			}
		}
	}
}

func TestFramesThatNoGoldenFileCanHold(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", config.FrameBytesMax/2)
	for name, c := range map[string]struct{ raw, field string }{
		"not UTF-8":          {"{\"v\":1,\"type\":\"ping\",\"id\":\"\xff\"}", ""},
		"not JSON":           {"{", ""},
		"null":               {"null", ""},
		"two values":         {`{"v":1,"type":"ping","id":"i"} {}`, ""},
		"a NUL":              {`{"v":1,"type":"ping","id":"a\u0000b"}`, "id"},
		"deep":               {`{"v":1,"type":"ready","id":"i","accounts":` + deep + strings.Repeat("]", len(deep)) + `}`, ""},
		"a fraction of zero": {`{"v":1.0,"type":"ping","id":"i"}`, "v"},
		"a null id":          {`{"v":1,"type":"ping","id":null}`, "id"},
		"a member twice":     {`{"v":1,"type":"ping","id":"i","id":"i"}`, ""},
		"one twice, deeper":  {`{"v":1,"type":"hello","id":"i","mark":{"epoch":1,"epoch":2}}`, ""},
		"another case":       {`{"v":1,"type":"ping","ID":"i"}`, "ID"},
		"a long field":       {`{"v":1,"type":"ping","id":"i","` + strings.Repeat("x", 5000) + `":1}`, strings.Repeat("x", config.FieldPathRunesMax/2)},
	} {
		_, bad := decode([]byte(c.raw))
		if bad == nil {
			t.Errorf("%s: taken", name)
		} else if bad.Field != c.field {
			t.Errorf("%s: names %q, want %q", name, bad.Field, c.field)
		}
	}
}

// Goal: the longest lease there can be fits into a frame; one that did not would be leased and given back for ever.
func TestLongestLeaseFits(t *testing.T) {
	t.Parallel()
	urn := "urn:li:" + strings.Repeat("x", config.URNRunesMax-len("urn:li:"))
	lease := send.Lease{
		Send: uuid.New(), Account: uuid.New(), Token: strings.Repeat("t", config.LeaseTokenRunesMax), MemberURN: urn,
		Person: send.Recipient{
			ID: uuid.New(), Name: strings.Repeat("😀", config.FrameNameRunesMax), Slug: strings.Repeat("😀", config.FrameSlugRunesMax), URN: urn,
		},
		Conversation: strings.Repeat("c", config.ConversationRunesMax), Body: strings.Repeat("😀", config.BodyRunesMax),
		Digest: "sha256:" + strings.Repeat("0", 64), ApprovedAt: time.Now(), ExpiresIn: time.Minute,
		HeldIDs: slices.Repeat([]string{urn}, config.HeldIDsPerLeaseMax),
	}
	f := leaseFrameOf(lease)
	f.named("1")
	if _, err := encode(f); err != nil {
		t.Error(err)
	}
}
