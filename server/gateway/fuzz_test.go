//go:build !race

// One goroutine that computes for seconds: ALONE in the Makefile runs it without the race detector.

package gateway

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/dop251/goja"

	"sendonce/parity"
	"sendonce/server/config"
)

// Goal: whatever bytes arrive, the server and the extension take and refuse the same frames and name the same field, and
// what the server answers to a refused one is itself a frame that an install takes.
func FuzzFrame(f *testing.F) {
	eachGolden(f, func(from string, frame []byte) { f.Add(from == fromTheInstall, frame) })
	for _, seed := range []string{
		`{"v":1.0,"type":"ping","id":"i"}`, `{"v":1,"type":"ping","id":"i","id":""}`, `{"v":1,"type":"ping","id":"\ud800"}`,
		`{"v":1,"type":"gone","id":"i","lease_token":"a\u0000"}`, `{"v":1,"type":"ping","id":"i","__proto__":1}`, `{"v":1,"type":"ping","id":"i","":1}`,
		`[]`, `null`, "\xff",
	} {
		f.Add(true, []byte(seed))
	}
	js := newInstallSide(f)
	f.Fuzz(func(t *testing.T, fromInstall bool, raw []byte) {
		if len(raw) > config.FrameBytesMax {
			return // the socket does not read it
		}
		from := "server"
		if fromInstall {
			from = fromTheInstall
			checkRefusal(t, raw)
		}
		if verdictHere(from, raw) == taken && js.verdict(t, from, raw) != taken {
			t.Errorf("the server takes and the extension refuses %q", raw)
		}
		// JavaScript says 1.0 and 1 alike, and of two members of one name the last: what it reads is compared as it says it.
		said := js.said(t, raw)
		if here, there := verdictHere(from, said), js.verdict(t, from, said); here != there {
			t.Errorf("the server says %q, the extension %q of %s", here, there, said)
		}
	})
}

// checkRefusal holds the answer to a refused frame against its own shape.
func checkRefusal(t *testing.T, raw []byte) {
	t.Helper()
	frame, bad := decode(raw)
	if bad == nil {
		return
	}
	answer := errorTo(frame, codeMalformed, bad.Text)
	answer.Field = orNil(bad.Field)
	answer.head.ID = "s-1"
	encoded, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := checkOutgoing(encoded); wrong != nil {
		t.Errorf("%q is refused with %s, whose %s %s", raw, encoded, wrong.Field, wrong.Text)
	}
	if _, noObject := membersOf(raw, ""); noObject == nil && utf8.Valid(raw) && bad.Field == "" {
		t.Errorf("%q is refused without a field: %s", raw, bad.Text)
	}
}

const (
	fromTheInstall = "install"
	taken          = "taken"
	// aStranger stands for a field that no shape has: of several, the two sides may meet another one first.
	aStranger = "is not a field of this frame"
)

func verdictHere(from string, raw []byte) string {
	var bad *fault
	if from == fromTheInstall {
		_, bad = decode(raw)
	} else {
		bad = checkOutgoing(raw)
	}
	switch {
	case bad == nil:
		return taken
	case bad.Text == aStranger:
		return aStranger
	}
	return bad.Field
}

// installSide is the extension's own check of frames, and its rule.
type installSide struct {
	vm                            *goja.Runtime
	fieldOf, encode, reportOfText goja.Callable
}

func newInstallSide(t testing.TB) installSide {
	t.Helper()
	script, err := parity.Bundle(map[string]string{"frames": "core/frames.js", "rule": "core/rule.js"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := parity.Load(script + `
		const parsed = (text) => { try { return JSON.parse(text); } catch { return null; } };
		globalThis.verdict = (text, from) => {
			const result = frames.check(parsed(text), from);
			if ('ok' in result) return 'taken';
			return result.error === 'is not a field of this frame' ? result.error : result.field ?? '';
		};
		globalThis.encode = (text) => JSON.stringify(parsed(text));
		globalThis.reportOf = (text) => {
			const { attempt, end, evidence } = JSON.parse(text);
			const { copies, conversation, answer } = evidence;
			const outcome = end === 'acted' ? rule.classify({ ...evidence, copies: copies.length }) : rule.end(evidence);
			const effect = answer === undefined ? null : rule.accountEffect(answer);
			return JSON.stringify({ ...outcome, effect, attempt, conversation, copies });
		};`)
	if err != nil {
		t.Fatal(err)
	}
	side := installSide{vm: vm}
	for name, into := range map[string]*goja.Callable{
		"verdict": &side.fieldOf, "encode": &side.encode, "reportOf": &side.reportOfText,
	} {
		*into, _ = goja.AssertFunction(vm.Get(name))
	}
	return side
}

func (s installSide) call(t testing.TB, function goja.Callable, args ...string) string {
	t.Helper()
	values := make([]goja.Value, len(args))
	for i, arg := range args {
		values[i] = s.vm.ToValue(arg)
	}
	result, err := function(goja.Undefined(), values...)
	if err != nil {
		t.Fatalf("the extension throws %v on %q", err, args)
	}
	return result.String()
}

func (s installSide) verdict(t testing.TB, from string, raw []byte) string {
	t.Helper()
	return s.call(t, s.fieldOf, string(raw), from)
}

// said is the frame as the extension would say it.
func (s installSide) said(t testing.TB, raw []byte) []byte {
	t.Helper()
	return []byte(s.call(t, s.encode, string(raw)))
}

func eachGolden(t testing.TB, do func(from string, frame []byte)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(goldenFrames, "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no golden frames: %v", err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var golden struct {
			From  string
			Frame json.RawMessage
		}
		if err := json.Unmarshal(raw, &golden); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var small bytes.Buffer
		if err := json.Compact(&small, golden.Frame); err != nil {
			t.Fatal(err)
		}
		do(golden.From, small.Bytes())
	}
}
