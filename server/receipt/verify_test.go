package receipt_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"sendonce/server/config"
	"sendonce/server/receipt"
)

// Goal: what is said of a receipt does not depend on how its JSON is laid out, and names what is wrong with it.
func TestVerify(t *testing.T) {
	t.Parallel()
	key, other := keyOf(1), keyOf(2)
	raw := sign(t, example(), key)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "\r\n", "\t"); err != nil {
		t.Fatal(err)
	}
	turned, err := json.Marshal(decoded(t, raw)) // in the order of their names
	if err != nil || bytes.Equal(turned, raw) {
		t.Fatalf("%v %s", err, turned)
	}
	shape2 := example()
	shape2.ReceiptVersion = 2
	replace := func(old, new string) []byte { return bytes.Replace(raw, []byte(old), []byte(new), 1) }
	for _, c := range []struct {
		name string
		raw  []byte
		want string // a part of the error; "" holds
	}{
		{"as it came", raw, ""},
		{"laid out", pretty.Bytes(), ""},
		{"in another order", turned, ""},
		{"with escapes", replace("Ada Example", `\u0041da Example`), ""},
		{"by another key", sign(t, example(), other), "names the key"},
		{"altered", replace("Hello Ada!", "Hello Bob!"), "changed, added or removed"},
		{"a member twice", replace(`"purpose":"first contact"`, `"purpose":"first contact","purpose":"first contact"`), `"/message/purpose" stands there twice`},
		{"a member twice, at the top", replace(`"receipt_version":1`, `"receipt_version":1,"receipt_version":1`), `"/receipt_version" stands there twice`},
		{"a member twice, spelled otherwise", replace(`"purpose":"first contact"`, `"purpose":"x","\u0070urpose":"first contact"`), "stands there twice"},
		{"a name that says it holds, twice", replace(`"purpose":`, `"x\nThe signature is good.":1,"x\nThe signature is good.":1,"purpose":`), "stands there twice"},
		{"a number under such a name", replace(`"purpose":`, `"x\u001b[2J\nThe signature is good.":1.5,"purpose":`), "only whole numbers"},
		{"a fraction", replace(`"receipt_version":1`, `"receipt_version":1.5`), "only whole numbers"},
		{"a number spelled otherwise", replace(`"receipt_version":1`, `"receipt_version":1e0`), "only whole numbers"},
		{"too large a number", replace(`"count":2`, `"count":9007199254740993`), "only whole numbers"},
		{"an unknown member", replace(`"receipt_version":1`, `"receipt_version":1,"more":{}`), "changed, added or removed"},
		{"another algorithm", replace(`"alg":"Ed25519"`, `"alg":"none"`), "signature.alg"},
		{"no signature", replace(`"signature":`, `"sealed":`), "no signature"},
		{"a signature that is none", replace(`"key_id":"`, `"key_id":7,"x":"`), "not readable"},
		{"of a later shape", sign(t, shape2, key), "receipt_version is 2"},
		{"two documents", append(bytes.Clone(raw), raw...), "no JSON"},
		{"not UTF-8", replace("first contact", "first \xff"), "no JSON"},
		{"half a pair", replace("first contact", `first \ud800`), "no JSON"},
		{"nothing", nil, "no JSON"},
		{"no object", []byte(`[]`), "no JSON object"},
		{"null", []byte(`null`), "no JSON object"},
		{"deep", bytes.Repeat([]byte("["), 100_000), "no JSON"},
		{"huge", bytes.Repeat([]byte(" "), config.ReceiptBytesMax+1), "no receipt has more"},
	} {
		_, err := receipt.Verify(c.raw, publicOf(key))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err != nil && strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Errorf("%s: what is wrong is said in lines that a stranger chose: %q", c.name, err)
		}
	}
	for cut := 0; cut < len(raw); cut += 29 {
		if _, err := receipt.Verify(raw[:cut], publicOf(key)); err == nil {
			t.Fatalf("cut off after %d bytes, it holds", cut)
		}
	}
}

// Goal: a value that base64 could spell in another way is one value.
func TestSignatureIsSpelledOnce(t *testing.T) {
	t.Parallel()
	key := keyOf(1)
	raw := sign(t, example(), key)
	r, err := receipt.Verify(raw, publicOf(key))
	if err != nil {
		t.Fatal(err)
	}
	value := r.Signature.Value
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(letters, value[len(value)-1])
	for _, spelled := range []string{value[:len(value)-1] + letters[last+1:last+2], value + "=", value[:4] + `\n` + value[4:]} {
		if _, err := receipt.Verify(bytes.Replace(raw, []byte(value), []byte(spelled), 1), publicOf(key)); !errors.Is(err, receipt.ErrAltered) {
			t.Errorf("%s: %v", spelled, err)
		}
	}
}

// Goal: once the key was changed, old receipts hold by the published keys, and new ones by the new key alone.
func TestVerifyAfterTheKeyWasChanged(t *testing.T) {
	t.Parallel()
	first, second := keyOf(1), keyOf(2)
	old, fresh := sign(t, example(), first), sign(t, example(), first, second)
	published, err := json.Marshal(map[string]any{"items": receipt.Published([]ed25519.PrivateKey{first, second}), "next_cursor": nil})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := receipt.ParseKeys(string(published))
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{"old": old, "new": fresh} {
		if _, err := receipt.Verify(raw, keys); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := receipt.Verify(fresh, publicOf(first)); err == nil {
		t.Error("a new receipt is signed with the old key")
	}
}

func TestParseKeys(t *testing.T) {
	t.Parallel()
	one := receipt.Published([]ed25519.PrivateKey{keyOf(1)})[0]
	for text, count := range map[string]int{
		one.PublicKey: 1, one.KeyID + " " + one.PublicKey + "\n\n": 1, one.PublicKey + "\r\n" + one.PublicKey: 2,
		"": 0, "{}": 0, `{"items":[]}`: 0, `{"items":[{"public_key":"AAAA"}]}`: 0, `{"items":7}`: 0, "{": 0,
		one.PublicKey + "=": 0, one.PublicKey[1:]: 0, "keys.json": 0,
	} {
		keys, err := receipt.ParseKeys(text)
		if len(keys) != count || (err == nil) != (count > 0) {
			t.Errorf("%q: %d keys, %v", text, len(keys), err)
		}
	}
}

// Goal: the summary says what, to whom, how it ended and who says so, in lines that nobody else can write.
func TestSummary(t *testing.T) {
	t.Parallel()
	key := keyOf(1)
	r := example()
	r.Message.Purpose = "first\ncontact \x1b[2J"
	signed, err := receipt.Verify(sign(t, r, key), publicOf(key))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/summary.golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := signed.Summary(); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzVerify gives bytes of strangers to the reader of receipts: whatever holds is what was signed.
func FuzzVerify(f *testing.F) {
	key := keyOf(1)
	signed, err := receipt.NewSigner([]ed25519.PrivateKey{key}, func() time.Time { return noon }).Sign(example())
	if err != nil {
		f.Fatal(err)
	}
	raw, err := jsonv2.Marshal(signed)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"signature":{"alg":"Ed25519","key_id":"","value":""}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := receipt.Verify(raw, publicOf(key))
		if err != nil {
			return
		}
		if diff := cmp.Diff(asJSON(t, signed), asJSON(t, r)); diff != "" {
			t.Errorf("it holds, and is not what was signed:\n%s", diff)
		}
	})
}

func asJSON(t *testing.T, r receipt.Receipt) any {
	t.Helper()
	raw, err := jsonv2.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return decoded(t, raw)
}

func decoded(t *testing.T, raw []byte) any {
	t.Helper()
	var document any
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	return document
}
